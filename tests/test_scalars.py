"""harbor.codec.plan.scalars: None, bool, int, float and str; the tables were recorded from pydantic 2.14.4."""

import collections
import decimal
import enum
import fractions
from typing import Any, List, Tuple

import pytest

from harbor.codec import TypeAdapter
from outcomes import (
    EVERY, JSON, LAX, PYTHON, STRICT, Raised, Refused, Warned, assert_checks, assert_dumps, assert_same, check,
    rows, unexpected,
)

NAN, INF = float("nan"), float("inf")
HUGE = 10**309
NONE: Any = type(None)


class Word(str):
    pass


class Count(int):
    pass


class Share(float):
    pass


class Color(enum.Enum):
    RED = "red"
    TWO = 2
    HALF = 0.5


class Level(enum.IntEnum):
    LOW = 1


class Shade(str, enum.Enum):
    DARK = "dark"


class Index:
    def __index__(self) -> int:
        return 3

    def __repr__(self) -> str:
        return "Index()"


class Real:
    def __float__(self) -> float:
        return 1.5

    def __repr__(self) -> str:
        return "Real()"


INDEX, REAL = Index(), Real()

# id, type, ways, input, expected
CHECKS: List[Tuple[str, Any, str, Any, Any]] = [
    ("none", NONE, EVERY, None, None),
    ("none from zero, python", NONE, PYTHON, 0, Refused(("none_required", (), 0, "Input should be None"))),
    ("none from zero, json", NONE, JSON, 0, Refused(("none_required", (), 0, "Input should be null"))),
    ("none from its name, python", NONE, PYTHON, "None",
     Refused(("none_required", (), "None", "Input should be None"))),
    ("none from its name, json", NONE, JSON, "None", Refused(("none_required", (), "None", "Input should be null"))),
    ("bool", bool, EVERY, True, True),
    ("bool from one, lax", bool, LAX, 1, True),
    ("bool from one, strict", bool, STRICT, 1, Refused(("bool_type", (), 1, "Input should be a valid boolean"))),
    ("bool from zero, lax", bool, LAX, 0, False),
    ("bool from zero, strict", bool, STRICT, 0, Refused(("bool_type", (), 0, "Input should be a valid boolean"))),
    ("bool from two, lax", bool, LAX, 2,
     Refused(("bool_parsing", (), 2, "Input should be a valid boolean, unable to interpret input"))),
    ("bool from two, strict", bool, STRICT, 2, Refused(("bool_type", (), 2, "Input should be a valid boolean"))),
    ("bool from 2**63", bool, EVERY, 2**63,
     Refused(("bool_type", (), 9223372036854775808, "Input should be a valid boolean"))),
    ("bool from whole float, lax", bool, LAX, 1.0, True),
    ("bool from whole float, strict", bool, STRICT, 1.0,
     Refused(("bool_type", (), 1.0, "Input should be a valid boolean"))),
    ("bool from 1.5", bool, EVERY, 1.5, Refused(("bool_type", (), 1.5, "Input should be a valid boolean"))),
    ("bool from nan", bool, EVERY, NAN, Refused(("bool_type", (), NAN, "Input should be a valid boolean"))),
    ("bool from word, lax", bool, LAX, "Yes", True),
    ("bool from word, strict", bool, STRICT, "Yes",
     Refused(("bool_type", (), "Yes", "Input should be a valid boolean"))),
    ("bool from letter, lax", bool, LAX, "f", False),
    ("bool from letter, strict", bool, STRICT, "f",
     Refused(("bool_type", (), "f", "Input should be a valid boolean"))),
    ("bool from off, lax", bool, LAX, "OFF", False),
    ("bool from off, strict", bool, STRICT, "OFF",
     Refused(("bool_type", (), "OFF", "Input should be a valid boolean"))),
    ("bool from padded word, lax", bool, LAX, " true",
     Refused(("bool_parsing", (), " true", "Input should be a valid boolean, unable to interpret input"))),
    ("bool from padded word, strict", bool, STRICT, " true",
     Refused(("bool_type", (), " true", "Input should be a valid boolean"))),
    ("bool from empty text, lax", bool, LAX, "",
     Refused(("bool_parsing", (), "", "Input should be a valid boolean, unable to interpret input"))),
    ("bool from empty text, strict", bool, STRICT, "",
     Refused(("bool_type", (), "", "Input should be a valid boolean"))),
    ("bool from bytes, python", bool, "python", b"on", True),
    ("bool from bytes, strict python", bool, "strict-python", b"on",
     Refused(("bool_type", (), b"on", "Input should be a valid boolean"))),
    ("bool from decimal, python", bool, "python", decimal.Decimal(1), True),
    ("bool from decimal, strict python", bool, "strict-python", decimal.Decimal(1),
     Refused(("bool_type", (), decimal.Decimal("1"), "Input should be a valid boolean"))),
    ("bool from none", bool, EVERY, None, Refused(("bool_type", (), None, "Input should be a valid boolean"))),
    ("bool from list", bool, EVERY, [], Refused(("bool_type", (), [], "Input should be a valid boolean"))),
    ("int", int, EVERY, 1, 1),
    ("int of any size", int, EVERY, -(2**70), -1180591620717411303424),
    ("int from bool, lax", int, LAX, True, 1),
    ("int from bool, strict", int, STRICT, True, Refused(("int_type", (), True, "Input should be a valid integer"))),
    ("int from whole float, lax", int, LAX, -2.0, -2),
    ("int from whole float, strict", int, STRICT, -2.0,
     Refused(("int_type", (), -2.0, "Input should be a valid integer"))),
    ("int from 1.5, lax", int, LAX, 1.5,
     Refused(("int_from_float", (), 1.5, "Input should be a valid integer, got a number with a fractional part"))),
    ("int from 1.5, strict", int, STRICT, 1.5, Refused(("int_type", (), 1.5, "Input should be a valid integer"))),
    ("int from nan, lax", int, LAX, NAN, Refused(("finite_number", (), NAN, "Input should be a finite number"))),
    ("int from nan, strict", int, STRICT, NAN, Refused(("int_type", (), NAN, "Input should be a valid integer"))),
    ("int from inf, lax", int, LAX, INF, Refused(("finite_number", (), INF, "Input should be a finite number"))),
    ("int from inf, strict", int, STRICT, INF, Refused(("int_type", (), INF, "Input should be a valid integer"))),
    ("int from 1e19, lax", int, LAX, 1e19,
     Refused(("int_parsing_size", (), 1e+19, "Unable to parse input string as an integer, exceeded maximum size"))),
    ("int from 1e19, strict", int, STRICT, 1e19, Refused(("int_type", (), 1e+19, "Input should be a valid integer"))),
    ("int from text, lax", int, LAX, "12", 12),
    ("int from text, strict", int, STRICT, "12", Refused(("int_type", (), "12", "Input should be a valid integer"))),
    ("int from signed text, lax", int, LAX, "+1", 1),
    ("int from signed text, strict", int, STRICT, "+1",
     Refused(("int_type", (), "+1", "Input should be a valid integer"))),
    ("int from padded text, lax", int, LAX, "\t-1\u3000", -1),
    ("int from padded text, strict", int, STRICT, "\t-1\u3000",
     Refused(("int_type", (), "\t-1\u3000", "Input should be a valid integer"))),
    ("int from text after FS, lax", int, LAX, "\x1c1",
     Refused(("int_parsing", (), "\x1c1", "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from text after FS, strict", int, STRICT, "\x1c1",
     Refused(("int_type", (), "\x1c1", "Input should be a valid integer"))),
    ("int from text with underscores, lax", int, LAX, "1_000", 1000),
    ("int from text with underscores, strict", int, STRICT, "1_000",
     Refused(("int_type", (), "1_000", "Input should be a valid integer"))),
    ("int from text with two underscores, lax", int, LAX, "1__0",
     Refused(("int_parsing", (), "1__0", "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from text with two underscores, strict", int, STRICT, "1__0",
     Refused(("int_type", (), "1__0", "Input should be a valid integer"))),
    ("int from text with zeros after the point, lax", int, LAX, "1.00", 1),
    ("int from text with zeros after the point, strict", int, STRICT, "1.00",
     Refused(("int_type", (), "1.00", "Input should be a valid integer"))),
    ("int from text with a bare point, lax", int, LAX, "1.",
     Refused(("int_parsing", (), "1.", "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from text with a bare point, strict", int, STRICT, "1.",
     Refused(("int_type", (), "1.", "Input should be a valid integer"))),
    ("int from text with a fraction, lax", int, LAX, "1.5",
     Refused(("int_parsing", (), "1.5", "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from text with a fraction, strict", int, STRICT, "1.5",
     Refused(("int_type", (), "1.5", "Input should be a valid integer"))),
    ("int from text with an exponent, lax", int, LAX, "1e3",
     Refused(("int_parsing", (), "1e3", "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from text with an exponent, strict", int, STRICT, "1e3",
     Refused(("int_type", (), "1e3", "Input should be a valid integer"))),
    ("int from arabic digits, lax", int, LAX, "\u0661",
     Refused(("int_parsing", (), "١", "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from arabic digits, strict", int, STRICT, "\u0661",
     Refused(("int_type", (), "١", "Input should be a valid integer"))),
    ("int from hex, lax", int, LAX, "0x1",
     Refused(("int_parsing", (), "0x1", "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from hex, strict", int, STRICT, "0x1", Refused(("int_type", (), "0x1", "Input should be a valid integer"))),
    ("int from empty text, lax", int, LAX, "",
     Refused(("int_parsing", (), "", "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from empty text, strict", int, STRICT, "", Refused(("int_type", (), "", "Input should be a valid integer"))),
    ("int from text with leading zeros, lax", int, LAX, "007", 7),
    ("int from text with leading zeros, strict", int, STRICT, "007",
     Refused(("int_type", (), "007", "Input should be a valid integer"))),
    ("int from bytes, python", int, "python", b"1", 1),
    ("int from bytes, strict python", int, "strict-python", b"1",
     Refused(("int_type", (), b"1", "Input should be a valid integer"))),
    ("int from bytes that are no text, python", int, "python", b"\xff",
     Refused(("int_parsing", (), b'\xff', "Input should be a valid integer, unable to parse string as an integer"))),
    ("int from bytes that are no text, strict python", int, "strict-python", b"\xff",
     Refused(("int_type", (), b'\xff', "Input should be a valid integer"))),
    ("int from lone surrogate, python", int, "python", "\ud800", Refused(("string_unicode", (), "\ud800",
     "Input should be a valid string, unable to parse raw data as a unicode string"))),
    ("int from lone surrogate, strict python", int, "strict-python", "\ud800",
     Refused(("int_type", (), "\ud800", "Input should be a valid integer"))),
    ("int from subclass", int, PYTHON, Count(1), 1),
    ("int from int enum", int, PYTHON, Level.LOW, 1),
    ("int from enum, python", int, "python", Color.TWO, 2),
    ("int from enum, strict python", int, "strict-python", Color.TWO,
     Refused(("int_type", (), Color.TWO, "Input should be a valid integer"))),
    ("int from whole decimal, python", int, "python", decimal.Decimal("1e2"), 100),
    ("int from whole decimal, strict python", int, "strict-python", decimal.Decimal("1e2"),
     Refused(("int_type", (), decimal.Decimal("1E+2"), "Input should be a valid integer"))),
    ("int from decimal, python", int, "python", decimal.Decimal("1.5"), Refused(("int_from_float", (),
     decimal.Decimal("1.5"), "Input should be a valid integer, got a number with a fractional part"))),
    ("int from decimal, strict python", int, "strict-python", decimal.Decimal("1.5"),
     Refused(("int_type", (), decimal.Decimal("1.5"), "Input should be a valid integer"))),
    ("int from decimal nan, python", int, "python", decimal.Decimal("nan"),
     Refused(("finite_number", (), decimal.Decimal("NaN"), "Input should be a finite number"))),
    ("int from decimal nan, strict python", int, "strict-python", decimal.Decimal("nan"),
     Refused(("int_type", (), decimal.Decimal("NaN"), "Input should be a valid integer"))),
    ("int from whole fraction, python", int, "python", fractions.Fraction(4, 2), 2),
    ("int from whole fraction, strict python", int, "strict-python", fractions.Fraction(4, 2),
     Refused(("int_type", (), fractions.Fraction(2, 1), "Input should be a valid integer"))),
    ("int from fraction, python", int, "python", fractions.Fraction(1, 2), Refused(("int_from_float", (),
     fractions.Fraction(1, 2), "Input should be a valid integer, got a number with a fractional part"))),
    ("int from fraction, strict python", int, "strict-python", fractions.Fraction(1, 2),
     Refused(("int_type", (), fractions.Fraction(1, 2), "Input should be a valid integer"))),
    ("int from object with __index__, python", int, "python", INDEX, 3),
    ("int from object with __index__, strict python", int, "strict-python", INDEX,
     Refused(("int_type", (), INDEX, "Input should be a valid integer"))),
    ("int from none", int, EVERY, None, Refused(("int_type", (), None, "Input should be a valid integer"))),
    ("int from list", int, EVERY, [1], Refused(("int_type", (), [1], "Input should be a valid integer"))),
    ("float", float, EVERY, 0.1, 0.1),
    ("float minus zero", float, EVERY, -0.0, -0.0),
    ("float nan", float, EVERY, NAN, NAN),
    ("float -inf", float, EVERY, -INF, -INF),
    ("float from int", float, EVERY, 1, 1.0),
    ("float from int above 2**53", float, EVERY, 2**53 + 1, 9007199254740992.0),
    ("float from int above all floats, python", float, PYTHON, HUGE,
     Refused(("float_type", (), HUGE, "Input should be a valid number"))),
    ("float from int above all floats, json", float, JSON, HUGE, INF),
    ("float from bool, lax", float, LAX, True, 1.0),
    ("float from bool, strict", float, STRICT, True,
     Refused(("float_type", (), True, "Input should be a valid number"))),
    ("float from text, lax", float, LAX, "1.5", 1.5),
    ("float from text, strict", float, STRICT, "1.5",
     Refused(("float_type", (), "1.5", "Input should be a valid number"))),
    ("float from padded text, lax", float, LAX, " 1e3\n", 1000.0),
    ("float from padded text, strict", float, STRICT, " 1e3\n",
     Refused(("float_type", (), " 1e3\n", "Input should be a valid number"))),
    ("float from text with point first, lax", float, LAX, "-.5", -0.5),
    ("float from text with point first, strict", float, STRICT, "-.5",
     Refused(("float_type", (), "-.5", "Input should be a valid number"))),
    ("float from text with point last, lax", float, LAX, "5.", 5.0),
    ("float from text with point last, strict", float, STRICT, "5.",
     Refused(("float_type", (), "5.", "Input should be a valid number"))),
    ("float from text with underscores, lax", float, LAX, "1_0.5", 10.5),
    ("float from text with underscores, strict", float, STRICT, "1_0.5",
     Refused(("float_type", (), "1_0.5", "Input should be a valid number"))),
    ("float from padded text with underscores, lax", float, LAX, " 1_0",
     Refused(("float_parsing", (), " 1_0", "Input should be a valid number, unable to parse string as a number"))),
    ("float from padded text with underscores, strict", float, STRICT, " 1_0",
     Refused(("float_type", (), " 1_0", "Input should be a valid number"))),
    ("float from text with underscore last, lax", float, LAX, "1_",
     Refused(("float_parsing", (), "1_", "Input should be a valid number, unable to parse string as a number"))),
    ("float from text with underscore last, strict", float, STRICT, "1_",
     Refused(("float_type", (), "1_", "Input should be a valid number"))),
    ("float from text nan, lax", float, LAX, "NaN", NAN),
    ("float from text nan, strict", float, STRICT, "NaN",
     Refused(("float_type", (), "NaN", "Input should be a valid number"))),
    ("float from text infinity, lax", float, LAX, "-Infinity", -INF),
    ("float from text infinity, strict", float, STRICT, "-Infinity",
     Refused(("float_type", (), "-Infinity", "Input should be a valid number"))),
    ("float from text above all floats, lax", float, LAX, "1e999", INF),
    ("float from text above all floats, strict", float, STRICT, "1e999",
     Refused(("float_type", (), "1e999", "Input should be a valid number"))),
    ("float from arabic digits, lax", float, LAX, "\u0661",
     Refused(("float_parsing", (), "١", "Input should be a valid number, unable to parse string as a number"))),
    ("float from arabic digits, strict", float, STRICT, "\u0661",
     Refused(("float_type", (), "١", "Input should be a valid number"))),
    ("float from word, lax", float, LAX, "one",
     Refused(("float_parsing", (), "one", "Input should be a valid number, unable to parse string as a number"))),
    ("float from word, strict", float, STRICT, "one",
     Refused(("float_type", (), "one", "Input should be a valid number"))),
    ("float from bytes, python", float, "python", b"1.5", 1.5),
    ("float from bytes, strict python", float, "strict-python", b"1.5",
     Refused(("float_type", (), b"1.5", "Input should be a valid number"))),
    ("float from subclass", float, PYTHON, Share(1.5), 1.5),
    ("float from decimal", float, PYTHON, decimal.Decimal("1.5"), 1.5),
    ("float from object with __float__", float, PYTHON, REAL, 1.5),
    ("float from object with __index__", float, PYTHON, INDEX, 3.0),
    ("float from enum", float, PYTHON, Color.HALF,
     Refused(("float_type", (), Color.HALF, "Input should be a valid number"))),
    ("float from none", float, EVERY, None, Refused(("float_type", (), None, "Input should be a valid number"))),
    ("float from complex", float, PYTHON, 1j, Refused(("float_type", (), 1j, "Input should be a valid number"))),
    ("str", str, EVERY, "a", "a"),
    ("str of any plane", str, EVERY, "\x00é\U0001f600", "\x00é😀"),
    ("str empty", str, EVERY, "", ""),
    ("str with lone surrogate", str, PYTHON, "\ud800", "\ud800"),
    ("str from int", str, EVERY, 1, Refused(("string_type", (), 1, "Input should be a valid string"))),
    ("str from none", str, EVERY, None, Refused(("string_type", (), None, "Input should be a valid string"))),
    ("str from bool", str, EVERY, True, Refused(("string_type", (), True, "Input should be a valid string"))),
    ("str from bytes, python", str, "python", b"a", "a"),
    ("str from bytes, strict python", str, "strict-python", b"a",
     Refused(("string_type", (), b"a", "Input should be a valid string"))),
    ("str from bytearray, python", str, "python", bytearray(b"a"), "a"),
    ("str from bytearray, strict python", str, "strict-python", bytearray(b"a"),
     Refused(("string_type", (), bytearray(b"a"), "Input should be a valid string"))),
    ("str from bytes that are no text, python", str, "python", b"\xff", Refused(("string_unicode", (), b'\xff',
     "Input should be a valid string, unable to parse raw data as a unicode string"))),
    ("str from bytes that are no text, strict python", str, "strict-python", b"\xff",
     Refused(("string_type", (), b'\xff', "Input should be a valid string"))),
    ("str from subclass", str, PYTHON, Word("a"), "a"),
    ("str from text enum", str, PYTHON, Shade.DARK, "dark"),
    ("str from enum, python", str, "python", Color.RED, "red"),
    ("str from enum, strict python", str, "strict-python", Color.RED,
     Refused(("string_type", (), Color.RED, "Input should be a valid string"))),
    ("str from enum of a number, python", str, "python", Color.TWO, "2"),
    ("str from enum of a number, strict python", str, "strict-python", Color.TWO,
     Refused(("string_type", (), Color.TWO, "Input should be a valid string"))),
    ("str from UserString", str, PYTHON, collections.UserString("a"),
     Refused(("string_type", (), collections.UserString("a"), "Input should be a valid string"))),
]

# id, type, input, expected
STRINGS: List[Tuple[str, Any, Any, Any]] = [
    ("bool", bool, "on", True),
    ("bool refused", bool, "2",
     Refused(("bool_parsing", (), "2", "Input should be a valid boolean, unable to interpret input"))),
    ("int", int, " 1 ", 1),
    ("int refused", int, "1.5",
     Refused(("int_parsing", (), "1.5", "Input should be a valid integer, unable to parse string as an integer"))),
    ("float", float, "inf", INF),
    ("str", str, "a", "a"),
    ("none", NONE, "null", Refused(("none_required", (), "null", "Input should be null"))),
    ("int is no text", int, 1, Refused(("string_type", (), 1, "Input should be a valid string"))),
]

# id, type, value, in mode "python", in mode "json", as text
DUMPS: List[Tuple[str, Any, Any, Any, Any, Any]] = [
    ("none", NONE, None, None, None, "null"),
    ("bool", bool, True, True, True, "true"),
    ("int", int, 1, 1, 1, "1"),
    ("int of any size", int, 2**70, 1180591620717411303424, 1180591620717411303424, "1180591620717411303424"),
    ("int from int enum", int, Level.LOW, Level.LOW, 1, "1"),
    ("float", float, 1.0, 1.0, 1.0, "1.0"),
    ("float 1e-5", float, 1e-5, 1e-05, 1e-05, "0.00001"),
    ("float 1e-7", float, 1.5e-7, 1.5e-07, 1.5e-07, "1.5e-7"),
    ("float 1e16", float, 1e16, 1e+16, 1e+16, "1e+16"),
    ("float minus zero", float, -0.0, -0.0, -0.0, "-0.0"),
    ("float nan", float, NAN, NAN, NAN, "null"),
    ("float inf", float, INF, INF, INF, "null"),
    ("float field with int", float, 1, 1, 1.0, "1.0"),
    ("float field with int above all floats", float, HUGE, HUGE,
     Raised("OverflowError", "int too large to convert to float"),
     Warned(str(HUGE), unexpected("float", "1" + "0" * 24 + "..." + "0" * 24, "int"))),
    ("str", str, "é\n\x7f\"", 'é\n\x7f"', 'é\n\x7f"', '"é\\n\x7f\\""'),
    ("str from text enum", str, Shade.DARK, Shade.DARK, "dark", '"dark"'),
    ("str with lone surrogate", str, "\ud800", "\ud800", "\ud800", Raised("SerializationError",
     "Error serializing to JSON: UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0:"
     " surrogates not allowed")),
    ("int with text", int, "a", Warned("a", unexpected("int", "'a'", "str")),
     Warned("a", unexpected("int", "'a'", "str")), Warned('"a"', unexpected("int", "'a'", "str"))),
    ("int with float", int, 1.5, Warned(1.5, unexpected("int", "1.5", "float")),
     Warned(1.5, unexpected("int", "1.5", "float")), Warned("1.5", unexpected("int", "1.5", "float"))),
    ("int with bool", int, True, True, 1, "1"),
    ("int with none", int, None, None, None, "null"),
    ("float with text", float, "a", Warned("a", unexpected("float", "'a'", "str")),
     Warned("a", unexpected("float", "'a'", "str")), Warned('"a"', unexpected("float", "'a'", "str"))),
    ("float with bool", float, True, True, 1.0, "1.0"),
    ("float with decimal", float, decimal.Decimal("1.5"),
     Warned(decimal.Decimal("1.5"), unexpected("float", "Decimal('1.5')", "Decimal")),
     Warned("1.5", unexpected("float", "Decimal('1.5')", "Decimal")), "1.5"),
    ("bool with int", bool, 1, Warned(1, unexpected("bool", "1", "int")), Warned(1, unexpected("bool", "1", "int")),
     Warned("1", unexpected("bool", "1", "int"))),
    ("str with int", str, 1, Warned(1, unexpected("str", "1", "int")), Warned(1, unexpected("str", "1", "int")),
     Warned("1", unexpected("str", "1", "int"))),
    ("str with bytes", str, b"a", Warned(b"a", unexpected("str", "b'a'", "bytes")),
     Warned("a", unexpected("str", "b'a'", "bytes")), Warned('"a"', unexpected("str", "b'a'", "bytes"))),
    ("none with int", NONE, 1, Warned(1, unexpected("none", "1", "int")), Warned(1, unexpected("none", "1", "int")),
     Warned("1", unexpected("none", "1", "int"))),
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


@pytest.mark.parametrize("kind", [bool, int, float, str])
def test_subclasses_become_the_plain_type(kind: Any) -> None:
    value = {bool: True, int: Count(1), float: Share(1.5), str: Word("a")}[kind]
    checked: Any = TypeAdapter(kind).validate_python(value)
    assert (type(checked), checked) == (kind, value)


def test_a_number_in_text_has_at_most_4300_digits() -> None:
    checked: Any = TypeAdapter(int).validate_python("-" + "0" * 5000 + "9" * 4300)
    assert checked == -(10**4300 - 1)
    too_long = "9" * 4301
    message = "Unable to parse input string as an integer, exceeded maximum size"
    assert_same(check(int, "python", too_long), Refused(("int_parsing_size", (), too_long, message)))


def test_a_decimal_may_have_more_digits_than_text() -> None:
    checked: Any = TypeAdapter(int).validate_python(decimal.Decimal("1e5000"))
    assert checked == 10**5000
