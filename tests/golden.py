"""Golden cases: read them, run one, compare what was observed with what is stored.

A case is one JSON object on one line of a gzip file in `tests/data/golden`.
It holds an input and the outcome that the real models gave for it. `run_case`
is the only way from an input to an outcome: the tests call it on this package
and `tools/record_golden.py` calls it on the real models, so what is recorded
and what is compared cannot drift apart.

Classes come from `MODULES` by import, whatever package `harbor` is at the
time. Inputs that JSON cannot spell are decoded by `corpus`.
"""

import base64
import copy
import datetime
import decimal
import gzip
import hashlib
import importlib
import json
import math
import pathlib
import pickle
import re
import sys
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import corpus

__all__ = [
    "FOLDER",
    "MODULES",
    "OUTCOME",
    "Case",
    "find_class",
    "find_differences",
    "list_files",
    "read_cases",
    "run_case",
    "skip_reason",
    "write_lines",
]

Case = Dict[str, Any]

FOLDER = pathlib.Path(__file__).resolve().parent / "data" / "golden"

#: Where each class under test lives.
MODULES = {
    "AgentContext": "harbor.models.agent.context",
    "ModelUsage": "harbor.models.agent.context",
    "RolloutDetail": "harbor.models.agent.rollout_detail",
    "GitTaskId": "harbor.models.task.id",
    "LocalTaskId": "harbor.models.task.id",
    "PackageTaskId": "harbor.models.task.id",
    "AgentInfo": "harbor.models.trial.result",
    "ExceptionInfo": "harbor.models.trial.result",
    "ModelInfo": "harbor.models.trial.result",
    "StepResult": "harbor.models.trial.result",
    "TimingInfo": "harbor.models.trial.result",
    "TrialResult": "harbor.models.trial.result",
    "VerifierResult": "harbor.models.verifier.result",
}

#: What a case does, where it does not say so itself.
OPERATIONS = {
    "dump": "dump",
    "instance": "code",
    "random": "json",
    "validate_json": "json",
    "validate_python": "python",
}

#: The keys of a case that are observed; all others are input or notes.
OUTCOME = ("ok", "python_repr", "fields_set", "errors", "text", "error", "warnings")

#: Texts up to this length are stored whole, longer ones as a digest.
LONGEST = 1200


# Files -----------------------------------------------------------------------


def list_files(folder: pathlib.Path) -> List[pathlib.Path]:
    """List the golden files of a folder; none at all is a FileNotFoundError."""
    found = sorted(folder.glob("*.jsonl.gz"))
    if not found:
        raise FileNotFoundError("No golden files in {}".format(folder))
    return found


def read_cases(path: pathlib.Path) -> Iterator[Tuple[str, Case]]:
    """Give each line of a golden file with the case in it, its operation filled in."""
    name = path.name.split(".")[0]
    with gzip.open(str(path), "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            case = json.loads(line)
            case.setdefault("op", OPERATIONS.get(name))
            yield line, case


def write_lines(path: pathlib.Path, lines: List[str]) -> None:
    """Write a golden file; the same lines give the same bytes."""
    data = "".join(lines).encode("utf-8")
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(data)


#: Cases that show a text or an identity of CPython's own, by what stands in their id.
_OF_CPYTHON = re.compile(
    r"\{'\$(gen|iter)'|^fallback/.*/builtin|^(truth/02|attr/06|set/13|eq/10|copy/14|copy/15)-|^usage/python/.*bf3fc73f")

#: Cases that CPython 3.14 words anew: "cannot use 'X' as a dict key (unhashable type: 'X')".
_WORDED_ANEW = re.compile(r"^hash/0[2567]-")


def skip_reason(case: Case) -> Optional[str]:
    """Say why a case is not compared on this interpreter, or give None."""
    if "exempt" in case:
        return "exempt"
    if sys.implementation.name != "cpython" and _OF_CPYTHON.search(case["id"]):
        return "of CPython alone"
    if sys.version_info >= (3, 14) and _WORDED_ANEW.search(case["id"]):
        return "worded anew"
    if sys.version_info[:2] < tuple(case.get("min_python", (0, 0))):
        return "python too old"
    return None


def find_class(name: str) -> Any:
    """Import the class under test that has this name."""
    return getattr(importlib.import_module(MODULES[name]), name)


# Observing -------------------------------------------------------------------

#: Wording that differs for reasons no test is about: pydantic's links and its
#: name for our SerializationError, addresses, and Python 3.13's name for pathlib.
_REPLACEMENTS = [
    (re.compile(r"\n    For further information visit [^\n]*"), ""),
    (re.compile(r"(errors\.pydantic\.dev/)\d+\.\d+/"), r"\1*/"),
    (re.compile(r"PydanticSerializationError"), "SerializationError"),
    (re.compile(r" at 0x[0-9a-fA-F]*(?:\.\.\.[0-9a-fA-F]*)?"), " at 0x*"),
    (re.compile(r"pathlib\._local\."), "pathlib."),
]

#: A `description` entry in the repr of a JSON schema: its wording is each project's own.
_DESCRIPTION = re.compile(
    r"""(?:, )?(["'])description\1: (?:"(?:\\\\.|\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
)


def _normalise(text: str) -> str:
    for pattern, replacement in _REPLACEMENTS:
        text = pattern.sub(replacement, text)
    return text


def _shorten(text: str) -> Any:
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"$sha256": digest, "$len": len(text), "$head": text[:120], "$tail": text[-60:]}


def _observe_text(text: str) -> Any:
    return _shorten(_normalise(text))


def _observe_repr(value: Any) -> Any:
    try:
        return _observe_text(repr(value))
    except Exception as error:  # an int with too many digits, a broken __repr__
        return {"$repr_failed": type(error).__name__}


def _observe_context(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int)):
        return value
    return _shorten(value) if isinstance(value, str) else _observe_repr(value)


def _observe_detail(detail: Dict[str, Any]) -> Dict[str, Any]:
    context = detail.get("ctx")
    return {
        "type": detail["type"],
        "loc": list(detail["loc"]),
        "msg": _observe_text(detail["msg"]),
        "input_repr": _observe_repr(detail.get("input", "<absent>")),
        "ctx": context and {key: _observe_context(value) for key, value in context.items()},
    }


def _observe_exception(error: Exception) -> Dict[str, Any]:
    """Describe an exception: class, builtin bases, text and, if it has them, details."""
    name = _normalise(type(error).__name__)
    outside = ("object", "BaseException", "Exception")
    bases = [c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins"]
    seen: Dict[str, Any] = {"class": name, "bases": [b for b in bases if b not in outside]}
    try:
        seen["text"] = _observe_text(str(error))
    except Exception as inner:
        seen["text"] = {"$str_failed": type(inner).__name__}
    list_details = getattr(error, "errors", None)
    if callable(list_details):
        try:
            seen["errors"] = [_observe_detail(detail) for detail in list_details()]
        except Exception as inner:
            seen["errors"] = {"$errors_failed": type(inner).__name__}
    return seen


def _attempt(observe: Callable[[], Any]) -> Any:
    try:
        return observe()
    except Exception as error:
        return {"$error": _observe_exception(error)}


# Running ---------------------------------------------------------------------


def _build_document(case: Case) -> Any:
    """Build the JSON document of a case, as the type it is to be handed over in."""
    if "json_b64" in case:
        data = base64.b64decode(case["json_b64"])
    else:
        pieces = case["json"] if isinstance(case["json"], list) else [case["json"]]
        text = "".join(p if isinstance(p, str) else p["$rep"][0] * p["$rep"][1] for p in pieces)
        if case.get("as", "str") == "str":
            return text
        data = text.encode("utf-8")
    return bytearray(data) if case.get("as") == "bytearray" else data


def _run_validation(case: Case) -> Dict[str, Any]:
    cls = find_class(case["class"])
    options = corpus.decode_text(case.get("call", "{}"), find_class)
    if case.get("strict"):
        options["strict"] = True
    try:
        if case["op"] == "json":
            model = cls.model_validate_json(_build_document(case), **options)
        else:
            model = cls.model_validate(corpus.decode_text(case["python"], find_class), **options)
    except Exception as error:
        seen = _observe_exception(error)
        return {"errors": seen.pop("errors", None), "text": seen.pop("text"), "error": seen}
    return {
        "ok": _attempt(lambda: _observe_text(model.model_dump_json())),
        "python_repr": _attempt(lambda: _observe_repr(model.model_dump())),
        "fields_set": sorted(model.model_fields_set),
    }


def _run_dump(case: Case) -> Dict[str, Any]:
    cls = find_class(case["class"])
    values = corpus.decode_text(case["kwargs_repr"], find_class)
    how = case.get("how", "init")
    if how == "json":
        model = cls.model_validate_json(values)
    else:
        model = {"init": cls, "construct": cls.model_construct}[how](**values)
    for name, value in corpus.decode_text(case.get("assign", "{}"), find_class).items():
        setattr(model, name, value)
    options = corpus.decode_text(case["call"], find_class)
    try:
        result = getattr(model, case["method"])(**options)
    except Exception as error:
        return {"error": _observe_exception(error)}
    return {"ok": _observe_text(result) if isinstance(result, str) else _observe_repr(result)}


def _run_code(case: Case) -> Dict[str, Any]:
    scope: Dict[str, Any] = {
        "__name__": corpus.__name__,
        "T": lambda text: corpus.decode_text(text, find_class),
        "decode": lambda value: corpus.decode(value, find_class),
    }
    for module in (copy, datetime, decimal, json, math, pickle, warnings):
        scope[module.__name__] = module
    for name in case["use"]:
        scope[name] = find_class(name)
    try:
        exec(compile(case["code"], "<case>", "exec"), scope)
    except Exception as error:
        return {"error": _observe_exception(error)}
    if case.get("full"):
        return {"ok": _DESCRIPTION.sub("", _normalise(repr(scope["result"])))}
    return {"ok": _observe_repr(scope["result"])}


_RUNNERS = {"json": _run_validation, "python": _run_validation, "dump": _run_dump, "code": _run_code}


def run_case(case: Case) -> Dict[str, Any]:
    """Run one case and give what was observed, all keys of OUTCOME.

    An exception here means that the input could not be set up, and says
    nothing of the outcome.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        seen = _RUNNERS[case["op"]](case)
    seen["warnings"] = [
        _shorten("{}: {}".format(w.category.__name__, _normalise(str(w.message)))) for w in caught
    ]
    return {key: seen.get(key) for key in OUTCOME}


def find_differences(case: Case, seen: Dict[str, Any]) -> List[Tuple[str, Any, Any]]:
    """List each key that differs, with the stored and the observed value.

    An absent key, null and an empty list of warnings are the same. Values are
    compared as JSON text, which tells 1 from true and from 1.0.
    """
    found = []
    for key in OUTCOME:
        stored, observed = case.get(key), seen.get(key)
        if key == "warnings":
            stored, observed = stored or [], observed or []
        if json.dumps(stored, sort_keys=True) != json.dumps(observed, sort_keys=True):
            found.append((key, stored, observed))
    return found
