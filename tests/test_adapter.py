"""harbor.codec.adapter: TypeAdapter, the four functions and the options they take."""

import enum
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple, Type, Union

import pytest

from harbor.codec import Model, TypeAdapter, model_dump, model_dump_json, model_validate, model_validate_json
from outcomes import Raised, Refused, assert_same, observe, rows


class Color(enum.Enum):
    RED = "red"


class Point(Model):
    x: int
    y: Optional[Color] = None


@dataclass
class Spot:
    x: int
    y: Optional[Color] = None


ADAPTER: TypeAdapter[Any] = TypeAdapter(Dict[str, List[int]])
POINTS: TypeAdapter[Any] = TypeAdapter(Point)
SPOT = Spot(1, Color.RED)
NUMBER: Any = TypeAdapter(int)

# id, call, outcome
CALLS: List[Tuple[str, Callable[[], Any], Any]] = [
    ("python", lambda: ADAPTER.validate_python({"a": ("1",)}), {"a": [1]}),
    ("json text", lambda: ADAPTER.validate_json('{"a": ["1"]}'), {"a": [1]}),
    ("json bytes", lambda: ADAPTER.validate_json(b'{"a": [1]}'), {"a": [1]}),
    ("json bytearray", lambda: ADAPTER.validate_json(bytearray(b'{"a": [1]}')), {"a": [1]}),
    ("json of another type", lambda: NUMBER.validate_json(1),
     Refused(("json_type", (), 1, "JSON input should be string, bytes or bytearray"))),
    ("json none", lambda: NUMBER.validate_json(None),
     Refused(("json_type", (), None, "JSON input should be string, bytes or bytearray"))),
    ("json empty", lambda: NUMBER.validate_json(""), Refused(("json_invalid", (), "",
     "Invalid JSON: EOF while parsing a value at line 1 column 0",
     {"error": "EOF while parsing a value at line 1 column 0"}))),
    ("json fault", lambda: NUMBER.validate_json(b"[1"), Refused(("json_invalid", (), b"[1",
     "Invalid JSON: EOF while parsing a list at line 1 column 2",
     {"error": "EOF while parsing a list at line 1 column 2"}))),
    ("json that is no text", lambda: NUMBER.validate_json(b'"\xff"'), Refused(("json_invalid", (), b'"\xff"',
     "Invalid JSON: invalid unicode code point at line 1 column 2",
     {"error": "invalid unicode code point at line 1 column 2"}))),
    ("json with a lone surrogate", lambda: NUMBER.validate_json('"\ud800"'), Refused(("string_unicode", (),
     '"\ud800"', "Input should be a valid string, unable to parse raw data as a unicode string"))),
    ("strings", lambda: NUMBER.validate_strings("1"), 1),
    ("strict", lambda: NUMBER.validate_python("1", strict=True),
     Refused(("int_type", (), "1", "Input should be a valid integer"))),
    ("not strict", lambda: NUMBER.validate_python("1", strict=False), 1),
    ("dump", lambda: ADAPTER.dump_python({"a": [1]}), {"a": [1]}),
    ("dump bytes", lambda: ADAPTER.dump_json({"a": [1], "é": []}), b'{"a":[1],"\xc3\xa9":[]}'),
    ("dump indent", lambda: ADAPTER.dump_json({"a": [1], "b": []}, indent=2),
     b'{\n  "a": [\n    1\n  ],\n  "b": []\n}'),
    ("dump indent zero", lambda: ADAPTER.dump_json({"a": [1]}, indent=0), b'{\n"a": [\n1\n]\n}'),
    ("dump ascii", lambda: ADAPTER.dump_json({"é\U0001f600\x7f": []}, ensure_ascii=True),
     b'{"\\u00e9\\ud83d\\ude00\x7f":[]}'),
    ("model by the functions", lambda: model_validate(Point, {"x": 1, "y": "red"}), Point(x=1, y=Color.RED)),
    ("model from json", lambda: model_validate_json(Point, '{"x": 1}'), Point(x=1)),
    ("dataclass by the functions", lambda: model_validate(Spot, {"x": "1", "y": "red"}), Spot(x=1, y=Color.RED)),
    ("dataclass from json", lambda: model_validate_json(Spot, b'{"x": 1}', strict=True), Spot(x=1, y=None)),
    ("dataclass to data", lambda: model_dump(SPOT, mode="json"), {"x": 1, "y": "red"}),
    ("dataclass to text", lambda: model_dump_json(SPOT, exclude={"x"}), '{"y":"red"}'),
    ("function refuses", lambda: model_validate(Spot, {"x": "a"}),
     Refused(("int_parsing", ("x",), "a", "Input should be a valid integer, unable to parse string as an integer"))),
    ("function takes any type", lambda: model_validate(int, "1"), 1),
    ("function dumps any type", lambda: model_dump_json([Color.RED]), '["red"]'),
    ("union", lambda: TypeAdapter(Union[int, str]).validate_python("1"), "1"),
]

# id, call, text of the TypeError or other error
MISUSE: List[Tuple[str, Callable[[], Any], Any]] = [
    ("strict", lambda: NUMBER.validate_python(1, strict=1),
     Raised("TypeError", "'int' object is not an instance of 'bool'")),
    ("from_attributes", lambda: NUMBER.validate_python(1, from_attributes="yes"),
     Raised("TypeError", "'str' object is not an instance of 'bool'")),
    ("extra", lambda: NUMBER.validate_python(1, extra="keep"),
     Raised("ValueError", "SchemaError: Invalid extra_behavior: `keep`")),
    ("extra type", lambda: NUMBER.validate_python(1, extra=1),
     Raised("TypeError", "'int' object is not an instance of 'str'")),
    ("by_alias type", lambda: NUMBER.validate_python(1, by_alias=1),
     Raised("TypeError", "'int' object is not an instance of 'bool'")),
    ("json strict", lambda: NUMBER.validate_json("1", strict="a"),
     Raised("TypeError", "'str' object is not an instance of 'bool'")),
    ("mode", lambda: NUMBER.dump_python(1, mode=1), Raised("TypeError", "'int' object is not an instance of 'str'")),
    ("exclude_unset", lambda: NUMBER.dump_python(1, exclude_unset=1),
     Raised("TypeError", "'int' object is not an instance of 'bool'")),
    ("exclude_none", lambda: NUMBER.dump_python(1, exclude_none=None),
     Raised("TypeError", "'None' is not an instance of 'bool'")),
    ("round_trip", lambda: NUMBER.dump_json(1, round_trip="a"),
     Raised("TypeError", "'str' object is not an instance of 'bool'")),
    ("serialize_as_any", lambda: NUMBER.dump_json(1, serialize_as_any=1),
     Raised("TypeError", "'int' object is not an instance of 'bool'")),
    ("warnings", lambda: NUMBER.dump_python(1, warnings="all"), Raised("TypeError",
     "failed to extract enum WarningsArg ('Bool | Literal')\n- variant Bool (Bool): TypeError: failed to extract"
     " field WarningsArg::Bool.0, caused by TypeError: 'str' object is not an instance of 'bool'\n- variant Literal"
     " (Literal): TypeError: failed to extract field WarningsArg::Literal.0, caused by ValueError: Invalid warnings"
     " parameter, should be `'none'`, `'warn'`, `'error'` or a `bool`")),
    ("warnings type", lambda: NUMBER.dump_python(1, warnings=1), Raised("TypeError",
     "failed to extract enum WarningsArg ('Bool | Literal')\n- variant Bool (Bool): TypeError: failed to extract"
     " field WarningsArg::Bool.0, caused by TypeError: 'int' object is not an instance of 'bool'\n- variant Literal"
     " (Literal): TypeError: failed to extract field WarningsArg::Literal.0, caused by TypeError: Invalid warnings"
     " parameter, should be `'none'`, `'warn'`, `'error'` or a `bool`")),
    ("indent", lambda: NUMBER.dump_json(1, indent="2"),
     Raised("TypeError", "'str' object cannot be interpreted as an integer")),
    ("indent below zero", lambda: NUMBER.dump_json(1, indent=-1),
     Raised("OverflowError", "can't convert negative int to unsigned")),
    ("indent as float", lambda: NUMBER.dump_json(1, indent=1.0),
     Raised("TypeError", "'float' object cannot be interpreted as an integer")),
    ("ensure_ascii", lambda: NUMBER.dump_json(1, ensure_ascii=1),
     Raised("TypeError", "'int' object is not an instance of 'bool'")),
    ("include", lambda: ADAPTER.dump_python({"a": [1]}, include=5),
     Raised("TypeError", "`include` argument must be a set or dict.")),
]

# What is refused here and would mean something to pydantic: id, call, text of the TypeError
REFUSED: List[Tuple[str, Callable[[], Any], str]] = [
    ("config", lambda: TypeAdapter(int, config={"strict": True}),
     "TypeAdapter takes no config here; set `model_config` on a Model instead"),
    ("partial", lambda: NUMBER.validate_json("1", experimental_allow_partial=True),
     "experimental_allow_partial is not supported: a document is read whole or refused"),
    ("inf_nan", lambda: NUMBER.dump_json(1, inf_nan="drop"),
     "inf_nan must be 'null', 'constants' or 'strings', not 'drop'"),
    ("schema_generator", lambda: NUMBER.json_schema(schema_generator=object),
     "schema_generator is not supported: there is one form of schema"),
    ("by_alias", lambda: NUMBER.validate_python(1, by_alias=False),
     "At least one of `by_alias` or `by_name` must be set to True."),
    ("schema mode", lambda: NUMBER.json_schema(mode="both"),
     "mode must be 'validation' or 'serialization', not 'both'"),
    ("unknown type", lambda: TypeAdapter(bytes), "The type given has a type this codec does not know: bytes"),
    ("unknown type of a function", lambda: model_validate(complex, 1),
     "The type given has a type this codec does not know: complex"),
]


@pytest.mark.parametrize("act, expected", rows(CALLS))
def test_call(act: Callable[[], Any], expected: Any) -> None:
    assert_same(observe(act), expected)


@pytest.mark.parametrize("act, expected", rows(MISUSE))
def test_misuse(act: Callable[[], Any], expected: Any) -> None:
    assert_same(observe(act), expected)


@pytest.mark.parametrize("act, text", rows(REFUSED))
def test_what_is_not_supported_is_refused(act: Callable[[], Any], text: str) -> None:
    assert_same(observe(act), Raised("TypeError", text))


def test_unknown_options_are_refused() -> None:
    for act in (
        lambda: NUMBER.validate_python(1, strictly=True),
        lambda: model_validate(Spot, {}, strictly=True),
        lambda: model_dump(SPOT, modus="json"),
        lambda: NUMBER.dump_json(1, indents=2),
    ):
        with pytest.raises(TypeError):
            act()


def test_repr() -> None:
    assert repr(ADAPTER) == "TypeAdapter(Dict[str, List[int]])"
    assert repr(POINTS) == "TypeAdapter(Point)"


def test_an_adapter_keeps_the_plan_of_its_class() -> None:
    kind: Type[Any] = Spot
    assert TypeAdapter(kind)._plan is TypeAdapter(kind)._plan
