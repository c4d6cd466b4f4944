"""harbor.codec.moments: every table was recorded from pydantic 2.14.4."""

import copy
import pickle
import random
import subprocess
import sys
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import Any, Callable, List, Optional, Tuple, Union
from uuid import UUID

import pytest

import implementation
from harbor.codec import moments

# A value as text (isoformat or str), or the kind of an error and its ctx["error"].
Outcome = Union[str, Tuple[str, Optional[str]]]

EXTRA = "unexpected extra characters at the end of the input"
SHORT = "input is too short"
NO_DASH = "invalid date separator, expected `-`"
NO_T = "invalid datetime separator, expected `T`, `t`, `_` or space"
AFTER = "dates after 9999 are not supported as unix timestamps"
BEFORE = "dates before 0000 are not supported as unix timestamps"
YEAR_0 = "year 0 is out of range"
NO_DAY = "day value is outside expected range"
NO_MONTH = "month value is outside expected range of 1-12"
NO_YEAR = "invalid character in year"

# id, text, value whether strict or not
READ: List[Tuple[str, str, str]] = [
    ("naive", "2024-01-02T10:11:12", "2024-01-02T10:11:12"),
    ("six digits", "2024-01-02T10:11:12.123456", "2024-01-02T10:11:12.123456"),
    ("utc", "2024-01-02T10:11:12Z", "2024-01-02T10:11:12+00:00"),
    ("common utc", "2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.123456+00:00"),
    ("lower z", "2024-01-02T10:11:12z", "2024-01-02T10:11:12+00:00"),
    ("lower t", "2024-01-02t10:11:12", "2024-01-02T10:11:12"),
    ("space", "2024-01-02 10:11:12", "2024-01-02T10:11:12"),
    ("underscore", "2024-01-02_10:11:12", "2024-01-02T10:11:12"),
    ("no seconds", "2024-01-02T10:11", "2024-01-02T10:11:00"),
    ("no seconds utc", "2024-01-02T10:11Z", "2024-01-02T10:11:00+00:00"),
    ("no seconds offset", "2024-01-02T10:11+01:00", "2024-01-02T10:11:00+01:00"),
    ("comma", "2024-01-02T10:11:12,5", "2024-01-02T10:11:12.500000"),
    ("one digit", "2024-01-02T10:11:12.1", "2024-01-02T10:11:12.100000"),
    ("seven digits are cut", "2024-01-02T10:11:12.1234569", "2024-01-02T10:11:12.123456"),
    ("forty digits are cut", "2024-01-02T10:11:12." + "9" * 40, "2024-01-02T10:11:12.999999"),
    ("offset", "2024-01-02T10:11:12+05:30", "2024-01-02T10:11:12+05:30"),
    ("offset without colon", "2024-01-02T10:11:12-0530", "2024-01-02T10:11:12-05:30"),
    ("U+2212 is a minus", "2024-01-02T10:11:12\u221201:00", "2024-01-02T10:11:12-01:00"),
    ("offset 23:59", "2024-01-02T10:11:12+23:59", "2024-01-02T10:11:12+23:59"),
    ("offset -00:00 is utc", "2024-01-02T10:11:12-00:00", "2024-01-02T10:11:12+00:00"),
    ("first moment", "0001-01-01T00:00+23:59", "0001-01-01T00:00:00+23:59"),
    ("last moment", "9999-12-31T23:59:59.999999-23:59", "9999-12-31T23:59:59.999999-23:59"),
    ("leap day", "2024-02-29T00:00", "2024-02-29T00:00:00"),
    ("leap day 2000", "2000-02-29T00:00", "2000-02-29T00:00:00"),
    ("number", "5", "1970-01-01T00:00:05+00:00"),
    ("compact date is a number", "20240102", "1970-08-23T06:15:02+00:00"),
    ("plus", "+5", "1970-01-01T00:00:05+00:00"),
    ("minus", "-5", "1969-12-31T23:59:55+00:00"),
    ("minus zero", "-0", "1970-01-01T00:00:00+00:00"),
    ("thirty zeros", "0" * 30 + "1", "1970-01-01T00:00:01+00:00"),
    ("5000 zeros", "0" * 5000, "1970-01-01T00:00:00+00:00"),
    ("watershed", "20000000000", "2603-10-11T11:33:20+00:00"),
    ("above the watershed", "20000000001", "1970-08-20T11:33:20.001000+00:00"),
    ("below the watershed", "-20000000000", "1336-03-23T12:26:40+00:00"),
    ("milliseconds before 1970", "-20000000001", "1969-05-14T12:26:39.999000+00:00"),
    ("last millisecond", "253402300799999", "9999-12-31T23:59:59.999000+00:00"),
    ("point", "1.5", "1970-01-01T00:00:01.500000+00:00"),
    ("point at the end", "123.", "1970-01-01T00:02:03+00:00"),
    ("point first", ".5", "1970-01-01T00:00:00.500000+00:00"),
    ("minus point", "-.5", "1969-12-31T23:59:59.500000+00:00"),
    ("rounded up", "1.1234565", "1970-01-01T00:00:01.123457+00:00"),
    ("rounded down", "1.9999995", "1970-01-01T00:00:01.999999+00:00"),
    ("carried", "1.9999999", "1970-01-01T00:00:02+00:00"),
    ("milliseconds", "1655205632331.9236", "2022-06-14T11:20:32.331924+00:00"),
    ("point with exponent", "1.5e3", "1970-01-01T00:25:00+00:00"),
]

# id, text, error as no date, error as no moment when strict
REFUSED: List[Tuple[str, str, str, str]] = [
    ("empty", "", SHORT, SHORT),
    ("nine characters", "2024-01-0", SHORT, SHORT),
    ("nine characters, ten bytes", "\xe9024-01-0", NO_YEAR, NO_YEAR),
    ("no year", "x024-01-02", NO_YEAR, NO_YEAR),
    ("arabic digit", "\u0661024-01-02", NO_YEAR, NO_YEAR),
    ("slash", "2024/01/02", NO_DASH, NO_DASH),
    ("second separator", "2024-01/02", NO_DASH, NO_DASH),
    ("month letters", "2024-a1-02", "invalid character in month", "invalid character in month"),
    ("day letters", "2024-13-0x", "invalid character in day", "invalid character in day"),
    ("month 0", "2024-00-01", NO_MONTH, NO_MONTH),
    ("month 13", "2024-13-45", NO_MONTH, NO_MONTH),
    ("day 0", "2024-01-00", NO_DAY, NO_DAY),
    ("day 32", "2024-01-32", NO_DAY, NO_DAY),
    ("february 29", "2023-02-29", NO_DAY, NO_DAY),
    ("february 29 of 1900", "1900-02-29T00:00", NO_DAY, NO_DAY),
    ("april 31", "2024-04-31T00:00", NO_DAY, NO_DAY),
    ("leading space", " 2024-01-02T10:11:12", NO_YEAR, NO_YEAR),
    ("trailing space", "2024-01-02T10:11:12 ", EXTRA, "invalid timezone sign"),
    ("trailing newline", "2024-01-02\n", EXTRA, NO_T),
    ("nul", "2024-01-02T10:11:12\x00", EXTRA, "invalid timezone sign"),
    ("nul in date", "2024-01\x00-02", NO_DASH, NO_DASH),
    ("separator X", "2024-01-02X10:11", EXTRA, NO_T),
    ("T alone", "2024-01-02T", EXTRA, SHORT),
    ("short time", "2024-01-02T10:1", EXTRA, SHORT),
    ("hour letters", "2024-01-02T1x:11", EXTRA, "invalid character in hour"),
    ("no colon", "2024-01-02T10.11", EXTRA, "invalid time separator, expected `:`"),
    ("minute letters", "2024-01-02T10:x1", EXTRA, "invalid character in minute"),
    ("hour 24", "2024-01-02T24:00:00", EXTRA, "hour value is outside expected range of 0-23"),
    (
        "hour before minute",
        "2024-01-02T24:60",
        EXTRA,
        "hour value is outside expected range of 0-23",
    ),
    ("minute 60", "2024-01-02T10:60", EXTRA, "minute value is outside expected range of 0-59"),
    ("colon alone", "2024-01-02T10:11:", EXTRA, "invalid character in second"),
    ("second letters", "2024-01-02T10:11:1x", EXTRA, "invalid character in second"),
    ("second 60", "2024-01-02T10:11:60", EXTRA, "second value is outside expected range of 0-59"),
    ("point alone", "2024-01-02T10:11:12.", EXTRA, "second fraction digits missing after `.`"),
    ("comma alone", "2024-01-02T10:11:12,Z", EXTRA, "second fraction digits missing after `.`"),
    ("fraction without seconds", "2024-01-02T10:11.5", EXTRA, "invalid timezone sign"),
    ("zone letter", "2024-01-02T10:11:12Q", EXTRA, "invalid timezone sign"),
    ("space before zone", "2024-01-02T10:11:12 Z", EXTRA, "invalid timezone sign"),
    ("zone twice", "2024-01-02T10:11:12ZZ", EXTRA, EXTRA),
    ("offset and Z", "2024-01-02T10:11:12+01:00Z", EXTRA, EXTRA),
    ("offset seconds", "2024-01-02T10:11:12+01:00:00", EXTRA, EXTRA),
    ("sign alone", "2024-01-02T10:11:12+", EXTRA, "invalid timezone hour"),
    ("offset of one digit", "2024-01-02T10:11:12+1:00", EXTRA, "invalid timezone hour"),
    ("offset of hours", "2024-01-02T10:11:12+01", EXTRA, "invalid timezone minute"),
    ("offset minute letters", "2024-01-02T10:11:12+01:0x", EXTRA, "invalid timezone minute"),
    (
        "offset minute 60",
        "2024-01-02T10:11:12+23:60",
        EXTRA,
        "timezone minute value is outside expected range of 0-59",
    ),
    (
        "offset hour 24",
        "2024-01-02T10:11:12-24:00",
        EXTRA,
        "timezone offset must be less than 24 hours",
    ),
    (
        "offset 99:99",
        "2024-01-02T10:11:12+99:99",
        EXTRA,
        "timezone minute value is outside expected range of 0-59",
    ),
    ("year 10000", "253402300800000", AFTER, AFTER),
    ("largest int", "9223372036854775807", AFTER, AFTER),
    ("too large an int", "9223372036854775808", NO_DASH, NO_DASH),
    ("smallest int", "-9223372036854775808", BEFORE, BEFORE),
    ("too small an int", "-9223372036854775809", NO_YEAR, NO_YEAR),
    ("5000 digits", "1" * 5000, NO_DASH, NO_DASH),
    ("number before year 0", "-62167219200001", BEFORE, BEFORE),
    ("exponent alone", "1e5", SHORT, SHORT),
    ("exponent of ten digits", "10000000e5", NO_DASH, NO_DASH),
    ("point year 10000", "253402300800000.5", NO_DASH, AFTER),
    ("point before year 0", "-62167219200000.5", NO_YEAR, BEFORE),
    ("400 digits and a point", "1" * 400 + ".5", NO_DASH, AFTER),
    ("infinite", "1.5e400", SHORT, AFTER),
    ("nan", "nan", SHORT, SHORT),
    ("inf", "inf", SHORT, SHORT),
    ("hex", "0x10", SHORT, SHORT),
    ("underscores", "1_000", SHORT, SHORT),
    ("space before number", " 5", SHORT, SHORT),
    ("newline after number", "5\n", SHORT, SHORT),
    ("two points", "1.2.3", SHORT, SHORT),
    ("two signs", "+-5", SHORT, SHORT),
    ("arabic number", "\u0665", SHORT, SHORT),
    ("plus minus sign U+2212", "\u22125", SHORT, SHORT),
]

# id, text, outcome, outcome when strict
PECULIAR: List[Tuple[str, str, Outcome, Outcome]] = [
    ("date alone", "2024-01-02", "2024-01-02T00:00:00", ("datetime_parsing", NO_T)),
    ("year 0", "0000-01-01", ("datetime_parsing", YEAR_0), ("datetime_parsing", NO_T)),
    (
        "year 0 with time",
        "0000-12-31T23:59",
        ("datetime_parsing", YEAR_0),
        ("datetime_parsing", YEAR_0),
    ),
    (
        "year 0 is a leap year",
        "0000-02-29T00:00",
        ("datetime_parsing", YEAR_0),
        ("datetime_parsing", YEAR_0),
    ),
    ("lone surrogate", "\ud800", ("string_unicode", None), ("string_unicode", None)),
    (
        "lone surrogate at the end",
        "2024-01-02T10:11:12\udfff",
        ("string_unicode", None),
        ("string_unicode", None),
    ),
    (
        "number in year 0",
        "-62135596800001",
        ("datetime_parsing", YEAR_0),
        ("datetime_parsing", YEAR_0),
    ),
]

# id, bytes, outcome
TEXT_BYTES: List[Tuple[str, bytes, Outcome]] = [
    ("text", b"2024-01-02T10:11:12Z", "2024-01-02T10:11:12+00:00"),
    ("number", b"5", "1970-01-01T00:00:05+00:00"),
    ("unicode minus", b"2024-01-02T10:11\xe2\x88\x9201:00", "2024-01-02T10:11:00-01:00"),
    ("short", b"\xff", ("datetime_from_date_parsing", SHORT)),
    ("bad year", b"\xff024-01-02", ("datetime_from_date_parsing", NO_YEAR)),
    ("bad end", b"2024-01-02\xff", ("datetime_from_date_parsing", EXTRA)),
    ("cut minus", b"2024-01-02T10:11\xe2\x88", ("datetime_from_date_parsing", EXTRA)),
    ("bad fraction", b"2024-01-02T10:11:12.\xff", ("datetime_from_date_parsing", EXTRA)),
    ("nine bytes", b"2024-01-\xff", ("datetime_from_date_parsing", SHORT)),
    ("year 0", b"0000-01-01", ("datetime_parsing", YEAR_0)),
]

# id, number, outcome
NUMBERS: List[Tuple[str, Union[int, float], Outcome]] = [
    ("zero", 0, "1970-01-01T00:00:00+00:00"),
    ("one", 1, "1970-01-01T00:00:01+00:00"),
    ("minus one", -1, "1969-12-31T23:59:59+00:00"),
    ("watershed", 20000000000, "2603-10-11T11:33:20+00:00"),
    ("above the watershed", 20000000001, "1970-08-20T11:33:20.001000+00:00"),
    ("float above the watershed", 20000000000.5, "1970-08-20T11:33:20.000500+00:00"),
    ("below the watershed", -20000000001, "1969-05-14T12:26:39.999000+00:00"),
    ("float below the watershed", -20000000000.000004, "1969-05-14T12:26:40+00:00"),
    ("last millisecond", 253402300799999, "9999-12-31T23:59:59.999000+00:00"),
    ("year 10000", 253402300800000, ("datetime_parsing", AFTER)),
    ("last float", 253402300799999.97, "9999-12-31T23:59:59.999969+00:00"),
    ("float year 10000", 253402300800000.0, ("datetime_parsing", AFTER)),
    ("first moment", -62135596800000, "0001-01-01T00:00:00+00:00"),
    ("float before the first moment", -62135596800000.5, ("datetime_parsing", YEAR_0)),
    ("year 0", -62135596800001, ("datetime_parsing", YEAR_0)),
    ("start of year 0", -62167219200000, ("datetime_parsing", YEAR_0)),
    ("before year 0", -62167219200001, ("datetime_parsing", BEFORE)),
    ("float before year 0", -62167219200000.5, ("datetime_parsing", BEFORE)),
    ("past 64 bits", 2**63, ("datetime_parsing", AFTER)),
    ("far past 64 bits", -(10**300), ("datetime_parsing", BEFORE)),
    ("past a double", 10**400, ("datetime_type", None)),
    ("far past a double", -(10**5000), ("datetime_type", None)),
    ("half a second", 1.5, "1970-01-01T00:00:01.500000+00:00"),
    ("before 1970", -1.5, "1969-12-31T23:59:58.500000+00:00"),
    ("minus zero", -0.0, "1970-01-01T00:00:00+00:00"),
    ("just before 1970", -1e-7, "1970-01-01T00:00:00+00:00"),
    ("half a microsecond", 1.0000005, "1970-01-01T00:00:01.000001+00:00"),
    ("one and a half microseconds", 1.0000015, "1970-01-01T00:00:01.000001+00:00"),
    ("half rounded as a double", 0.1657765, "1970-01-01T00:00:00.165777+00:00"),
    ("negative half", -1.4673095, "1969-12-31T23:59:58.532691+00:00"),
    ("carried", 0.9999999, "1970-01-01T00:00:01+00:00"),
    ("negative carried", -0.9999999, "1969-12-31T23:59:59+00:00"),
    ("real clock", 1655205632.3319235, "2022-06-14T11:20:32.331923+00:00"),
    ("real clock in milliseconds", 1655205632331.9236, "2022-06-14T11:20:32.331924+00:00"),
    ("milliseconds exact to their fraction", 59918004966462.5, "3868-09-22T10:16:06.462500+00:00"),
    ("tiny", 5e-324, "1970-01-01T00:00:00+00:00"),
    ("huge", 1e300, ("datetime_parsing", AFTER)),
    ("nan", float("nan"), ("datetime_parsing", "NaN values not permitted")),
    ("inf", float("inf"), ("datetime_parsing", AFTER)),
    ("minus inf", float("-inf"), ("datetime_parsing", BEFORE)),
]

PLAIN = "12345678-1234-4234-8234-1234567890ab"

# id, text, value
UUIDS: List[Tuple[str, str, str]] = [
    ("hyphenated", PLAIN, PLAIN),
    ("upper case", "12345678-1234-4234-8234-1234567890AB", PLAIN),
    ("hex", "123456781234423482341234567890ab", PLAIN),
    ("braces", "{%s}" % PLAIN, PLAIN),
    ("urn", "urn:uuid:" + PLAIN, PLAIN),
    (
        "any version",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ),
]

# id, text, error
BAD_UUIDS: List[Tuple[str, str, str]] = [
    ("empty", "", "invalid length: found 0"),
    ("one", "a", "invalid length: found 1"),
    ("31 digits", "23456781234423482341234567890ab", "invalid length: found 31"),
    ("33 digits", "123456781234423482341234567890ab0", "invalid length: found 33"),
    ("36 digits", "1" * 36, "invalid group count: expected 5, found 1"),
    ("38 digits", "1" * 38, "invalid length: found 38"),
    ("46 bytes", "g" * 46, "invalid length: found 46"),
    ("46 bytes of dress", "urn:uuid:%sa" % PLAIN, "invalid length: found 46"),
    (
        "braces around hex",
        "{123456781234423482341234567890ab}",
        "invalid group count: expected 5, found 1",
    ),
    (
        "urn before hex",
        "urn:uuid:123456781234423482341234567890ab",
        "invalid group count: expected 5, found 1",
    ),
    ("upper urn", "URN:UUID:" + PLAIN, "invalid character: found `U` at 0"),
    ("urn alone", "urn:uuid:", "invalid group count: expected 5, found 1"),
    ("braces alone", "{}", "invalid group count: expected 5, found 1"),
    ("open brace", "{" + PLAIN, "invalid character: found `{` at 0"),
    ("close brace", PLAIN + "}", "invalid character: found `}` at 36"),
    (
        "braces and urn",
        "{urn:uuid:12345678-1234-4234-8234-1234}",
        "invalid character: found `u` at 1",
    ),
    (
        "urn and braces",
        "urn:uuid:{12345678-1234-4234-8234-1234}",
        "invalid character: found `{` at 9",
    ),
    ("letter first", "g" + PLAIN[1:], "invalid character: found `g` at 0"),
    ("letter last", PLAIN[:-1] + "g", "invalid character: found `g` at 35"),
    ("letter in hex", "123456781234423482341234567890ag", "invalid character: found `g` at 31"),
    ("letter in braces", "{%sg}" % PLAIN[:-1], "invalid character: found `g` at 35"),
    ("letter in urn", "urn:uuid:%sg" % PLAIN[:-1], "invalid character: found `g` at 35"),
    ("letter in short braces", "{1g}", "invalid character: found `g` at 2"),
    ("letter in short urn", "urn:uuid:1g", "invalid character: found `g` at 10"),
    ("space first", " " + PLAIN, "invalid character: found ` ` at 0"),
    ("newline last", PLAIN + "\n", "invalid character: found `\n` at 36"),
    ("nul", "\0" * 32, "invalid character: found `\x00` at 0"),
    ("accent in bytes", PLAIN[:-1] + "\xe9", "invalid character: found `\xe9` at 35"),
    ("position in bytes", "\u0661g", "invalid character: found `g` at 2"),
    ("low byte of a digit", "\u0661" * 16, "invalid length: found 32"),
    ("low byte of a hyphen", "\u022d", "invalid group count: expected 5, found 2"),
    (
        "low byte in a group",
        PLAIN[:-2] + "\u0661",
        "invalid group length in group 4: expected 12, found 12",
    ),
    ("emoji", "\U0001f600", "invalid character: found `\U0001f600` at 0"),
    ("three groups", "12345678-1234-4234", "invalid group count: expected 5, found 3"),
    (
        "six groups",
        "12345678-1234-4234-8234-1234567-90ab",
        "invalid group count: expected 5, found 6",
    ),
    ("only hyphens", "-" * 32, "invalid group count: expected 5, found 33"),
    ("five short groups", "1-2-3-4-5", "invalid group length in group 0: expected 8, found 1"),
    ("empty groups", "----", "invalid group length in group 0: expected 8, found 0"),
    ("group 0", PLAIN[1:], "invalid group length in group 0: expected 8, found 7"),
    (
        "group 1",
        "12345678-12344-234-8234-1234567890ab",
        "invalid group length in group 1: expected 4, found 5",
    ),
    (
        "group 2",
        "12345678-1234--8234-1234567890ab",
        "invalid group length in group 2: expected 4, found 0",
    ),
    (
        "group 3",
        "12345678-1234-4234-82341-234567890ab",
        "invalid group length in group 3: expected 4, found 5",
    ),
    ("group 4 short", PLAIN[:-1], "invalid group length in group 4: expected 12, found 11"),
    ("group 4 long", PLAIN + "0", "invalid group length in group 4: expected 12, found 13"),
    (
        "group 4 in braces",
        "{%s}" % PLAIN[:-1],
        "invalid group length in group 4: expected 12, found 13",
    ),
    (
        "group 4 in urn",
        "urn:uuid:" + PLAIN[:-1],
        "invalid group length in group 4: expected 12, found 20",
    ),
]

# id, bytes, outcome
UUID_BYTES: List[Tuple[str, bytes, Outcome]] = [
    (
        "raw",
        b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f",
        "00010203-0405-0607-0809-0a0b0c0d0e0f",
    ),
    ("raw that is text", b"1111111111111111", "31313131-3131-3131-3131-313131313131"),
    (
        "raw that is no text",
        b"\xff" * 16,
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ),
    ("text", b"12345678-1234-4234-8234-1234567890ab", PLAIN),
    ("hex text", b"123456781234423482341234567890ab", PLAIN),
    ("braces", b"{12345678-1234-4234-8234-1234567890ab}", PLAIN),
    ("empty", b"", ("uuid_parsing", "invalid length: expected 16 bytes, found 0")),
    (
        "15",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ("uuid_parsing", "invalid length: expected 16 bytes, found 15"),
    ),
    ("17", b"11111111111111111", ("uuid_parsing", "invalid length: expected 16 bytes, found 17")),
    (
        "bad text",
        b"g2345678-1234-4234-8234-1234567890ab",
        ("uuid_parsing", "invalid length: expected 16 bytes, found 36"),
    ),
    (
        "36 that are no text",
        b"\xff" * 36,
        ("uuid_parsing", "invalid length: expected 16 bytes, found 36"),
    ),
]

# value, text
SPANS: List[Tuple[timedelta, str]] = [
    (timedelta(0), "PT0S"),
    (timedelta(days=1), "P1D"),
    (timedelta(days=-1), "-P1D"),
    (timedelta(days=365), "P1Y"),
    (timedelta(days=364), "P364D"),
    (timedelta(days=-366), "-P1Y1D"),
    (timedelta(days=730), "P2Y"),
    (timedelta(microseconds=1), "PT0.000001S"),
    (timedelta(microseconds=-1), "-PT0.000001S"),
    (timedelta(seconds=1), "PT1S"),
    (timedelta(minutes=1), "PT1M"),
    (timedelta(hours=1), "PT1H"),
    (timedelta(days=1, seconds=2, microseconds=3), "P1DT2.000003S"),
    (timedelta(days=400, hours=1, minutes=1, seconds=1, microseconds=5), "P1Y35DT1H1M1.000005S"),
    (timedelta(days=-400, hours=1, microseconds=5), "-P1Y34DT22H59M59.999995S"),
    (timedelta(milliseconds=-1500), "-PT1.5S"),
    (timedelta(microseconds=100000), "PT0.1S"),
    (timedelta(days=7), "P7D"),
    (timedelta(days=2, hours=-1), "P1DT23H"),
    (timedelta(days=-999999999), "-P2739726Y9D"),
    (
        timedelta(days=999999999, seconds=86399, microseconds=999999),
        "P2739726Y9DT23H59M59.999999S",
    ),
]

# offset from UTC, text after the seconds
OFFSETS: List[Tuple[Optional[timedelta], str]] = [
    (timedelta(hours=5, minutes=30), "+05:30"),
    (timedelta(hours=-5, minutes=-30), "-05:30"),
    (timedelta(seconds=59), "+00:00"),
    (timedelta(seconds=-59), "-00:00"),
    (timedelta(minutes=-1), "-00:01"),
    (timedelta(seconds=-90), "-00:01"),
    (timedelta(seconds=59.4), "+00:00"),
    (timedelta(seconds=59.5), "+00:01"),
    (timedelta(seconds=-59.5), "-00:01"),
    (timedelta(seconds=119.5), "+00:02"),
    (timedelta(microseconds=1), "Z"),
    (timedelta(microseconds=-499999), "Z"),
    (timedelta(microseconds=-500000), "-00:00"),
    (timedelta(hours=23, minutes=59, seconds=59.9), "+24:00"),
    (timedelta(hours=24), "+24:00"),
    (timedelta(hours=-99, minutes=-59), "-99:59"),
    (timedelta(0), "Z"),
    (None, ""),
]


def outcome(read: Callable[..., Union[datetime, UUID]], *args: Any) -> Outcome:
    try:
        value = read(*args)
    except moments.MomentError as fault:
        assert fault.ctx is None or list(fault.ctx) == ["error"]
        return fault.kind, None if fault.ctx is None else fault.ctx["error"]
    if isinstance(value, datetime):
        assert type(value) is datetime and value.fold == 0
        return value.isoformat()
    assert type(value) is UUID
    return str(value)


def by_id(table: List[Any]) -> pytest.MarkDecorator:
    assert len({row[0] for row in table}) == len(table)
    return pytest.mark.parametrize("row", [pytest.param(row[1:], id=row[0]) for row in table])


class Plain(tzinfo):
    """A zone that answers what it was given, checked by nobody."""

    def __init__(self, offset: Any) -> None:
        self.offset = offset
        self.asked: List[Optional[datetime]] = []

    def utcoffset(self, when: Optional[datetime]) -> Any:
        self.asked.append(when)
        if isinstance(self.offset, Exception):
            raise self.offset
        return self.offset

    def dst(self, when: Optional[datetime]) -> Optional[timedelta]:
        raise AssertionError

    def tzname(self, when: Optional[datetime]) -> Optional[str]:
        raise AssertionError


# --- reading moments


@by_id(READ)
def test_text_is_read_alike_in_both_modes(row: Tuple[str, str]) -> None:
    text, value = row
    assert outcome(moments.read_datetime, text) == value
    assert outcome(moments.read_datetime, text, True) == value


@by_id(REFUSED)
def test_bad_text_is_blamed_on_the_date_unless_strict(row: Tuple[str, str, str]) -> None:
    text, lax, strict = row
    assert outcome(moments.read_datetime, text) == ("datetime_from_date_parsing", lax)
    assert outcome(moments.read_datetime, text, True) == ("datetime_parsing", strict)


@by_id(PECULIAR)
def test_text_with_an_outcome_of_its_own(row: Tuple[str, Outcome, Outcome]) -> None:
    text, lax, strict = row
    assert outcome(moments.read_datetime, text) == lax
    assert outcome(moments.read_datetime, text, True) == strict


@by_id(TEXT_BYTES)
def test_bytes_are_read_as_utf8(row: Tuple[bytes, Outcome]) -> None:
    data, expected = row
    assert outcome(moments.read_datetime_bytes, data) == expected


@by_id(NUMBERS)
def test_number_is_unix_time(row: Tuple[Union[int, float], Outcome]) -> None:
    number, expected = row
    assert outcome(moments.read_datetime_number, number) == expected


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**400])
def test_json_int_past_64_bits_is_no_moment(number: int) -> None:
    assert outcome(moments.read_datetime_number, number, True) == ("datetime_type", None)


def test_json_number_of_64_bits_is_unix_time() -> None:
    read = moments.read_datetime_number
    assert outcome(read, 2**63 - 1, True) == ("datetime_parsing", AFTER)
    assert outcome(read, -(2**63), True) == ("datetime_parsing", BEFORE)
    assert outcome(read, 1e400, True) == ("datetime_parsing", AFTER)
    assert outcome(read, 5, True) == "1970-01-01T00:00:05+00:00"


def test_str_subclass_is_read_as_str() -> None:
    class Name(str):
        pass

    assert moments.read_datetime(Name("2024-01-02T10:11Z")).isoformat() == (
        "2024-01-02T10:11:00+00:00"
    )
    assert moments.read_uuid(Name(PLAIN)) == UUID(PLAIN)


def test_utc_is_the_one_of_the_standard_library() -> None:
    for text in ("2024-01-02T10:11Z", "2024-01-02T10:11-0000", "5"):
        assert moments.read_datetime(text).tzinfo == timezone.utc


def test_short_path_and_exact_path_agree() -> None:
    seed = random.randrange(2**32)
    pick = random.Random(seed)
    for _ in range(3000):
        text = "%04d-%02d-%02d%s%02d:%02d" % (
            pick.choice([0, 1, 1900, 2000, 2023, 2024, 9999]),
            pick.randrange(14),
            pick.randrange(33),
            pick.choice("Tt _-"),
            pick.randrange(26),
            pick.randrange(62),
        )
        text += pick.choice(["", ":%02d" % pick.randrange(62), ":59.%d" % pick.getrandbits(30)])
        text += pick.choice(["", "Z", "z", "+05:30", "-0030", "\u221223:59", "+24:00", "+00:60"])
        strict = pick.random() < 0.5
        number = moments._find_unix_number(text)
        assert outcome(moments.read_datetime, text, strict) == outcome(
            moments._read_odd_datetime, text.encode("utf-8"), number, strict
        ), (seed, text)


# --- writing


@pytest.mark.parametrize("offset, tail", OFFSETS)
def test_offset_is_written_in_minutes(offset: Optional[timedelta], tail: str) -> None:
    zone = Plain(offset)
    moment = datetime(2024, 1, 2, 3, 4, 5, tzinfo=zone)
    assert moments.write_datetime(moment) == "2024-01-02T03:04:05" + tail
    assert moments.write_time(time(3, 4, 5, tzinfo=zone)) == "03:04:05" + tail
    assert zone.asked[0] is moment and zone.asked[1:] == [None]


def test_moment_is_written_with_six_digits_or_none() -> None:
    for value, text in [
        (datetime(2024, 1, 2, 3, 4, 5), "2024-01-02T03:04:05"),
        (datetime(2024, 1, 2, 3, 4, 5, 6), "2024-01-02T03:04:05.000006"),
        (datetime(2024, 1, 2, 3, 4, 5, 120000), "2024-01-02T03:04:05.120000"),
        (datetime(999, 1, 2, tzinfo=timezone.utc), "0999-01-02T00:00:00Z"),
        (datetime(2024, 1, 2, fold=1), "2024-01-02T00:00:00"),
    ]:
        assert moments.write_datetime(value) == text
    assert moments.write_time(time(3, 4)) == "03:04:00"
    assert moments.write_time(time(3, 4, 5, 6, timezone.utc)) == "03:04:05.000006Z"
    assert moments.write_date(date(1, 2, 3)) == "0001-02-03"
    assert moments.write_date(date(9999, 12, 31)) == "9999-12-31"


def test_subclass_is_asked_for_attributes_and_not_for_text() -> None:
    class Stamp(datetime):
        @property
        def year(self) -> int:
            return 1234

        def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
            raise AssertionError

    assert moments.write_datetime(Stamp(2024, 1, 2)) == "1234-01-02T00:00:00"
    assert moments.write_date(Stamp(2024, 1, 2)) == "1234-01-02"


@pytest.mark.parametrize("fault", [RuntimeError("boom"), NotImplementedError()], ids=repr)
def test_what_a_zone_raises_comes_out(fault: Exception) -> None:
    with pytest.raises(type(fault)) as caught:
        moments.write_datetime(datetime(2024, 1, 2, tzinfo=Plain(fault)))
    assert caught.value is fault


def test_offset_of_another_type_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError) as caught:
        moments.write_time(time(tzinfo=Plain(5)))
    assert str(caught.value) == "'int' object has no attribute 'total_seconds'"


@pytest.mark.parametrize("value, text", SPANS)
def test_span_is_written_as_a_duration(value: timedelta, text: str) -> None:
    assert moments.write_timedelta(value) == text


# --- UUID


@by_id(UUIDS)
def test_uuid_is_read(row: Tuple[str, str]) -> None:
    text, value = row
    assert outcome(moments.read_uuid, text) == value


@by_id(BAD_UUIDS)
def test_bad_uuid_is_refused(row: Tuple[str, str]) -> None:
    text, error = row
    assert outcome(moments.read_uuid, text) == ("uuid_parsing", error)


@pytest.mark.parametrize("text", ["\ud800", "1" * 50 + "\udfff"], ids=["alone", "long"])
def test_uuid_with_a_lone_surrogate_is_no_text(text: str) -> None:
    assert outcome(moments.read_uuid, text) == ("string_unicode", None)


@by_id(UUID_BYTES)
def test_uuid_is_read_from_bytes(row: Tuple[bytes, Outcome]) -> None:
    data, expected = row
    assert outcome(moments.read_uuid_bytes, data) == expected


# --- the error and the module


@pytest.mark.parametrize("ctx", [None, {"error": "input is too short"}], ids=repr)
@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda fault: pickle.loads(pickle.dumps(fault))]
)
def test_error_copies_and_pickles(clone: Callable[[Any], Any], ctx: Any) -> None:
    fault = clone(moments.MomentError("datetime_parsing", ctx))
    assert type(fault) is moments.MomentError
    assert (fault.kind, fault.ctx) == ("datetime_parsing", ctx)


def test_error_text_names_kind_and_cause() -> None:
    assert str(moments.MomentError("string_unicode")) == "string_unicode"
    fault = moments.MomentError("uuid_parsing", {"error": "invalid length: found 1"})
    assert str(fault) == "uuid_parsing: invalid length: found 1"


def test_import_leaves_datetime_and_uuid_alone() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\n"
        "import harbor.codec.moments\n"
        "print(sorted({'datetime', 'uuid'} & (set(sys.modules) - before)))\n"
    )
    command = [sys.executable, "-c", code, str(implementation.PATH)]
    found = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=True)
    assert found.stdout == "[]\n"
