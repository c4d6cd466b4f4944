"""The work of the command `rollouts`.

Trials and contexts come in, one at a time; findings or a summary are printed, sequences written as JSON lines, and a
picture drawn. An output file is written under another name first: it is whole, or it is not there.
"""

import gzip
import json
import os
import shutil
import sys
import zlib
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union

from .cli_output import align_rows, describe_os_error, make_plain, print_error, print_json, write_line
from .codec import ValidationError
from .files import discard_file, name_temporary, read_file, replace_file
from .models.agent.context import AgentContext
from .models.trial.result import TrialResult
from .rollout_chart import RolloutChart
from .rollout_findings import format_count, make_finding
from .rollouts import FINDING_KINDS, Finding, RolloutError, build_sequences, check_context, iter_sequences
from .trials import TrialShapeError, iter_trials, try_trial

if TYPE_CHECKING:
    import argparse

__all__ = ["process_rollouts"]

_RolloutDocument = Union[TrialResult, AgentContext]

_CONTEXT_LIMIT = 1 << 30
#: Keys that every trial has.
_TRIAL_LOCATIONS = {("task_name",), ("trial_name",), ("agent_info",)}


class _OutputError(Exception):
    """The output could not be written; the text says why."""


def process_rollouts(options: "argparse.Namespace") -> int:
    """Do what the options of `rollouts` ask for, and give the exit status."""
    for kind in options.ignore:
        if kind not in FINDING_KINDS:
            return print_error("--ignore", "Unknown kind %s; there are: %s" % (
                make_plain(repr(kind)), ", ".join(FINDING_KINDS)))
    if options.append and not options.output:
        return print_error("--append", "Expected --output FILE")
    if options.truncation and not options.max_length:
        return print_error("--truncation", "Expected --max-length N")
    lines = None
    try:
        if options.output:
            lines = _LineFile(options.output, options.append)
        command = _Command(options, lines)
        for path in options.paths:
            command.take_path(path)
        if lines is not None:
            lines.finish()
        if options.plot:
            command.draw()
        return command.status
    except _OutputError as error:
        return print_error(str(error.args[0]), str(error.args[1]))
    finally:
        if lines is not None:
            lines.discard()


class _Command:
    """One run of the command: what it does with each document."""

    def __init__(self, options: "argparse.Namespace", lines: Optional["_LineFile"]) -> None:
        self.options = options
        self.lines = lines
        self.chart = RolloutChart() if options.plot else None
        self.status = 0
        self.building: Dict[str, Any] = {
            "per_turn": options.per_turn, "mask_turns": options.mask_turns, "max_length": options.max_length,
            "truncation": options.truncation, "with_logprobs": not options.no_logprobs}

    def take_path(self, path: str) -> None:
        """Take each document that a path stands for."""
        n_taken = 0
        for name, document, reason in _iter_documents(path, self.options.tolerant):
            n_taken += 1
            if document is None:
                self.raise_status(print_error(name, reason))
            else:
                self.take(name, document)
        if not n_taken:
            self.raise_status(print_error(path, "No trials in it"))

    def raise_status(self, status: int) -> None:
        """Make the exit status at least this."""
        self.status = max(self.status, status)

    def take(self, name: str, document: _RolloutDocument) -> None:
        """Do with a document what was asked for."""
        options = self.options
        if options.check:
            self.check(name, document)
        if self.lines is not None:
            self.write(name, document, self.lines)
        if self.chart is not None:
            for _, context in _list_contexts_in(document):
                for detail in context.rollout_details or ():
                    self.chart.add_rollout(detail)
        if not (options.check or options.output or options.plot):
            self.summarise(name, document)

    def check(self, name: str, document: _RolloutDocument) -> None:
        """Print the findings of a document."""
        found: List[Tuple[str, Finding]] = []
        for prefix, context in _list_contexts_in(document):
            found += [(prefix, finding) for finding in check_context(context)]
        if not _list_contexts_in(document):
            found.append(("", make_finding("context_missing")))
        found = [pair for pair in found if pair[1].kind not in self.options.ignore]
        if found:
            self.raise_status(1)
        if self.options.json:
            for prefix, finding in found:
                print_json(dict(finding.as_dict(), file=name, location=prefix + finding.location))
        else:
            for prefix, finding in found:
                text = "%s%s: %s [%s]" % (prefix, finding.location, make_plain(finding.message), finding.kind)
                write_line("%s: %s" % (make_plain(name), text), sys.stdout)
            if not found:
                write_line("%s: sound" % make_plain(name), sys.stdout)

    def write(self, name: str, document: _RolloutDocument, lines: "_LineFile") -> None:
        """Write the sequences of a document."""
        def report(error: RolloutError) -> None:
            step = "" if error.step_name is None else "step %s: " % make_plain(error.step_name)
            print_error(name, "%sRefused: %s" % (step, make_plain(str(error))))
            self.raise_status(1)

        for sequence in iter_sequences([document], reward_name=self.options.reward, report=report, **self.building):
            record = dict(sequence.as_dict(), file=name)
            record["reward"] = _spell_reward(sequence.reward)
            if sequence.rewards is not None:
                record["rewards"] = {key: _spell_reward(reward) for key, reward in sequence.rewards.items()}
            lines.write(record)

    def summarise(self, name: str, document: _RolloutDocument) -> None:
        """Print a table with a row for each rollout, and where sequences break."""
        rows = []
        notes = []
        for prefix, context in _list_contexts_in(document):
            for segment, detail in enumerate(context.rollout_details or ()):
                row, broken = self.summarise_rollout(prefix + "rollout_details.%d" % segment, detail)
                rows.append(row)
                notes += broken
        if self.options.json:
            for row in rows:
                print_json(dict(row, file=name))
            return
        count = format_count(len(rows), "rollout") if rows else "no rollouts"
        write_line("%s: %s" % (make_plain(name), count), sys.stdout)
        if rows:
            columns = list(rows[0])
            cells = [["-" if row[column] is None else str(row[column]) for column in columns] for row in rows]
            heads = [column.replace("_", " ") for column in columns]
            for line in align_rows([heads, *cells]):
                write_line(line, sys.stdout)
        for note in notes:
            write_line("  " + make_plain(note), sys.stdout)

    def summarise_rollout(self, location: str, detail: Any) -> Tuple[Dict[str, Any], List[str]]:
        """Give the row of a rollout, and a line for each break or for its refusal."""
        row: Dict[str, Any] = {
            "location": location, "sequences": None, "turns": None, "tokens": None, "trained_tokens": None,
            "missing_logprobs": None}
        try:
            sequences = build_sequences(detail, **self.building)
        except RolloutError as error:
            self.raise_status(1)
            return row, ["%s: Refused: %s" % (location, finding.message) for finding in error.findings[:5]]
        row["sequences"] = len(sequences)
        row["turns"] = sum(len(sequence.turns) for sequence in sequences)
        row["tokens"] = sum(len(sequence.token_ids) for sequence in sequences)
        row["trained_tokens"] = sum(sequence.n_trained_tokens for sequence in sequences)
        row["missing_logprobs"] = sum(sequence.n_missing_logprobs for sequence in sequences)
        starts = [sequence.start for sequence in sequences if sequence.start.position is not None]
        return row, ["%s: %s" % (location, start) for start in starts]

    def draw(self) -> None:
        """Write the picture."""
        paths = self.options.paths
        name = paths[0] if len(paths) == 1 else "%s and %d more" % (paths[0], len(paths) - 1)
        assert self.chart is not None
        svg = self.chart.as_svg("Rollouts of " + name).encode("utf-8")
        try:
            replace_file(os.path.realpath(self.options.plot), svg, False)
        except (OSError, ValueError) as error:
            raise _OutputError(self.options.plot, _describe_failure(error)) from None


# Reading -----------------------------------------------------------------------------------------------------------


def _iter_documents(path: str, tolerant: bool) -> Iterator[Tuple[str, Optional[_RolloutDocument], str]]:
    """Give the name of each file with its document, or with None and the reason."""
    if os.path.isdir(path):
        for outcome in iter_trials(path, tolerant=tolerant):
            yield str(outcome.path), outcome.trial, "" if outcome.error is None else outcome.error.reason
        return
    outcome = try_trial(path, tolerant=tolerant)
    if outcome.error is None:
        yield path, outcome.trial, ""
        return
    context, reason = None, outcome.error.reason
    if isinstance(outcome.error, TrialShapeError):
        missing = {fault["loc"] for fault in outcome.error.faults if fault["type"] == "missing"}
        if missing >= _TRIAL_LOCATIONS:
            context, reason = _read_context(path, reason)
    yield path, context, reason


def _read_context(path: str, reason: str) -> Tuple[Optional[AgentContext], str]:
    """Read a context, or give the reason; that of the trial where it has a trial's key."""
    try:
        data = read_file(path, _CONTEXT_LIMIT)
        context = AgentContext.model_validate_json(data)
    except OSError as error:
        return None, describe_os_error(error)
    except ValidationError as error:
        faults = error.errors()
        more = " (and %d more)" % (len(faults) - 1) if len(faults) > 1 else ""
        return None, "%s: %s%s" % (".".join(map(str, faults[0]["loc"])), faults[0]["msg"], more)
    if context.is_empty() and b'"agent_result"' in data:
        return None, reason
    return context, ""


def _list_contexts_in(document: _RolloutDocument) -> List[Tuple[str, AgentContext]]:
    """List the contexts that count, each with its place in the document."""
    if isinstance(document, AgentContext):
        return [("", document)]
    if document.agent_result is not None:
        return [("agent_result.", document.agent_result)]
    return [
        ("step_results.%d.agent_result." % index, step.agent_result)
        for index, step in enumerate(document.step_results or ()) if step.agent_result is not None]


# Writing -----------------------------------------------------------------------------------------------------------


class _LineFile:
    """JSON lines, written to a file under a name of its own; ``finish`` gives it its name, ``discard`` drops it."""

    def __init__(self, name: str, append: bool) -> None:
        self._name = name
        self._target = os.path.realpath(name)
        self._temporary = name_temporary(self._target)
        self._is_open = False
        self._streams: List[Any] = []
        try:
            if os.path.exists(self._target) and not os.path.isfile(self._target):
                raise _OutputError(name, "Not a regular file")
            if append and os.path.exists(self._target):
                _expect_whole(name, self._target)
                self._open("xb")
                with open(self._target, "rb") as old:
                    shutil.copyfileobj(old, self._streams[0], 1 << 20)
            else:
                self._open("xb")
            if os.path.exists(self._target):
                shutil.copymode(self._target, self._temporary)
            if name.endswith(".gz"):
                # Without a name and a time: the same sequences give the same bytes.
                self._streams.append(gzip.GzipFile("", "wb", 6, self._streams[0], 0))
        except (OSError, ValueError) as error:
            self.discard()
            raise _OutputError(name, _describe_failure(error)) from None
        except BaseException:
            self.discard()
            raise

    def _open(self, mode: str) -> None:
        self._streams.append(open(self._temporary, mode))
        self._is_open = True

    def write(self, record: Dict[str, Any]) -> None:
        """Write a line."""
        line = json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
        try:
            self._streams[-1].write(line)
        except OSError as error:
            raise _OutputError(self._name, _describe_failure(error)) from None

    def finish(self) -> None:
        """Close the file, and let it take its place."""
        try:
            while len(self._streams) > 1:
                self._streams.pop().close()
            self._streams[0].flush()
            os.fsync(self._streams[0].fileno())
            self._streams.pop().close()
            os.replace(self._temporary, self._target)
            self._is_open = False
        except OSError as error:
            raise _OutputError(self._name, _describe_failure(error)) from None

    def discard(self) -> None:
        """Remove what has not taken its place; after ``finish`` there is nothing."""
        while self._streams:
            try:
                self._streams.pop().close()
            except (OSError, ValueError):
                pass
        if self._is_open:
            self._is_open = False
            discard_file(self._temporary)


def _expect_whole(name: str, path: str) -> None:
    """Refuse a file whose last line is cut, or that is no JSON lines at its end."""
    last = b""
    try:
        with (gzip.open(path, "rb") if name.endswith(".gz") else open(path, "rb")) as lines:
            for last in lines:
                pass
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _OutputError(name, "Cut or damaged: %s; nothing was added" % error) from None
    if not last:
        return
    try:
        is_whole = last.endswith(b"\n") and isinstance(json.loads(last.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        is_whole = False
    if not is_whole:
        raise _OutputError(name, "The last line is cut; nothing was added")


def _spell_reward(reward: Optional[float]) -> Union[float, str, None]:
    """Replace nan and the infinities, for which JSON has no numbers, by their names."""
    if reward is not None and reward != reward:
        return "NaN"
    return {float("inf"): "Infinity", -float("inf"): "-Infinity"}.get(reward, reward)  # type: ignore[arg-type]


def _describe_failure(error: Exception) -> str:
    return describe_os_error(error) if isinstance(error, OSError) else str(error).capitalize()
