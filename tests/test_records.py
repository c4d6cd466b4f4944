"""harbor.codec.plan.records: models and plain dataclasses; the tables were recorded from pydantic 2.14.4."""

# Calls that a type checker refuses are among what is tested here.
# mypy: disable-error-code=call-arg

import collections
import enum
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, TypedDict

import pytest

from harbor.codec import (
    Field, Model, TypeAdapter, computed_field, model_dump, model_dump_json, model_validate, model_validate_json,
)
from outcomes import (
    EVERY, JSON, LAX, PYTHON, STRICT, Raised, Refused, Warned, assert_checks, assert_same, check, dump, observe,
    rows, unexpected,
)

NAN = float("nan")
MISSING: Any = ...


class Point(Model):
    x: int
    y: int = 0


class Open(Model, extra="allow"):
    x: int = 0


class Closed(Model, extra="forbid"):
    x: int = 0


@dataclass
class Spot:
    x: int
    y: int = 0


class Mixed(enum.Enum):
    INT = 5
    TEXT = "x"
    FLOAT = 2.5
    NONE = None


class Part(TypedDict, total=False):
    a: int


class Keyed(Model):
    part: Optional[Part] = None


class _Name(str):
    pass


class Tree(Model):
    value: int = 0
    left: Optional["Tree"] = None
    rest: List["Tree"] = []


@dataclass
class Chain:
    value: int
    next: Optional["Chain"] = None


class Whole(Model):
    point: Point
    spot: Optional[Spot] = None


class Limited(Model):
    ge: int = Field(0, ge=0)
    gt: float = Field(1.0, gt=0.5)
    le: Optional[int] = Field(None, le=10)
    lt: float = Field(0.0, lt=1)
    text: str = Field("ab", min_length=1, max_length=3)
    items: List[int] = Field([1], min_length=1, max_length=2)
    table: Dict[str, int] = Field({}, max_length=1)


@dataclass
class LimitedSpot:
    x: int = Field(1, ge=1)


class Made(Model):
    items: List[int] = Field(default_factory=list)
    table: Dict[str, int] = {}
    required: int = Field(MISSING)


class Hooked(Model):
    x: int

    def model_post_init(self, context: Any) -> None:
        if self.x < 0:
            raise ValueError("negative")
        if self.x == 0:
            raise AssertionError("zero")
        if self.x == 9:
            raise KeyError("nine")
        if context:
            self.x += context["add"]


@dataclass
class HookedSpot:
    x: int

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("negative")


class Area(Model):
    width: int
    height: int = 1

    @computed_field  # type: ignore[prop-decorator]  # as with pydantic's own
    @property
    def area(self) -> int:
        """How large."""
        return self.width * self.height

    @computed_field
    def note(self) -> Optional[str]:
        return None


class Quiet(Model):
    a: Optional[int] = Field(None, exclude_if=lambda value: value is None)
    b: int = Field(0, exclude_if=lambda value: value == 0)
    c: int = 0


class Source:
    """Something with attributes."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __repr__(self) -> str:
        return "Source()"


class Failing:
    @property
    def x(self) -> int:
        raise RuntimeError("no x")

    def __repr__(self) -> str:
        return "Failing()"


class SubPoint(Point):
    z: int = 5


SOURCE, FAILING, SUB, POINT, SPOT = Source(x="1", more=2), Failing(), SubPoint(x=1), Point(x=1), Spot(1)
HALF, NESTED = Source(y=1), Source(point=SOURCE, spot=SPOT)
USER = collections.UserDict(x=1)

# id, type, ways, input, expected
CHECKS: List[Tuple[str, Any, str, Any, Any]] = [
    ("model", Point, EVERY, {"x": 1, "y": 2}, Point(x=1, y=2)),
    ("model with default, lax", Point, LAX, {"x": "1"}, Point(x=1)),
    ("model with default, strict", Point, STRICT, {"x": "1"},
     Refused(("int_type", ("x",), "1", "Input should be a valid integer"))),
    ("model in the order of the class", Point, EVERY, {"y": 2, "x": 1}, Point(x=1, y=2)),
    ("model without its field", Point, EVERY, {}, Refused(("missing", ("x",), {}, "Field required"))),
    ("model with faults in the order of the class, lax", Point, LAX, {"y": "b", "x": None}, Refused(("int_type", ("x",
     ), None, "Input should be a valid integer"), ("int_parsing", ("y",), "b",
     "Input should be a valid integer, unable to parse string as an integer"))),
    ("model with faults in the order of the class, strict", Point, STRICT, {"y": "b", "x": None}, Refused(("int_type",
     ("x",), None, "Input should be a valid integer"), ("int_type", ("y",), "b", "Input should be a valid integer"))),
    ("model from none, python", Point, PYTHON, None, Refused(("model_type", (), None,
     "Input should be a valid dictionary or instance of Point", {"class_name": "Point"}))),
    ("model from none, json", Point, JSON, None,
     Refused(("model_type", (), None, "Input should be an object", {"class_name": "Point"}))),
    ("model from list, python", Point, PYTHON, [1], Refused(("model_type", (), [1],
     "Input should be a valid dictionary or instance of Point", {"class_name": "Point"}))),
    ("model from list, json", Point, JSON, [1],
     Refused(("model_type", (), [1], "Input should be an object", {"class_name": "Point"}))),
    ("model from mapping, python", Point, "python", USER, Point(x=1)),
    ("model from mapping, strict python", Point, "strict-python", USER, Refused(("model_type", (), USER,
     "Input should be a valid dictionary or instance of Point", {"class_name": "Point"}))),
    ("model from subclass", Point, PYTHON, SUB, SUB),
    ("model from instance", Point, PYTHON, POINT, POINT),
    ("model from instance of another", Point, PYTHON, Closed(x=1), Refused(("model_type", (), Closed(x=1),
     "Input should be a valid dictionary or instance of Point", {"class_name": "Point"}))),
    ("model from object", Point, PYTHON, SOURCE, Refused(("model_type", (), SOURCE,
     "Input should be a valid dictionary or instance of Point", {"class_name": "Point"}))),
    ("model with key that is no text", Point, PYTHON, {"x": 1, 2: 3}, Point(x=1)),
    ("ignore", Point, EVERY, {"x": 1, "more": 2}, Point(x=1)),
    ("allow", Open, EVERY, {"more": [1], "x": 1}, Open(x=1, more=[1])),
    ("allow a key that is no text", Open, PYTHON, {2: 3}, Refused(("invalid_key", (2,), 2, "Keys should be strings"))),
    ("forbid, lax", Closed, LAX, {"a": 1, "x": "x", "b.c": 2}, Refused(("int_parsing", ("x",), "x",
     "Input should be a valid integer, unable to parse string as an integer"), ("extra_forbidden", ("a",), 1,
     "Extra inputs are not permitted"), ("extra_forbidden", ("b.c",), 2, "Extra inputs are not permitted"))),
    ("forbid, strict", Closed, STRICT, {"a": 1, "x": "x", "b.c": 2}, Refused(("int_type", ("x",), "x",
     "Input should be a valid integer"), ("extra_forbidden", ("a",), 1, "Extra inputs are not permitted"),
     ("extra_forbidden", ("b.c",), 2, "Extra inputs are not permitted"))),
    ("forbid a key that is no text", Closed, PYTHON, {2: 3},
     Refused(("invalid_key", (2,), 2, "Keys should be strings"))),
    ("tree", Tree, EVERY, {"left": {"value": 1}, "rest": [{"left": {}}]},
     Tree(left=Tree(value=1), rest=[Tree(left=Tree())])),
    ("tree with a fault deep inside, lax", Tree, LAX, {"rest": [{}, {"left": {"value": "x"}}]},
     Refused(("int_parsing", ("rest", 1, "left", "value"), "x",
     "Input should be a valid integer, unable to parse string as an integer"))),
    ("tree with a fault deep inside, strict", Tree, STRICT, {"rest": [{}, {"left": {"value": "x"}}]},
     Refused(("int_type", ("rest", 1, "left", "value"), "x", "Input should be a valid integer"))),
    ("record in record", Whole, EVERY, {"point": {"x": 1}, "spot": None}, Whole(point=Point(x=1), spot=None)),
    ("faults in records in record, lax", Whole, LAX, {"point": {}, "spot": {"x": "a", "b": 1}}, Refused(("missing",
     ("point", "x"), {}, "Field required"), ("int_parsing", ("spot", "x"), "a",
     "Input should be a valid integer, unable to parse string as an integer"))),
    ("faults in records in record, strict python", Whole, "strict-python", {"point": {}, "spot": {"x": "a", "b": 1}},
     Refused(("missing", ("point", "x"), {}, "Field required"), ("dataclass_exact_type", ("spot",), {"x": "a",
     "b": 1}, "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("faults in records in record, strict json", Whole, "strict-json", {"point": {}, "spot": {"x": "a", "b": 1}},
     Refused(("missing", ("point", "x"), {}, "Field required"), ("int_type", ("spot", "x"), "a",
     "Input should be a valid integer"))),
    ("dataclass, python json", Spot, "python json strict-json", {"x": 1}, Spot(x=1, y=0)),
    ("dataclass, strict python", Spot, "strict-python", {"x": 1},
     Refused(("dataclass_exact_type", (), {"x": 1}, "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass with faults, python json", Spot, "python json strict-json", {"y": None}, Refused(("missing", ("x",),
     {"y": None}, "Field required"), ("int_type", ("y",), None, "Input should be a valid integer"))),
    ("dataclass with faults, strict python", Spot, "strict-python", {"y": None}, Refused(("dataclass_exact_type", (),
     {"y": None}, "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass ignores, python json", Spot, "python json strict-json", {"x": 1, "more": 2}, Spot(x=1, y=0)),
    ("dataclass ignores, strict python", Spot, "strict-python", {"x": 1, "more": 2}, Refused(("dataclass_exact_type",
     (), {"x": 1, "more": 2}, "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass from instance", Spot, PYTHON, SPOT, SPOT),
    ("dataclass from object, python", Spot, "python", SOURCE, Refused(("dataclass_type", (), SOURCE,
     "Input should be a dictionary or an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass from object, strict python", Spot, "strict-python", SOURCE,
     Refused(("dataclass_exact_type", (), SOURCE, "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass from list, python", Spot, "python", [1, 2], Refused(("dataclass_type", (), [1, 2],
     "Input should be a dictionary or an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass from list, json", Spot, JSON, [1, 2],
     Refused(("dataclass_type", (), [1, 2], "Input should be an object", {"class_name": "Spot"}))),
    ("dataclass from list, strict python", Spot, "strict-python", [1, 2],
     Refused(("dataclass_exact_type", (), [1, 2], "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass from none, python", Spot, "python", None, Refused(("dataclass_type", (), None,
     "Input should be a dictionary or an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass from none, json", Spot, JSON, None,
     Refused(("dataclass_type", (), None, "Input should be an object", {"class_name": "Spot"}))),
    ("dataclass from none, strict python", Spot, "strict-python", None,
     Refused(("dataclass_exact_type", (), None, "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("dataclass with key that is no text, python", Spot, "python", {"x": 1, 2: 3},
     Refused(("invalid_key", (2,), 2, "Keys should be strings"))),
    ("dataclass with key that is no text, strict python", Spot, "strict-python", {"x": 1, 2: 3},
     Refused(("dataclass_exact_type", (), {"x": 1, 2: 3}, "Input should be an instance of Spot",
     {"class_name": "Spot"}))),
    ("dataclass in itself, lax", Chain, LAX, {"value": 1, "next": {"value": "b"}}, Refused(("int_parsing", ("next",
     "value"), "b", "Input should be a valid integer, unable to parse string as an integer"))),
    ("dataclass in itself, strict python", Chain, "strict-python", {"value": 1, "next": {"value": "b"}},
     Refused(("dataclass_exact_type", (), {"value": 1, "next": {"value": "b"}},
     "Input should be an instance of Chain", {"class_name": "Chain"}))),
    ("dataclass in itself, strict json", Chain, "strict-json", {"value": 1, "next": {"value": "b"}},
     Refused(("int_type", ("next", "value"), "b", "Input should be a valid integer"))),
    ("limits kept", Limited, EVERY, {"ge": 0, "gt": 0.6, "le": 10, "lt": 0.5, "text": "abc", "items": [1, 2]},
     Limited(ge=0, gt=0.6, le=10, lt=0.5, text="abc", items=[1, 2])),
    ("limits broken", Limited, EVERY, {"ge": -1, "gt": 0.5, "le": 11, "lt": 1.0}, Refused(("greater_than_equal",
     ("ge",), -1, "Input should be greater than or equal to 0", {"ge": 0}), ("greater_than", ("gt",), 0.5,
     "Input should be greater than 0.5", {"gt": 0.5}), ("less_than_equal", ("le",), 11,
     "Input should be less than or equal to 10", {"le": 10}), ("less_than", ("lt",), 1.0,
     "Input should be less than 1", {"lt": 1.0}))),
    ("limits of an int, and a member of an enum with an int", Limited, "python", {"ge": Mixed.INT}, Limited(ge=5)),
    *(("limits of an int, and a member of an enum with a %s" % member.name.lower(), Limited, "python", {"ge": member},
       Refused(("int_parsing_size", ("ge",), member.value,
        "Unable to parse input string as an integer, exceeded maximum size")))
      for member in (Mixed.TEXT, Mixed.FLOAT, Mixed.NONE)),
    ("lengths above", Limited, EVERY, {"text": "abcd", "items": [1, 2, 3], "table": {"a": 1, "b": 2}},
     Refused(("string_too_long", ("text",), "abcd", "String should have at most 3 characters", {"max_length": 3}),
     ("too_long", ("items",), [1, 2, 3], "List should have at most 2 items after validation, not 3",
     {"field_type": "List", "max_length": 2, "actual_length": 3}), ("too_long", ("table",), {"a": 1, "b": 2},
     "Dictionary should have at most 1 item after validation, not more", {"field_type": "Dictionary", "max_length": 1,
     "actual_length": None}))),
    ("lengths below", Limited, EVERY, {"text": "", "items": []}, Refused(("string_too_short", ("text",), "",
     "String should have at least 1 character", {"min_length": 1}), ("too_short", ("items",), [],
     "List should have at least 1 item after validation, not 0", {"field_type": "List", "min_length": 1,
     "actual_length": 0}))),
    ("limits and nan", Limited, EVERY, {"gt": NAN, "lt": NAN}, Refused(("greater_than", ("gt",), NAN,
     "Input should be greater than 0.5", {"gt": 0.5}), ("less_than", ("lt",), NAN, "Input should be less than 1",
     {"lt": 1.0}))),
    ("limit and none", Limited, EVERY, {"le": None}, Limited(le=None)),
    ("limit after the type, lax", Limited, LAX, {"ge": "x", "text": None}, Refused(("int_parsing", ("ge",), "x",
     "Input should be a valid integer, unable to parse string as an integer"), ("string_type", ("text",), None,
     "Input should be a valid string"))),
    ("limit after the type, strict", Limited, STRICT, {"ge": "x", "text": None}, Refused(("int_type", ("ge",), "x",
     "Input should be a valid integer"), ("string_type", ("text",), None, "Input should be a valid string"))),
    ("limit of a dataclass, python json", LimitedSpot, "python json strict-json", {"x": 0},
     Refused(("greater_than_equal", ("x",), 0, "Input should be greater than or equal to 1", {"ge": 1}))),
    ("limit of a dataclass, strict python", LimitedSpot, "strict-python", {"x": 0}, Refused(("dataclass_exact_type",
     (), {"x": 0}, "Input should be an instance of LimitedSpot", {"class_name": "LimitedSpot"}))),
    ("defaults made anew", Made, EVERY, {"required": 1}, Made(required=1)),
    ("required by dots", Made, EVERY, {}, Refused(("missing", ("required",), {}, "Field required"))),
    ("hook", Hooked, EVERY, {"x": 1}, Hooked(x=1)),
    ("hook raises ValueError", Hooked, EVERY, {"x": -1},
     Refused(("value_error", (), {"x": -1}, "Value error, negative", {"error": ValueError("negative")}))),
    ("hook asserts", Hooked, EVERY, {"x": 0}, Refused(("assertion_error", (), {"x": 0}, "Assertion failed, zero",
     {"error": AssertionError("zero")}))),
    ("hook raises another error", Hooked, EVERY, {"x": 9}, Raised("KeyError", "'nine'")),
    ("hook inside", List[Hooked], EVERY, [{"x": 1}, {"x": -1}],
     Refused(("value_error", (1,), {"x": -1}, "Value error, negative", {"error": ValueError("negative")}))),
    ("hook not after a fault, lax", Hooked, LAX, {"x": "a"},
     Refused(("int_parsing", ("x",), "a", "Input should be a valid integer, unable to parse string as an integer"))),
    ("hook not after a fault, strict", Hooked, STRICT, {"x": "a"},
     Refused(("int_type", ("x",), "a", "Input should be a valid integer"))),
    ("hook of a dataclass, python json", HookedSpot, "python json strict-json", {"x": 1}, HookedSpot(x=1)),
    ("hook of a dataclass, strict python", HookedSpot, "strict-python", {"x": 1}, Refused(("dataclass_exact_type", (),
     {"x": 1}, "Input should be an instance of HookedSpot", {"class_name": "HookedSpot"}))),
    ("hook of a dataclass raises, python json", HookedSpot, "python json strict-json", {"x": -1},
     Refused(("value_error", (), {"x": -1}, "Value error, negative", {"error": ValueError("negative")}))),
    ("hook of a dataclass raises, strict python", HookedSpot, "strict-python", {"x": -1},
     Refused(("dataclass_exact_type", (), {"x": -1}, "Input should be an instance of HookedSpot",
     {"class_name": "HookedSpot"}))),
]

# id, type, options, input, expected
OPTIONS: List[Tuple[str, Any, Dict[str, Any], Any, Any]] = [
    ("forbid", Point, {"extra": "forbid"}, {"x": 1, "more": 2},
     Refused(("extra_forbidden", ("more",), 2, "Extra inputs are not permitted"))),
    ("ignore", Closed, {"extra": "ignore"}, {"x": 1, "more": 2}, Closed(x=1)),
    ("forbid in a dataclass", Spot, {"extra": "forbid"}, {"x": 1, "more": 2},
     Refused(("unexpected_keyword_argument", ("more",), 2, "Unexpected keyword argument"))),
    ("allow in a dataclass", Spot, {"extra": "allow"}, {"x": 1, "more": 2}, Spot(x=1, y=0)),
    ("forbid below", Whole, {"extra": "forbid"}, {"point": {"x": 1, "more": 2}},
     Refused(("extra_forbidden", ("point", "more"), 2, "Extra inputs are not permitted"))),
    ("context", Hooked, {"context": {"add": 2}}, {"x": 1}, Hooked(x=3)),
    ("attributes", Point, {"from_attributes": True}, SOURCE, Point(x=1)),
    ("attributes inside", Whole, {"from_attributes": True}, NESTED, Whole(point=Point(x=1), spot=SPOT)),
    ("attributes missing", Point, {"from_attributes": True}, HALF,
     Refused(("missing", ("x",), HALF, "Field required"))),
    ("attributes that fail", Point, {"from_attributes": True}, FAILING, Refused(("get_attribute_error", ("x",),
     FAILING, "Error extracting attribute: RuntimeError: no x", {"error": "RuntimeError: no x"}))),
    ("attributes and extra", Closed, {"from_attributes": True}, SOURCE, Closed(x=1)),
    ("attributes of a dataclass", Spot, {"from_attributes": True}, SOURCE, Refused(("dataclass_type", (), SOURCE,
     "Input should be a dictionary or an instance of Spot", {"class_name": "Spot"}))),
    ("attributes of an int", Point, {"from_attributes": True}, 1,
     Refused(("model_attributes_type", (), 1, "Input should be a valid dictionary or object to extract fields from"))),
    ("strict", Point, {"strict": True}, {"x": "1"},
     Refused(("int_type", ("x",), "1", "Input should be a valid integer"))),
    ("strict takes attributes", Point, {"strict": True, "from_attributes": True}, Source(x=1), Point(x=1)),
    ("strict dataclass from dict", Spot, {"strict": True}, {"x": 1},
     Refused(("dataclass_exact_type", (), {"x": 1}, "Input should be an instance of Spot", {"class_name": "Spot"}))),
    ("by_name", Point, {"by_name": True, "by_alias": False}, {"x": 1}, Point(x=1)),
]

# id, type, input, expected
STRINGS: List[Tuple[str, Any, Any, Any]] = [
    ("model", Point, {"x": "1"}, Point(x=1)),
    ("model with faults", Point, {"x": "a", "y": 1}, Refused(("int_parsing", ("x",), "a",
     "Input should be a valid integer, unable to parse string as an integer"), ("string_type", ("y",), 1,
     "Input should be a valid string"))),
    ("model inside", Whole, {"point": {"x": "1"}, "spot": {"x": "2"}}, Whole(point=Point(x=1), spot=Spot(x=2, y=0))),
    ("model from text", Point, "x",
     Refused(("model_type", (), "x", "Input should be an object", {"class_name": "Point"}))),
    ("dataclass", Spot, {"x": "1", "y": "2"}, Spot(x=1, y=2)),
    ("dataclass from text", Spot, "x",
     Refused(("arguments_type", (), "x", "Arguments must be an array or an object"))),
    ("allow", Open, {"x": "1", "more": "2"}, Open(x=1, more="2")),
    ("forbid", Closed, {"more": "2"}, Refused(("extra_forbidden", ("more",), "2", "Extra inputs are not permitted"))),
]

# id, type, value, options, in mode "python", as text
DUMPS: List[Tuple[str, Any, Any, Dict[str, Any], Any, Any]] = [
    ("model", Point, POINT, {}, {"x": 1, "y": 0}, '{"x":1,"y":0}'),
    ("dataclass", Spot, SPOT, {}, {"x": 1, "y": 0}, '{"x":1,"y":0}'),
    ("record in record", Whole, Whole(point=POINT, spot=SPOT), {},
     {"point": {"x": 1, "y": 0}, "spot": {"x": 1, "y": 0}}, '{"point":{"x":1,"y":0},"spot":{"x":1,"y":0}}'),
    ("tree", Tree, Tree(rest=[Tree(value=1)]), {"exclude_defaults": True}, {"rest": [{"value": 1}]},
     '{"rest":[{"value":1}]}'),
    ("subclass as its base", Point, SUB, {}, {"x": 1, "y": 0}, '{"x":1,"y":0}'),
    ("subclass as any", Point, SUB, {"serialize_as_any": True}, {"x": 1, "y": 0, "z": 5}, '{"x":1,"y":0,"z":5}'),
    ("subclass as itself", Point, SUB, {"polymorphic_serialization": True}, {"x": 1, "y": 0, "z": 5},
     '{"x":1,"y":0,"z":5}'),
    ("allow", Open, Open(x=1, more=None, b=2), {}, {"x": 1, "more": None, "b": 2}, '{"x":1,"more":null,"b":2}'),
    ("allow without none", Open, Open(x=1, more=None, b=2), {"exclude_none": True}, {"x": 1, "b": 2}, '{"x":1,"b":2}'),
    ("unset", Point, POINT, {"exclude_unset": True}, {"x": 1}, '{"x":1}'),
    ("unset in a dataclass", Spot, SPOT, {"exclude_unset": True}, {"x": 1, "y": 0}, '{"x":1,"y":0}'),
    ("defaults", Point, Point(x=0, y=0), {"exclude_defaults": True}, {"x": 0}, '{"x":0}'),
    ("defaults of a factory", Made, Made(required=1), {"exclude_defaults": True}, {"required": 1}, '{"required":1}'),
    ("none", Tree, Tree(), {"exclude_none": True}, {"value": 0, "rest": []}, '{"value":0,"rest":[]}'),
    ("exclude_if", Quiet, Quiet(), {}, {"c": 0}, '{"c":0}'),
    ("exclude_if not", Quiet, Quiet(a=1, b=2), {}, {"a": 1, "b": 2, "c": 0}, '{"a":1,"b":2,"c":0}'),
    ("exclude_if and round trip", Quiet, Quiet(), {"round_trip": True}, {"c": 0}, '{"c":0}'),
    ("computed", Area, Area(width=2), {}, {"width": 2, "height": 1, "area": 2, "note": None},
     '{"width":2,"height":1,"area":2,"note":null}'),
    ("computed without none", Area, Area(width=2), {"exclude_none": True}, {"width": 2, "height": 1, "area": 2},
     '{"width":2,"height":1,"area":2}'),
    ("computed left out", Area, Area(width=2), {"exclude_computed_fields": True}, {"width": 2, "height": 1},
     '{"width":2,"height":1}'),
    ("computed and round trip", Area, Area(width=2), {"round_trip": True}, {"width": 2, "height": 1},
     '{"width":2,"height":1}'),
    ("computed named", Area, Area(width=2), {"include": {"area"}}, {"area": 2}, '{"area":2}'),
    ("computed not named", Area, Area(width=2), {"exclude": {"area", "note"}}, {"width": 2, "height": 1},
     '{"width":2,"height":1}'),
    ("model with dict", Point, {"x": 1}, {}, Warned({"x": 1}, unexpected("Point", "{'x': 1}", "dict")),
     Warned('{"x":1}', unexpected("Point", "{'x': 1}", "dict"))),
    ("model with another", Point, Closed(x=1), {}, {"x": 1}, '{"x":1}'),
    ("model with none", Point, None, {}, None, "null"),
    ("dataclass with dict", Spot, {"x": 1}, {}, Warned({"x": 1}, unexpected("Spot", "{'x': 1}", "dict")),
     Warned('{"x":1}', unexpected("Spot", "{'x': 1}", "dict"))),
    ("wrong value inside", Whole, Whole.model_construct(point=Point.model_construct(x="a")), {},
     Warned({"point": {"x": "a", "y": 0}, "spot": None}, unexpected("int", "'a'", "str", "x")),
     Warned('{"point":{"x":"a","y":0},"spot":null}', unexpected("int", "'a'", "str", "x"))),
    ("field that is absent", Point, Point.model_construct(y=1), {}, {"y": 1}, '{"y":1}'),
    ("wrong values in a list", List[Point], [Point.model_construct(x="a"), 1], {},
     Warned([{"x": "a", "y": 0}, 1], unexpected("int", "'a'", "str", "x"), unexpected("Point", "1", "int")),
     Warned('[{"x":"a","y":0},1]', unexpected("int", "'a'", "str", "x"), unexpected("Point", "1", "int"))),
]


@pytest.mark.parametrize("kind, ways, value, expected", rows(CHECKS))
def test_check(kind: Any, ways: str, value: Any, expected: Any) -> None:
    assert_checks(kind, ways, value, expected)


@pytest.mark.parametrize("kind, options, value, expected", rows(OPTIONS))
def test_check_with_options(kind: Any, options: Dict[str, Any], value: Any, expected: Any) -> None:
    assert_same(check(kind, "python", value, **options), expected)


@pytest.mark.parametrize("kind, value, expected", rows(STRINGS))
def test_check_text_alone(kind: Any, value: Any, expected: Any) -> None:
    assert_same(check(kind, "strings", value), expected)


@pytest.mark.parametrize("kind, value, options, python, text", rows(DUMPS))
def test_dump(kind: Any, value: Any, options: Dict[str, Any], python: Any, text: Any) -> None:
    assert_same(dump(kind, "python", value, **options), python)
    assert_same(dump(kind, "text", value, **options), text)


@pytest.mark.parametrize("kind", [Point, Spot])
def test_the_four_functions_do_what_the_adapter_does(kind: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    made = model_validate(kind, {"x": "1"})
    assert made == adapter.validate_python({"x": "1"}) == kind(x=1)
    assert model_validate_json(kind, b'{"x": 1}') == made == adapter.validate_json(b'{"x": 1}')
    assert model_dump(made, exclude={"y"}) == {"x": 1} == adapter.dump_python(made, exclude={"y"})
    assert model_dump_json(made) == '{"x":1,"y":0}' == adapter.dump_json(made).decode()


def test_defaults_are_not_shared() -> None:
    one, two = Made(required=1), Made(required=1)
    one.items.append(1)
    one.table["a"] = 1
    assert (two.items, two.table) == ([], {})
    assert Tree().rest is not Tree().rest


def test_an_instance_is_taken_as_it_is() -> None:
    assert Point.model_validate(POINT) is POINT
    assert Point.model_validate(SUB) is SUB
    assert TypeAdapter[Any](List[Point]).validate_python([POINT])[0] is POINT
    assert TypeAdapter[Any](Spot).validate_python(SPOT) is SPOT


def test_a_dataclass_with_slots_or_frozen_is_made_too() -> None:
    @dataclass(frozen=True)
    class Frozen:
        x: int

    @dataclass
    class Slotted:
        __slots__ = ("x",)
        x: int

    for kind in (Frozen, Slotted):
        made: Any = model_validate(kind, {"x": "1"})
        assert made.x == 1
        assert model_dump(made) == {"x": 1}


def test_a_hook_runs_once_for_each_instance() -> None:
    seen: List[int] = []

    class Counted(Model):
        x: int

        def model_post_init(self, context: Any) -> None:
            seen.append(self.x)

    Counted(x=1)
    Counted.model_validate({"x": 2})
    Counted.model_validate_json('{"x": 3}')
    TypeAdapter[Any](List[Counted]).validate_json('[{"x": 4}]')
    Counted.model_validate(Counted.model_construct(x=5))
    assert seen == [1, 2, 3, 4, 5]




def test_extra_keys_are_kept_where_the_call_allows_them() -> None:
    made = Point.model_validate({"x": 1, "more": [2]}, extra="allow")
    assert (made.model_extra, made.model_fields_set) == ({"more": [2]}, {"x", "more"})
    assert made.model_dump() == {"x": 1, "y": 0}


def test_a_limit_that_does_not_suit_the_value_is_a_type_error() -> None:
    class Wide(Model):
        x: Any = Field(None, gt=0)

    text = "Unable to apply constraint 'gt' to supplied value a"
    assert_same(observe(lambda: Wide(x="a")), Raised("TypeError", text))


def test_a_default_made_anew_is_still_a_default() -> None:
    made: List[int] = []

    def count() -> int:
        made.append(1)
        return 7

    class Counted(Model):
        x: int = Field(default_factory=count)

    assert Counted(x=7).model_dump(exclude_defaults=True) == {}
    assert Counted(x=8).model_dump(exclude_defaults=True) == {"x": 8}


# id, type, limits, input, ctx
LENGTHS: List[Tuple[str, Any, Dict[str, int], Any, Any]] = [
    ("list", List[int], {"max_length": 1}, ["a", "b"], Refused(("too_long", ("x",), ["a", "b"],
     "List should have at most 1 item after validation, not 2", {"field_type": "List", "max_length": 1,
     "actual_length": 2}))),
    ("tuple", List[int], {"max_length": 1}, (1, 2), Refused(("too_long", ("x",), (1, 2),
     "List should have at most 1 item after validation, not 2", {"field_type": "List", "max_length": 1,
     "actual_length": 2}))),
    ("iterator", List[int], {"max_length": 1}, range(3), Refused(("too_long", ("x",), range(0, 3),
     "List should have at most 1 item after validation, not more", {"field_type": "List", "max_length": 1,
     "actual_length": None}))),
    ("dict", Dict[str, int], {"max_length": 1}, {"a": 1, "b": 2}, Refused(("too_long", ("x",), {"a": 1, "b": 2},
     "Dictionary should have at most 1 item after validation, not more", {"field_type": "Dictionary", "max_length": 1,
     "actual_length": None}))),
    ("short list", List[int], {"min_length": 2}, range(1), Refused(("too_short", ("x",), range(0, 1),
     "List should have at least 2 items after validation, not 1", {"field_type": "List", "min_length": 2,
     "actual_length": 1}))),
    ("short dict", Dict[str, int], {"min_length": 1}, {}, Refused(("too_short", ("x",), {},
     "Dictionary should have at least 1 item after validation, not 0", {"field_type": "Dictionary", "min_length": 1,
     "actual_length": 0}))),
]


@pytest.mark.parametrize("kind, limits, value, expected", rows(LENGTHS))
def test_lengths(kind: Any, limits: Dict[str, int], value: Any, expected: Any) -> None:
    field: Any = Field
    scope: Dict[str, Any] = {"Model": Model, "kind": kind, "limit": field(..., **limits)}
    exec("class Holder(Model):\n    x: kind = limit", scope)
    Holder = scope["Holder"]

    assert_same(observe(lambda: Holder(x=value)), expected)


def keep_even(value: int) -> int:
    if value < 0:
        raise ValueError("negative")
    if value == 1:
        raise AssertionError("one")
    return value - value % 2


class Even(Model):
    x: int = Field(0, after=keep_even, le=10)


def test_a_field_may_have_a_last_word() -> None:
    assert_same([check(Even, way, {"x": "5"}) for way in LAX.split()], [Even(x=4), Even(x=4)])
    error, fault = ValueError("negative"), AssertionError("one")
    assert_same(check(Even, "json", {"x": -1}), Refused(
        ("value_error", ("x",), -1, "Value error, negative", {"error": error})))
    assert_same(check(Even, "python", {"x": 1}), Refused(
        ("assertion_error", ("x",), 1, "Assertion failed, one", {"error": fault})))
    assert_same(check(Even, "python", {"x": 11}), Refused(
        ("less_than_equal", ("x",), 11, "Input should be less than or equal to 10", {"le": 10})))
    assert Even().x == 0
    assert dump(Even, "text", Even.model_construct(x=5)) == '{"x":5}'


@pytest.mark.parametrize("mode", ["python", "json", "text"])
@pytest.mark.parametrize("name, words", [
    ("\ud800", "UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0: surrogates not allowed"),
    (7, "TypeError: 'int' object is not an instance of 'str'"),
    (None, "TypeError: 'None' is not an instance of 'str'"),
], ids=repr)
def test_a_name_that_no_field_can_have_is_refused_also_where_it_is_unknown(name: Any, words: str, mode: str) -> None:
    model, keyed = Point(x=1), Keyed()
    vars(model)[name] = 1
    setattr(keyed, "part", {"a": 1, name: 2})
    kind, message = ("SerializationError", "Error serializing to JSON: " + words) if mode == "text" else (
        words.split(": ", 1))
    for value in (model, keyed):
        assert_same(dump(type(value), mode, value), Raised(kind, message))


def test_names_that_are_no_exact_text_give_way_to_those_of_the_fields() -> None:
    model = Point(x=1)
    vars(model).clear()
    vars(model)[_Name("y")] = 2
    for dumped in (model.model_dump(), model.model_dump(mode="json")):
        assert_same(dumped, {"y": 2})
        assert [*map(type, dumped)] == [str]


@pytest.mark.parametrize("name", ["__pydantic_fields_set__", "__pydantic_extra__"])
def test_a_class_may_hide_the_names_of_its_state(name: str) -> None:
    kind: Any = type("Hiding", (Model,), {"__annotations__": {"x": int}, "x": 1, name: None})
    assert kind().model_dump_json() == '{"x":1}'
