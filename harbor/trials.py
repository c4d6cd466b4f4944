"""Trials on disk: read one file, walk a jobs directory, save a record.

In: paths. Out: ``TrialResult``, or an error that says in one line what is wrong with which file; and, the other way
round, a file that is at every moment whole. What is in a trial is the business of ``harbor.models``.
"""

import errno
import os
import pathlib
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from .codec import Model, ValidationError
from .files import replace_file
from .forms import FormGiver, add_extras, describe_value
from .mending import mend_trial
from .models.trial.result import TrialResult
from .trial_files import (
    RESULT_NAME, TrialEncodingError, TrialMissingError, TrialReadError, TrialRollupError, TrialShapeError,
    TrialSyntaxError, TrialTruncatedError, TrialUnreadableError, is_rollup, name_bad_shape, name_bad_text, name_rollup,
    read_result, walk_trials,
)

__all__ = [
    "TrialEncodingError", "TrialMissingError", "TrialOutcome", "TrialReadError", "TrialReading", "TrialRollupError",
    "TrialShapeError", "TrialSyntaxError", "TrialTruncatedError", "TrialUnreadableError", "find_trials", "iter_trials",
    "load_trial", "read_trial", "save", "try_trial",
]

TrialPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# A larger file is refused unread: it is no record of a trial, and may be made to fill the memory.
_SIZE_LIMIT = 1 << 30


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
        data = read_result(name, _SIZE_LIMIT)
    except TrialUnreadableError as exc:
        if exc.errno != errno.EISDIR:
            raise
        name = os.path.join(name, RESULT_NAME)
        data = read_result(name, _SIZE_LIMIT)
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


def _name_failure(name: str, data: bytes, exc: ValidationError) -> TrialReadError:
    """Find out why a document was refused."""
    faults = exc.errors(include_url=False, include_context=False)
    first = faults[0]
    if first["type"] == "json_invalid":
        return name_bad_text(name, data, first["msg"])
    document = next((fault["input"] for fault in faults if fault["type"] == "missing" and len(fault["loc"]) == 1), None)
    if is_rollup(document):
        return name_rollup(name)
    return name_bad_shape(name, faults)


# Walking -------------------------------------------------------------------------------------------------------------


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
    """Find the files that ``iter_trials`` reads, for whoever reads them in another way.

    An error stands beside a path that is known not to give a trial: of a folder that cannot be read.
    """
    return ((pathlib.Path(name), error) for name, error in walk_trials(os.fsdecode(directory)))


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
