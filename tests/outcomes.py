"""What a check or a dump came to, as one value that a table can hold.

In: a type, an input and options. Out: the checked or dumped value, `Refused` with its exact faults, `Raised` with the
exact text of another error, or `Warned` with the exact texts of the warnings beside the result.
"""

import dataclasses
import json
import warnings
from typing import Any, Callable, Iterable, List, Tuple

import pytest

from harbor.codec import Model, TypeAdapter, ValidationError

__all__ = [
    "EVERY", "JSON", "LAX", "PYTHON", "STRICT", "Raised", "Refused", "Warned", "assert_checks", "assert_dumps",
    "assert_same", "check", "dump", "observe", "rows", "unexpected",
]

#: The ways a value is checked: as a Python object or as JSON text, lax or strict.
LAX, STRICT = "python json", "strict-python strict-json"
PYTHON, JSON = "python strict-python", "json strict-json"
EVERY = "python json strict-python strict-json"

#: type, loc, input, msg and, where there is any, ctx.
Fault = Tuple[Any, ...]


class _Outcome:
    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __repr__(self) -> str:
        return "%s(%s)" % (type(self).__name__, ", ".join(map(repr, self.parts)))


class Refused(_Outcome):
    """A ValidationError with these faults."""


class Raised(_Outcome):
    """Another error: the name of its class, and its text."""


class Warned(_Outcome):
    """A result, and the lines of the one warning that came with it."""


def unexpected(expected: str, shown: str, kind: str, field: str = "") -> str:
    """Word the line of a warning about a value of an unexpected type."""
    return (
        "PydanticSerializationUnexpectedValue(Expected `%s` - serialized value may not be as expected "
        "[%sinput_value=%s, input_type=%s])" % (expected, field and "field_name=%r, " % field, shown, kind))


def rows(table: Iterable[Tuple[Any, ...]]) -> List[Any]:
    """Make the parameters of a test from rows whose first column is the id."""
    return [pytest.param(*row[1:], id=str(row[0])) for row in table]


def list_faults(error: ValidationError) -> List[Fault]:
    """List the faults of an error as tuples."""
    faults: List[Fault] = []
    for entry in error.errors(include_url=False):
        context = (entry["ctx"],) if "ctx" in entry else ()
        faults.append((entry["type"], entry["loc"], entry["input"], entry["msg"]) + context)
    return faults


def observe(act: Callable[[], Any]) -> Any:
    """Call, and give the outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = act()
        except ValidationError as error:
            found = Refused(*list_faults(error))
        except Exception as error:
            found = Raised(type(error).__name__, str(error))
    if not caught:
        return found
    (warning,) = caught
    head, *lines = str(warning.message).split("\n  ")
    assert (warning.category, head) == (UserWarning, "Pydantic serializer warnings:")
    return Warned(found, *lines)


def check(kind: Any, way: str, value: Any, **options: Any) -> Any:
    """Check a value in one of the ways, or the text "strings"; JSON text is made of it first."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    if way.startswith("strict-"):
        way, options = way[7:], dict(options, strict=True)
    if way == "json":
        return observe(lambda: adapter.validate_json(json.dumps(value), **options))
    if way == "strings":
        return observe(lambda: adapter.validate_strings(value, **options))
    return observe(lambda: adapter.validate_python(value, **options))


def dump(kind: Any, mode: str, value: Any, **options: Any) -> Any:
    """Dump a value in mode "python" or "json", or as "text"."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    if mode == "text":
        return observe(lambda: adapter.dump_json(value, **options).decode())
    return observe(lambda: adapter.dump_python(value, mode=mode, **options))


def assert_checks(kind: Any, ways: str, value: Any, expected: Any) -> None:
    """Demand one outcome of a value's check in each of the ways."""
    for way in ways.split():
        assert_same(check(kind, way, value), expected)


def assert_dumps(kind: Any, value: Any, python: Any, data: Any, text: Any) -> None:
    """Demand the outcomes of a value's dump in mode "python", in mode "json" and as text."""
    assert_same(dump(kind, "python", value), python)
    assert_same(dump(kind, "json", value), data)
    assert_same(dump(kind, "text", value), text)


def assert_same(found: Any, expected: Any) -> None:
    """Demand equal values of equal types all the way down: 1, True and 1.0 are three."""
    assert _reveal(found) == _reveal(expected), "\nfound    %r\nexpected %r" % (found, expected)


def _reveal(value: Any) -> Any:
    kind = type(value).__name__
    if isinstance(value, _Outcome):
        return [kind, *map(_reveal, value.parts)]
    if isinstance(value, Model):
        return [kind, _reveal(vars(value)), sorted(value.model_fields_set), _reveal(value.model_extra)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return [kind, [(name, _reveal(getattr(value, name, "<absent>"))) for name in names]]
    if isinstance(value, dict):
        return [kind, [(_reveal(key), _reveal(part)) for key, part in value.items()]]
    if isinstance(value, (list, tuple)):
        return [kind, *map(_reveal, value)]
    if isinstance(value, float) or kind == "Decimal":
        return [kind, repr(value)]
    if isinstance(value, BaseException):
        return [kind, str(value)]
    return [kind, value]
