"""harbor.codec.errors: what an error says and holds; the tables were recorded from pydantic 2.14.4."""

# Calls that a type checker refuses are among what is tested here.
# mypy: disable-error-code=call-arg

import collections.abc
import copy
import enum
import json
import pickle
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List, Literal, Optional, Tuple, Union
from uuid import UUID

import pytest

from harbor.codec import Field, Model, SerializationError, TypeAdapter, ValidationError
from harbor.codec import errors
from outcomes import assert_same, rows

NAN = float("nan")
NONE: Any = type(None)


class Color(enum.Enum):
    RED = "red"


class Point(Model):
    x: int
    y: int = 0


class Closed(Model, extra="forbid"):
    pass


class Limited(Model):
    ge: int = Field(0, ge=0)
    gt: float = Field(1, gt=0.5)
    le: int = Field(0, le=0)
    lt: int = Field(0, lt=1)
    one: str = Field("a", min_length=1, max_length=1)
    two: str = Field("aa", min_length=2, max_length=2)
    items: List[int] = Field([1], min_length=1, max_length=1)


class Hooked(Model):
    x: int

    def model_post_init(self, context: Any) -> None:
        if self.x:
            raise ValueError("bad {x}")
        raise AssertionError


@dataclass
class Spot:
    x: int


class Failing:
    @property
    def x(self) -> int:
        raise RuntimeError("no x")

    def __repr__(self) -> str:
        return "Failing()"


class Broken(collections.abc.Mapping):  # type: ignore[type-arg]  # not subscriptable on 3.8
    def __iter__(self) -> Any:
        raise RuntimeError("no items")

    def __getitem__(self, key: Any) -> Any:
        raise KeyError(key)

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "Broken()"


class Short:
    def __iter__(self) -> Any:
        yield 1
        raise ValueError("no more")

    def __repr__(self) -> str:
        return "Short()"


class Long:
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Silent:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Tree(Model):
    tree: "Optional[Tree]" = None


LOOP: Dict[str, Any] = {}
LOOP["tree"] = LOOP
DEEP: Any = {"tree": None}
for _ in range(300):
    DEEP = {"tree": DEEP}


def fail_at(kind: Any, way: str, value: Any, options: Dict[str, Any]) -> ValidationError:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    act: Any = {"python": adapter.validate_python, "json": adapter.validate_json, "strings": adapter.validate_strings}[way]
    with pytest.raises(ValidationError) as caught:
        act(value, **options)
    return caught.value


def render(kind: Any, way: str, value: Any, options: Dict[str, Any]) -> str:
    return str(fail_at(kind, way, value, options))


# kind of fault, type, way, input, options, text
KINDS: List[Tuple[str, Any, str, Any, Dict[str, Any], Any]] = [
    ("arguments_type", Spot, "strings", "a", {},
     "1 validation error for Spot\n  Arguments must be an array or an object [type=arguments_type, input_value='a',"
     " input_type=str]"),
    ("assertion_error", Hooked, "python", {"x": 0}, {},
     "1 validation error for Hooked\n  Assertion failed,  [type=assertion_error, input_value={'x': 0},"
     " input_type=dict]"),
    ("bool_parsing", bool, "python", "x", {},
     "1 validation error for bool\n  Input should be a valid boolean, unable to interpret input [type=bool_parsing,"
     " input_value='x', input_type=str]"),
    ("bool_type", bool, "python", None, {},
     "1 validation error for bool\n  Input should be a valid boolean [type=bool_type, input_value=None,"
     " input_type=NoneType]"),
    ("dataclass_exact_type", Spot, "python", {"x": 1}, {"strict": True},
     "1 validation error for Spot\n  Input should be an instance of Spot [type=dataclass_exact_type,"
     " input_value={'x': 1}, input_type=dict]"),
    ("dataclass_type", Spot, "python", 1, {},
     "1 validation error for Spot\n  Input should be a dictionary or an instance of Spot [type=dataclass_type,"
     " input_value=1, input_type=int]"),
    ("dataclass_type", Spot, "json", "1", {},
     "1 validation error for Spot\n  Input should be an object [type=dataclass_type, input_value=1, input_type=int]"),
    ("datetime_from_date_parsing", datetime, "python", "x", {},
     "1 validation error for datetime\n  Input should be a valid datetime or date, input is too short"
     " [type=datetime_from_date_parsing, input_value='x', input_type=str]"),
    ("datetime_parsing", datetime, "python", 1e20, {},
     "1 validation error for datetime\n  Input should be a valid datetime, dates after 9999 are not supported as"
     " unix timestamps [type=datetime_parsing, input_value=1e+20, input_type=float]"),
    ("datetime_type", datetime, "python", None, {},
     "1 validation error for datetime\n  Input should be a valid datetime [type=datetime_type, input_value=None,"
     " input_type=NoneType]"),
    ("dict_type", Dict[str, int], "python", 1, {},
     "1 validation error for dict[str,int]\n  Input should be a valid dictionary [type=dict_type, input_value=1,"
     " input_type=int]"),
    ("dict_type", Dict[str, int], "json", "1", {},
     "1 validation error for dict[str,int]\n  Input should be an object [type=dict_type, input_value=1,"
     " input_type=int]"),
    ("enum", Color, "python", 1, {},
     "1 validation error for enum[Color]\n  Input should be 'red' [type=enum, input_value=1, input_type=int]"),
    ("extra_forbidden", Closed, "python", {"a": 1}, {},
     "1 validation error for Closed\na\n  Extra inputs are not permitted [type=extra_forbidden, input_value=1,"
     " input_type=int]"),
    ("finite_number", int, "python", NAN, {},
     "1 validation error for int\n  Input should be a finite number [type=finite_number, input_value=nan,"
     " input_type=float]"),
    ("float_parsing", float, "python", "x", {},
     "1 validation error for float\n  Input should be a valid number, unable to parse string as a number"
     " [type=float_parsing, input_value='x', input_type=str]"),
    ("float_type", float, "python", None, {},
     "1 validation error for float\n  Input should be a valid number [type=float_type, input_value=None,"
     " input_type=NoneType]"),
    ("get_attribute_error", Point, "python", Failing(), {"from_attributes": True},
     "1 validation error for Point\nx\n  Error extracting attribute: RuntimeError: no x [type=get_attribute_error,"
     " input_value=Failing(), input_type=Failing]"),
    ("greater_than", Limited, "python", {"gt": 0.5}, {},
     "1 validation error for Limited\ngt\n  Input should be greater than 0.5 [type=greater_than, input_value=0.5,"
     " input_type=float]"),
    ("greater_than_equal", Limited, "python", {"ge": -1}, {},
     "1 validation error for Limited\nge\n  Input should be greater than or equal to 0 [type=greater_than_equal,"
     " input_value=-1, input_type=int]"),
    ("int_from_float", int, "python", 1.5, {},
     "1 validation error for int\n  Input should be a valid integer, got a number with a fractional part"
     " [type=int_from_float, input_value=1.5, input_type=float]"),
    ("int_parsing", int, "python", "x", {},
     "1 validation error for int\n  Input should be a valid integer, unable to parse string as an integer"
     " [type=int_parsing, input_value='x', input_type=str]"),
    ("int_parsing_size", int, "python", 1e19, {},
     "1 validation error for int\n  Unable to parse input string as an integer, exceeded maximum size"
     " [type=int_parsing_size, input_value=1e+19, input_type=float]"),
    ("int_type", int, "python", None, {},
     "1 validation error for int\n  Input should be a valid integer [type=int_type, input_value=None,"
     " input_type=NoneType]"),
    ("invalid_key", Closed, "python", {1: 1}, {},
     "1 validation error for Closed\n1\n  Keys should be strings [type=invalid_key, input_value=1, input_type=int]"),
    ("is_instance_of", Color, "python", "red", {"strict": True},
     "1 validation error for enum[Color]\n  Input should be an instance of Color [type=is_instance_of,"
     " input_value='red', input_type=str]"),
    ("iteration_error", List[int], "python", Short(), {},
     "1 validation error for list[int]\n1\n  Error iterating over object, error: ValueError: no more"
     " [type=iteration_error, input_value=Short(), input_type=Short]"),
    ("json_invalid", int, "json", "[1,", {},
     "1 validation error for int\n  Invalid JSON: EOF while parsing a value at line 1 column 3 [type=json_invalid,"
     " input_value='[1,', input_type=str]"),
    ("json_type", int, "json", 1, {},
     "1 validation error for int\n  JSON input should be string, bytes or bytearray [type=json_type, input_value=1,"
     " input_type=int]"),
    ("less_than", Limited, "python", {"lt": 1}, {},
     "1 validation error for Limited\nlt\n  Input should be less than 1 [type=less_than, input_value=1,"
     " input_type=int]"),
    ("less_than_equal", Limited, "python", {"le": 1}, {},
     "1 validation error for Limited\nle\n  Input should be less than or equal to 0 [type=less_than_equal,"
     " input_value=1, input_type=int]"),
    ("list_type", List[int], "python", 1, {},
     "1 validation error for list[int]\n  Input should be a valid list [type=list_type, input_value=1,"
     " input_type=int]"),
    ("list_type", List[int], "json", "1", {},
     "1 validation error for list[int]\n  Input should be a valid array [type=list_type, input_value=1,"
     " input_type=int]"),
    ("literal_error", Literal["a"], "python", "b", {},
     "1 validation error for literal['a']\n  Input should be 'a' [type=literal_error, input_value='b',"
     " input_type=str]"),
    ("literal_error", Literal["a", 1, None], "python", "b", {},
     "1 validation error for literal['a',1,None]\n  Input should be 'a', 1 or None [type=literal_error,"
     " input_value='b', input_type=str]"),
    ("mapping_type", Dict[str, int], "python", Broken(), {},
     "1 validation error for dict[str,int]\n  Input should be a valid mapping, error: RuntimeError: no items"
     " [type=mapping_type, input_value=Broken(), input_type=Broken]"),
    ("missing", Point, "python", {}, {},
     "1 validation error for Point\nx\n  Field required [type=missing, input_value={}, input_type=dict]"),
    ("model_attributes_type", Point, "python", 1, {"from_attributes": True},
     "1 validation error for Point\n  Input should be a valid dictionary or object to extract fields from"
     " [type=model_attributes_type, input_value=1, input_type=int]"),
    ("model_type", Point, "python", 1, {},
     "1 validation error for Point\n  Input should be a valid dictionary or instance of Point [type=model_type,"
     " input_value=1, input_type=int]"),
    ("model_type", Point, "json", "1", {},
     "1 validation error for Point\n  Input should be an object [type=model_type, input_value=1, input_type=int]"),
    ("none_required", NONE, "python", 1, {},
     "1 validation error for none\n  Input should be None [type=none_required, input_value=1, input_type=int]"),
    ("none_required", NONE, "json", "1", {},
     "1 validation error for none\n  Input should be null [type=none_required, input_value=1, input_type=int]"),
    ("path_type", Path, "python", 1, {},
     "1 validation error for lax-or-strict[lax=union[json-or-python[json=function-after[path_validator(),"
     " str],python=is-instance[Path]],function-after[path_validator(),"
     " str]],strict=json-or-python[json=function-after[path_validator(), str],python=is-instance[Path]]]\n  Input"
     " is not a valid path for %r [type=path_type, input_value=1, input_type=int]" % Path),
    ("recursion_depth_exceeded", Tree, "python", DEEP, {},
     "1 validation error for Tree\n" + ".".join(["tree"] * 255) + "\n  Recursion error - maximum validation depth"
     " exceeded [type=recursion_depth_exceeded, input_value={'tree': {'tree': {'tree'...}}}}}}}}}}}}}}}}}}}}}}}},"
     " input_type=dict]"),
    ("recursion_loop", Tree, "python", LOOP, {},
     "1 validation error for Tree\ntree\n  Recursion error - cyclic reference detected [type=recursion_loop,"
     " input_value={'tree': {...}}, input_type=dict]"),
    ("string_too_long", Limited, "python", {"one": "ab"}, {},
     "1 validation error for Limited\none\n  String should have at most 1 character [type=string_too_long,"
     " input_value='ab', input_type=str]"),
    ("string_too_long", Limited, "python", {"two": "abc"}, {},
     "1 validation error for Limited\ntwo\n  String should have at most 2 characters [type=string_too_long,"
     " input_value='abc', input_type=str]"),
    ("string_too_short", Limited, "python", {"one": ""}, {},
     "1 validation error for Limited\none\n  String should have at least 1 character [type=string_too_short,"
     " input_value='', input_type=str]"),
    ("string_too_short", Limited, "python", {"two": ""}, {},
     "1 validation error for Limited\ntwo\n  String should have at least 2 characters [type=string_too_short,"
     " input_value='', input_type=str]"),
    ("string_type", str, "python", 1, {},
     "1 validation error for str\n  Input should be a valid string [type=string_type, input_value=1, input_type=int]"),
    ("string_unicode", str, "python", b"\xff", {},
     "1 validation error for str\n  Input should be a valid string, unable to parse raw data as a unicode string"
     " [type=string_unicode, input_value=b'\\xff', input_type=bytes]"),
    ("string_unicode", str, "json", "\"\ud800\"", {},
     "1 validation error for str\n  Input should be a valid string, unable to parse raw data as a unicode string"
     " [type=string_unicode, input_value='\"\\ud800\"', input_type=str]"),
    ("too_long", Limited, "python", {"items": [1, 2]}, {},
     "1 validation error for Limited\nitems\n  List should have at most 1 item after validation, not 2"
     " [type=too_long, input_value=[1, 2], input_type=list]"),
    ("too_short", Limited, "python", {"items": []}, {},
     "1 validation error for Limited\nitems\n  List should have at least 1 item after validation, not 0"
     " [type=too_short, input_value=[], input_type=list]"),
    ("unexpected_keyword_argument", Spot, "python", {"x": 1, "a": 1}, {"extra": "forbid"},
     "1 validation error for Spot\na\n  Unexpected keyword argument [type=unexpected_keyword_argument,"
     " input_value=1, input_type=int]"),
    ("uuid_parsing", UUID, "python", "x", {},
     "1 validation error for uuid\n  Input should be a valid UUID, invalid character: found `x` at 0"
     " [type=uuid_parsing, input_value='x', input_type=str]"),
    ("uuid_type", UUID, "python", 1, {},
     "1 validation error for uuid\n  UUID input should be a string, bytes or UUID object [type=uuid_type,"
     " input_value=1, input_type=int]"),
    ("value_error", Hooked, "python", {"x": 1}, {},
     "1 validation error for Hooked\n  Value error, bad {x} [type=value_error, input_value={'x': 1}, input_type=dict]"),
]

# id, input, how the text shows it
SHOWN: List[Tuple[str, Any, Any]] = [
    ("50 bytes", "a" * 48, "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"),
    ("51 bytes", "a" * 49, "'aaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaaaaa'"),
    ("50 bytes of two each", "é" * 24, "'éééééééééééééééééééééééé'"),
    ("52 bytes of two each", "é" * 25, "'éééééééééééé...ééééééééééé'"),
    ("three bytes each", "\u20ac" * 20, "'€€€€€€€€...€€€€€€€'"),
    ("four bytes each", "\U0001f600" * 20, "'😀😀😀😀😀😀...😀😀😀😀😀'"),
    ("odd start", "a" + "\U0001f600" * 20, "'a😀😀😀😀😀...😀😀😀😀😀'"),
    ("escapes count as they are shown", "\n" * 25,
     "'\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n...n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n'"),
    ("list", list(range(30)), "[[0, 1, 2, 3, 4, 5, 6, 7,...24, 25, 26, 27, 28, 29]]"),
    ("line break in a repr", Long("a\nb"), "a\nb"),
    ("long repr", Long("x" * 30 + "y" * 30), "xxxxxxxxxxxxxxxxxxxxxxxxx...yyyyyyyyyyyyyyyyyyyyyyyy"),
    ("failing repr", Silent(), "<unprintable Silent object>"),
    ("lone surrogate", ["\ud800"], "[['\\ud800']]"),
    ("lone surrogate in a repr", Long("\ud800"), "���"),
]

# id, type, input, loc, the line that shows it
LOCATIONS: List[Tuple[str, Any, Any, Any, Any]] = [
    ("field", Point, {"x": "a"}, [("x",)], ["x"]),
    ("index", List[int], [1, "a"], [(1,)], ["1"]),
    ("key", Dict[str, int], {"k": "a"}, [("k",)], ["k"]),
    ("empty key", Dict[str, int], {"": "a"}, [("",)], [""]),
    ("key with a dot", Dict[str, int], {"a.b": "a"}, [("a.b",)], ["`a.b`"]),
    ("key with a backquote", Dict[str, int], {"a`b": "a"}, [("a`b",)], ["a`b"]),
    ("key with a line break", Dict[str, int], {"a\nb": "a"}, [("a\nb",)], ["a", "b"]),
    ("key of digits", Dict[str, int], {"1": "a"}, [("1",)], ["1"]),
    ("int key", Dict[int, int], {1: "a"}, [(1,)], ["1"]),
    ("huge int key", Dict[int, int], {2**63: "a"}, [("9223372036854775808",)], ["9223372036854775808"]),
    ("bool key", Dict[bool, int], {True: "a"}, [(1,)], ["1"]),
    ("float key", Dict[float, int], {1.5: "a"}, [("1.5",)], ["`1.5`"]),
    ("none key", Dict[Any, int], {None: "a"}, [("None",)], ["None"]),
    ("tuple key", Dict[Any, int], {(1, "b"): "a"}, [("(1, 'b')",)], ["(1, 'b')"]),
    ("enum key", Dict[Color, int], {Color.RED: "a"}, [("<Color.RED: 'red'>",)], ["`<Color.RED: 'red'>`"]),
    ("bad key", Dict[int, int], {"k": 1}, [("k", "[key]")], ["k.[key]"]),
    ("lone surrogate key", Dict[str, int], {"\ud800": "a"}, [("���",)], ["���"]),
    ("way through", Dict[str, List[Point]], {"k": [{"x": 1}, {"x": 1, "y": []}]}, [("k", 1, "y")], ["k.1.y"]),
    ("choice of a union", Dict[str, Union[int, None, List[int]]], {"k": [None]},
     [("k", "int"), ("k", "list[int]", 0)], ["k.int", "k.list[int].0"]),
    ("nowhere", int, "a", [()], []),
]


@pytest.mark.parametrize("kind, annotation, way, value, options, text", KINDS, ids=[row[0] for row in KINDS])
def test_text(kind: str, annotation: Any, way: str, value: Any, options: Dict[str, Any], text: Any) -> None:
    error = fail_at(annotation, way, value, options)
    assert_same(str(error), text)
    assert [entry["type"] for entry in error.errors()] == [kind]


def test_every_kind_is_tested() -> None:
    # An assignment to a frozen model stands in test_model.
    assert {row[0] for row in KINDS} | {"frozen_instance"} == set(errors._WORDING)


@pytest.mark.parametrize("value, shown", rows(SHOWN))
def test_an_input_is_shown_by_at_most_50_bytes(value: Any, shown: Any) -> None:
    text = render(float, "python", [value], {}) if isinstance(value, list) else render(
        Literal[0], "python", value, {})
    line = text.split("input_value=", 1)[1].rsplit(", input_type=", 1)[0]
    assert_same(line, shown)


@pytest.mark.parametrize("kind, value, loc, line", rows(LOCATIONS))
def test_location(kind: Any, value: Any, loc: Any, line: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter[Any](kind).validate_python(value)
    assert_same([entry["loc"] for entry in caught.value.errors()], loc)
    shown = [part for part in str(caught.value).split("\n")[1:] if not part.startswith("  ")]
    assert_same(shown, line)


def fail(value: Any = None, **options: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Point.model_validate({"x": "a", "y": value}, **options)
    return caught.value


def test_errors_options() -> None:
    error = fail()
    whole = {
        "type": "int_parsing", "loc": ("x",), "input": "a",
        "msg": "Input should be a valid integer, unable to parse string as an integer",
        "url": "https://errors.pydantic.dev/2.14/v/int_parsing",
    }
    assert error.errors()[0] == whole
    assert error.errors(include_url=False)[0] == {key: part for key, part in whole.items() if key != "url"}
    assert error.errors(include_input=False)[0] == {key: part for key, part in whole.items() if key != "input"}
    assert [list(entry) for entry in error.errors()] == [["type", "loc", "msg", "input", "url"]] * 2


def test_errors_with_a_context() -> None:
    with pytest.raises(ValidationError) as caught:
        Limited(ge=-1)
    assert caught.value.errors()[0]["ctx"] == {"ge": 0}
    assert "ctx" not in caught.value.errors(include_context=False)[0]
    caught.value.errors()[0]["ctx"]["ge"] = 5
    assert caught.value.errors()[0]["ctx"] == {"ge": 0}


def test_the_error_of_a_hook_is_its_context() -> None:
    with pytest.raises(ValidationError) as caught:
        Hooked(x=1)
    (entry,) = caught.value.errors()
    assert (type(entry["ctx"]["error"]), str(entry["ctx"]["error"])) == (ValueError, "bad {x}")
    assert json.loads(caught.value.json())[0]["ctx"] == {"error": "bad {x}"}


# id, input, options, text
JSON_TEXTS: List[Tuple[str, Any, Dict[str, Any], Any]] = [
    ("plain", None, {},
     '[{"type":"int_parsing","loc":["x"],"msg":"Input should be a valid integer, unable to parse string as an'
     ' integer","input":"a","url":"https://errors.pydantic.dev/2.14/v/int_parsing"},{"type":"int_type","loc":["y"],'
     '"msg":"Input should be a valid integer","input":null,"url":"https://errors.pydantic.dev/2.14/v/int_type"}]'),
    ("less", None, {"include_url": False, "include_input": False, "include_context": False},
     '[{"type":"int_parsing","loc":["x"],"msg":"Input should be a valid integer, unable to parse string as an'
     ' integer"},{"type":"int_type","loc":["y"],"msg":"Input should be a valid integer"}]'),
    ("indent", None, {"include_url": False, "include_input": False, "indent": 2},
     '[\n  {\n    "type": "int_parsing",\n    "loc": [\n      "x"\n    ],\n    "msg": "Input should be a valid'
     ' integer, unable to parse string as an integer"\n  },\n  {\n    "type": "int_type",\n    "loc": [\n     '
     ' "y"\n    ],\n    "msg": "Input should be a valid integer"\n  }\n]'),
    ("nan", NAN, {"include_url": False},
     '[{"type":"int_parsing","loc":["x"],"msg":"Input should be a valid integer, unable to parse string as an'
     ' integer","input":"a"},{"type":"finite_number","loc":["y"],"msg":"Input should be a finite'
     ' number","input":NaN}]'),
    ("class", int, {"include_url": False},
     "[{\"type\":\"int_parsing\",\"loc\":[\"x\"],\"msg\":\"Input should be a valid integer, unable to parse string"
     " as an integer\",\"input\":\"a\"},{\"type\":\"int_type\",\"loc\":[\"y\"],\"msg\":\"Input should be a valid"
     " integer\",\"input\":\"<class 'int'>\"}]"),
    ("bytes", b"a", {"include_url": False},
     '[{"type":"int_parsing","loc":["x"],"msg":"Input should be a valid integer, unable to parse string as an'
     ' integer","input":"a"},{"type":"int_parsing","loc":["y"],"msg":"Input should be a valid integer, unable to'
     ' parse string as an integer","input":"a"}]'),
    ("path", Path("a"), {"include_url": False},
     '[{"type":"int_parsing","loc":["x"],"msg":"Input should be a valid integer, unable to parse string as an'
     ' integer","input":"a"},{"type":"int_type","loc":["y"],"msg":"Input should be a valid integer","input":"a"}]'),
    ("set", {1}, {"include_url": False},
     '[{"type":"int_parsing","loc":["x"],"msg":"Input should be a valid integer, unable to parse string as an'
     ' integer","input":"a"},{"type":"int_type","loc":["y"],"msg":"Input should be a valid integer","input":[1]}]'),
]


@pytest.mark.parametrize("value, options, text", rows(JSON_TEXTS))
def test_json(value: Any, options: Dict[str, Any], text: Any) -> None:
    assert_same(fail(value).json(**options), text)


def test_title_and_count() -> None:
    error = fail()
    assert (error.title, error.error_count()) == ("Point", 2)
    assert str(error).split("\n")[0] == "2 validation errors for Point"
    assert render(List[int], "python", 1, {}).split("\n")[0] == "1 validation error for list[int]"
    assert isinstance(error, ValueError)
    assert error.args == ()


@pytest.mark.parametrize("double", [
    copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error)),
    lambda error: pickle.loads(pickle.dumps(error, 2)),
], ids=["copy", "deepcopy", "pickle", "pickle 2"])
def test_errors_are_copied_and_pickled(double: Any) -> None:
    error = fail([1])
    made = double(error)
    assert type(made) is ValidationError
    assert (str(made), repr(made), made.errors(), made.title) == (str(error), repr(error), error.errors(), "Point")
    failure = SerializationError("a")
    made = double(failure)
    assert (type(made), str(made), repr(made), made.args) == (SerializationError, "a", repr(failure), ("a",))


def test_a_validation_error_has_no_cause() -> None:
    error = fail()
    assert (error.__cause__, error.__context__) == (None, None)


def test_an_input_that_changes_changes_the_error_too() -> None:
    value: Dict[str, Any] = {"x": []}
    with pytest.raises(ValidationError) as caught:
        Point.model_validate(value)
    assert caught.value.errors()[0]["input"] is value["x"]


def test_the_text_ends_each_fault_with_a_link_unless_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = str(fail()).split("\n")
    monkeypatch.delenv("PYDANTIC_ERRORS_INCLUDE_URL")
    link = "    For further information visit https://errors.pydantic.dev/2.14/v/"
    assert str(fail()).split("\n") == [*plain[:3], link + "int_parsing", *plain[3:], link + "int_type"]
    assert [entry["url"] for entry in fail().errors()] == [
        "https://errors.pydantic.dev/2.14/v/int_parsing", "https://errors.pydantic.dev/2.14/v/int_type"]
