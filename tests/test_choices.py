"""harbor.codec.plan.choices: Optional, unions, Literal and Enum; the tables were recorded from pydantic 2.14.4."""

import enum
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, List, Literal, Optional, Tuple, Union
from uuid import UUID

import pytest

from harbor.codec import Model
from outcomes import (
    EVERY, JSON, LAX, PYTHON, STRICT, Refused, Warned, assert_checks, assert_dumps, assert_same, check, rows,
    unexpected,
)


NAN = float("nan")


class Color(enum.Enum):
    RED = "red"
    NUM = 7
    PAIR = (1, 2)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Shade(str, enum.Enum):
    DARK = "dark"
    TWELVE = "12"


class Ratio(float, enum.Enum):
    HALF = 0.5


class Lenient(enum.Enum):
    KNOWN = "known"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.KNOWN if value == "?" else None


class A(Model):
    x: int = 0


class B(Model):
    x: int = 0
    y: int = 0


class Strict(Model, extra="forbid"):
    z: int


@dataclass
class Spot:
    x: int


class Word(str):
    pass



# id, type, ways, input, expected
CHECKS: List[Tuple[str, Any, str, Any, Any]] = [
    ("optional none", Optional[int], EVERY, None, None),
    ("optional value", Optional[int], EVERY, 1, 1),
    ("optional lax value, lax", Optional[int], LAX, "1", 1),
    ("optional lax value, strict", Optional[int], STRICT, "1",
     Refused(("int_type", (), "1", "Input should be a valid integer"))),
    ("optional refused, lax", Optional[int], LAX, "a",
     Refused(("int_parsing", (), "a", "Input should be a valid integer, unable to parse string as an integer"))),
    ("optional refused, strict", Optional[int], STRICT, "a",
     Refused(("int_type", (), "a", "Input should be a valid integer"))),
    ("optional union none", Union[int, str, None], EVERY, None, None),
    ("union exact beats leftmost", Union[int, str], EVERY, "1", "1"),
    ("union leftmost of lax, lax", Union[int, float], LAX, "1", 1),
    ("union leftmost of lax, strict", Union[int, float], STRICT, "1", Refused(("int_type", ("int",), "1",
     "Input should be a valid integer"), ("float_type", ("float",), "1", "Input should be a valid number"))),
    ("union int before float", Union[float, int], EVERY, 1, 1),
    ("union float before int", Union[int, float], EVERY, 1.0, 1.0),
    ("union bool stays", Union[int, bool], EVERY, True, True),
    ("union int is no bool", Union[bool, int], EVERY, 1, 1),
    ("union bool for str or int, lax", Union[str, int], LAX, True, 1),
    ("union bool for str or int, strict", Union[str, int], STRICT, True, Refused(("string_type", ("str",), True,
     "Input should be a valid string"), ("int_type", ("int",), True, "Input should be a valid integer"))),
    ("union text before uuid, python", Union[str, UUID], PYTHON, "12345678-1234-5678-1234-567812345678",
     "12345678-1234-5678-1234-567812345678"),
    ("union text before uuid, json", Union[str, UUID], JSON, "12345678-1234-5678-1234-567812345678",
     UUID("12345678-1234-5678-1234-567812345678")),
    ("union text before datetime, python", Union[datetime, str], PYTHON, "2024-01-02T03:04:05", "2024-01-02T03:04:05"),
    ("union text before datetime, json", Union[datetime, str], JSON, "2024-01-02T03:04:05",
     datetime(2024, 1, 2, 3, 4, 5)),
    ("union refused by all, lax", Union[int, bool], LAX, "x", Refused(("int_parsing", ("int",), "x",
     "Input should be a valid integer, unable to parse string as an integer"), ("bool_parsing", ("bool",), "x",
     "Input should be a valid boolean, unable to interpret input"))),
    ("union refused by all, strict", Union[int, bool], STRICT, "x", Refused(("int_type", ("int",), "x",
     "Input should be a valid integer"), ("bool_type", ("bool",), "x", "Input should be a valid boolean"))),
    ("union with any", Union[int, Any], EVERY, "1", "1"),
    ("union of lists", Union[List[int], List[str]], EVERY, ["1"], ["1"]),
    ("union of lists, empty", Union[List[int], List[str]], EVERY, [], []),
    ("union of lists refused, python", Union[List[int], Dict[str, int]], PYTHON, [None], Refused(("int_type",
     ("list[int]", 0), None, "Input should be a valid integer"), ("dict_type", ("dict[str,int]",), [None],
     "Input should be a valid dictionary"))),
    ("union of lists refused, json", Union[List[int], Dict[str, int]], JSON, [None], Refused(("int_type",
     ("list[int]", 0), None, "Input should be a valid integer"), ("dict_type", ("dict[str,int]",), [None],
     "Input should be an object"))),
    ("union of models, more fields set", Union[A, B], EVERY, {"x": 1, "y": 2}, B(x=1, y=2)),
    ("union of models, equal", Union[A, B], EVERY, {"x": 1}, A(x=1)),
    ("union of models, the one that fits", Union[A, Strict], EVERY, {"z": 1}, Strict(z=1)),
    ("union of models refused, python json", Union[Strict, Spot], "python json strict-json", {},
     Refused(("missing", ("Strict", "z"), {}, "Field required"), ("missing", ("Spot", "x"), {}, "Field required"))),
    ("union of models refused, strict python", Union[Strict, Spot], "strict-python", {}, Refused(("missing",
     ("Strict", "z"), {}, "Field required"), ("dataclass_exact_type", ("Spot",), {},
     "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("union takes an instance", Union[A, B], PYTHON, B(x=1), B(x=1)),
    ("union of optional fields, python", Union[A, Dict[str, int]], PYTHON, {"x": 1}, {"x": 1}),
    ("union of optional fields, json", Union[A, Dict[str, int]], JSON, {"x": 1}, A(x=1)),
    ("literal text", Literal["a", "b"], EVERY, "b", "b"),
    ("literal other text", Literal["a", "b"], EVERY, "c",
     Refused(("literal_error", (), "c", "Input should be 'a' or 'b'", {"expected": "'a' or 'b'"}))),
    ("literal of one", Literal["a"], EVERY, None,
     Refused(("literal_error", (), None, "Input should be 'a'", {"expected": "'a'"}))),
    ("literal of three", Literal["a", 1, None], EVERY, 2,
     Refused(("literal_error", (), 2, "Input should be 'a', 1 or None", {"expected": "'a', 1 or None"}))),
    ("literal int", Literal[1], EVERY, 1, 1),
    ("literal int from true", Literal[1], EVERY, True, 1),
    ("literal int from 1.0", Literal[1], EVERY, 1.0, 1),
    ("literal int from text", Literal[1], EVERY, "1",
     Refused(("literal_error", (), "1", "Input should be 1", {"expected": "1"}))),
    ("literal 1 or true from true", Literal[1, True], EVERY, True, True),
    ("literal 1 or true from 1", Literal[1, True], EVERY, 1, 1),
    ("literal none", Literal[None], EVERY, None, None),
    ("literal enum from value", Literal[Color.RED], EVERY, "red",
     Refused(("literal_error", (), "red", "Input should be <Color.RED: 'red'>", {"expected": "<Color.RED: 'red'>"}))),
    ("literal enum", Literal[Color.RED], PYTHON, Color.RED, Color.RED),
    ("literal from huge int", Literal[1], EVERY, 2**63, Refused(("int_parsing_size", (), 9223372036854775808,
     "Unable to parse input string as an integer, exceeded maximum size"))),
    ("literal from list", Literal[1], EVERY, [1],
     Refused(("literal_error", (), [1], "Input should be 1", {"expected": "1"}))),
    ("literal from subclass", Literal["a"], PYTHON, Word("a"), "a"),
    ("enum", Color, PYTHON, Color.RED, Color.RED),
    ("enum from value, python json", Color, "python json strict-json", "red", Color.RED),
    ("enum from value, strict python", Color, "strict-python", "red",
     Refused(("is_instance_of", (), "red", "Input should be an instance of Color", {"class": "Color"}))),
    ("enum from int, python json", Color, "python json strict-json", 7, Color.NUM),
    ("enum from int, strict python", Color, "strict-python", 7,
     Refused(("is_instance_of", (), 7, "Input should be an instance of Color", {"class": "Color"}))),
    ("enum from whole float, python json", Color, "python json strict-json", 7.0, Color.NUM),
    ("enum from whole float, strict python", Color, "strict-python", 7.0,
     Refused(("is_instance_of", (), 7.0, "Input should be an instance of Color", {"class": "Color"}))),
    ("enum from tuple, python", Color, "python", (1, 2), Color.PAIR),
    ("enum from tuple, strict python", Color, "strict-python", (1, 2),
     Refused(("is_instance_of", (), (1, 2), "Input should be an instance of Color", {"class": "Color"}))),
    ("enum from list, python json", Color, "python json strict-json", [1, 2],
     Refused(("enum", (), [1, 2], "Input should be 'red', 7 or (1, 2)", {"expected": "'red', 7 or (1, 2)"}))),
    ("enum from list, strict python", Color, "strict-python", [1, 2],
     Refused(("is_instance_of", (), [1, 2], "Input should be an instance of Color", {"class": "Color"}))),
    ("enum from name, python json", Color, "python json strict-json", "RED",
     Refused(("enum", (), "RED", "Input should be 'red', 7 or (1, 2)", {"expected": "'red', 7 or (1, 2)"}))),
    ("enum from name, strict python", Color, "strict-python", "RED",
     Refused(("is_instance_of", (), "RED", "Input should be an instance of Color", {"class": "Color"}))),
    ("enum from none, python json", Color, "python json strict-json", None,
     Refused(("enum", (), None, "Input should be 'red', 7 or (1, 2)", {"expected": "'red', 7 or (1, 2)"}))),
    ("enum from none, strict python", Color, "strict-python", None,
     Refused(("is_instance_of", (), None, "Input should be an instance of Color", {"class": "Color"}))),
    ("enum from member of another, python", Color, "python", Shade.DARK,
     Refused(("enum", (), Shade.DARK, "Input should be 'red', 7 or (1, 2)", {"expected": "'red', 7 or (1, 2)"}))),
    ("enum from member of another, strict python", Color, "strict-python", Shade.DARK,
     Refused(("is_instance_of", (), Shade.DARK, "Input should be an instance of Color", {"class": "Color"}))),
    ("int enum from int, python json", Level, "python json strict-json", 1, Level.LOW),
    ("int enum from int, strict python", Level, "strict-python", 1,
     Refused(("is_instance_of", (), 1, "Input should be an instance of Level", {"class": "Level"}))),
    ("int enum from text, lax", Level, LAX, "1", Level.LOW),
    ("int enum from text, strict python", Level, "strict-python", "1",
     Refused(("is_instance_of", (), "1", "Input should be an instance of Level", {"class": "Level"}))),
    ("int enum from text, strict json", Level, "strict-json", "1",
     Refused(("enum", (), "1", "Input should be 1 or 2", {"expected": "1 or 2"}))),
    ("int enum from true, python json", Level, "python json strict-json", True, Level.LOW),
    ("int enum from true, strict python", Level, "strict-python", True,
     Refused(("is_instance_of", (), True, "Input should be an instance of Level", {"class": "Level"}))),
    ("int enum from other int, python json", Level, "python json strict-json", 3,
     Refused(("enum", (), 3, "Input should be 1 or 2", {"expected": "1 or 2"}))),
    ("int enum from other int, strict python", Level, "strict-python", 3,
     Refused(("is_instance_of", (), 3, "Input should be an instance of Level", {"class": "Level"}))),
    ("int enum from lone surrogate, python", Level, "python", "\ud800",
     Refused(("enum", (), "\ud800", "Input should be 1 or 2", {"expected": "1 or 2"}))),
    ("int enum from huge text, lax", Level, LAX, "9" * 19, Refused(("int_parsing_size", (), 9999999999999999999,
     "Unable to parse input string as an integer, exceeded maximum size"))),
    ("text enum from text, python json", Shade, "python json strict-json", "dark", Shade.DARK),
    ("text enum from text, strict python", Shade, "strict-python", "dark",
     Refused(("is_instance_of", (), "dark", "Input should be an instance of Shade", {"class": "Shade"}))),
    ("text enum from bytes, python", Shade, "python", b"dark", Shade.DARK),
    ("text enum from bytes, strict python", Shade, "strict-python", b"dark",
     Refused(("is_instance_of", (), b"dark", "Input should be an instance of Shade", {"class": "Shade"}))),
    ("text enum from int, python json", Shade, "python json strict-json", 12,
     Refused(("enum", (), 12, "Input should be 'dark' or '12'", {"expected": "'dark' or '12'"}))),
    ("text enum from int, strict python", Shade, "strict-python", 12,
     Refused(("is_instance_of", (), 12, "Input should be an instance of Shade", {"class": "Shade"}))),
    ("float enum from float, python json", Ratio, "python json strict-json", 0.5, Ratio.HALF),
    ("float enum from float, strict python", Ratio, "strict-python", 0.5,
     Refused(("is_instance_of", (), 0.5, "Input should be an instance of Ratio", {"class": "Ratio"}))),
    ("float enum from text, lax", Ratio, LAX, "0.5", Ratio.HALF),
    ("float enum from text, strict python", Ratio, "strict-python", "0.5",
     Refused(("is_instance_of", (), "0.5", "Input should be an instance of Ratio", {"class": "Ratio"}))),
    ("float enum from text, strict json", Ratio, "strict-json", "0.5",
     Refused(("enum", (), "0.5", "Input should be 0.5", {"expected": "0.5"}))),
    ("enum with _missing_, python json", Lenient, "python json strict-json", "?", Lenient.KNOWN),
    ("enum with _missing_, strict python", Lenient, "strict-python", "?",
     Refused(("is_instance_of", (), "?", "Input should be an instance of Lenient", {"class": "Lenient"}))),
    ("enum with _missing_ refused, python json", Lenient, "python json strict-json", "??",
     Refused(("enum", (), "??", "Input should be 'known'", {"expected": "'known'"}))),
    ("enum with _missing_ refused, strict python", Lenient, "strict-python", "??",
     Refused(("is_instance_of", (), "??", "Input should be an instance of Lenient", {"class": "Lenient"}))),
]

# id, type, input, expected
STRINGS: List[Tuple[str, Any, Any, Any]] = [
    ("optional", Optional[int], "1", 1),
    ("union", Union[int, str], "1", 1),
    ("union of numbers", Union[bool, float], "1", True),
    ("literal text", Literal["a", 1], "a", "a"),
    ("literal int", Literal["a", 1], "1",
     Refused(("literal_error", (), "1", "Input should be 'a' or 1", {"expected": "'a' or 1"}))),
    ("enum", Color, "red", Color.RED),
    ("int enum", Level, "2", Level.HIGH),
]

# id, type, value, in mode "python", in mode "json", as text
# What a number of a kindred type is to a union that looks strictly.
UNLIKE = "PydanticSerializationUnexpectedValue(Unexpected Value)"

DUMPS: List[Tuple[str, Any, Any, Any, Any, Any]] = [
    ("optional none", Optional[int], None, None, None, "null"),
    ("optional value", Optional[float], 1, 1, 1.0, "1.0"),
    ("union", Union[int, str], "a", "a", "a", '"a"'),
    ("union of int and float with int", Union[float, int], 1, 1, 1, "1"),
    ("union of models", Union[A, B], B(y=1), {"x": 0, "y": 1}, {"x": 0, "y": 1}, '{"x":0,"y":1}'),
    ("union of lists", Union[List[int], List[Color]], [Color.RED], [Color.RED], ["red"], '["red"]'),
    ("literal", Literal["a", 1], 1, 1, 1, "1"),
    ("literal enum", Literal[Color.RED], Color.RED, Color.RED, "red", '"red"'),
    ("enum", Color, Color.RED, Color.RED, "red", '"red"'),
    ("enum of tuple", Color, Color.PAIR, Color.PAIR, [1, 2], "[1,2]"),
    ("int enum", Level, Level.LOW, Level.LOW, 1, "1"),
    ("enum as key", Dict[Color, int], {Color.RED: 1}, {Color.RED: 1}, {"red": 1}, '{"red":1}'),
    ("union as key", Dict[Union[int, str], int], {1: 1}, {1: 1}, {"1": 1}, '{"1":1}'),
    ("optional as key", Dict[Optional[str], int], {None: 1}, {None: 1}, {"None": 1}, '{"None":1}'),
    ("optional with text", Optional[int], "a", Warned("a", unexpected("int", "'a'", "str")),
     Warned("a", unexpected("int", "'a'", "str")), Warned('"a"', unexpected("int", "'a'", "str"))),
    ("union with another", Union[int, str], 1.5,
     Warned(1.5, unexpected("int", "1.5", "float"), unexpected("str", "1.5", "float")),
     Warned(1.5, unexpected("int", "1.5", "float"), unexpected("str", "1.5", "float")),
     Warned("1.5", unexpected("int", "1.5", "float"), unexpected("str", "1.5", "float"))),
    ("union without an int", Union[float, str], 1,
     Warned(1, UNLIKE, unexpected("str", "1", "int")), Warned(1, UNLIKE, unexpected("str", "1", "int")),
     Warned("1", UNLIKE, unexpected("str", "1", "int"))),
    ("union that looks twice", Union[float, List[int]], 1, 1, 1.0, "1.0"),
    ("union of a dict, which does not", Union[float, Dict[str, int]], 1,
     Warned(1, UNLIKE, unexpected("dict[str, int]", "1", "int")),
     Warned(1, UNLIKE, unexpected("dict[str, int]", "1", "int")),
     Warned("1", UNLIKE, unexpected("dict[str, int]", "1", "int"))),
    ("union with none", Union[int, str], None, None, None, "null"),
    ("union of models with another", Union[A, B], Spot(1),
     Warned({"x": 1}, unexpected("A", "Spot(x=1)", "Spot"), unexpected("B", "Spot(x=1)", "Spot")),
     Warned({"x": 1}, unexpected("A", "Spot(x=1)", "Spot"), unexpected("B", "Spot(x=1)", "Spot")),
     Warned('{"x":1}', unexpected("A", "Spot(x=1)", "Spot"), unexpected("B", "Spot(x=1)", "Spot"))),
    ("literal with other value", Literal["a"], "b", "b", "b", '"b"'),
    ("union of literals with other value", Union[Literal["a"], Literal[1]], "b",
     Warned("b", unexpected("literal['a']", "'b'", "str"), unexpected("literal[1]", "'b'", "str")),
     Warned("b", unexpected("literal['a']", "'b'", "str"), unexpected("literal[1]", "'b'", "str")),
     Warned('"b"', unexpected("literal['a']", "'b'", "str"), unexpected("literal[1]", "'b'", "str"))),
    ("enum with value", Color, "red", Warned("red", unexpected("enum", "'red'", "str")),
     Warned("red", unexpected("enum", "'red'", "str")), Warned('"red"', unexpected("enum", "'red'", "str"))),
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


def test_equal_annotations_keep_their_own_order() -> None:
    assert Union[int, float] == Union[float, int]
    assert_same(check(Union[int, float], "python", "1"), 1)
    assert_same(check(Union[float, int], "python", "1"), 1.0)


@pytest.mark.skipif(sys.version_info < (3, 9, 1), reason="typing takes one for the other before 3.9.1")
def test_equal_literals_keep_their_own_values() -> None:
    assert_same(check(Literal[1], "python", True), 1)
    assert_same(check(Literal[True], "python", 1), True)


def test_a_key_of_a_json_object_is_text_before_it_is_a_number() -> None:
    assert_same(check(Dict[Union[int, str], int], "json", {"1": 1}), {"1": 1})
    assert_same(check(Dict[Union[int, datetime], int], "json", {"1": 1}), {1: 1})
