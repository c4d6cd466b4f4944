"""Plans of datetime, UUID and Path.

In: such an object, or what pydantic reads one from. Out: the object; and back to its text. The modules of these
types are imported when a value of them is made, never before.
"""

import sys
from typing import Any, Dict

from ..hints import Hint
from ..moments import (
    MomentError, read_datetime, read_datetime_bytes, read_datetime_number, read_uuid, read_uuid_bytes,
    write_datetime,
)
from .anything import dump_any, dump_any_key
from .base import LAX, NO_TYPES, STRICT, Build, CheckCall, DumpCall, Plan, register_kind
from .scalars import number_of


class _ValuePlan(Plan):
    """What the three have in common: one class, text in JSON, strict Python input wants the object itself."""

    __slots__ = ("cls",)

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.exact = NO_TYPES

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if isinstance(value, self.cls):
            return self.to_text(value) if call.mode == "json" else value
        call.warn(self.dump_title, value)
        return dump_any(value, call, include, exclude)

    def to_text(self, value: Any) -> str:
        raise NotImplementedError

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, self.cls):
            call.warn(self.dump_title, key)
            return dump_any_key(key, call)
        return self.to_text(key) if call.mode == "json" else key


class DatetimePlan(_ValuePlan):
    """A datetime, naive or aware; in lax mode also its text, a date, or unix time."""

    __slots__ = ()
    title = dump_title = "datetime"

    def check(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, self.cls):
            return value
        strict = call.strict
        if strict and not (call.from_json and isinstance(value, str)):
            raise call.invalid("datetime_type", value)
        call.lower(STRICT if call.from_json and not call.in_key and isinstance(value, str) else LAX)
        try:
            return self._read(value, strict, call)
        except MomentError as exc:
            raise call.invalid(exc.kind, value, exc.ctx) from None

    def _read(self, value: Any, strict: bool, call: CheckCall) -> Any:
        if isinstance(value, str):
            return read_datetime(str.__str__(value), strict)
        if isinstance(value, bytes):
            return read_datetime_bytes(value)
        if isinstance(value, sys.modules["datetime"].date):
            return self.cls(value.year, value.month, value.day)
        if isinstance(value, bool):
            raise call.invalid("datetime_type", value)
        number = value if isinstance(value, (int, float)) else number_of(value)
        if number is None:
            raise call.invalid("datetime_type", value)
        return read_datetime_number(number, call.from_json)

    def to_text(self, value: Any) -> str:
        return write_datetime(value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "string", "format": "date-time"}


class UuidPlan(_ValuePlan):
    """A UUID; in lax mode also its text or bytes."""

    __slots__ = ()
    title = dump_title = "uuid"

    def check(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, self.cls):
            return value
        if call.strict and not call.from_json:
            raise call.invalid("is_instance_of", value, {"class": "UUID"})
        if not call.from_json:
            call.lower(LAX)
        try:
            if isinstance(value, str):
                return read_uuid(str.__str__(value))
            if isinstance(value, bytes):
                return read_uuid_bytes(value)
        except MomentError as exc:
            raise call.invalid(exc.kind, value, exc.ctx) from None
        raise call.invalid("uuid_type", value)

    def to_text(self, value: Any) -> str:
        return str(value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "string", "format": "uuid"}


class PathPlan(_ValuePlan):
    """A ``pathlib.Path``; in lax mode also text."""

    __slots__ = ()
    dump_title = "plain_function[ser_path]"
    # pydantic builds the check of a path out of others, and its title says how.
    title = (
        "lax-or-strict[lax=union[json-or-python[json=function-after[path_validator(), str],"
        "python=is-instance[Path]],function-after[path_validator(), str]],strict=json-or-python["
        "json=function-after[path_validator(), str],python=is-instance[Path]]]")

    def check(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, self.cls):
            return value
        if call.strict and not call.from_json:
            raise call.invalid("is_instance_of", value, {"class": "Path"})
        call.lower(STRICT if call.from_json else LAX)
        if isinstance(value, str):
            return self.cls(value)
        if call.strict:
            raise call.invalid("string_type", value)
        raise call.invalid("path_type", value, {"error": repr(self.cls)})

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, self.cls):
            if isinstance(value, str):
                return dump_any(value, call, include, exclude)
            text = (
                "PydanticSerializationUnexpectedValue(Expected `%r` but got `%r` with value `'%s'` - serialized value "
                "may not be as expected.)" % (self.cls, type(value), value))
            call.warn_text(text)
            return dump_any(value, call, include, exclude)
        return str(value) if call.mode == "json" else value

    def to_text(self, value: Any) -> str:
        return str(value)

    def schema(self, book: Any) -> Dict[str, Any]:
        # pydantic joins two ways to read the text, which shows in the form of unions.
        return dict(book.join([{"type": "string"}, {"type": "string"}]), format="path")


def _register_values() -> None:
    for kind, plan in (("datetime", DatetimePlan), ("uuid", UuidPlan), ("path", PathPlan)):

        def make(hint: Hint, build: Build, plan: Any = plan) -> Plan:
            made: Plan = plan(hint.source)
            return made

        register_kind(kind, make)


_register_values()
