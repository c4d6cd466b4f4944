"""The command that sums up a directory of trials: stats.

Every trial below a directory is read once and forgotten; what stays are one row of totals for each group, and the
paths of what could not be read. The rows go to standard output as text, JSON or CSV. With several processes each
reads some of the files, and the rows are the same.
"""

import itertools
import os
import sys
import time
from collections import Counter
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, TextIO, Tuple

from .cli_output import align_rows, make_plain, print_error, print_json, write_line
from .cli_workers import NoWorkers, WorkerDied, can_fork, count_processors, work_apart
from .digests import DIGEST_SIZE_LIMIT, TrialDigest, digest_document, digest_trial, find_failure
from .models.agent.numbers import count_parts, join_parts
from .models.trial.outcomes import choose_reward
from .trial_files import TrialMissingError, TrialReadError, read_result, walk_trials
from .usage_tally import UsageTally

__all__ = ["TrialStats", "collect_stats", "print_stats"]

# How many failures are listed; the others are counted.
_FAILURES_LISTED = 1000
# How many files a process is handed at once, and how many such portions are too few for several processes.
_PORTION = 16
_FEW_PORTIONS = 8
# Unless told otherwise; more would wait for the walk through the directory.
_MOST_JOBS = 8
_PROGRESS_SECONDS = 0.2
_TOKENS = {"input": "n_input_tokens", "cached": "n_cache_tokens", "output": "n_output_tokens"}


class _Failure(NamedTuple):
    path: str
    kind: str
    reason: str


# A file as the walk finds it: its number, its path, and what already keeps it from being read, as a kind and a reason.
_FoundFile = Tuple[int, str, Optional[Tuple[str, str]]]


class _Row:
    """What is known of the trials of one group."""

    def __init__(self) -> None:
        self.trials = 0
        self.failed = 0
        self.timed_out = 0
        self.rewarded = 0
        self.reward_parts = 0
        self.usage = UsageTally()

    def add(self, trial: TrialDigest, reward: Optional[str]) -> None:
        self.trials += 1
        self.failed += trial.has_failed
        self.timed_out += trial.has_timed_out
        try:
            given = choose_reward(trial.rewards, reward)
        except KeyError:  # the one that is asked for is not there, or nobody says which
            given = None
        if given is not None and abs(given) < float("inf"):
            self.rewarded += 1
            self.reward_parts += count_parts(float(given))
        for context in trial.contexts:
            self.usage.add_context(context)

    def pack(self) -> Any:
        numbers = (self.trials, self.failed, self.timed_out, self.rewarded, self.reward_parts)
        return numbers, self.usage.pack()

    def add_packed(self, packed: Any) -> None:
        (trials, failed, timed_out, rewarded, reward_parts), usage = packed
        self.trials += trials
        self.failed += failed
        self.timed_out += timed_out
        self.rewarded += rewarded
        self.reward_parts += reward_parts
        self.usage.add_packed(usage)

    @property
    def mean_reward(self) -> Optional[float]:
        return join_parts(self.reward_parts, self.rewarded) if self.rewarded else None

    def as_dict(self) -> Dict[str, Any]:
        return {
            "trials": self.trials,
            "failed": self.failed,
            "timed_out": self.timed_out,
            "reward": {
                "mean": self.mean_reward, "known": self.rewarded, "unknown": self.trials - self.rewarded},
            "usage": self.usage.totals().as_dict(),
        }


class TrialStats:
    """Rows of totals by group, and the failures; the same whatever the order in which it was collected."""

    def __init__(self) -> None:
        self.rows: Dict[Optional[str], _Row] = {}
        #: Number in the walk, path, kind and reason.
        self.failures: List[Tuple[int, str, str, str]] = []
        self.failed_kinds: Dict[str, int] = Counter()

    def add_trial(self, trial: TrialDigest, by: str, reward: Optional[str]) -> None:
        """Add a trial to the row of its group."""
        group: Optional[str] = "all" if by == "none" else getattr(trial, by)
        row = self.rows.get(group)
        if row is None:
            row = self.rows[group] = _Row()
        row.add(trial, reward)

    def add_failure(self, number: int, path: str, kind: str, reason: str) -> None:
        """Count what could not be read, and keep its path while there are not too many."""
        self.failed_kinds[kind] += 1
        self._keep_failures([(number, path, kind, reason)])

    def pack(self) -> Any:
        """Give all of it as plain values, for another process to add."""
        rows = [(group, row.pack()) for group, row in self.rows.items()]
        return rows, dict(self.failed_kinds), self.failures

    def add_packed(self, packed: Any) -> None:
        """Add what another process collected of other files of the same walk."""
        rows, failed_kinds, failures = packed
        for group, row in rows:
            self.rows.setdefault(group, _Row()).add_packed(row)
        for kind, count in failed_kinds.items():
            self.failed_kinds[kind] += count
        self._keep_failures(failures)

    def list_failures(self) -> List[_Failure]:
        """List the first failures in the order of the walk."""
        return [_Failure(*failure) for _, *failure in sorted(self.failures)[:_FAILURES_LISTED]]

    def _keep_failures(self, more: List[Tuple[int, str, str, str]]) -> None:
        self.failures += more
        if len(self.failures) >= 2 * _FAILURES_LISTED:
            self.failures = sorted(self.failures)[:_FAILURES_LISTED]

    def total(self) -> _Row:
        """Give the row of all groups together."""
        total = _Row()
        for row in self.rows.values():
            total.add_packed(row.pack())
        return total

    def list_rows(self) -> List[Tuple[Optional[str], _Row]]:
        """List the rows by the name of their group, the nameless last."""
        return sorted(self.rows.items(), key=lambda item: (item[0] is None, item[0] or ""))


def print_stats(
    directory: str, *, by: str, reward: Optional[str], form: str, jobs: Optional[int], tolerant: bool, strict: bool
) -> int:
    """Print the rows of a directory, then what could not be read; give the exit status."""
    if not os.path.isdir(directory):
        return print_error(directory, "Not a directory" if os.path.exists(directory) else "No such directory")
    progress = _Progress(sys.stderr)
    try:
        stats = collect_stats(directory, by=by, reward=reward, jobs=jobs, tolerant=tolerant, progress=progress.show)
    except ChildProcessError as error:
        return print_error(directory, str(error))
    finally:
        progress.clear()
    if form == "json":
        print_json(_show_as_dict(stats, by), indent=2)
    elif form == "csv":
        _print_csv(stats, by)
    else:
        for line in _render_stats(stats, by):
            write_line(line, sys.stdout)
    if form != "json":
        _list_failures(stats)
    return 1 if strict and stats.failed_kinds else 0


# Collecting ------------------------------------------------------------------


def collect_stats(
    directory: str,
    *,
    by: str = "none",
    reward: Optional[str] = None,
    jobs: Optional[int] = 1,
    tolerant: bool = False,
    progress: Optional[Callable[[int, int], None]] = None
) -> TrialStats:
    """Read the trials below a directory with so many processes, and sum them up.

    ``by`` is "agent", "model", "task", "dataset" or "none", ``reward`` the name of the reward to take; ``jobs`` may be
    None for as many processes as pay. ``progress`` is called with the numbers of files seen and not read so far.
    Raises ``ChildProcessError`` where a process cannot be had, or is killed.
    """
    stats = TrialStats()
    n_seen = n_failed = 0

    def take(into: TrialStats, portion: List[_FoundFile]) -> int:
        return _read_portion(into, portion, by, reward, tolerant)

    def note(portion: List[_FoundFile], n_unread: int) -> None:
        nonlocal n_seen, n_failed
        n_seen += len(portion)
        n_failed += n_unread
        if progress is not None:
            progress(n_seen, n_failed)

    portions = _list_portions(directory)
    first = list(itertools.islice(portions, _FEW_PORTIONS)) if jobs is None else []
    portions = itertools.chain(first, portions)
    is_forced = jobs is not None
    if jobs is None:
        jobs = min(count_processors(), _MOST_JOBS) if len(first) == _FEW_PORTIONS and can_fork() else 1
    if jobs > 1:
        try:
            for packed in work_apart(portions, take, TrialStats, TrialStats.pack, jobs, note):
                stats.add_packed(packed)
            return stats
        except WorkerDied:
            raise ChildProcessError("A process that read trials ended early; try --jobs 1") from None
        except NoWorkers:
            if is_forced:
                raise ChildProcessError("%d processes cannot be had here; try --jobs 1" % jobs) from None
    for portion in portions:
        note(portion, take(stats, portion))
    return stats


def _list_portions(directory: str) -> Iterator[List[_FoundFile]]:
    here = os.curdir + os.sep
    found = (
        (number, path[len(here):] if path.startswith(here) else path, None if error is None else _name_fault(error))
        for number, (path, error) in enumerate(walk_trials(directory)))
    while True:
        portion = list(itertools.islice(found, _PORTION))
        if not portion:
            return
        yield portion


def _read_portion(
    stats: TrialStats, portion: List[_FoundFile], by: str, reward: Optional[str], tolerant: bool
) -> int:
    """Add files to what is known, and give the number of those that could not be read."""
    n_failed = 0
    for number, path, fault in portion:
        if fault is None:
            digest, error = _digest_file(path, tolerant)
            if digest is None and error is None:
                digest, error = _model_file(path, tolerant)
            if digest is not None:
                stats.add_trial(digest, by, reward)
            elif error is not None:
                fault = _name_fault(error)
        if fault is not None:
            stats.add_failure(number, path, *fault)
            n_failed += 1
    return n_failed


def _name_fault(error: TrialReadError) -> Tuple[str, str]:
    return error.kind, error.reason


def _digest_file(path: str, tolerant: bool) -> Tuple[Optional[TrialDigest], Optional[TrialReadError]]:
    """Digest a file, or give what keeps it from being read, or neither where only the models can tell."""
    try:
        data = read_result(path, DIGEST_SIZE_LIMIT)
        if len(data) <= DIGEST_SIZE_LIMIT:
            digest = digest_document(data)
            error = None if digest is not None or tolerant else find_failure(path, data)
            if digest is not None or error is not None:
                return digest, error
    except TrialMissingError as exc:
        return None, exc.with_traceback(None)
    except (TrialReadError, MemoryError):
        pass
    return None, None


def _model_file(path: str, tolerant: bool) -> Tuple[Optional[TrialDigest], Optional[TrialReadError]]:
    """Digest a file by way of the models, or give what keeps it from being read."""
    from .trials import try_trial  # the models cost as much as some hundred files

    _, trial, error, _ = try_trial(path, tolerant=tolerant)
    return None if trial is None else digest_trial(trial), error


class _Progress:
    """A line on a terminal that counts what was read; nothing where standard error is none."""

    def __init__(self, stream: Optional[TextIO]) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._shown_at = 0.0
        self._width = 0

    def show(self, n_seen: int, n_failed: int) -> None:
        now = time.monotonic()
        if self._stream is None or now < self._shown_at + _PROGRESS_SECONDS:
            return
        self._shown_at = now
        text = "{:,} trials, {:,} unreadable".format(n_seen, n_failed)
        self._write("\r" + text.ljust(self._width))
        self._width = len(text)

    def clear(self) -> None:
        if self._stream is not None and self._width:
            self._write("\r" + " " * self._width + "\r")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            try:
                self._stream.write(text)
                self._stream.flush()
            except OSError:  # the terminal is gone, which is no reason to stop
                self._stream = None


# Printing --------------------------------------------------------------------


def _render_stats(stats: TrialStats, by: str) -> List[str]:
    rows = [["" if by == "none" else by, "trials", "failed", "timed out", "mean reward", *_TOKENS, "cost"]]
    shown = [("none" if group is None else make_plain(group), row) for group, row in stats.list_rows()]
    if len(shown) != 1:
        shown.append(("total", stats.total()))
    for name, row in shown:
        rows.append([
            name,
            *("{:,}".format(count) for count in (row.trials, row.failed, row.timed_out)),
            _format_reward(row),
            *(_format_sum(*row.usage.read_sum(field)) for field in _TOKENS.values()),
            _format_sum(*row.usage.read_sum("cost_usd"), form="${:,.4f}"),
        ])
    lines = [line.rstrip() for line in align_rows(rows)]
    for (field, problem), count in sorted(stats.total().usage.problems.items()):
        lines.append("  {:,} times {} was not as it should be: {}".format(count, field, problem))
    return lines


def _format_sum(value: Optional[float], unknown: int, form: str = "{:,}") -> str:
    if value is None:
        return "unknown"
    text = form.format(value)
    return ">={} ({:,} unknown)".format(text, unknown) if unknown else text


def _format_reward(row: _Row) -> str:
    mean = row.mean_reward
    if mean is None:
        return "unknown"
    text, unknown = "{:.4g}".format(mean), row.trials - row.rewarded
    return "{} ({:,} unknown)".format(text, unknown) if unknown else text


def _show_as_dict(stats: TrialStats, by: str) -> Dict[str, Any]:
    return {
        "by": by,
        "groups": [dict(row.as_dict(), group=group) for group, row in stats.list_rows()],
        "total": stats.total().as_dict(),
        "unreadable": {
            "count": sum(stats.failed_kinds.values()),
            "by_kind": {kind: stats.failed_kinds[kind] for kind in sorted(stats.failed_kinds)},
            "files": [failure._asdict() for failure in stats.list_failures()],
        },
    }


def _print_csv(stats: TrialStats, by: str) -> None:
    """Print a table in which an empty field is unknown, with the number of unknown values beside each total."""
    import csv
    import io

    fields = (*_TOKENS.values(), "cost_usd")
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([
        by, "trials", "failed", "timed_out", "mean_reward", "mean_reward_unknown",
        *(part for field in fields for part in (field, field + "_unknown"))])
    for group, row in stats.list_rows():
        numbers: List[Any] = [row.mean_reward, row.trials - row.rewarded]
        for field in fields:
            numbers += row.usage.read_sum(field)
        writer.writerow([group, row.trials, row.failed, row.timed_out, *numbers])
    write_line(buffer.getvalue()[:-1], sys.stdout)


def _list_failures(stats: TrialStats) -> None:
    """List what could not be read, each in a line, after a line that counts it."""
    if not stats.failed_kinds:
        return
    if sys.stdout is not None:
        sys.stdout.flush()
    kinds = ", ".join("%s %d" % (kind, stats.failed_kinds[kind]) for kind in sorted(stats.failed_kinds))
    number = sum(stats.failed_kinds.values())
    write_line("harbor: {:,} unreadable: {}".format(number, kinds), sys.stderr)
    failures = stats.list_failures()
    for failure in failures:
        print_error(failure.path, failure.reason)
    if number > len(failures):
        write_line("harbor: and {:,} more".format(number - len(failures)), sys.stderr)
