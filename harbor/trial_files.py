"""The files of trials: how they are found below a directory, and what keeps one from being read.

In: a directory. Out: the path of each trial's result, whatever else is there; and the errors of whoever reads them.
No model is needed for that.
"""

import errno
import os
import re
import stat
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from .files import read_file

__all__ = [
    "RESULT_NAME", "TrialEncodingError", "TrialMissingError", "TrialReadError", "TrialRollupError", "TrialShapeError",
    "TrialSyntaxError", "TrialTruncatedError", "TrialUnreadableError", "is_rollup", "name_bad_shape", "name_bad_text",
    "name_rollup", "read_result", "walk_trials",
]

RESULT_NAME = "result.json"

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


def read_result(name: str, limit: int) -> bytes:
    """Read a file up to one byte more than ``limit``; raises ``TrialUnreadableError``."""
    try:
        return read_file(name, limit)
    except (OSError, ValueError) as exc:
        raise _name_os_error(name, exc) from None


def _name_os_error(name: str, exc: Exception) -> TrialUnreadableError:
    if not isinstance(exc, OSError):  # a name that no file can have
        return TrialUnreadableError(name, str(exc).capitalize(), errno.EINVAL)
    kind = TrialMissingError if isinstance(exc, FileNotFoundError) else TrialUnreadableError
    return kind(name, exc.strerror or type(exc).__name__, exc.errno or 0)


def name_bad_text(name: str, data: bytes, message: str) -> TrialReadError:
    """Give the error for what is no JSON; ``message`` is that of the reader."""
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


def name_bad_shape(name: str, faults: List[Dict[str, Any]]) -> TrialReadError:
    """Give the error for JSON that is no trial; each fault has a ``type``, a ``loc`` and a ``msg``."""
    first = faults[0]
    place = ".".join(map(str, first["loc"]))
    reason = "%s%s%s" % (place, ": " if place else "", first["msg"])
    if len(faults) > 1:
        reason += " (and %d more)" % (len(faults) - 1)
    kept = [{key: fault[key] for key in ("type", "loc", "msg")} for fault in faults[:_FAULTS_KEPT]]
    return TrialShapeError(name, reason if reason.isprintable() else ascii(reason)[1:-1], kept)


def is_rollup(document: Any) -> bool:
    """Tell whether JSON is the summary of a job."""
    return isinstance(document, dict) and "n_total_trials" in document and "trial_name" not in document


def name_rollup(name: str) -> TrialReadError:
    """Give the error for the summary of a job."""
    return TrialRollupError(name, "A job's roll-up and not a trial")


# Walking -------------------------------------------------------------------------------------------------------------

# What a trial's folder may hold besides files, whoever wrote what is in there.
_TRIAL_FOLDERS = frozenset(("agent", "user-agent", "verifier", "artifacts", "steps"))
_MARKS = frozenset((RESULT_NAME, "config.json", "trial.log", "job.log"))
_TRIAL_NAMES = _TRIAL_FOLDERS | _MARKS
_HEAD_SIZE = 4096
_TELLING_KEY = re.compile(rb'"(n_total_trials|task_name|trial_name|trial_uri|task_id|agent_info)"\s*:')
# What Windows calls a folder that is a link without saying so.
_JUNCTION = 0xA0000003
_HAS_JUNCTIONS = os.name == "nt"


class _Folder:
    """What a folder holds that tells what it is; and its folders by name, where names alone do not say: a trial's."""

    __slots__ = ("start", "marks", "folders", "links", "is_trial", "is_closed")

    def __init__(self, start: str) -> None:
        #: Its path as it stands before the name of something in it.
        self.start = start
        # Most folders are known by their names alone, and a list of names takes half as long as one of entries.
        names = os.listdir(start)
        marks = _MARKS.intersection(names)
        self.folders: List[str] = []
        # Whether its result is a trial's, or ought to be; and whether what else is in it is the trial's as well.
        self.is_trial = self.is_closed = True
        if marks and "job.log" not in marks and ("trial.log" in marks or _TRIAL_NAMES.issuperset(names)):
            return
        self.marks: Set[str] = set(marks)
        #: Which of the folders may be links.
        self.links: Set[str] = set()
        with os.scandir(start) as entries:
            for entry in entries:
                if entry.name in _MARKS:
                    self.marks.add(entry.name)  # it may be there only now
                elif entry.name[:1] != ".":
                    is_folder, may_be_link = _tell_folder(entry)
                    if is_folder:
                        self.folders.append(entry.name)
                        if may_be_link:
                            self.links.add(entry.name)
        self.folders.sort()
        self.is_trial, self.is_closed = self._tell_kind()

    def _tell_kind(self) -> Tuple[bool, bool]:
        if "job.log" in self.marks:
            return False, False
        if "trial.log" in self.marks:
            return True, True
        if _TRIAL_FOLDERS.issuperset(self.folders):
            is_trial = bool(self.marks)
            return is_trial, is_trial
        if RESULT_NAME not in self.marks:
            return False, False
        looks = _tell_look(self.start + RESULT_NAME)
        if looks == "trial":
            return True, True
        return looks != "job" and not self._holds_marks(), False

    def _holds_marks(self) -> bool:
        """Tell whether one of the folders looks like a trial's."""
        paths = (os.path.join(self.start + folder, mark) for folder in self.folders for mark in _MARKS)
        return any(map(os.path.lexists, paths))

    def tell_job(self) -> bool:
        """Tell whether the folders in here are trials, so that one without a result is a trial without one."""
        if self.is_trial:
            return False
        if RESULT_NAME in self.marks or "job.log" in self.marks:
            return True
        for folder in self.folders:
            looks = _tell_look(os.path.join(self.start + folder, RESULT_NAME))
            if looks:
                return looks == "trial"
        return False


class _Trees:
    """The trees that are walked, by the identity of their top: no link leads up, or to what is walked already."""

    def __init__(self, top: str) -> None:
        self._tops: Set[Tuple[int, int]] = set()
        self._above: Set[Tuple[int, int]] = set()
        self._add(os.path.realpath(top))

    def _add(self, real: str) -> None:
        self._tops.add(_identify(real))
        self._above.update(map(_identify, _list_above(real)))

    def admits(self, path: str) -> bool:
        """Tell whether what may be a link is to be walked; a link to elsewhere starts a tree."""
        info = os.lstat(path)
        if not stat.S_ISLNK(info.st_mode) and getattr(info, "st_reparse_tag", 0) != _JUNCTION:
            return True
        real = os.path.realpath(path)
        around = [_identify(real), *map(_identify, _list_above(real))]
        if around[0] in self._above or not self._tops.isdisjoint(around):
            return False
        self._add(real)
        return True


def walk_trials(top: str) -> Iterator[Tuple[str, Optional[TrialReadError]]]:
    """Find the results of trials below a directory, in the order of the names, as ``harbor.trials`` says.

    An error stands beside a path that is known not to give a trial: of a folder that cannot be read.
    """
    try:
        if not os.path.isdir(top):
            yield top, None
            return
        trees = _Trees(top)
        folder: Optional[_Folder] = _Folder(os.path.join(top, ""))
    except (OSError, ValueError) as exc:
        yield top, _name_os_error(top, exc)
        return
    # Of each folder that is open, the names still to come, and whether it is a job, once somebody asked.
    waiting: List[Tuple[_Folder, Iterator[str], List[bool]]] = []
    while True:
        if folder is not None:
            if folder.is_trial:
                yield folder.start + RESULT_NAME, None
            if not folder.is_closed:
                waiting.append((folder, iter(folder.folders), []))
            folder = None
        if not waiting:
            return
        around, names, is_job = waiting[-1]
        name = next(names, None)
        if name is None:
            waiting.pop()
            continue
        path = around.start + name
        try:
            if name in around.links and not trees.admits(path):
                continue
            folder = _Folder(path + os.sep)
        except FileNotFoundError:
            continue  # it was removed meanwhile
        except (OSError, ValueError) as exc:
            yield path, _name_os_error(path, exc)
            continue
        if not (folder.is_closed or folder.marks) and _TRIAL_FOLDERS.issuperset(folder.folders):
            if not is_job:
                is_job.append(around.tell_job())
            folder.is_trial = folder.is_closed = is_job[0]


def _tell_folder(entry: "os.DirEntry[str]") -> Tuple[bool, bool]:
    """Tell whether it is a folder, or a link to one, and whether it may be a link."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return True, _HAS_JUNCTIONS
        return entry.is_symlink() and entry.is_dir(), True
    except OSError:
        return False, True


def _tell_look(name: str) -> str:
    """Tell by its beginning what a result looks like: "trial", "job" or, where that does not show, ""."""
    try:
        head = read_result(name, _HEAD_SIZE)
    except TrialReadError:
        return ""
    # A roll-up may hold trials, and a trial any number.
    found = _TELLING_KEY.search(head)
    return "" if found is None else "job" if found.group(1) == b"n_total_trials" else "trial"


def _identify(path: str) -> Tuple[int, int]:
    info = os.stat(path)
    return info.st_dev, info.st_ino


def _list_above(path: str) -> List[str]:
    above = []
    while os.path.dirname(path) != path:
        path = os.path.dirname(path)
        above.append(path)
    return above
