"""The command line: look at a record of an agent run, or check it.

    python -m harbor show FILE
    python -m harbor validate FILE...

A document comes in from a file (`-` is standard input) and is either an
AgentContext or a trial's `result.json`, of which `agent_result` is used. Text
or JSON goes to standard output; what keeps a document from being read goes to
standard error, one line each. Nothing is ever written to a file.

Exit status: 0 all is well, 1 a document has faults, 2 it could not be read.
"""

import json
import math
import os
import sys
from typing import Any, Dict, List, Optional, Sequence, TextIO, Tuple

from . import __version__
from .codec import Model, ValidationError
from .models.agent.context import AgentContext
from .models.agent.rollout_detail import RolloutDetail

__all__ = ["main"]


#: The counts of a context and of a model's usage, by the word they are printed with.
_COUNTS = {"input": "n_input_tokens", "cached": "n_cache_tokens", "output": "n_output_tokens"}


class _Unreadable(Exception):
    """A document is not there or is no JSON; the text says why."""


class _TrialPart(Model):
    """The one part of a trial's result that is looked at."""

    agent_result: Optional[AgentContext] = None


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run one command and give its exit status.

    Without arguments those of the process are used. Wrong usage and `--help`
    raise SystemExit, as argparse does.
    """
    import argparse  # costs more than all of the models together

    parser = argparse.ArgumentParser(prog="python -m harbor", description="Look at records of agent runs.")
    parser.add_argument("--version", action="version", version="harbor-context " + __version__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    as_json = "print JSON instead of text"
    show = commands.add_parser("show", help="print tokens, cost, rollouts and metadata keys of a record")
    show.add_argument("file", metavar="FILE", help="an AgentContext or a trial's result.json; - is standard input")
    show.add_argument("--json", action="store_true", help=as_json)
    validate = commands.add_parser("validate", help="print the faults of records, with their location")
    validate.add_argument("files", metavar="FILE", nargs="+", help="as for show")
    validate.add_argument("--json", action="store_true", help=as_json + ", one object for each file")
    try:
        try:
            options = parser.parse_args(arguments)
            if options.command == "show":
                return _show_file(options.file, options.json)
            return max([_validate_file(name, options.json) for name in options.files])
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # only writing to standard output is left to fail here
        _drop_output()
        if not isinstance(error, BrokenPipeError):
            _print_error("standard output", _describe_os_error(error))
        return 2
    except KeyboardInterrupt:
        return 130


# Commands --------------------------------------------------------------------


def _show_file(name: str, as_json: bool) -> int:
    try:
        kind, context = _parse_document(_read_file(name))
    except _Unreadable as error:
        return _print_error(name, str(error))
    except ValidationError as error:
        for detail in error.errors():
            _print_error(name, _format_fault(detail))
        return 1
    summary = None if context is None else _summarise_context(context)
    if as_json:
        _print_json({"file": name, "kind": kind, "context": summary}, indent=2)
    else:
        _write_line("{}: {}".format(_make_plain(name), kind), sys.stdout)
        for line in ["  no agent result recorded"] if summary is None else _render_summary(summary):
            _write_line(line, sys.stdout)
    return 0


def _validate_file(name: str, as_json: bool) -> int:
    faults: List[Dict[str, Any]] = []
    try:
        _parse_document(_read_file(name))
    except _Unreadable as error:
        if as_json:
            _print_json({"file": name, "valid": None, "reason": str(error)})
        return _print_error(name, str(error))
    except ValidationError as error:
        faults = error.errors()
    if as_json:
        rows = [{"type": f["type"], "loc": list(f["loc"]), "msg": f["msg"]} for f in faults]
        _print_json({"file": name, "valid": not faults, "faults": rows})
    else:
        for line in map(_format_fault, faults) if faults else ["valid"]:
            _write_line("{}: {}".format(_make_plain(name), line), sys.stdout)
    return 1 if faults else 0


# Reading ---------------------------------------------------------------------


def _read_file(name: str) -> bytes:
    try:
        if name == "-":
            if sys.stdin is None:
                raise _Unreadable("Standard input is closed")
            data = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                data = file.read()
    except OSError as error:
        raise _Unreadable(_describe_os_error(error)) from None
    except ValueError as error:  # a name that no file can have
        raise _Unreadable(str(error).capitalize()) from None
    if not data.strip():
        raise _Unreadable("The file is empty")
    return data


def _parse_document(data: bytes) -> Tuple[str, Optional[AgentContext]]:
    """Tell the two kinds of document apart, validate, and give kind and context.

    Raise _Unreadable for what is no JSON, and ValidationError otherwise.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = "byte 0x{:02x} at offset {}".format(data[error.start], error.start)
        raise _Unreadable("Not UTF-8: " + at) from None
    try:
        loose = json.loads(text)
    except (ValueError, RecursionError):
        loose = None  # the model finds the same and says it in its own words
    try:
        if isinstance(loose, dict) and "agent_result" in loose:
            return "trial", _TrialPart.model_validate_json(data).agent_result
        return "context", AgentContext.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            raise _Unreadable(first["msg"]) from None
        raise


# Summarising -----------------------------------------------------------------


def _summarise_context(context: AgentContext) -> Dict[str, Any]:
    """Collect what `show` prints; None stands for unknown throughout."""
    whole, part = context.n_input_tokens, context.n_cache_tokens
    try:
        rate = part / whole if whole and part is not None else None
    except OverflowError:  # integers beyond any float
        rate = None
    usage, rollouts, metadata = context.model_usage, context.rollout_details, context.metadata
    return {
        "n_input_tokens": whole,
        "n_cache_tokens": part,
        "n_output_tokens": context.n_output_tokens,
        "cost_usd": context.cost_usd,
        "cache_hit_rate": rate,
        "model_usage": None if usage is None else {name: vars(used) for name, used in usage.items()},
        "rollouts": None if rollouts is None else [_summarise_rollout(rollout) for rollout in rollouts],
        "metadata_keys": None if metadata is None else list(metadata),
    }


def _summarise_rollout(rollout: RolloutDetail) -> Dict[str, Any]:
    """Count turns and tokens; `turns` is None where the lists disagree about it."""
    lists: List[Tuple[str, Optional[Sequence[Sequence[float]]]]] = [
        ("prompt", rollout.get("prompt_token_ids")),
        ("completion", rollout.get("completion_token_ids")),
        ("logprobs", rollout.get("logprobs")),
    ]
    lengths = {len(turns) for _, turns in lists if turns is not None}
    summary: Dict[str, Any] = {"turns": lengths.pop() if len(lengths) == 1 else None}
    for name, turns in lists:
        summary[name] = None if turns is None else {"turns": len(turns), "tokens": sum(map(len, turns))}
    summary["extra_keys"] = list(rollout.get("extra", ()))
    return summary


# Rendering -------------------------------------------------------------------


def _render_summary(summary: Dict[str, Any]) -> List[str]:
    rate = summary["cache_hit_rate"]
    lines = _align_rows(
        [["{} tokens".format(word), _format_count(summary[key])] for word, key in _COUNTS.items()]
        + [["cost", _format_cost(summary["cost_usd"])]]
        + [["cache-hit rate", "unknown" if rate is None else "{:.1%}".format(rate)]]
    )
    usage, rollouts, keys = summary["model_usage"], summary["rollouts"], summary["metadata_keys"]
    if usage:
        rows = [["model usage", *_COUNTS, "cost"]]
        for name, used in usage.items():
            counts = [_format_count(used[key]) for key in _COUNTS.values()]
            rows.append(["  " + _make_plain(name), *counts, _format_cost(used["cost_usd"])])
        lines += _align_rows(rows)
    if rollouts:
        rows = [["rollouts", "turns", "prompt tokens", "completion tokens", "logprobs"]]
        for number, rollout in enumerate(rollouts, 1):
            rows.append(["  segment {}".format(number), *_format_rollout(rollout)])
        lines += _align_rows(rows)
    else:
        lines.append("  rollouts: " + ("unknown" if rollouts is None else "none"))
    shown = "unknown" if keys is None else ", ".join(map(_make_plain, keys)) or "none"
    return lines + ["  metadata keys: " + shown]


def _format_rollout(rollout: Dict[str, Any]) -> List[str]:
    parts = [rollout[name] for name in ("prompt", "completion", "logprobs")]
    turns = _format_count(rollout["turns"])
    if rollout["turns"] is None and any(parts):
        turns = "differ: " + "/".join(str(part["turns"]) for part in parts if part)
    return [turns, *("absent" if part is None else _format_count(part["tokens"]) for part in parts)]


def _align_rows(rows: List[List[str]]) -> List[str]:
    """Set names to the left and figures to the right of their columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(["", row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]


def _format_count(count: Optional[int]) -> str:
    return "unknown" if count is None else "{:,}".format(count)


def _format_cost(cost: Optional[float]) -> str:
    return "unknown" if cost is None else "${!r}".format(cost)


def _format_fault(detail: Dict[str, Any]) -> str:
    where = ".".join(_make_plain(str(part)) for part in detail["loc"])
    message = _make_plain(detail["msg"])
    return where + ": " + message if where else message


def _make_plain(text: str) -> str:
    """Keep text on one line and harmless to a terminal."""
    return text if text.isprintable() else ascii(text)


def _describe_os_error(error: OSError) -> str:
    return error.strerror or type(error).__name__


# Printing --------------------------------------------------------------------


def _print_json(value: Dict[str, Any], indent: Optional[int] = None) -> None:
    _write_line(json.dumps(_spell_non_finite(value), indent=indent, allow_nan=False), sys.stdout)


def _spell_non_finite(value: Any) -> Any:
    """Replace nan and the infinities, which JSON cannot say, by their names."""
    if isinstance(value, dict):
        return {key: _spell_non_finite(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value


def _print_error(name: str, reason: str) -> int:
    _write_line("harbor: {}: {}".format(_make_plain(name), reason), sys.stderr)
    return 2


def _write_line(text: str, stream: Optional[TextIO]) -> None:
    """Write a line; what the stream's encoding lacks is escaped, a closed stream swallows it."""
    if stream is not None:
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def _drop_output() -> None:
    """Point standard output at nothing, or the interpreter would fail to flush it at exit."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
    except (OSError, ValueError):  # a stream without a file descriptor
        pass
