"""Plans of None, bool, int, float and str.

In: a value of any type. Out: the exact Python value, or the fault pydantic would name; and back.
"""

from typing import Any, Dict, FrozenSet, List, Optional, Tuple

from ..errors import Invalid, replace_surrogates
from ..hints import Hint
from ..text.writing import Layout, is_plain
from .anything import check_text, dump_any, dump_any_key
from .base import LAX, NO_TYPES, STRICT, Build, CheckCall, DumpCall, Mismatch, Plan, is_from, register_kind

_MAX_DIGITS = 4300
# pydantic has no limit here and works on Decimal("1e999999999") until the memory is gone.
_MAX_RATIO_DIGITS = 1000000
_INT64 = 1 << 63
# Unicode White_Space, which is what is trimmed around numbers in text; str.strip() would also take \x1c to \x1f.
_SPACE = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" \
    "\u2028\u2029\u202f\u205f\u3000"
_TRUE_WORDS = frozenset(("1", "on", "t", "true", "y", "yes"))
_FALSE_WORDS = frozenset(("0", "off", "f", "false", "n", "no"))
_NUMBER_PATTERNS: Dict[str, Any] = {}


class ScalarPlan(Plan):
    """A plan whose exact type is dumped as it is."""

    __slots__ = ()
    # The types a key may have without a warning.
    key_types: Tuple[type, ...]

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if type(value) in self.exact:
            return value
        return self.dump_other(value, call, include, exclude)

    def dump_other(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        """Dump a value of another type: subclasses pass in silence, anything else warns."""
        call.warn(self.dump_title, value)
        return dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if type(key) not in self.exact and (call.trial == "strict" or not isinstance(key, self.key_types)):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)


def _refuse_kin(call: DumpCall) -> None:
    """Refuse a number of another type than the exact one where a union looks strictly."""
    if call.trial == "strict":
        raise Mismatch("PydanticSerializationUnexpectedValue(Unexpected Value)")


class NonePlan(ScalarPlan):
    """None alone."""

    __slots__ = ()
    title = dump_title = "none"
    exact = frozenset((type(None),))
    key_types = (type(None),)

    def check(self, value: Any, call: CheckCall) -> Any:
        if value is None:
            return None
        raise call.invalid("none_required", value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "null"}


class BoolPlan(ScalarPlan):
    """A bool; in lax mode also the usual words, 0 and 1."""

    __slots__ = ()
    title = dump_title = "bool"
    exact = frozenset((bool,))
    key_types = (bool,)

    def check(self, value: Any, call: CheckCall) -> Any:
        if value is True or value is False:
            return value
        if call.strict and not call.strings:
            raise call.invalid("bool_type", value)
        call.lower(_exactness_of_text(call))
        text = _text_of(value, call, "bool_parsing")
        if text is not None:
            word = text.lower()
            if word in _TRUE_WORDS:
                return True
            if word in _FALSE_WORDS:
                return False
            raise call.invalid("bool_parsing", value)
        number = value if isinstance(value, int) else number_of(value)
        if number is None or not -_INT64 <= number < _INT64 or number % 1:
            raise call.invalid("bool_type", value)
        if number == 0 or number == 1:
            return number == 1
        raise call.invalid("bool_parsing", value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "boolean"}


class IntPlan(ScalarPlan):
    """An int of any size; in lax mode also whole floats and decimal text."""

    __slots__ = ()
    looks_twice = True
    title = dump_title = "int"
    exact = frozenset((int,))
    key_types = (int,)

    def check(self, value: Any, call: CheckCall) -> Any:
        kind = type(value)
        if kind is int:
            return value
        if kind is not bool and isinstance(value, int):
            call.lower(STRICT)
            return _plain_int(value)
        if call.strict and not call.strings:
            raise call.invalid("int_type", value)
        call.lower(_exactness_of_text(call))
        if kind is bool:
            return int(value)
        text = _text_of(value, call, "int_parsing")
        if text is not None:
            return _read_int(text, value, call)
        if is_from(kind, "decimal", "Decimal") or is_from(kind, "fractions", "Fraction"):
            return _whole_ratio(value, call)
        number = value if kind is float else number_of(value)
        if number is not None:
            return _whole_number(number, value, call)
        if is_from(kind, "enum", "Enum"):
            # pydantic takes an enum's value here without looking at it.
            return value.value
        raise call.invalid("int_type", value)

    def dump_other(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        if isinstance(value, int):
            _refuse_kin(call)
            return _plain_int(value) if call.mode == "json" else dump_any(value, call)
        if call.text and call.trial is None and hasattr(type(value), "__index__"):
            return _plain_int(type(value).__index__(value))
        return super().dump_other(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if call.mode == "json" and isinstance(key, int) and not is_from(type(key), "enum", "Enum"):
            # Unlike a key of unknown type, True is "True".
            if type(key) is int or call.trial != "strict":
                return str(key)
        return super().dump_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "integer"}


class FloatPlan(ScalarPlan):
    """A float; ints become floats, in lax mode also decimal text."""

    __slots__ = ()
    title = dump_title = "float"
    exact = frozenset((float,))
    key_types = (float, int)

    def writes_itself(self, value: Any) -> bool:
        return type(value) is float and is_plain(value)

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if type(value) is not float or not is_plain(value):
            return False
        out.append(repr(value))
        return True

    def check(self, value: Any, call: CheckCall) -> Any:
        kind = type(value)
        if kind is float:
            return value
        if kind is int:
            call.lower(STRICT)
            try:
                return float(value)
            except OverflowError:
                if call.from_json:
                    return float("inf") if value > 0 else float("-inf")
                raise call.invalid("float_type", value) from None
        if not call.strict or call.strings:
            text = _text_of(value, call, "float_parsing")
            if text is not None:
                call.lower(_exactness_of_text(call))
                return _read_float(text, value, call)
        if kind is bool:
            call.lower(LAX)
            if call.strict:
                raise call.invalid("float_type", value)
            return float(value)
        number = number_of(value)
        if number is None:
            raise call.invalid("float_type", value)
        call.lower(STRICT)
        return number

    def dump_other(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        if isinstance(value, (int, float)):
            _refuse_kin(call)
        if isinstance(value, float):
            return float.__float__(value) if call.mode == "json" else dump_any(value, call)
        if isinstance(value, int):
            if call.mode != "json":
                return value
            try:
                return float(value)
            except OverflowError:
                if not call.text:
                    raise
                call.warn(self.dump_title, value)
                return value
        # pydantic's JSON writer takes the float that C code sees in a value.
        number = number_of(value) if call.text and call.trial is None else None
        if number is not None:
            return number
        return super().dump_other(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if call.mode == "json" and isinstance(key, float):
            # Unlike a key of unknown type, a number that is not finite has its name.
            if type(key) is float or call.trial != "strict":
                return str(key)
        dumped = super().dump_key(key, call)
        return str(key) if call.mode == "json" and type(key) is bool else dumped

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "number"}


class StrPlan(ScalarPlan):
    """Text; in lax mode also bytes that are UTF-8."""

    __slots__ = ()
    title = dump_title = "str"
    exact = frozenset((str,))
    key_types = (str,)

    def check(self, value: Any, call: CheckCall) -> Any:
        kind = type(value)
        if kind is str:
            if call.from_json:
                # Text in JSON may stand for what JSON has no word for, so a union may prefer another reading.
                call.lower(STRICT)
            return value
        if isinstance(value, str):
            call.lower(STRICT)
            return str.__str__(value)
        if not call.strict:
            if isinstance(value, (bytes, bytearray)):
                call.lower(LAX)
                try:
                    return value.decode("utf-8")
                except UnicodeDecodeError:
                    raise call.invalid("string_unicode", value) from None
            if is_from(kind, "enum", "Enum"):
                call.lower(LAX)
                return str(value.value)
        raise call.invalid("string_type", value)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if type(value) is str:
            return check_text(value) if call.text else value
        return self.dump_other(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, str):
            return super().dump_key(key, call)
        return replace_surrogates(str.__str__(key)) if call.mode == "json" else key

    def dump_other(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        if isinstance(value, str) and call.trial != "strict":
            return dump_any(value, call)
        return super().dump_other(value, call, include, exclude)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "string"}


class BoundedPlan(Plan):
    """A plan whose values must also keep limits of size or length."""

    __slots__ = ("inner", "bounds", "given")

    def __init__(self, inner: Plan, bounds: Dict[str, Any]) -> None:
        self.inner = inner
        self.bounds = {name: _fit_limit(limit, inner) for name, limit in bounds.items()}
        self.given = bounds
        self.title, self.dump_title = inner.title, inner.dump_title
        self.exact = NO_TYPES

    def check(self, value: Any, call: CheckCall) -> Any:
        most = self.bounds.get("max_length")
        if most is not None and type(value) is list and len(value) > most and self.inner.title.startswith("list["):
            # The items of a list that is too long are not looked at.
            raise self._wrong_length("too_long", "max_length", value, value, call)
        checked = self.inner.check(value, call)
        if self.inner.title == "int" and not isinstance(checked, int):
            raise call.invalid("int_parsing_size", checked)  # the value of an enum's member, of another type
        for name, limit in self.bounds.items():
            kind, breaks = _LIMITS[name]
            try:
                broken = breaks(checked, limit)
            except TypeError:
                raise TypeError("Unable to apply constraint '%s' to supplied value %s" % (name, checked)) from None
            if broken and kind in ("too_short", "too_long"):
                raise self._wrong_length(kind, name, value, checked, call)
            if broken:
                raise call.invalid(kind, value, {name: limit})
        return checked

    def _wrong_length(self, kind: str, name: str, value: Any, checked: Any, call: CheckCall) -> Invalid:
        limit = self.bounds[name]
        if isinstance(checked, str):
            return call.invalid("string_" + kind, value, {name: limit})
        word = {"list": "List", "dict": "Dictionary"}.get(type(checked).__name__, "Value")
        # Where pydantic counts while it reads, it stops at the first item too many.
        is_counted = kind == "too_short" or isinstance(value, (list, tuple, set, frozenset))
        return call.invalid(
            kind, value, {"field_type": word, name: limit, "actual_length": len(checked) if is_counted else None})

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        return self.inner.dump(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        return self.inner.dump_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        out = dict(self.inner.schema(book))
        kind = None if "enum" in out or "const" in out else out.get("format", out.get("type"))
        words = dict(_LENGTH_WORDS, **_LIMIT_WORDS.get(str(kind), {}))
        for name in _LIMITS_IN_ORDER:
            limit, word = self.given.get(name), words.get(name, name)
            # An infinite limit is none to pydantic, and those of a datetime are not shown.
            if limit is not None and word and not (word in _NUMBER_WORDS.values() and limit in _INFINITIES):
                out[word] = limit
        return out


# name of a limit -> kind of fault, and the test that says whether a value breaks it
_LIMITS: Dict[str, Tuple[str, Any]] = {
    "gt": ("greater_than", lambda value, limit: not value > limit),
    "ge": ("greater_than_equal", lambda value, limit: not value >= limit),
    "lt": ("less_than", lambda value, limit: not value < limit),
    "le": ("less_than_equal", lambda value, limit: not value <= limit),
    "min_length": ("too_short", lambda value, limit: len(value) < limit),
    "max_length": ("too_long", lambda value, limit: len(value) > limit),
}
LIMIT_NAMES: FrozenSet[str] = frozenset(_LIMITS)
_LIMITS_IN_ORDER = ("le", "ge", "lt", "gt", "min_length", "max_length")
_INFINITIES = (float("inf"), float("-inf"))
_NUMBER_WORDS = {"le": "maximum", "ge": "minimum", "lt": "exclusiveMaximum", "gt": "exclusiveMinimum"}
_LENGTH_WORDS = {"min_length": "minLength", "max_length": "maxLength"}
# What JSON schema calls the limits of a type; pydantic shows those it has no word for under their own names.
_LIMIT_WORDS: Dict[str, Dict[str, str]] = {
    "integer": _NUMBER_WORDS, "number": _NUMBER_WORDS, "date-time": dict.fromkeys(_NUMBER_WORDS, ""),
    "array": {"min_length": "minItems", "max_length": "maxItems"},
    "object": {"min_length": "minProperties", "max_length": "maxProperties"},
}


def _fit_limit(limit: Any, plan: Plan) -> Any:
    """Give a limit in the type of the values it holds for."""
    if plan.title == "float" and isinstance(limit, int):
        return float(limit)
    return int(limit) if plan.title == "int" and isinstance(limit, float) and limit == limit // 1 else limit


def _exactness_of_text(call: CheckCall) -> int:
    """Where nothing but text is given, a number in it is no worse than the text."""
    return STRICT if call.strings and not call.in_key else LAX


def _text_of(value: Any, call: CheckCall, kind: str) -> Optional[str]:
    """Give the text a lax number may be read from, or None where the value is no text."""
    if isinstance(value, str):
        if value.isascii():
            return value
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise call.invalid("string_unicode", value) from None
        return value
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise call.invalid(kind, value) from None
    return None


def number_of(value: Any) -> Optional[float]:
    """Give the float that C code would see in a value: through __float__, else __index__."""
    kind = type(value)
    try:
        if hasattr(kind, "__float__"):
            number = kind.__float__(value)
        elif hasattr(kind, "__index__"):
            number = float(kind.__index__(value))
        else:
            return None
    except Exception:
        return None
    return float.__float__(number) if isinstance(number, float) else None


def _plain_int(value: int) -> int:
    return int.__add__(value, 0)


def _whole_number(number: float, value: Any, call: CheckCall) -> int:
    if number != number or number in (float("inf"), float("-inf")):
        raise call.invalid("finite_number", value)
    if number % 1:
        raise call.invalid("int_from_float", value)
    if not -_INT64 < number < _INT64:
        raise call.invalid("int_parsing_size", value)
    return int(number)


def _whole_ratio(value: Any, call: CheckCall) -> int:
    """Read a Decimal or Fraction, whose size has no limit but the memory's."""
    if hasattr(value, "is_finite") and not value.is_finite():
        raise call.invalid("finite_number", value)
    if hasattr(value, "adjusted") and value and value.adjusted() >= _MAX_RATIO_DIGITS:
        raise call.invalid("int_parsing_size", value)
    # A Decimal is compared with a Decimal: PyPy compares it with an int by way of text, which may be too long.
    if value != (value.to_integral_value() if hasattr(value, "to_integral_value") else int(value)):
        raise call.invalid("int_from_float", value)
    return int(value)


def _number_pattern(name: str, source: str) -> Any:
    if name not in _NUMBER_PATTERNS:
        import re

        _NUMBER_PATTERNS[name] = re.compile(source)
    return _NUMBER_PATTERNS[name]


def _read_int(text: str, value: Any, call: CheckCall) -> int:
    match = _number_pattern("int", r"([+-]?)([0-9]+(?:_[0-9]+)*)(?:\.0+)?").fullmatch(text.strip(_SPACE))
    if match is None:
        raise call.invalid("int_parsing", value)
    digits = match.group(2).replace("_", "").lstrip("0")
    if len(digits) > _MAX_DIGITS:
        raise call.invalid("int_parsing_size", value)
    number = read_digits(digits or "0")
    return -number if match.group(1) == "-" else number


def read_digits(digits: str) -> int:
    """Read decimal digits however low the interpreter's own limit is set."""
    try:
        return int(digits)
    except ValueError:
        half = len(digits) // 2
        shift: int = 10 ** (len(digits) - half)
        return read_digits(digits[:half]) * shift + read_digits(digits[half:])


def _read_float(text: str, value: Any, call: CheckCall) -> float:
    if "_" not in text:
        # pydantic trims only text without underscores.
        text = text.strip(_SPACE)
    else:
        if text[0] == "_" or text[-1] == "_" or "__" in text:
            raise call.invalid("float_parsing", value)
        text = text.replace("_", "")
    pattern = r"[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))"
    if _number_pattern("float", pattern).fullmatch(text) is None:
        raise call.invalid("float_parsing", value)
    return float(text)


def _register_scalars() -> None:
    for scalar in (NonePlan(), BoolPlan(), IntPlan(), FloatPlan(), StrPlan()):

        def make(hint: Hint, build: Build, scalar: Plan = scalar) -> Plan:
            return scalar

        register_kind(scalar.title, make)


_register_scalars()
