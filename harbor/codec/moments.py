"""Text and unix numbers <-> datetime, and text <-> date, time, timedelta, UUID.

In come strings as they stand in a document, or int and float as unix time; out
come standard library objects, or the text that stands for one. Grammar, values,
error kinds and the variable part of error texts are those of pydantic 2.14.4, on
every Python. Wrong input raises MomentError and nothing else.

Not done here: choosing by the type of the input (bool, bytes, Decimal, date
objects), the wording around the variable part, and the reading of date, time and
timedelta. `datetime` and `uuid` are imported on first use only: reading a record
without a timestamp must not pay for them.
"""

import math
from typing import TYPE_CHECKING, Callable, Dict, NoReturn, Optional, Tuple, Union

if TYPE_CHECKING:
    import datetime
    import uuid
    from re import Match

__all__ = [
    "MomentError",
    "make_zone",
    "read_datetime",
    "read_datetime_bytes",
    "read_datetime_number",
    "read_uuid",
    "read_uuid_bytes",
    "write_date",
    "write_datetime",
    "write_time",
    "write_timedelta",
]

_FormMatcher = Callable[[str], Optional["Match[str]"]]

# What nearly every timestamp looks like; anything else takes the exact path.
_MOMENT_FORM = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[T _t]([0-9]{2}):([0-9]{2})"
    r"(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(?:([Zz])|([+\-\u2212])([01][0-9]|2[0-3]):?([0-5][0-9]))?"
)
# What isoformat writes; datetime's own reader takes this form on every Python.
_PLAIN_FORM = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?(Z?)"
_UNIX_FORM = r"([+-]?)(?:([0-9]+)|((?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))"
_UUID_FORM = (
    r"(?:(\{)|urn:uuid:)?"
    r"([0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})"
    r"(?(1)\})"
    r"|([0-9A-Fa-f]{32})"
)

_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

# Above this many seconds (the year 2603) a number counts milliseconds.
_UNIX_WATERSHED = 20_000_000_000
_UNIX_YEAR_0 = -62_167_219_200
_UNIX_YEAR_1 = -62_135_596_800
_UNIX_YEAR_10000 = 253_402_300_800

_MOMENT_YEAR_0 = "year 0 is out of range"
_MOMENT_TOO_SHORT = "input is too short"
_MOMENT_TRAILING = "unexpected extra characters at the end of the input"

_UUID_GROUP_STARTS = (0, 9, 14, 19, 24)
_UUID_URN = "urn:uuid:"
_UUID_LONGEST = 45
_UUID_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


_zones: "Dict[int, datetime.tzinfo]" = {}
_zone_class: "Optional[Callable[[int], datetime.tzinfo]]" = None


class MomentError(ValueError):
    """Input that stands for no moment or UUID.

    kind: pydantic's error type, such as "datetime_parsing".
    ctx: what pydantic puts into the error's `ctx`, such as
    {"error": "input is too short"}; None when it has none.
    """

    def __init__(self, kind: str, ctx: Optional[Dict[str, str]] = None) -> None:
        super().__init__(kind, ctx)
        self.kind = kind
        self.ctx = ctx

    def __str__(self) -> str:
        return self.kind if self.ctx is None else "%s: %s" % (self.kind, self.ctx["error"])


def make_zone(seconds: int) -> "datetime.tzinfo":
    """Give the time zone that lies a number of whole seconds east of UTC.

    It equals a ``datetime.timezone`` of the same offset and shows itself as pydantic's does: ``TzInfo(19800)``.
    """
    zone = _zones.get(seconds)
    if zone is None:
        zone = (_zone_class or _define_zone_class())(seconds)
        if len(_zones) < 200:
            _zones[seconds] = zone
    return zone


def read_datetime(text: str, strict: bool = False) -> "datetime.datetime":
    """Read a date with a time, a unix number, or (unless strict) a date alone.

    strict is the strict mode of JSON, where a number inside a string still counts.
    Without an offset the result is naive; unix time is in UTC. Digits of a second's
    fraction after the sixth are dropped. Raises MomentError.
    """
    import datetime

    found = _match_form(_PLAIN_FORM)(text)
    if found is not None:
        try:
            if not found.group(1):
                return datetime.datetime.fromisoformat(text)
            return datetime.datetime.fromisoformat(text[:-1]).replace(tzinfo=make_zone(0))
        except ValueError:
            pass  # a part out of range
    found = _match_form(_MOMENT_FORM)(text)
    if found is not None:
        year, month, day, hour, minute, second, fraction, utc, sign, east, more = found.groups()
        zone: Optional[datetime.tzinfo] = None
        if utc:
            zone = make_zone(0)
        elif sign:
            offset = int(east) * 60 + int(more)
            zone = make_zone(60 * (offset if sign == "+" else -offset))
        try:
            micros = int((fraction + "00000")[:6]) if fraction else 0
            clock = (int(hour), int(minute), int(second or 0), micros)
            return datetime.datetime(int(year), int(month), int(day), *clock, zone)
        except ValueError:
            pass  # a part out of range: the exact path says which
    return _read_odd_datetime(_encode_moment(text), _find_unix_number(text), strict)


def read_datetime_bytes(data: bytes) -> "datetime.datetime":
    """Read UTF-8 as read_datetime does when it is not strict.

    Bytes that are no UTF-8 are wrong where they stand. Raises MomentError.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _read_odd_datetime(bytes(data), None, False)
    return read_datetime(text)


def read_datetime_number(
    value: Union[int, float], from_json: bool = False
) -> "datetime.datetime":
    """Read unix seconds, or milliseconds beyond 2e10 either way, as a moment in UTC.

    A float is rounded to the microsecond. Raises MomentError, of kind "datetime_type"
    for an int that no float can hold or, from_json, that 64 bits cannot hold.
    """
    if from_json and isinstance(value, int) and not _fits_64_bits(value):
        raise MomentError("datetime_type")
    return _make_unix_datetime(*_split_unix(value))


def write_datetime(value: "datetime.datetime") -> str:
    """Write a moment as ISO 8601 with `Z` for UTC and the seconds of an offset dropped.

    Only attributes are asked, so an overridden `isoformat` has no say. What a tzinfo
    raises comes out as it is.
    """
    zone = value.tzinfo
    offset = None if zone is None else zone.utcoffset(value)
    return "%sT%s%s" % (write_date(value), _write_clock(value), _write_offset(offset))


def write_date(value: "datetime.date") -> str:
    """Write a date as `YYYY-MM-DD`."""
    return "%04d-%02d-%02d" % (value.year, value.month, value.day)


def write_time(value: "datetime.time") -> str:
    """Write a time of day as ISO 8601; a zone whose offset needs a date is left out."""
    zone = value.tzinfo
    offset = None if zone is None else zone.utcoffset(None)
    return _write_clock(value) + _write_offset(offset)


def write_timedelta(value: "datetime.timedelta") -> str:
    """Write a span as an ISO 8601 duration, such as `-P1Y35DT1H1M1.5S`.

    A year is 365 days; there are no months or weeks; one sign stands for the whole.
    """
    micros = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    if not micros:
        return "PT0S"
    sign = "-" if micros < 0 else ""
    seconds, micros = divmod(abs(micros), 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    years, days = divmod(days, 365)
    clock = _write_span_part(hours, "H") + _write_span_part(minutes, "M")
    if micros:
        clock += "%d.%sS" % (seconds, ("%06d" % micros).rstrip("0"))
    else:
        clock += _write_span_part(seconds, "S")
    calendar = _write_span_part(years, "Y") + _write_span_part(days, "D")
    return "%sP%s%s" % (sign, calendar, "T" + clock if clock else "")


def read_uuid(text: str) -> "uuid.UUID":
    """Read a UUID: hyphenated, 32 hex digits, in braces, or after `urn:uuid:`.

    Braces and `urn:uuid:` (lower case) go with the hyphenated form only. Raises
    MomentError.
    """
    import uuid

    found = _match_form(_UUID_FORM)(text)
    if found is None:
        _encode_moment(text)  # a lone surrogate is a fault of the text, not of the UUID
        _refuse_uuid(_find_uuid_fault(text))
    digits = found.group(2) or found.group(3)
    return uuid.UUID(int=int(digits.replace("-", ""), 16))


def read_uuid_bytes(data: bytes) -> "uuid.UUID":
    """Read a UUID from its text in UTF-8 or from its 16 raw bytes.

    Whatever is wrong, the error is about the 16 bytes. Raises MomentError.
    """
    import uuid

    try:
        return read_uuid(data.decode("utf-8"))
    except ValueError:  # MomentError and UnicodeDecodeError
        if len(data) != 16:
            _refuse_uuid("invalid length: expected 16 bytes, found %d" % len(data))
        return uuid.UUID(bytes=bytes(data))


# --- shared by the readers

_form_matchers: Dict[str, _FormMatcher] = {}


def _define_zone_class() -> "Callable[[int], datetime.tzinfo]":
    """Define the class of zones, whose base comes from a module that is imported on first use."""
    global _zone_class
    import datetime

    class TzInfo(datetime.tzinfo):
        """A fixed offset from UTC in whole seconds."""

        __slots__ = ("_seconds",)

        def __init__(self, seconds: int) -> None:
            self._seconds = seconds

        def utcoffset(self, moment: Optional[datetime.datetime]) -> datetime.timedelta:
            return datetime.timedelta(seconds=self._seconds)

        def dst(self, moment: Optional[datetime.datetime]) -> None:
            return None

        def tzname(self, moment: Optional[datetime.datetime]) -> str:
            return str(self)

        def fromutc(self, moment: datetime.datetime) -> datetime.datetime:
            return moment + self.utcoffset(None)

        def __eq__(self, other: object) -> bool:
            if not isinstance(other, datetime.tzinfo):
                return NotImplemented
            return other.utcoffset(None) == self.utcoffset(None)

        def __hash__(self) -> int:
            return hash(self.utcoffset(None))

        def __repr__(self) -> str:
            return "TzInfo(%d)" % self._seconds

        def __str__(self) -> str:
            return _write_offset(self.utcoffset(None)) if self._seconds else "UTC"

        def __reduce__(self) -> Tuple[Callable[[int], datetime.tzinfo], Tuple[int]]:
            return make_zone, (self._seconds,)

    _zone_class = TzInfo
    return TzInfo


def _match_form(form: str) -> _FormMatcher:
    """Give the fullmatch method of a pattern, which is compiled on first use."""
    matcher = _form_matchers.get(form)
    if matcher is None:
        import re

        matcher = _form_matchers[form] = re.compile(form).fullmatch
    return matcher


def _encode_moment(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise MomentError("string_unicode") from None


def _refuse_datetime(error: str) -> NoReturn:
    raise MomentError("datetime_parsing", {"error": error})


def _refuse_uuid(error: str) -> NoReturn:
    raise MomentError("uuid_parsing", {"error": error})


# --- unix time


def _fits_64_bits(number: int) -> bool:
    return -(2**63) <= number < 2**63


def _split_unix(value: Union[int, float]) -> Tuple[int, int]:
    """Turn a unix number into whole seconds and microseconds, within the years 0 to 9999."""
    try:
        real = float(value)
    except OverflowError:
        raise MomentError("datetime_type") from None
    if math.isnan(real):
        _refuse_datetime("NaN values not permitted")
    if math.isinf(real):
        whole, rest = (1000 * _UNIX_YEAR_10000 if real > 0 else 1000 * _UNIX_YEAR_0 - 1), 0.0
    elif isinstance(value, int):
        whole, rest = int(value), 0.0
    else:
        whole = math.floor(real)
        rest = real - whole
    if abs(real) > _UNIX_WATERSHED:
        seconds, millis = divmod(whole, 1000)
        micros = millis * 1000 + _round_half_up(rest * 1e3)
    else:
        seconds, micros = whole, _round_half_up(rest * 1e6)
    if seconds >= _UNIX_YEAR_10000:
        _refuse_datetime("dates after 9999 are not supported as unix timestamps")
    if seconds < _UNIX_YEAR_0:
        _refuse_datetime("dates before 0000 are not supported as unix timestamps")
    return seconds, micros


def _round_half_up(value: float) -> int:
    whole = math.floor(value)
    return whole + 1 if value - whole >= 0.5 else whole


def _make_unix_datetime(seconds: int, micros: int) -> "datetime.datetime":
    import datetime

    if seconds < _UNIX_YEAR_1:
        _refuse_datetime(_MOMENT_YEAR_0)
    epoch = datetime.datetime(1970, 1, 1, tzinfo=make_zone(0))
    return epoch + datetime.timedelta(seconds=seconds, microseconds=micros)


def _find_unix_number(text: str) -> Union[int, float, None]:
    """Find the number a string consists of: an int of 64 bits, or digits with a point."""
    found = _match_form(_UNIX_FORM)(text)
    if found is None:
        return None
    sign, digits, real = found.groups()
    if digits is None:
        return float(sign + real)
    digits = digits.lstrip("0")
    if len(digits) > 19:  # and int() refuses over 4300 digits
        return None
    number = int(sign + (digits or "0"))
    return number if _fits_64_bits(number) else None


# --- the exact reader of dates and times, over UTF-8: pydantic counts bytes


def _read_odd_datetime(
    data: bytes, number: Union[int, float, None], strict: bool
) -> "datetime.datetime":
    """Read what the common form does not cover, or say exactly what is wrong.

    number: what the text says when it is a number, which is tried second.
    """
    import datetime

    zone: Optional[int] = None
    try:
        pos, calendar = _read_calendar(data)
        clock, zone = _read_clock(data, pos)
    except MomentError as moment_fault:
        fault = moment_fault
        if number is not None:
            try:
                unix = _split_unix(number)
            except MomentError as range_fault:
                fault = range_fault
            else:
                return _make_unix_datetime(*unix)
        if strict:
            raise fault from None
        calendar, clock = _read_date_alone(data, number, fault), (0, 0, 0, 0)
    if calendar[0] == 0:
        _refuse_datetime(_MOMENT_YEAR_0)
    tzinfo = None if zone is None else make_zone(60 * zone)
    return datetime.datetime(*calendar, *clock, tzinfo=tzinfo)


def _read_date_alone(
    data: bytes, number: Union[int, float, None], fault: MomentError
) -> Tuple[int, int, int]:
    """Read what is no moment as a date; what is no date either is blamed on the date."""
    # A whole number out of range is out of range as a date too; one with a point is no date.
    if isinstance(number, int):
        raise MomentError("datetime_from_date_parsing", fault.ctx)
    try:
        pos, calendar = _read_calendar(data)
        if pos < len(data):
            _refuse_datetime(_MOMENT_TRAILING)
    except MomentError as date_fault:
        raise MomentError("datetime_from_date_parsing", date_fault.ctx) from None
    return calendar


def _read_calendar(data: bytes) -> Tuple[int, Tuple[int, int, int]]:
    if len(data) < 10:
        _refuse_datetime(_MOMENT_TOO_SHORT)
    pos, year = _read_clock_digits(data, 0, 4, "invalid character in year")
    pos = _skip_clock_byte(data, pos, b"-", "invalid date separator, expected `-`")
    pos, month = _read_clock_digits(data, pos, 2, "invalid character in month")
    pos = _skip_clock_byte(data, pos, b"-", "invalid date separator, expected `-`")
    pos, day = _read_clock_digits(data, pos, 2, "invalid character in day")
    if not 1 <= month <= 12:
        _refuse_datetime("month value is outside expected range of 1-12")
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _MONTH_DAYS[month - 1] + (is_leap and month == 2):
        _refuse_datetime("day value is outside expected range")
    return pos, (year, month, day)


def _read_clock(data: bytes, pos: int) -> Tuple[Tuple[int, int, int, int], Optional[int]]:
    """Read the rest of the text, from the `T` on, as a time of day and a zone."""
    pos = _skip_clock_byte(
        data, pos, b"Tt_ ", "invalid datetime separator, expected `T`, `t`, `_` or space"
    )
    if len(data) - pos < 5:
        _refuse_datetime(_MOMENT_TOO_SHORT)
    pos, hour = _read_clock_digits(data, pos, 2, "invalid character in hour")
    pos = _skip_clock_byte(data, pos, b":", "invalid time separator, expected `:`")
    pos, minute = _read_clock_digits(data, pos, 2, "invalid character in minute")
    if hour > 23:
        _refuse_datetime("hour value is outside expected range of 0-23")
    if minute > 59:
        _refuse_datetime("minute value is outside expected range of 0-59")
    second = micros = 0
    if data[pos : pos + 1] == b":":
        pos, second = _read_clock_digits(data, pos + 1, 2, "invalid character in second")
        if second > 59:
            _refuse_datetime("second value is outside expected range of 0-59")
        if data[pos : pos + 1] in (b".", b","):
            pos, micros = _read_fraction(data, pos + 1)
    return (hour, minute, second, micros), _read_zone_offset(data, pos)


def _read_fraction(data: bytes, pos: int) -> Tuple[int, int]:
    start = pos
    while data[pos : pos + 1].isdigit():
        pos += 1
    if pos == start:
        _refuse_datetime("second fraction digits missing after `.`")
    return pos, int((data[start:pos] + b"00000")[:6])


def _read_zone_offset(data: bytes, pos: int) -> Optional[int]:
    """Read a zone, or nothing, to the end of the text: minutes east of UTC, None for naive."""
    if pos == len(data):
        return None
    if data[pos : pos + 1] in (b"Z", b"z"):
        pos, offset = pos + 1, 0
    else:
        for sign in (b"+", b"-", b"\xe2\x88\x92"):
            if data.startswith(sign, pos):
                break
        else:
            _refuse_datetime("invalid timezone sign")
        pos, hours = _read_clock_digits(data, pos + len(sign), 2, "invalid timezone hour")
        if data[pos : pos + 1] == b":":
            pos += 1
        pos, minutes = _read_clock_digits(data, pos, 2, "invalid timezone minute")
        if minutes > 59:
            _refuse_datetime("timezone minute value is outside expected range of 0-59")
        if hours > 23:
            _refuse_datetime("timezone offset must be less than 24 hours")
        offset = hours * 60 + minutes
        if sign != b"+":
            offset = -offset
    if pos < len(data):
        _refuse_datetime(_MOMENT_TRAILING)
    return offset


def _read_clock_digits(data: bytes, pos: int, count: int, error: str) -> Tuple[int, int]:
    digits = data[pos : pos + count]
    if len(digits) < count or not digits.isdigit():
        _refuse_datetime(error)
    return pos + count, int(digits)


def _skip_clock_byte(data: bytes, pos: int, allowed: bytes, error: str) -> int:
    if pos >= len(data) or data[pos] not in allowed:
        _refuse_datetime(error)
    return pos + 1


# --- writing


def _write_clock(value: "Union[datetime.datetime, datetime.time]") -> str:
    clock = "%02d:%02d:%02d" % (value.hour, value.minute, value.second)
    micros = value.microsecond
    return "%s.%06d" % (clock, micros) if micros else clock


def _write_offset(offset: "Optional[datetime.timedelta]") -> str:
    if offset is None:
        return ""
    seconds = offset.total_seconds()
    # To the nearest second, half away from zero; then the seconds go, the sign stays.
    whole = _round_half_up(abs(seconds))
    if not whole:
        return "Z"
    minutes = whole // 60
    return "%s%02d:%02d" % ("-" if seconds < 0 else "+", minutes // 60, minutes % 60)


def _write_span_part(count: int, unit: str) -> str:
    return "%d%s" % (count, unit) if count else ""


# --- what is wrong with a UUID


def _find_uuid_fault(text: str) -> str:
    """Say what keeps text from being a UUID, counting in bytes of UTF-8."""
    size = len(text.encode("utf-8"))
    if size > _UUID_LONGEST:
        return "invalid length: found %d" % size
    braced = len(text) > 1 and text[0] == "{" and text[-1] == "}"
    prefixed = text.startswith(_UUID_URN)
    # Text as long as a hyphenated UUID in some dress is judged as that form alone: positions
    # count from the form's own start. Text of any other length is judged as a whole.
    if size == 36:
        return _find_uuid_text_fault(text, 0, size, False)
    if size == 38 and braced:
        return _find_uuid_text_fault(text[1:-1], 0, 36, False)
    if size == 45 and prefixed:
        return _find_uuid_text_fault(text[len(_UUID_URN) :], 0, 36, False)
    if braced:
        return _find_uuid_text_fault(text[1:-1], 1, size, False)
    if prefixed:
        return _find_uuid_text_fault(text[len(_UUID_URN) :], len(_UUID_URN), size, False)
    return _find_uuid_text_fault(text, 0, size, True)


def _find_uuid_text_fault(text: str, start: int, size: int, bare: bool) -> str:
    """Say what is wrong with the digits and hyphens in `text`.

    start: what its positions count from; size: the length to report; bare: no
    hyphens is a fault of the length, not of the groups.
    """
    hyphens = []
    pos = 0
    for char in text:
        # Only the low eight bits of a character are looked at: U+0661 passes for "a".
        low = chr(ord(char) & 0xFF)
        if low == "-":
            hyphens.append(pos)
        elif low not in _UUID_HEX_DIGITS:
            return "invalid character: found `%s` at %d" % (char, start + pos)
        pos += len(char.encode("utf-8"))
    if not hyphens and bare:
        return "invalid length: found %d" % size
    if len(hyphens) != 4:
        return "invalid group count: expected 5, found %d" % (len(hyphens) + 1)
    for group, hyphen in enumerate(hyphens):
        wanted = _UUID_GROUP_STARTS[group + 1] - 1 - _UUID_GROUP_STARTS[group]
        length = hyphen - _UUID_GROUP_STARTS[group]
        if length != wanted:
            break
    else:
        # To the end of the size, braces and prefix included, as pydantic measures it.
        group, wanted, length = 4, 12, size - _UUID_GROUP_STARTS[4]
    return "invalid group length in group %d: expected %d, found %d" % (group, wanted, length)
