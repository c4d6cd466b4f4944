"""Trials on disk: read one file, walk a jobs directory, save a record.

In: paths. Out: ``TrialResult``, or an error that says in one line what is wrong with which file; and, the other way
round, a file that is at every moment whole. What is in a trial is the business of ``harbor.models``.
"""

import errno
import os
import pathlib
import re
import stat
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

from .codec import Model, ValidationError
from .files import read_file, replace_file
from .forms import FormGiver, add_extras, describe_value
from .mending import mend_trial
from .models.trial.result import TrialResult

__all__ = [
    "TrialEncodingError", "TrialMissingError", "TrialOutcome", "TrialReadError", "TrialReading", "TrialRollupError",
    "TrialShapeError", "TrialSyntaxError", "TrialTruncatedError", "TrialUnreadableError", "find_trials", "iter_trials",
    "load_trial", "read_trial", "save", "try_trial",
]

TrialPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

_RESULT = "result.json"
# A larger file is refused unread: it is no record of a trial, and may be made to fill the memory.
_SIZE_LIMIT = 1 << 30
_FAULTS_KEPT = 20


# Errors --------------------------------------------------------------------------------------------------------------


class TrialReadError(ValueError):
    """A file that gives no trial; ``kind`` says in a word or two why, ``reason`` in a line, ``path`` which.

    This is the base of all; each kind has a class of its own. ``faults`` lists what has the wrong shape.
    """

    kind = "unreadable"

    def __init__(self, path: str, reason: str, faults: Optional[List[Dict[str, Any]]] = None) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason
        self.faults = faults or []

    def __str__(self) -> str:
        return "%s: %s" % (self.path if self.path.isprintable() else ascii(self.path), self.reason)

    def __reduce__(self) -> Any:
        return type(self), (self.path, self.reason, self.faults)


class TrialUnreadableError(TrialReadError, OSError):
    """A file or folder that the system does not let be read, or that is no regular file; an ``OSError`` too."""

    def __init__(self, path: str, reason: str, number: int) -> None:
        OSError.__init__(self, number, reason, path)
        self.path = path
        self.reason = reason
        self.faults = []

    def __reduce__(self) -> Any:
        return type(self), (self.path, self.reason, self.errno)


class TrialMissingError(TrialUnreadableError, FileNotFoundError):
    """A trial without a result: it is still running, or was killed."""

    kind = "missing"


class TrialTruncatedError(TrialReadError):
    """A file that is empty or ends too early."""

    kind = "truncated"


class TrialEncodingError(TrialReadError):
    """A file that is not UTF-8."""

    kind = "not UTF-8"


class TrialSyntaxError(TrialReadError):
    """A file that is not JSON."""

    kind = "not JSON"


class TrialShapeError(TrialReadError):
    """JSON that is no trial; ``faults`` holds ``type``, ``loc`` and ``msg`` of the first of its faults."""

    kind = "wrong shape"


class TrialRollupError(TrialReadError):
    """The summary that Harbor keeps of a whole job, and no trial."""

    kind = "job roll-up"


# Reading -------------------------------------------------------------------------------------------------------------


class TrialReading(NamedTuple):
    """A trial, and a note for each place that a tolerant reading mended, with its location."""

    trial: TrialResult
    mended: List[str]


class TrialOutcome(NamedTuple):
    """What became of one trial: ``trial``, or the ``error`` that kept it from being read; the other one is None."""

    path: pathlib.Path
    trial: Optional[TrialResult]
    error: Optional[TrialReadError]
    mended: List[str]


def load_trial(path: TrialPath, *, tolerant: bool = False, extra: Optional[str] = None) -> TrialResult:
    """Read a trial from its ``result.json``, or from the folder that holds it.

    ``extra="allow"`` keeps unknown keys; ``tolerant=True`` also takes what ``read_trial`` can mend. Raises
    ``TrialReadError``, one class for each kind; what the system has against the file is an ``OSError`` too.
    """
    return read_trial(path, tolerant=tolerant, extra=extra).trial


def read_trial(path: TrialPath, *, tolerant: bool = False, extra: Optional[str] = None) -> TrialReading:
    """Read a trial as ``load_trial`` does, and say what was mended; nothing ever is without ``tolerant=True``."""
    name = os.fsdecode(path)
    try:
        data = _read_result(name, _SIZE_LIMIT)
    except TrialUnreadableError as exc:
        if exc.errno != errno.EISDIR:
            raise
        name = os.path.join(name, _RESULT)
        data = _read_result(name, _SIZE_LIMIT)
    if len(data) > _SIZE_LIMIT:
        raise TrialUnreadableError(name, "Larger than %d bytes" % _SIZE_LIMIT, errno.EFBIG)
    try:
        return TrialReading(TrialResult.model_validate_json(data, extra=extra), [])
    except ValidationError as exc:
        error = _name_failure(name, data, exc)
    mended = mend_trial(data, extra) if tolerant and not isinstance(error, TrialRollupError) else None
    if mended is None:
        # Raised out here, so that it does not carry the document along as its context.
        raise error
    return TrialReading(*mended)


def try_trial(path: TrialPath, *, tolerant: bool = False, extra: Optional[str] = None) -> TrialOutcome:
    """Read a trial as ``read_trial`` does, and give a failure instead of raising it."""
    name = os.fsdecode(path)
    where = path if isinstance(path, pathlib.Path) else pathlib.Path(name)
    try:
        trial, mended = read_trial(name, tolerant=tolerant, extra=extra)
        return TrialOutcome(where, trial, None, mended)
    except TrialReadError as exc:
        # Frames would keep what was read alive.
        error = exc.with_traceback(None)
    except MemoryError:
        error = TrialUnreadableError(name, "Too large for the memory", errno.ENOMEM)
    return TrialOutcome(where, None, error, [])


def _read_result(name: str, limit: int) -> bytes:
    try:
        return read_file(name, limit)
    except (OSError, ValueError) as exc:
        raise _name_os_error(name, exc) from None


def _name_os_error(name: str, exc: Exception) -> TrialUnreadableError:
    if not isinstance(exc, OSError):  # a name that no file can have
        return TrialUnreadableError(name, str(exc).capitalize(), errno.EINVAL)
    kind = TrialMissingError if isinstance(exc, FileNotFoundError) else TrialUnreadableError
    return kind(name, exc.strerror or type(exc).__name__, exc.errno or 0)


def _name_failure(name: str, data: bytes, exc: ValidationError) -> TrialReadError:
    """Find out why a document was refused."""
    faults = exc.errors(include_url=False, include_context=False)
    first = faults[0]
    if first["type"] == "json_invalid":
        return _name_bad_text(name, data, first["msg"])
    document = next((fault["input"] for fault in faults if fault["type"] == "missing" and len(fault["loc"]) == 1), None)
    if isinstance(document, dict) and "n_total_trials" in document and "trial_name" not in document:
        return TrialRollupError(name, "A job's roll-up and not a trial")
    place = ".".join(map(str, first["loc"]))
    reason = "%s%s%s" % (place, ": " if place else "", first["msg"])
    if len(faults) > 1:
        reason += " (and %d more)" % (len(faults) - 1)
    kept = [{key: fault[key] for key in ("type", "loc", "msg")} for fault in faults[:_FAULTS_KEPT]]
    return TrialShapeError(name, reason if reason.isprintable() else ascii(reason)[1:-1], kept)


def _name_bad_text(name: str, data: bytes, message: str) -> TrialReadError:
    if not data.strip(b"\0 \t\r\n"):
        # A crash of the machine leaves zeros where data had not yet reached the disk.
        return TrialTruncatedError(name, "Holds nothing but zeros" if b"\0" in data else "The file is empty")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as exc:
        if exc.reason != "unexpected end of data":
            return TrialEncodingError(name, "Not UTF-8: byte 0x%02x at offset %d" % (data[exc.start], exc.start))
        return TrialTruncatedError(name, "Ends inside a character")
    if "EOF while parsing" in message:
        return TrialTruncatedError(name, message.replace("Invalid JSON: ", "Ends too early: "))
    return TrialSyntaxError(name, message)


# Walking -------------------------------------------------------------------------------------------------------------

# What a trial's folder may hold besides files, whoever wrote what is in there.
_TRIAL_FOLDERS = frozenset(("agent", "user-agent", "verifier", "artifacts", "steps"))
_MARKS = frozenset((_RESULT, "config.json", "trial.log", "job.log"))
_HEAD_SIZE = 4096
_TELLING_KEY = re.compile(rb'"(n_total_trials|task_name|trial_name|trial_uri|task_id|agent_info)"\s*:')
# What Windows calls a folder that is a link without saying so.
_JUNCTION = 0xA0000003


def iter_trials(
    directory: TrialPath, *, tolerant: bool = False, extra: Optional[str] = None
) -> Iterator[TrialOutcome]:
    """Read every trial below a directory, in the order of the names; never raises, whatever is found there.

    A job's roll-up is passed over, and what stands inside a trial's folder is not looked at. A trial that has no
    result, and a folder that cannot be read, are failures as well.
    """
    for path, error in find_trials(directory):
        yield try_trial(path, tolerant=tolerant, extra=extra) if error is None else TrialOutcome(path, None, error, [])


def find_trials(directory: TrialPath) -> Iterator[Tuple[pathlib.Path, Optional[TrialReadError]]]:
    """Find the files that ``iter_trials`` reads, for whoever hands them to several processes.

    An error stands beside a path that is known not to give a trial: of a folder that cannot be read.
    """
    return _walk(os.fsdecode(directory))


class _Folder:
    """What one look at a folder shows: the files that tell what it is, and its folders by name."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.marks: Set[str] = set()
        self.folders: List[str] = []
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name in _MARKS:
                    self.marks.add(entry.name)
                elif entry.name[:1] != "." and _is_folder(entry):
                    self.folders.append(entry.name)
        self.folders.sort()
        # Whether its result is a trial's, or ought to be; and whether what else is in it is the trial's as well.
        self.is_trial, self.is_closed = self._tell_kind()

    def _tell_kind(self) -> Tuple[bool, bool]:
        if "job.log" in self.marks:
            return False, False
        if "trial.log" in self.marks:
            return True, True
        if _TRIAL_FOLDERS.issuperset(self.folders):
            is_trial = bool(self.marks)
            return is_trial, is_trial
        if _RESULT not in self.marks:
            return False, False
        looks = _tell_look(os.path.join(self.path, _RESULT))
        if looks == "trial":
            return True, True
        return looks != "job" and not self._holds_marks(), False

    def _holds_marks(self) -> bool:
        """Tell whether one of the folders looks like a trial's."""
        paths = (os.path.join(self.path, folder, mark) for folder in self.folders for mark in _MARKS)
        return any(map(os.path.lexists, paths))

    def tell_job(self) -> bool:
        """Tell whether the folders in here are trials, so that one without a result is a trial without one."""
        if self.is_trial:
            return False
        if _RESULT in self.marks or "job.log" in self.marks:
            return True
        for folder in self.folders:
            looks = _tell_look(os.path.join(self.path, folder, _RESULT))
            if looks:
                return looks == "trial"
        return False


class _Trees:
    """The trees that are walked, by the identity of their top: no folder is walked twice, and no link leads up."""

    def __init__(self, top: str) -> None:
        self._tops: Set[Tuple[int, int]] = set()
        self._above: Set[Tuple[int, int]] = set()
        self._add(os.path.realpath(top))

    def _add(self, real: str) -> None:
        self._tops.add(_identify(real))
        self._above.update(map(_identify, _list_above(real)))

    def admits(self, path: str) -> bool:
        """Tell whether a folder met on the way is to be walked; a link to elsewhere starts a tree."""
        info = os.lstat(path)
        if not stat.S_ISLNK(info.st_mode) and getattr(info, "st_reparse_tag", 0) != _JUNCTION:
            return (info.st_dev, info.st_ino) not in self._tops
        real = os.path.realpath(path)
        around = [_identify(real), *map(_identify, _list_above(real))]
        if around[0] in self._above or not self._tops.isdisjoint(around):
            return False
        self._add(real)
        return True


def _walk(top: str) -> Iterator[Tuple[pathlib.Path, Optional[TrialReadError]]]:
    try:
        if not os.path.isdir(top):
            yield pathlib.Path(top), None
            return
        trees = _Trees(top)
        opened = [_Folder(top)]
    except (OSError, ValueError) as exc:
        yield pathlib.Path(top), _name_os_error(top, exc)
        return
    # Of each folder that is open, the names still to come, and whether it is a job, once somebody asked.
    waiting: List[Tuple[_Folder, Iterator[str], List[bool]]] = []
    while opened or waiting:
        if opened:
            folder = opened.pop()
            if folder.is_trial:
                yield pathlib.Path(folder.path, _RESULT), None
            if not folder.is_closed:
                waiting.append((folder, iter(folder.folders), []))
            continue
        around, names, is_job = waiting[-1]
        name = next(names, None)
        if name is None:
            waiting.pop()
            continue
        path = os.path.join(around.path, name)
        try:
            if not trees.admits(path):
                continue
            folder = _Folder(path)
        except FileNotFoundError:
            continue  # it was removed meanwhile
        except (OSError, ValueError) as exc:
            yield pathlib.Path(path), _name_os_error(path, exc)
            continue
        if not folder.marks and _TRIAL_FOLDERS.issuperset(folder.folders):
            if not is_job:
                is_job.append(around.tell_job())
            folder.is_trial = folder.is_closed = is_job[0]
        opened.append(folder)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _tell_look(name: str) -> str:
    """Tell by its beginning what a result looks like: "trial", "job" or, where that does not show, ""."""
    try:
        head = _read_result(name, _HEAD_SIZE)
    except TrialReadError:
        return ""
    # A roll-up may hold trials, and a trial any number.
    found = _TELLING_KEY.search(head)
    return "" if found is None else "job" if found.group(1) == b"n_total_trials" else "trial"


def _identify(path: str) -> Tuple[int, int]:
    info = os.stat(path)
    return info.st_dev, info.st_ino


def _list_above(path: str) -> List[str]:
    return [str(parent) for parent in pathlib.Path(path).parents]


# Saving --------------------------------------------------------------------------------------------------------------


def save(
    model: Model,
    path: TrialPath,
    *,
    indent: Optional[int] = 4,
    inf_nan: str = "strings",
    sync: bool = True,
) -> None:
    """Write a record to a file that is, at every moment, the old one or the new one as a whole.

    No value keeps it from being written: docs/trials.md lists the forms of those that JSON cannot say. Unknown keys
    that were read with ``extra="allow"`` are written too. ``inf_nan`` is that of ``model_dump_json``. ``sync=False``
    does not wait for the disk: the file outlives a kill of the process, but maybe not a crash of the machine. An
    existing file keeps its mode; a link stays, and the file it leads to is replaced. Raises ``OSError`` with the path,
    and leaves the old file as it was.
    """
    if not isinstance(model, Model):
        raise TypeError("save() takes a model such as TrialResult or AgentContext, not %s" % type(model).__name__)
    name = os.fsdecode(path)
    data = _dump(model, indent, inf_nan).encode("utf-8")
    try:
        replace_file(os.path.realpath(name) if os.path.islink(name) else name, data, sync)
    except OSError as exc:
        raise OSError(exc.errno, exc.strerror or str(exc), name) from None


def _dump(model: Model, indent: Optional[int], inf_nan: str) -> str:
    options: Dict[str, Any] = {"indent": indent, "inf_nan": inf_nan, "fallback": describe_value}
    giver = FormGiver()
    try:
        formed = giver.give_forms(model)
        text = formed.model_dump_json(warnings="error", **options)
    except Exception:
        # A value is of the wrong type for its field, or cannot be written.
        giver = FormGiver(thorough=True)
        formed = giver.give_forms(model)
        try:
            text = formed.model_dump_json(warnings="none", **options)
        except Exception:
            # A wrong value in a field may break what is computed from it.
            text = formed.model_dump_json(warnings="none", exclude_computed_fields=True, **options)
    return add_extras(formed, text, indent, inf_nan) if giver.found_extras else text
