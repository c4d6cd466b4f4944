"""The commands that look at one document at a time: show and validate.

A document is an AgentContext or a trial's `result.json`; which of the two, its
keys say. What is wrong with it is written down and becomes an exit status.
"""

import json
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .cli_output import align_rows, describe_os_error, make_plain, print_error, print_json, write_line
from .codec import ValidationError
from .models.agent.context import AgentContext
from .models.agent.rollout_detail import RolloutDetail
from .models.trial.result import StepResult, TimingInfo, TrialResult

__all__ = ["show_file", "validate_file"]

#: The counts of a context and of a model's usage, by the word they are printed with.
_COUNTS = {"input": "n_input_tokens", "cached": "n_cache_tokens", "output": "n_output_tokens"}
#: Keys that every version's trial has, and no context.
_TRIAL_KEYS = ("agent_info", "agent_result", "task_name", "trial_name")
_SHOWN_PHASES = ("environment_setup", "agent_setup", "agent_execution", "verifier")


class _Unreadable(Exception):
    """A document is not there, is no JSON, or is another kind of record; the text says why."""


# Commands --------------------------------------------------------------------


def show_file(name: str, as_json: bool) -> int:
    """Print what a document says, and give the exit status."""
    try:
        document = _parse_document(_read_document(name))
    except _Unreadable as error:
        return print_error(name, str(error))
    except ValidationError as error:
        for detail in error.errors():
            print_error(name, _format_fault(detail))
        return 1
    kind = "trial" if isinstance(document, TrialResult) else "context"
    summary: Dict[str, Any] = {"file": name, "kind": kind}
    if isinstance(document, TrialResult):
        summary.update(_summarise_trial(document))
        lines = _render_trial(summary)
    else:
        summary["context"] = _summarise_context(document)
        lines = _render_context(summary["context"])
    if as_json:
        print_json(summary, indent=2)
    else:
        for line in ["{}: {}".format(make_plain(name), kind), *lines]:
            write_line(line, sys.stdout)
    return 0


def validate_file(name: str, as_json: bool) -> int:
    """Print the faults of a document, and give the exit status."""
    faults: List[Dict[str, Any]] = []
    try:
        _parse_document(_read_document(name))
    except _Unreadable as error:
        if as_json:
            print_json({"file": name, "valid": None, "reason": str(error)})
        return print_error(name, str(error))
    except ValidationError as error:
        faults = error.errors()
    if as_json:
        rows = [{"type": f["type"], "loc": list(f["loc"]), "msg": f["msg"]} for f in faults]
        print_json({"file": name, "valid": not faults, "faults": rows})
    else:
        for line in map(_format_fault, faults) if faults else ["valid"]:
            write_line("{}: {}".format(make_plain(name), line), sys.stdout)
    return 1 if faults else 0


# Reading ---------------------------------------------------------------------


def _read_document(name: str) -> bytes:
    try:
        if name == "-":
            if sys.stdin is None:
                raise _Unreadable("Standard input is closed")
            data = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                data = file.read()
    except OSError as error:
        raise _Unreadable(describe_os_error(error)) from None
    except ValueError as error:  # a name that no file can have
        raise _Unreadable(str(error).capitalize()) from None
    if not data.strip():
        raise _Unreadable("The file is empty")
    return data


def _parse_document(data: bytes) -> Union[TrialResult, AgentContext]:
    """Tell the two kinds of document apart and validate.

    Raise _Unreadable for what is neither, and ValidationError otherwise.
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
    keys = loose.keys() if isinstance(loose, dict) else set()
    if "n_total_trials" in keys and "trial_name" not in keys:
        raise _Unreadable("A job's roll-up, neither a trial nor a context")
    try:
        if keys.isdisjoint(_TRIAL_KEYS):
            return AgentContext.model_validate_json(data)
        return TrialResult.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            raise _Unreadable(first["msg"]) from None
        raise


# Summarising -----------------------------------------------------------------


def _summarise_trial(trial: TrialResult) -> Dict[str, Any]:
    """Collect what `show` prints of a trial, its context and its steps; None stands for unknown throughout."""
    model = trial.agent_info.model_info
    verified, context = trial.verifier_result, trial.agent_result
    return {
        "trial": {
            "task": trial.task_name,
            "task_id": trial.task_id.label,
            "trial": trial.trial_name,
            "dataset": trial.source,
            "agent": trial.agent_info.name,
            "agent_version": trial.agent_info.version,
            "model": None if model is None else model.name,
            "model_provider": None if model is None else model.provider,
            "rewards": None if verified is None else verified.rewards,
            "reward_valid": trial.reward_valid,
            "timed_out": trial.timed_out,
            "exceptions": [
                {"type": exception.exception_type, "message": exception.exception_message}
                for exception in trial.exceptions],
            "timing": _summarise_timing(trial),
            "phases": {
                name: _summarise_timing(timing)
                for name, timing in [(name, getattr(trial, name)) for name in _SHOWN_PHASES] if timing is not None},
        },
        "context": None if context is None else _summarise_context(context),
        "steps": [_summarise_step(step) for step in trial.step_results or ()],
    }


def _summarise_timing(timing: Union[TimingInfo, TrialResult]) -> Dict[str, Any]:
    start, end, duration = timing.started_at, timing.finished_at, timing.duration
    return {
        "started_at": None if start is None else start.isoformat(),
        "finished_at": None if end is None else end.isoformat(),
        "seconds": None if duration is None else duration.total_seconds(),
    }


def _summarise_step(step: StepResult) -> Dict[str, Any]:
    context, verified = step.agent_result, step.verifier_result
    return {
        "name": step.step_name,
        "rewards": None if verified is None else verified.rewards,
        "exception": None if step.exception_info is None else step.exception_info.exception_type,
        "context": None if context is None else _summarise_context(context),
    }


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


def _render_trial(summary: Dict[str, Any]) -> List[str]:
    trial = summary["trial"]
    agent = "{} {}".format(trial["agent"], trial["agent_version"])
    model = "/".join(part for part in (trial["model_provider"], trial["model"]) if part is not None)
    rows = [
        ["task", "{} ({})".format(trial["task"], trial["task_id"])],
        ["trial", trial["trial"]],
        ["dataset", "none" if trial["dataset"] is None else trial["dataset"]],
        ["agent", agent],
        ["model", model or "none named"],
        ["time", _format_timing(trial["timing"])],
        *(["  " + name.replace("_", " "), _format_timing(timing)] for name, timing in trial["phases"].items()),
        ["rewards", _format_rewards(trial["rewards"])],
        *(["exception", "{}: {}".format(exception["type"], exception["message"].strip().split("\n")[0])]
          for exception in trial["exceptions"]),
    ]
    if not trial["exceptions"]:
        rows.append(["exception", "none"])
    width = max(len(row[0]) for row in rows)
    lines = ["  {}  {}".format(name.ljust(width), make_plain(text)).rstrip() for name, text in rows]
    if summary["context"] is not None:
        lines += _render_context(summary["context"])
    elif not summary["steps"]:
        lines.append("  no agent result recorded")
    for step in summary["steps"]:
        failed = "" if step["exception"] is None else ", " + make_plain(step["exception"])
        rewards = make_plain(_format_rewards(step["rewards"]))
        lines.append("step {}: rewards {}{}".format(make_plain(step["name"]), rewards, failed))
        lines += ["  no agent result recorded"] if step["context"] is None else _render_context(step["context"])
    return lines


def _format_timing(timing: Dict[str, Any]) -> str:
    seconds, start = timing["seconds"], timing["started_at"]
    shown = "unknown" if seconds is None else "{:,.1f} s".format(seconds)
    return shown if start is None else "{}, from {}".format(shown, start)


def _format_rewards(rewards: Optional[Dict[str, float]]) -> str:
    if rewards is None:
        return "unknown"
    return ", ".join("{} {!r}".format(name, reward) for name, reward in rewards.items()) or "none"


def _render_context(summary: Dict[str, Any]) -> List[str]:
    rate = summary["cache_hit_rate"]
    lines = align_rows(
        [["{} tokens".format(word), _format_count(summary[key])] for word, key in _COUNTS.items()]
        + [["cost", _format_cost(summary["cost_usd"])]]
        + [["cache-hit rate", "unknown" if rate is None else "{:.1%}".format(rate)]]
    )
    usage, rollouts, keys = summary["model_usage"], summary["rollouts"], summary["metadata_keys"]
    if usage:
        rows = [["model usage", *_COUNTS, "cost"]]
        for name, used in usage.items():
            counts = [_format_count(used[key]) for key in _COUNTS.values()]
            rows.append(["  " + make_plain(name), *counts, _format_cost(used["cost_usd"])])
        lines += align_rows(rows)
    if rollouts:
        rows = [["rollouts", "turns", "prompt tokens", "completion tokens", "logprobs"]]
        for number, rollout in enumerate(rollouts, 1):
            rows.append(["  segment {}".format(number), *_format_rollout(rollout)])
        lines += align_rows(rows)
    else:
        lines.append("  rollouts: " + ("unknown" if rollouts is None else "none"))
    shown = "unknown" if keys is None else ", ".join(map(make_plain, keys)) or "none"
    return lines + ["  metadata keys: " + shown]


def _format_rollout(rollout: Dict[str, Any]) -> List[str]:
    parts = [rollout[name] for name in ("prompt", "completion", "logprobs")]
    turns = _format_count(rollout["turns"])
    if rollout["turns"] is None and any(parts):
        turns = "differ: " + "/".join(str(part["turns"]) for part in parts if part)
    return [turns, *("absent" if part is None else _format_count(part["tokens"]) for part in parts)]


def _format_count(count: Optional[int]) -> str:
    return "unknown" if count is None else "{:,}".format(count)


def _format_cost(cost: Optional[float]) -> str:
    return "unknown" if cost is None else "${!r}".format(cost)


def _format_fault(detail: Dict[str, Any]) -> str:
    where = ".".join(make_plain(str(part)) for part in detail["loc"])
    message = make_plain(detail["msg"])
    return where + ": " + message if where else message
