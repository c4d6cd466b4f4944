"""Dumping a value of which no type is known, and the plan of ``Any``.

In: any Python value. Out: plain data (mode "python") or JSON-ready data (mode "json"), as pydantic infers them:
containers are rebuilt, enums give their value, dates and paths their text. Modules such as ``datetime`` are looked
up among those already imported: if one is not there, no value can be of its types.
"""

import math
import sys
from typing import Any, Callable, Dict, Iterator, List, Tuple

from ..declared import fields_of
from ..errors import SerializationError
from ..hints import Hint
from ..moments import write_date, write_datetime, write_time, write_timedelta
from ..text.writing import Pairs, is_plain
from .base import (
    NO_TYPES, NOT_COPIED, STRICT, Build, CheckCall, DumpCall, Plan, build_plan, forget_repeats, is_from, kept_plan,
    register_kind,
)
from .filters import filter_key, fit_indexes

_MAX_DEPTH = 255
_NESTING = frozenset(("list", "tuple", "set", "deque", "dict", "dataclass"))
_PLAIN_TYPES = frozenset((type(None), bool, int, str))
_ENDS = _PLAIN_TYPES | {float}
# Less deep than any limit of a dump; what contains itself is deeper than everything.
_COPY_DEPTH = 50

# (module, class) -> family; the first class of a type's MRO that stands here says what a value is.
_FAMILIES: Dict[Tuple[str, str], str] = {
    ("builtins", "NoneType"): "plain", ("builtins", "bool"): "bool", ("builtins", "int"): "int",
    ("builtins", "str"): "str", ("builtins", "float"): "float", ("builtins", "complex"): "complex",
    ("builtins", "bytes"): "bytes", ("builtins", "bytearray"): "bytes",
    ("builtins", "tuple"): "tuple", ("builtins", "list"): "list", ("builtins", "set"): "set",
    ("builtins", "frozenset"): "set", ("builtins", "dict"): "dict", ("collections", "deque"): "deque",
    ("collections", "OrderedDict"): "dict", ("collections", "Counter"): "dict",
    ("datetime", "datetime"): "datetime", ("datetime", "date"): "date", ("datetime", "time"): "time",
    ("datetime", "timedelta"): "timedelta", ("decimal", "Decimal"): "text", ("fractions", "Fraction"): "fraction",
    ("uuid", "UUID"): "text", ("pathlib", "Path"): "text",
    ("ipaddress", "IPv4Address"): "text", ("ipaddress", "IPv6Address"): "text",
    ("ipaddress", "IPv4Network"): "text", ("ipaddress", "IPv6Network"): "text",
    ("ipaddress", "IPv4Interface"): "text", ("ipaddress", "IPv6Interface"): "text",
    ("re", "Pattern"): "pattern", ("enum", "Enum"): "enum",
}
_KNOWN_FAMILIES: Dict[type, str] = {}


class SerializationIterator:
    """A generator that is dumped element by element while it is read; it can be read once."""

    def __init__(self, iterator: Iterator[Any], call: DumpCall, include: Any, exclude: Any) -> None:
        self._iterator = iterator
        self._call = call
        self._include = include
        self._exclude = exclude
        self._index = 0

    def __iter__(self) -> "SerializationIterator":
        return self

    def __next__(self) -> Any:
        while True:
            value = next(self._iterator)
            kept = filter_key(self._index, self._include, self._exclude)
            self._index += 1
            if kept is not None:
                return dump_any(value, self._call, *kept)

    def __repr__(self) -> str:
        return "SerializationIterator(index=%d, iterator=%r)" % (self._index, self._iterator)


class AnyPlan(Plan):
    """Any value at all."""

    __slots__ = ()
    title = dump_title = "any"
    exact = NO_TYPES

    def check(self, value: Any, call: CheckCall) -> Any:
        # A union prefers a value left alone to one converted.
        call.lower(STRICT)
        return forget_repeats(value) if call.has_repeats else value

    def accepts(self, value: Any, call: CheckCall) -> bool:
        return True

    def writes_itself(self, value: Any) -> bool:
        return is_plain(value)

    def copy(self, value: Any) -> Any:
        return value if type(value) in _ENDS else copy_plain(value)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if call.depth >= _MAX_DEPTH and call.mode == "json":
            raise ValueError("Maximum serialization depth exceeded")
        return dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {}


def _make_any(hint: Hint, build: Build) -> Plan:
    return _ANY


_ANY = AnyPlan()
register_kind("any", _make_any)


def copy_plain(value: Any, depth: int = _COPY_DEPTH) -> Any:
    """Copy exact dicts with text for keys, exact lists and what they hold; ``NOT_COPIED`` for all else."""
    kind = type(value)
    if depth == 0 or kind is not dict and kind is not list:
        return NOT_COPIED
    if kind is list:
        if _ENDS.issuperset(map(type, value)):
            return value[:]
        out = value[:]
        pairs: Any = enumerate(value)
    else:
        # What it holds may be replaced while it is gone through; its keys stay.
        out = value.copy()
        pairs = out.items()
    for key, part in pairs:
        if kind is dict and type(key) is not str:
            return NOT_COPIED
        if type(part) not in _ENDS:
            out[key] = part = copy_plain(part, depth - 1)
            if part is NOT_COPIED:
                return NOT_COPIED
    return out


def dump_any(value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
    """Dump a value by what it is.

    Raises ``SerializationError`` for a value that JSON cannot say, ``ValueError`` for one that contains itself.
    """
    kind = type(value)
    if kind in _PLAIN_TYPES:
        return check_text(value) if kind is str and call.text else value
    if kind is float:
        return None if call.mode == "json" and not call.text and not math.isfinite(value) else value
    identity = id(value)
    if identity in call.ids or call.depth >= _MAX_DEPTH:
        if call.mode != "json":
            return value
        raise ValueError(
            "Circular reference detected (id repeated)" if identity in call.ids
            else "Maximum serialization depth exceeded")
    family = _family_of(kind)
    if call.depth == _MAX_DEPTH - 1 and call.mode == "json" and family in _NESTING and value:
        # What is inside would be too deep, were it only a number.
        raise ValueError("Maximum serialization depth exceeded")
    call.ids[identity] = 1
    call.depth += 1
    try:
        return _DUMPERS[family](value, call, include, exclude)
    finally:
        del call.ids[identity]
        call.depth -= 1


def dump_any_key(key: Any, call: DumpCall) -> Any:
    """Dump the key of a dict: as any value in mode "python", as text in mode "json"."""
    if call.mode != "json":
        return dump_any(key, call)
    try:
        return _json_key(key, call)
    except SerializationError as exc:
        if not call.text:
            raise
        raise SerializationError("Error serializing to JSON: SerializationError: %s" % exc) from None


def check_text(text: str) -> str:
    """Refuse text that UTF-8 cannot hold, with Python's own words for it."""
    if not text.isascii():
        text.encode("utf-8")
    return text


def check_name(name: Any) -> None:
    """Refuse what cannot be the name of a field, known or not, as pydantic words it."""
    if not isinstance(name, str):
        shown = "'None'" if name is None else "'%s' object" % type(name).__name__
        raise TypeError("%s is not an instance of 'str'" % shown)
    check_text(name)


def _family_of(kind: type) -> str:
    family = _KNOWN_FAMILIES.get(kind)
    if family is None:
        family = _find_family(kind)
        if len(_KNOWN_FAMILIES) < 2000 and kind.__module__ == "builtins":
            _KNOWN_FAMILIES[kind] = family
    return family


def _find_family(kind: type) -> str:
    if hasattr(kind, "__codec_model__"):
        return "model"
    if hasattr(kind, "__dataclass_fields__"):
        return "dataclass"
    if is_from(kind, "enum", "Enum"):
        return "enum"
    for base in kind.__mro__:
        module = "pathlib" if base.__module__ == "pathlib._local" else base.__module__
        family = _FAMILIES.get((module, base.__name__))
        if family is not None and getattr(sys.modules.get(module), base.__name__, base) is base:
            return family
    if hasattr(kind, "__next__") and hasattr(kind, "__iter__"):
        return "iterator"
    return "unknown"


def _dump_plain(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return value


def _dump_int(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return int.__add__(value, 0) if call.mode == "json" else value


def _dump_float(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.mode != "json":
        return value
    number = float.__float__(value)
    return None if not call.text and not math.isfinite(number) else number


def _dump_str(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.mode != "json":
        return value
    return check_text(str.__str__(value))


def _dump_bytes(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.mode != "json":
        return value
    if not call.text:
        return _decode(value)
    data = bytes(value)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise SerializationError("Error serializing to JSON: " + _describe_bad_utf8(data, exc)) from None


def _decode(value: Any) -> str:
    data = bytes(value)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise UnicodeDecodeError("utf-8", data, exc.start, exc.end, "invalid utf-8") from None


def _describe_bad_utf8(data: bytes, exc: UnicodeDecodeError) -> str:
    """Say what Rust says of bytes that are not UTF-8."""
    if exc.end == len(data) and "unexpected end" in exc.reason:
        return "incomplete utf-8 byte sequence from index %d" % exc.start
    return "invalid utf-8 sequence of %d bytes from index %d" % (exc.end - exc.start, exc.start)


def _dump_list(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    # Loops and no comprehensions here: before 3.12 each would cost a frame per level of nesting.
    out = []
    if include is None and exclude is None:
        for item in list.__iter__(value):
            out.append(dump_any(item, call))
        return out
    for item, below in choose_items(list(value), include, exclude):
        out.append(dump_any(item, call, *below))
    return out


def _dump_tuple(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    out = []
    for item, below in choose_items(list(tuple.__iter__(value)), include, exclude):
        out.append(dump_any(item, call, *below))
    return out if call.mode == "json" else tuple(out)


def choose_items(items: List[Any], include: Any, exclude: Any) -> Iterator[Tuple[Any, Tuple[Any, Any]]]:
    """Give the items of a list that a dump keeps, each with the ``include`` and ``exclude`` below it."""
    include, exclude = fit_indexes(include, len(items)), fit_indexes(exclude, len(items))
    for index, item in enumerate(items):
        kept = filter_key(index, include, exclude)
        if kept is not None:
            yield item, kept


def _dump_set(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    items = []
    for item in value:
        items.append(dump_any(item, call))
    if call.mode == "json":
        return items
    return frozenset(items) if isinstance(value, frozenset) else set(items)


def _dump_deque(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    items = []
    for item, below in choose_items(list(value), include, exclude):
        items.append(dump_any(item, call, *below))
    return items if call.mode == "json" else sys.modules["collections"].deque(items, value.maxlen)


def _dump_dict(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    pairs = []
    for key, item in dict.items(value):
        below = filter_key(key, include, exclude) if include is not None or exclude is not None else (None, None)
        if below is not None:
            name = dump_any_key(key, call)
            pairs.append((name, dump_any(item, call, *below)))
    if call.mode != "json" and type(value) is not dict:
        for name in ("OrderedDict", "Counter"):
            # These two keep their type; other subclasses become plain dicts.
            if is_from(type(value), "collections", name):
                return getattr(sys.modules["collections"], name)(dict(pairs))
    return make_object(pairs, call)


def make_object(pairs: List[Tuple[Any, Any]], call: DumpCall) -> Any:
    """Make a dict of pairs; JSON text keeps keys that clash, as pydantic's writer does."""
    out = dict(pairs)
    return Pairs(pairs) if call.text and len(out) != len(pairs) else out


def _dump_dataclass(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    pairs = []
    for field in fields_of(type(value)):
        if not hasattr(value, field.name):
            continue
        below = filter_key(field.name, include, exclude)
        if below is not None:
            pairs.append((field.name, dump_any(getattr(value, field.name), call, *below)))
    return make_object(pairs, call)


def _dump_model(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    call.ids.pop(id(value), None)
    plan = kept_plan(type(value)) or build_plan(Hint("record", (), type(value)))
    field, call.field = call.field, None
    try:
        return plan.dump(value, call, include, exclude)
    finally:
        call.field = field
        call.ids[id(value)] = 1


def _dump_enum(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return dump_any(value.value, call, include, exclude) if call.mode == "json" else value


def _dump_iterator(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.mode != "json":
        return SerializationIterator(value, call, include, exclude)
    out = []
    for index, item in enumerate(value):
        kept = filter_key(index, include, exclude)
        if kept is not None:
            out.append(dump_any(item, call, *kept))
    return out


def _dump_unknown(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.fallback is not None:
        return dump_any(call.fallback(value), call, include, exclude)
    if call.mode == "json":
        raise unknown_type(value)
    return value


def unknown_type(value: Any) -> SerializationError:
    """Make the error for a value that JSON cannot say."""
    return SerializationError("Unable to serialize unknown type: %s" % show_class(type(value)))


def is_known_kind(kind: type) -> bool:
    """Tell whether pydantic has a plan for values of this very class, as it has for no subclass of a builtin."""
    is_builtin = _FAMILIES.get((kind.__module__, kind.__name__)) is not None and kind is not bytearray
    return is_builtin or _family_of(kind) in ("dataclass", "enum", "model", "text") or hasattr(kind, "_fields")


def show_class(kind: type) -> str:
    """Show a class as repr would, whatever its metaclass says."""
    return repr(kind)


def _written(write: Callable[[Any], str]) -> Callable[[Any, DumpCall, Any, Any], Any]:
    """Make a dumper that writes text in mode "json" and leaves the value alone otherwise."""

    def dump(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        return write(value) if call.mode == "json" else value

    return dump


def _write_complex(value: Any) -> str:
    text = str(complex(value))
    text = text[1:-1] if text.startswith("(") else text
    return text.replace("nan", "NaN")


def _write_pattern(value: Any) -> str:
    return str(value.pattern)


def _dump_fraction(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return str(value)


_DUMPERS: Dict[str, Callable[[Any, DumpCall, Any, Any], Any]] = {
    "plain": _dump_plain, "bool": _dump_plain, "int": _dump_int, "float": _dump_float, "str": _dump_str,
    "complex": _written(_write_complex), "bytes": _dump_bytes, "tuple": _dump_tuple, "list": _dump_list,
    "set": _dump_set, "deque": _dump_deque, "dict": _dump_dict, "datetime": _written(write_datetime),
    "date": _written(write_date), "time": _written(write_time), "timedelta": _written(write_timedelta),
    "text": _written(str), "fraction": _dump_fraction, "pattern": _written(_write_pattern), "enum": _dump_enum,
    "dataclass": _dump_dataclass, "model": _dump_model, "iterator": _dump_iterator, "unknown": _dump_unknown,
}


def _name_family(value: Any, family: str) -> str:
    """Name a value as Rust knows it: by the builtin type it comes from."""
    if family == "iterator":
        return "generator"
    return "frozenset" if isinstance(value, frozenset) else family


def _json_key(key: Any, call: DumpCall) -> str:
    if type(key) is str:
        return check_text(key)
    family = _family_of(type(key))
    if family == "plain":
        return "None"
    if family == "bool":
        return "true" if key else "false"
    if family == "float":
        return str(key) if math.isfinite(key) else "None"
    if family == "int":
        return str(key)
    if family == "tuple":
        return ",".join(_json_key(item, call) for item in key)
    if family == "enum":
        return _json_key(key.value, call)
    if family in ("list", "set", "deque", "dict", "iterator"):
        raise TypeError("`%s` not valid as object key" % _name_family(key, family))
    if family in ("dataclass", "model"):
        return str(key)
    if family == "unknown":
        if call.fallback is not None:
            return _json_key(call.fallback(key), call)
        raise unknown_type(key)
    if family == "bytes":
        return _decode(key)
    return check_text(str(_DUMPERS[family](key, call, None, None)))
