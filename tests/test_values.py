"""harbor.codec.plan.values: datetime, UUID and Path; the tables were recorded from pydantic 2.14.4.

How texts of moments and UUIDs are read is the business of test_moments; here stands what reaches them.
"""

import decimal
from datetime import date, datetime, timedelta, timezone
from pathlib import Path, PurePosixPath
from typing import Any, Dict, List, Optional, Tuple
from uuid import UUID

import pytest

from outcomes import (
    EVERY, LAX, PYTHON, STRICT, Refused, Warned, assert_checks, assert_dumps, assert_same, check, dump, rows,
    unexpected,
)

NAN = float("nan")
MOMENT = datetime(2024, 1, 2, 3, 4, 5)
ZONED = datetime(2024, 1, 2, 3, 4, 5, 678, tzinfo=timezone(timedelta(hours=2)))
ID = UUID("12345678-1234-5678-1234-567812345678")
PURE = PurePosixPath("a")


class Later(datetime):
    pass


LATER = Later(2024, 1, 2)

# id, type, ways, input, expected
CHECKS: List[Tuple[str, Any, str, Any, Any]] = [
    ("datetime", datetime, PYTHON, MOMENT, MOMENT),
    ("datetime from subclass", datetime, PYTHON, LATER, LATER),
    ("datetime from text, python json", datetime, "python json strict-json", "2024-01-02T03:04:05",
     datetime(2024, 1, 2, 3, 4, 5)),
    ("datetime from text, strict python", datetime, "strict-python", "2024-01-02T03:04:05",
     Refused(("datetime_type", (), "2024-01-02T03:04:05", "Input should be a valid datetime"))),
    ("datetime from text with zone, python json", datetime, "python json strict-json",
     "2024-01-02T03:04:05.000678+02:00", datetime(2024, 1, 2, 3, 4, 5, 678, tzinfo=timezone(timedelta(seconds=7200)))),
    ("datetime from text with zone, strict python", datetime, "strict-python", "2024-01-02T03:04:05.000678+02:00",
     Refused(("datetime_type", (), "2024-01-02T03:04:05.000678+02:00", "Input should be a valid datetime"))),
    ("datetime from day, lax", datetime, LAX, "2024-01-02", datetime(2024, 1, 2, 0, 0)),
    ("datetime from day, strict python", datetime, "strict-python", "2024-01-02",
     Refused(("datetime_type", (), "2024-01-02", "Input should be a valid datetime"))),
    ("datetime from day, strict json", datetime, "strict-json", "2024-01-02", Refused(("datetime_parsing", (),
     "2024-01-02", "Input should be a valid datetime, invalid datetime separator, expected `T`, `t`, `_` or space",
     {"error": "invalid datetime separator, expected `T`, `t`, `_` or space"}))),
    ("datetime from number in text, python json", datetime, "python json strict-json", "5",
     datetime(1970, 1, 1, 0, 0, 5, tzinfo=timezone.utc)),
    ("datetime from number in text, strict python", datetime, "strict-python", "5",
     Refused(("datetime_type", (), "5", "Input should be a valid datetime"))),
    ("datetime from other text, lax", datetime, LAX, "today", Refused(("datetime_from_date_parsing", (), "today",
     "Input should be a valid datetime or date, input is too short", {"error": "input is too short"}))),
    ("datetime from other text, strict python", datetime, "strict-python", "today",
     Refused(("datetime_type", (), "today", "Input should be a valid datetime"))),
    ("datetime from other text, strict json", datetime, "strict-json", "today", Refused(("datetime_parsing", (),
     "today", "Input should be a valid datetime, input is too short", {"error": "input is too short"}))),
    ("datetime from bad hour, lax", datetime, LAX, "2024-01-02T24:00", Refused(("datetime_from_date_parsing", (),
     "2024-01-02T24:00",
     "Input should be a valid datetime or date, unexpected extra characters at the end of the input",
     {"error": "unexpected extra characters at the end of the input"}))),
    ("datetime from bad hour, strict python", datetime, "strict-python", "2024-01-02T24:00",
     Refused(("datetime_type", (), "2024-01-02T24:00", "Input should be a valid datetime"))),
    ("datetime from bad hour, strict json", datetime, "strict-json", "2024-01-02T24:00", Refused(("datetime_parsing",
     (), "2024-01-02T24:00", "Input should be a valid datetime, hour value is outside expected range of 0-23",
     {"error": "hour value is outside expected range of 0-23"}))),
    ("datetime from bytes, python", datetime, "python", b"2024-01-02T03:04:05", datetime(2024, 1, 2, 3, 4, 5)),
    ("datetime from bytes, strict python", datetime, "strict-python", b"2024-01-02T03:04:05",
     Refused(("datetime_type", (), b"2024-01-02T03:04:05", "Input should be a valid datetime"))),
    ("datetime from date, python", datetime, "python", date(2024, 1, 2), datetime(2024, 1, 2, 0, 0)),
    ("datetime from date, strict python", datetime, "strict-python", date(2024, 1, 2),
     Refused(("datetime_type", (), date(2024, 1, 2), "Input should be a valid datetime"))),
    ("datetime from int, lax", datetime, LAX, 5, datetime(1970, 1, 1, 0, 0, 5, tzinfo=timezone.utc)),
    ("datetime from int, strict", datetime, STRICT, 5,
     Refused(("datetime_type", (), 5, "Input should be a valid datetime"))),
    ("datetime from float, lax", datetime, LAX, 1.5, datetime(1970, 1, 1, 0, 0, 1, 500000, tzinfo=timezone.utc)),
    ("datetime from float, strict", datetime, STRICT, 1.5,
     Refused(("datetime_type", (), 1.5, "Input should be a valid datetime"))),
    ("datetime from nan, lax", datetime, LAX, NAN, Refused(("datetime_parsing", (), NAN,
     "Input should be a valid datetime, NaN values not permitted", {"error": "NaN values not permitted"}))),
    ("datetime from nan, strict", datetime, STRICT, NAN,
     Refused(("datetime_type", (), NAN, "Input should be a valid datetime"))),
    ("datetime from 1e20, lax", datetime, LAX, 1e20, Refused(("datetime_parsing", (), 1e+20,
     "Input should be a valid datetime, dates after 9999 are not supported as unix timestamps",
     {"error": "dates after 9999 are not supported as unix timestamps"}))),
    ("datetime from 1e20, strict", datetime, STRICT, 1e20,
     Refused(("datetime_type", (), 1e+20, "Input should be a valid datetime"))),
    ("datetime from decimal, python", datetime, "python", decimal.Decimal("1.5"),
     datetime(1970, 1, 1, 0, 0, 1, 500000, tzinfo=timezone.utc)),
    ("datetime from decimal, strict python", datetime, "strict-python", decimal.Decimal("1.5"),
     Refused(("datetime_type", (), decimal.Decimal("1.5"), "Input should be a valid datetime"))),
    ("datetime from bool", datetime, EVERY, True,
     Refused(("datetime_type", (), True, "Input should be a valid datetime"))),
    ("datetime from none", datetime, EVERY, None,
     Refused(("datetime_type", (), None, "Input should be a valid datetime"))),
    ("uuid", UUID, PYTHON, ID, ID),
    ("uuid from text, python json", UUID, "python json strict-json", "12345678-1234-5678-1234-567812345678",
     UUID("12345678-1234-5678-1234-567812345678")),
    ("uuid from text, strict python", UUID, "strict-python", "12345678-1234-5678-1234-567812345678",
     Refused(("is_instance_of", (), "12345678-1234-5678-1234-567812345678", "Input should be an instance of UUID",
     {"class": "UUID"}))),
    ("uuid from digits, python json", UUID, "python json strict-json", "12345678123456781234567812345678",
     UUID("12345678-1234-5678-1234-567812345678")),
    ("uuid from digits, strict python", UUID, "strict-python", "12345678123456781234567812345678",
     Refused(("is_instance_of", (), "12345678123456781234567812345678", "Input should be an instance of UUID",
     {"class": "UUID"}))),
    ("uuid from urn, python json", UUID, "python json strict-json", "urn:uuid:12345678-1234-5678-1234-567812345678",
     UUID("12345678-1234-5678-1234-567812345678")),
    ("uuid from urn, strict python", UUID, "strict-python", "urn:uuid:12345678-1234-5678-1234-567812345678",
     Refused(("is_instance_of", (), "urn:uuid:12345678-1234-5678-1234-567812345678",
     "Input should be an instance of UUID", {"class": "UUID"}))),
    ("uuid from short text, python json", UUID, "python json strict-json", "1234", Refused(("uuid_parsing", (),
     "1234", "Input should be a valid UUID, invalid length: found 4", {"error": "invalid length: found 4"}))),
    ("uuid from short text, strict python", UUID, "strict-python", "1234",
     Refused(("is_instance_of", (), "1234", "Input should be an instance of UUID", {"class": "UUID"}))),
    ("uuid from letters, python json", UUID, "python json strict-json", "x2345678-1234-5678-1234-567812345678",
     Refused(("uuid_parsing", (), "x2345678-1234-5678-1234-567812345678",
     "Input should be a valid UUID, invalid character: found `x` at 0",
     {"error": "invalid character: found `x` at 0"}))),
    ("uuid from letters, strict python", UUID, "strict-python", "x2345678-1234-5678-1234-567812345678",
     Refused(("is_instance_of", (), "x2345678-1234-5678-1234-567812345678", "Input should be an instance of UUID",
     {"class": "UUID"}))),
    ("uuid from sixteen bytes, python", UUID, "python", b"\x12\x34\x56\x78" * 4,
     UUID("12345678-1234-5678-1234-567812345678")),
    ("uuid from sixteen bytes, strict python", UUID, "strict-python", b"\x12\x34\x56\x78" * 4,
     Refused(("is_instance_of", (), b'\x124Vx\x124Vx\x124Vx\x124Vx', "Input should be an instance of UUID",
     {"class": "UUID"}))),
    ("uuid from text in bytes, python", UUID, "python", b"12345678-1234-5678-1234-567812345678",
     UUID("12345678-1234-5678-1234-567812345678")),
    ("uuid from text in bytes, strict python", UUID, "strict-python", b"12345678-1234-5678-1234-567812345678",
     Refused(("is_instance_of", (), b"12345678-1234-5678-1234-567812345678", "Input should be an instance of UUID",
     {"class": "UUID"}))),
    ("uuid from short bytes, python", UUID, "python", b"\xff", Refused(("uuid_parsing", (), b'\xff',
     "Input should be a valid UUID, invalid length: expected 16 bytes, found 1",
     {"error": "invalid length: expected 16 bytes, found 1"}))),
    ("uuid from short bytes, strict python", UUID, "strict-python", b"\xff",
     Refused(("is_instance_of", (), b'\xff', "Input should be an instance of UUID", {"class": "UUID"}))),
    ("uuid from int, python json", UUID, "python json strict-json", 1,
     Refused(("uuid_type", (), 1, "UUID input should be a string, bytes or UUID object"))),
    ("uuid from int, strict python", UUID, "strict-python", 1,
     Refused(("is_instance_of", (), 1, "Input should be an instance of UUID", {"class": "UUID"}))),
    ("uuid from none, python json", UUID, "python json strict-json", None,
     Refused(("uuid_type", (), None, "UUID input should be a string, bytes or UUID object"))),
    ("uuid from none, strict python", UUID, "strict-python", None,
     Refused(("is_instance_of", (), None, "Input should be an instance of UUID", {"class": "UUID"}))),
    ("path", Path, PYTHON, Path("a/b"), Path("a/b")),
    ("path from text, python json", Path, "python json strict-json", "a//b/", Path("a/b")),
    ("path from text, strict python", Path, "strict-python", "a//b/",
     Refused(("is_instance_of", (), "a//b/", "Input should be an instance of Path", {"class": "Path"}))),
    ("path from empty text, python json", Path, "python json strict-json", "", Path(".")),
    ("path from empty text, strict python", Path, "strict-python", "",
     Refused(("is_instance_of", (), "", "Input should be an instance of Path", {"class": "Path"}))),
    ("path from pure path, python", Path, "python", PURE,
     Refused(("path_type", (), PURE, "Input is not a valid path for %r" % Path))),
    ("path from pure path, strict python", Path, "strict-python", PURE,
     Refused(("is_instance_of", (), PURE, "Input should be an instance of Path", {"class": "Path"}))),
    ("path from bytes, python", Path, "python", b"a",
     Refused(("path_type", (), b"a", "Input is not a valid path for %r" % Path))),
    ("path from bytes, strict python", Path, "strict-python", b"a",
     Refused(("is_instance_of", (), b"a", "Input should be an instance of Path", {"class": "Path"}))),
    ("path from int, lax", Path, LAX, 1, Refused(("path_type", (), 1, "Input is not a valid path for %r" % Path))),
    ("path from int, strict python", Path, "strict-python", 1,
     Refused(("is_instance_of", (), 1, "Input should be an instance of Path", {"class": "Path"}))),
    ("path from int, strict json", Path, "strict-json", 1,
     Refused(("string_type", (), 1, "Input should be a valid string"))),
    ("path from none, lax", Path, LAX, None,
     Refused(("path_type", (), None, "Input is not a valid path for %r" % Path))),
    ("path from none, strict python", Path, "strict-python", None,
     Refused(("is_instance_of", (), None, "Input should be an instance of Path", {"class": "Path"}))),
    ("path from none, strict json", Path, "strict-json", None,
     Refused(("string_type", (), None, "Input should be a valid string"))),
]

# id, type, input, expected
STRINGS: List[Tuple[str, Any, Any, Any]] = [
    ("datetime", datetime, "2024-01-02T03:04:05", datetime(2024, 1, 2, 3, 4, 5)),
    ("datetime refused", datetime, "x", Refused(("datetime_from_date_parsing", (), "x",
     "Input should be a valid datetime or date, input is too short", {"error": "input is too short"}))),
    ("uuid", UUID, "12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")),
    ("uuid refused", UUID, "x", Refused(("uuid_parsing", (), "x",
     "Input should be a valid UUID, invalid character: found `x` at 0",
     {"error": "invalid character: found `x` at 0"}))),
    ("path", Path, "a", Path("a")),
    ("dict with keys of a kind", Dict[UUID, datetime], {"12345678-1234-5678-1234-567812345678": "5"},
     {UUID("12345678-1234-5678-1234-567812345678"): datetime(1970, 1, 1, 0, 0, 5, tzinfo=timezone.utc)}),
]

# id, type, value, in mode "python", in mode "json", as text
DUMPS: List[Tuple[str, Any, Any, Any, Any, Any]] = [
    ("datetime", datetime, MOMENT, MOMENT, "2024-01-02T03:04:05", '"2024-01-02T03:04:05"'),
    ("datetime with zone", datetime, ZONED, ZONED, "2024-01-02T03:04:05.000678+02:00",
     '"2024-01-02T03:04:05.000678+02:00"'),
    ("datetime in utc", datetime, datetime(2024, 1, 2, 3, tzinfo=timezone.utc),
     datetime(2024, 1, 2, 3, 0, tzinfo=timezone.utc), "2024-01-02T03:00:00Z", '"2024-01-02T03:00:00Z"'),
    ("datetime subclass", datetime, LATER, LATER, "2024-01-02T00:00:00", '"2024-01-02T00:00:00"'),
    ("uuid", UUID, ID, ID, "12345678-1234-5678-1234-567812345678", '"12345678-1234-5678-1234-567812345678"'),
    ("path", Path, Path("a/b"), Path("a/b"), "a/b", '"a/b"'),
    ("datetime as key", Dict[datetime, int], {MOMENT: 1}, {MOMENT: 1}, {"2024-01-02T03:04:05": 1},
     '{"2024-01-02T03:04:05":1}'),
    ("uuid as key", Dict[UUID, int], {ID: 1}, {ID: 1}, {"12345678-1234-5678-1234-567812345678": 1},
     '{"12345678-1234-5678-1234-567812345678":1}'),
    ("path as key", Dict[Path, int], {Path("a"): 1}, {Path("a"): 1}, {"a": 1}, '{"a":1}'),
    ("optional uuid", Optional[UUID], None, None, None, "null"),
    ("datetime with text", datetime, "a", Warned("a", unexpected("datetime", "'a'", "str")),
     Warned("a", unexpected("datetime", "'a'", "str")), Warned('"a"', unexpected("datetime", "'a'", "str"))),
    ("datetime with date", datetime, date(2024, 1, 2),
     Warned(date(2024, 1, 2), unexpected("datetime", "datetime.date(2024, 1, 2)", "date")),
     Warned("2024-01-02", unexpected("datetime", "datetime.date(2024, 1, 2)", "date")),
     Warned('"2024-01-02"', unexpected("datetime", "datetime.date(2024, 1, 2)", "date"))),
    ("datetime with none", datetime, None, None, None, "null"),
    ("uuid with text", UUID, "a", Warned("a", unexpected("uuid", "'a'", "str")),
     Warned("a", unexpected("uuid", "'a'", "str")), Warned('"a"', unexpected("uuid", "'a'", "str"))),
    ("path with text", Path, "a", "a", "a", '"a"'),
    ("datetime key with text", Dict[datetime, int], {"a": 1}, Warned({"a": 1}, unexpected("datetime", "'a'", "str")),
     Warned({"a": 1}, unexpected("datetime", "'a'", "str")), Warned('{"a":1}', unexpected("datetime", "'a'", "str"))),
    ("uuid key with text", Dict[UUID, int], {"a": 1}, Warned({"a": 1}, unexpected("uuid", "'a'", "str")),
     Warned({"a": 1}, unexpected("uuid", "'a'", "str")), Warned('{"a":1}', unexpected("uuid", "'a'", "str"))),
]


@pytest.mark.parametrize("kind, ways, value, expected", rows(CHECKS))
def test_check(kind: Any, ways: str, value: Any, expected: Any) -> None:
    assert_checks(kind, ways, value, expected)


@pytest.mark.parametrize("kind, value, expected", rows(STRINGS))
def test_check_text_alone(kind: Any, value: Any, expected: Any) -> None:
    assert_same(check(kind, "strings", value), expected)


@pytest.mark.parametrize("kind, value, python, data, text", rows(DUMPS))
def test_dump(kind: Any, value: Any, python: Any, data: Any, text: Any) -> None:
    assert_dumps(kind, value, python, data, text)


def test_a_path_field_with_a_number_warns_in_words_of_its_own() -> None:
    # The class is shown by repr, which Python 3.13.0 to 3.13.x and others spell differently.
    line = (
        "PydanticSerializationUnexpectedValue(Expected `%r` but got `<class 'int'>` with value `'1'` - serialized "
        "value may not be as expected.)" % Path)
    assert_same(dump(Path, "python", 1), Warned(1, line))
