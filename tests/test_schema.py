"""harbor.codec.schema: JSON schemas; the texts were recorded from pydantic 2.14.4."""

import dataclasses
import datetime
import decimal
import enum
import json
import warnings
from pathlib import Path, PurePosixPath
from typing import Any, Callable, Dict, List, Literal, Optional, Tuple, TypedDict, Union
from uuid import UUID

import pytest

from harbor.codec import Field, Model, TypeAdapter, computed_field
from harbor.codec.schema import PydanticJsonSchemaWarning
from outcomes import rows

NAN = float("nan")
MOMENT: Any = datetime.datetime(2024, 1, 2)


class Color(enum.Enum):
    """Colors of a light.

        GREEN comes last.
    """

    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    BOTTOM = 1
    HIGH = 2


class Mixed(enum.Enum):
    PAIR = (1, 2)
    NONE = None


class Only(str, enum.Enum):
    ONE = "one"


class Tree(Model):
    """A tree."""

    children: List["Tree"] = []
    parent: Optional["Tree"] = Field(None, description="A tree.")


class Leaf(Model):
    """A leaf."""

    size: float = 1


class Entry(TypedDict, total=False):
    """An entry."""

    x_id: int
    name: Optional[str]


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0


@dataclasses.dataclass
class Settings:
    """Settings(of a run)."""

    limit: int = Field(3, ge=1, description="At most.")
    names: List[str] = dataclasses.field(default_factory=list)


class Closed(Model, extra="forbid"):
    entry: Entry
    point: Point


class Open(Model, extra="allow"):
    pass


class Titles(Model):
    n_input_tokens: int
    a1b_2c: int
    camelCase_: int
    leaf: Leaf
    no_leaf: Optional[Leaf]
    color: Color
    leaves: List[Leaf]
    leaf_or_none_or_int: Union[Leaf, None, int]


class Described(Model):
    text: str = Field(description="  as it\n    stands ")
    empty: str = Field(description="")
    same: Leaf = Field(description="A leaf.")
    other: Leaf = Field(description="Another leaf.")
    maybe: Optional[Leaf] = Field(None, description="A leaf.")


class Limited(Model):
    a: int = Field(1, gt=0, ge=1, lt=9, le=8)
    b: Optional[float] = Field(None, ge=0.5, le=float("inf"))
    c: str = Field("", min_length=1, max_length=3)
    d: List[int] = Field([1], min_length=1, max_length=3)
    e: Dict[str, int] = Field({}, max_length=3)
    f: Union[int, str, None] = Field(None, ge=1)  # typing keeps one order of an Optional[Union[...]]
    g: Literal[1, 2] = Field(1, ge=1, min_length=1)
    h: bool = Field(True, ge=0)
    i: Path = Field(Path("a"), max_length=3)
    j: datetime.datetime = Field(MOMENT, ge=MOMENT)


class Defaults(Model):
    a: Any = None
    b: float = 1
    c: float = NAN
    d: Any = [NAN, {"b": {"z": 1, "a": 2}, "a": 1}]
    e: Any = {"b": {"z": 1, "a": 2}, "a": 1}
    f: Color = Color.RED
    g: Any = datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)
    h: Any = UUID(int=5)
    i: Any = PurePosixPath("a/b")
    j: Any = (1, 2)
    k: Any = frozenset((3, 1, 2))
    l: Any = decimal.Decimal("1.50")
    m: Leaf = Leaf()
    n: List[Leaf] = [Leaf(size=2)]
    o: Any = Point(1)
    p: Any = b"x"
    q: int = Field(default_factory=int)
    default: int = Field(1, le=2, description="Keeps the order of its keys.")


class Unsayable(Model):
    a: Any = len
    b: Any = b"\xff"
    c: Any = {"a": object}


class Computed(Model):
    width: int
    hidden: int = Field(exclude_if=bool)

    @computed_field
    def area_2d(self) -> int:
        """Width times

        hidden.
        """
        return 1

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorator above a property
    @property
    def leaf(self) -> Leaf:
        return Leaf()


class Keys(Model):
    a: Dict[str, Any]
    b: Dict[int, int]
    c: Dict[Color, int]
    d: Dict[UUID, int]
    e: Dict[Literal["x", "y"], int]
    f: Dict[Literal["x"], int]
    g: Dict[Optional[str], Dict[str, Leaf]]
    h: Dict  # type: ignore[type-arg]  # a bare one is what is tested


def make_part(kind: Any) -> Any:
    class Part(Model):
        __module__ = "parts"

        value: kind

    return Part


class Part(Model):
    __module__ = "parts"

    value: int


class Größe(Model):
    inner: Optional["Größe"] = None


def list_of(*kinds: Any) -> Any:
    return List[Union[kinds]]  # type: ignore[valid-type]  # no static type


NUMBER, TEXT, SAME = make_part(float), make_part(str), make_part(str)

# id, type, options, the schema as JSON text, whose keys stand in the order of pydantic's
SCHEMAS: List[Tuple[str, Any, Dict[str, Any], str]] = [
    ("scalars", Union[int, float, str, bool, None, datetime.datetime, UUID, Path], {},
     '{"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}, {"type": "boolean"}, {"format": '
     '"date-time", "type": "string"}, {"format": "uuid", "type": "string"}, {"format": "path", "type": '
     '"string"}, {"type": "null"}]}'),
    ("any", Any, {}, '{}'),
    ("none", None, {}, '{"type": "null"}'),
    ("bare list", List, {}, '{"items": {}, "type": "array"}'),
    ("union of equal", Union[Dict[str, Any], dict], {}, '{"additionalProperties": true, "type": "object"}'),
    ("literal", Literal["a", 1], {}, '{"enum": ["a", 1]}'),
    ("literal of one", Literal["a"], {}, '{"const": "a", "type": "string"}'),
    ("literal of members", Literal[Color.RED, Color.GREEN], {}, '{"enum": ["red", "green"], "type": "string"}'),
    ("literal of none", Optional[Literal[None, "a"]], {}, '{"anyOf": [{"enum": [null, "a"]}, {"type": "null"}]}'),
    ("enum", Color, {},
     '{"description": "Colors of a light.\\n\\nGREEN comes last.", "enum": ["red", "green"], "title": "Color", '
     '"type": "string"}'),
    ("enum in a list", List[Color], {},
     '{"$defs": {"Color": {"description": "Colors of a light.\\n\\nGREEN comes last.", "enum": ["red", '
     '"green"], "title": "Color", "type": "string"}}, "items": {"$ref": "#/$defs/Color"}, "type": "array"}'),
    ("alias in an enum", Level, {}, '{"enum": [1, 1, 2], "title": "Level", "type": "integer"}'),
    ("enum without a type", Mixed, {}, '{"enum": [[1, 2], null], "title": "Mixed"}'),
    ("enum of one", Only, {}, '{"enum": ["one"], "title": "Only", "type": "string"}'),
    ("optional any", Optional[Any], {}, '{"anyOf": [{}, {"type": "null"}]}'),
    ("nested unions", Optional[Union[int, Optional[List[Union[int, str]]]]], {},
     '{"anyOf": [{"type": "integer"}, {"items": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "type": '
     '"array"}, {"type": "null"}]}'),
    ("recursive", Tree, {},
     '{"$defs": {"Tree": {"description": "A tree.", "properties": {"children": {"default": [], "items": '
     '{"$ref": "#/$defs/Tree"}, "title": "Children", "type": "array"}, "parent": {"anyOf": [{"$ref": '
     '"#/$defs/Tree"}, {"type": "null"}], "default": null, "description": "A tree."}}, "title": "Tree", '
     '"type": "object"}}, "$ref": "#/$defs/Tree"}'),
    ("recursive in a list", List[Tree], {},
     '{"$defs": {"Tree": {"description": "A tree.", "properties": {"children": {"default": [], "items": '
     '{"$ref": "#/$defs/Tree"}, "title": "Children", "type": "array"}, "parent": {"anyOf": [{"$ref": '
     '"#/$defs/Tree"}, {"type": "null"}], "default": null, "description": "A tree."}}, "title": "Tree", '
     '"type": "object"}}, "items": {"$ref": "#/$defs/Tree"}, "type": "array"}'),
    ("typed dict", Entry, {},
     '{"description": "An entry.", "properties": {"x_id": {"title": "X Id", "type": "integer"}, "name": '
     '{"anyOf": [{"type": "string"}, {"type": "null"}], "title": "Name"}}, "title": "Entry", "type": "object"}'),
    ("dataclass", Point, {},
     '{"properties": {"x": {"title": "X", "type": "number"}, "y": {"default": 0, "title": "Y", "type": '
     '"number"}}, "required": ["x"], "title": "Point", "type": "object"}'),
    ("dataclass with fields", Settings, {},
     '{"properties": {"limit": {"default": 3, "description": "At most.", "minimum": 1, "title": "Limit", '
     '"type": "integer"}, "names": {"items": {"type": "string"}, "title": "Names", "type": "array"}}, "title": '
     '"Settings", "type": "object"}'),
    ("extra is inherited", Closed, {},
     '{"$defs": {"Entry": {"additionalProperties": false, "description": "An entry.", "properties": {"x_id": '
     '{"title": "X Id", "type": "integer"}, "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": '
     '"Name"}}, "title": "Entry", "type": "object"}, "Point": {"additionalProperties": false, "properties": '
     '{"x": {"title": "X", "type": "number"}, "y": {"default": 0, "title": "Y", "type": "number"}}, '
     '"required": ["x"], "title": "Point", "type": "object"}}, "additionalProperties": false, "properties": '
     '{"entry": {"$ref": "#/$defs/Entry"}, "point": {"$ref": "#/$defs/Point"}}, "required": ["entry", '
     '"point"], "title": "Closed", "type": "object"}'),
    ("extra allowed", Open, {}, '{"additionalProperties": true, "properties": {}, "title": "Open", "type": "object"}'),
    ("titles", Titles, {},
     '{"$defs": {"Color": {"description": "Colors of a light.\\n\\nGREEN comes last.", "enum": ["red", '
     '"green"], "title": "Color", "type": "string"}, "Leaf": {"description": "A leaf.", "properties": {"size": '
     '{"default": 1, "title": "Size", "type": "number"}}, "title": "Leaf", "type": "object"}}, "properties": '
     '{"n_input_tokens": {"title": "N Input Tokens", "type": "integer"}, "a1b_2c": {"title": "A1B 2C", "type": '
     '"integer"}, "camelCase_": {"title": "Camelcase", "type": "integer"}, "leaf": {"$ref": "#/$defs/Leaf"}, '
     '"no_leaf": {"anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "null"}]}, "color": {"$ref": "#/$defs/Color"}, '
     '"leaves": {"items": {"$ref": "#/$defs/Leaf"}, "title": "Leaves", "type": "array"}, '
     '"leaf_or_none_or_int": {"anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "integer"}, {"type": "null"}], '
     '"title": "Leaf Or None Or Int"}}, "required": ["n_input_tokens", "a1b_2c", "camelCase_", "leaf", '
     '"no_leaf", "color", "leaves", "leaf_or_none_or_int"], "title": "Titles", "type": "object"}'),
    ("descriptions", Described, {},
     '{"$defs": {"Leaf": {"description": "A leaf.", "properties": {"size": {"default": 1, "title": "Size", '
     '"type": "number"}}, "title": "Leaf", "type": "object"}}, "properties": {"text": {"description": "  as '
     'it\\n    stands ", "title": "Text", "type": "string"}, "empty": {"description": "", "title": "Empty", '
     '"type": "string"}, "same": {"$ref": "#/$defs/Leaf"}, "other": {"$ref": "#/$defs/Leaf", "description": '
     '"Another leaf."}, "maybe": {"anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "null"}], "default": null, '
     '"description": "A leaf."}}, "required": ["text", "empty", "same", "other"], "title": "Described", '
     '"type": "object"}'),
    ("limits", Limited, {},
     '{"properties": {"a": {"default": 1, "exclusiveMaximum": 9, "exclusiveMinimum": 0, "maximum": 8, '
     '"minimum": 1, "title": "A", "type": "integer"}, "b": {"anyOf": [{"minimum": 0.5, "type": "number"}, '
     '{"type": "null"}], "default": null, "title": "B"}, "c": {"default": "", "maxLength": 3, "minLength": 1, '
     '"title": "C", "type": "string"}, "d": {"default": [1], "items": {"type": "integer"}, "maxItems": 3, '
     '"minItems": 1, "title": "D", "type": "array"}, "e": {"additionalProperties": {"type": "integer"}, '
     '"default": {}, "maxProperties": 3, "title": "E", "type": "object"}, "f": {"anyOf": [{"anyOf": [{"type": '
     '"integer"}, {"type": "string"}], "ge": 1}, {"type": "null"}], "default": null, "title": "F"}, "g": '
     '{"default": 1, "enum": [1, 2], "ge": 1, "minLength": 1, "title": "G", "type": "integer"}, "h": '
     '{"default": true, "ge": 0, "title": "H", "type": "boolean"}, "i": {"default": "a", "format": "path", '
     '"maxLength": 3, "title": "I", "type": "string"}, "j": {"default": "2024-01-02T00:00:00", "format": '
     '"date-time", "title": "J", "type": "string"}}, "title": "Limited", "type": "object"}'),
    ("defaults", Defaults, {},
     '{"$defs": {"Color": {"description": "Colors of a light.\\n\\nGREEN comes last.", "enum": ["red", '
     '"green"], "title": "Color", "type": "string"}, "Leaf": {"description": "A leaf.", "properties": {"size": '
     '{"default": 1, "title": "Size", "type": "number"}}, "title": "Leaf", "type": "object"}}, "properties": '
     '{"a": {"default": null, "title": "A"}, "b": {"default": 1, "title": "B", "type": "number"}, "c": '
     '{"default": NaN, "title": "C", "type": "number"}, "d": {"default": [null, {"b": {"a": 2, "z": 1}, "a": '
     '1}], "title": "D"}, "e": {"default": {"b": {"a": 2, "z": 1}, "a": 1}, "title": "E"}, "f": {"$ref": '
     '"#/$defs/Color", "default": "red"}, "g": {"default": "2024-01-02T00:00:00Z", "title": "G"}, "h": '
     '{"default": "00000000-0000-0000-0000-000000000005", "title": "H"}, "i": {"default": "a/b", "title": '
     '"I"}, "j": {"default": [1, 2], "title": "J"}, "k": {"default": [1, 2, 3], "title": "K"}, "l": '
     '{"default": "1.50", "title": "L"}, "m": {"$ref": "#/$defs/Leaf", "default": {"size": 1.0}}, "n": '
     '{"default": [{"size": 2.0}], "items": {"$ref": "#/$defs/Leaf"}, "title": "N", "type": "array"}, "o": '
     '{"default": {"x": 1, "y": 0}, "title": "O"}, "p": {"default": "x", "title": "P"}, "q": {"title": "Q", '
     '"type": "integer"}, "default": {"type": "integer", "maximum": 2, "default": 1, "description": "Keeps the '
     'order of its keys.", "title": "Default"}}, "title": "Defaults", "type": "object"}'),
    ("unsayable defaults", Unsayable, {},
     '{"properties": {"a": {"title": "A"}, "b": {"title": "B"}, "c": {"title": "C"}}, "title": "Unsayable", '
     '"type": "object"}'),
    ("computed, validation", Computed, {},
     '{"properties": {"width": {"title": "Width", "type": "integer"}, "hidden": {"title": "Hidden", "type": '
     '"integer"}}, "required": ["width", "hidden"], "title": "Computed", "type": "object"}'),
    ("computed, serialization", Computed, {"mode": "serialization"},
     '{"$defs": {"Leaf": {"description": "A leaf.", "properties": {"size": {"default": 1, "title": "Size", '
     '"type": "number"}}, "title": "Leaf", "type": "object"}}, "properties": {"width": {"title": "Width", '
     '"type": "integer"}, "hidden": {"title": "Hidden", "type": "integer"}, "area_2d": {"description": "Width '
     'times\\n\\nhidden.", "readOnly": true, "title": "Area 2D", "type": "integer"}, "leaf": {"$ref": '
     '"#/$defs/Leaf", "readOnly": true}}, "required": ["width", "area_2d", "leaf"], "title": "Computed", '
     '"type": "object"}'),
    ("keys", Keys, {},
     '{"$defs": {"Color": {"description": "Colors of a light.\\n\\nGREEN comes last.", "enum": ["red", '
     '"green"], "title": "Color", "type": "string"}, "Leaf": {"description": "A leaf.", "properties": {"size": '
     '{"default": 1, "title": "Size", "type": "number"}}, "title": "Leaf", "type": "object"}}, "properties": '
     '{"a": {"additionalProperties": true, "title": "A", "type": "object"}, "b": {"additionalProperties": '
     '{"type": "integer"}, "title": "B", "type": "object"}, "c": {"additionalProperties": {"type": "integer"}, '
     '"propertyNames": {"$ref": "#/$defs/Color"}, "title": "C", "type": "object"}, "d": '
     '{"additionalProperties": {"type": "integer"}, "propertyNames": {"format": "uuid"}, "title": "D", "type": '
     '"object"}, "e": {"additionalProperties": {"type": "integer"}, "propertyNames": {"enum": ["x", "y"]}, '
     '"title": "E", "type": "object"}, "f": {"additionalProperties": {"type": "integer"}, "propertyNames": '
     '{"const": "x"}, "title": "F", "type": "object"}, "g": {"additionalProperties": {"additionalProperties": '
     '{"$ref": "#/$defs/Leaf"}, "type": "object"}, "title": "G", "type": "object"}, "h": '
     '{"additionalProperties": true, "title": "H", "type": "object"}}, "required": ["a", "b", "c", "d", "e", '
     '"f", "g", "h"], "title": "Keys", "type": "object"}'),
    ("names: by module", list_of(Part, NUMBER), {},
     '{"$defs": {"parts__Part": {"properties": {"value": {"title": "Value", "type": "integer"}}, "required": '
     '["value"], "title": "Part", "type": "object"}, "parts__make_part___locals___Part": {"properties": '
     '{"value": {"title": "Value", "type": "number"}}, "required": ["value"], "title": "Part", "type": '
     '"object"}}, "items": {"anyOf": [{"$ref": "#/$defs/parts__Part"}, {"$ref": '
     '"#/$defs/parts__make_part___locals___Part"}]}, "type": "array"}'),
    ("names: by number", list_of(TEXT, NUMBER), {},
     '{"$defs": {"parts__make_part___locals___Part__1": {"properties": {"value": {"title": "Value", "type": '
     '"string"}}, "required": ["value"], "title": "Part", "type": "object"}, '
     '"parts__make_part___locals___Part__2": {"properties": {"value": {"title": "Value", "type": "number"}}, '
     '"required": ["value"], "title": "Part", "type": "object"}}, "items": {"anyOf": [{"$ref": '
     '"#/$defs/parts__make_part___locals___Part__1"}, {"$ref": '
     '"#/$defs/parts__make_part___locals___Part__2"}]}, "type": "array"}'),
    ("names: equal classes", list_of(TEXT, SAME), {},
     '{"$defs": {"Part": {"properties": {"value": {"title": "Value", "type": "string"}}, "required": '
     '["value"], "title": "Part", "type": "object"}}, "items": {"anyOf": [{"$ref": "#/$defs/Part"}, {"$ref": '
     '"#/$defs/Part"}]}, "type": "array"}'),
    ("names: plain letters", Größe, {},
     '{"$defs": {"Gr__e": {"properties": {"inner": {"anyOf": [{"$ref": "#/$defs/Gr__e"}, {"type": "null"}], '
     '"default": null}}, "title": "Gr\\u00f6\\u00dfe", "type": "object"}}, "$ref": "#/$defs/Gr__e"}'),
    ("without defaults in dumps", Titles, {"mode": "serialization", "ref_template": "/parts/{model}.json"},
     '{"$defs": {"Color": {"description": "Colors of a light.\\n\\nGREEN comes last.", "enum": ["red", '
     '"green"], "title": "Color", "type": "string"}, "Leaf": {"description": "A leaf.", "properties": {"size": '
     '{"default": 1, "title": "Size", "type": "number"}}, "title": "Leaf", "type": "object"}}, "properties": '
     '{"n_input_tokens": {"title": "N Input Tokens", "type": "integer"}, "a1b_2c": {"title": "A1B 2C", "type": '
     '"integer"}, "camelCase_": {"title": "Camelcase", "type": "integer"}, "leaf": {"$ref": '
     '"/parts/Leaf.json"}, "no_leaf": {"anyOf": [{"$ref": "/parts/Leaf.json"}, {"type": "null"}]}, "color": '
     '{"$ref": "/parts/Color.json"}, "leaves": {"items": {"$ref": "/parts/Leaf.json"}, "title": "Leaves", '
     '"type": "array"}, "leaf_or_none_or_int": {"anyOf": [{"$ref": "/parts/Leaf.json"}, {"type": "integer"}, '
     '{"type": "null"}], "title": "Leaf Or None Or Int"}}, "required": ["n_input_tokens", "a1b_2c", '
     '"camelCase_", "leaf", "no_leaf", "color", "leaves", "leaf_or_none_or_int"], "title": "Titles", "type": '
     '"object"}'),
    ("union of primitive types", Union[int, List[Union[int, Optional[str]]], Path],
     {"union_format": "primitive_type_array"},
     '{"anyOf": [{"type": "integer"}, {"items": {"type": ["integer", "string", "null"]}, "type": "array"}, '
     '{"format": "path", "type": ["string"]}]}'),
    ("union of primitive types and none", Dict[str, Optional[Union[int, bool, int, Path]]],
     {"union_format": "primitive_type_array"},
     '{"additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"format": "path", "type": '
     '["string"]}, {"type": "null"}]}, "type": "object"}'),
    ("union of limited types", Limited, {"union_format": "primitive_type_array"},
     '{"properties": {"a": {"default": 1, "exclusiveMaximum": 9, "exclusiveMinimum": 0, "maximum": 8, '
     '"minimum": 1, "title": "A", "type": "integer"}, "b": {"anyOf": [{"minimum": 0.5, "type": "number"}, '
     '{"type": "null"}], "default": null, "title": "B"}, "c": {"default": "", "maxLength": 3, "minLength": 1, '
     '"title": "C", "type": "string"}, "d": {"default": [1], "items": {"type": "integer"}, "maxItems": 3, '
     '"minItems": 1, "title": "D", "type": "array"}, "e": {"additionalProperties": {"type": "integer"}, '
     '"default": {}, "maxProperties": 3, "title": "E", "type": "object"}, "f": {"anyOf": [{"ge": 1, "type": '
     '["integer", "string"]}, {"type": "null"}], "default": null, "title": "F"}, "g": {"default": 1, "enum": '
     '[1, 2], "ge": 1, "minLength": 1, "title": "G", "type": "integer"}, "h": {"default": true, "ge": 0, '
     '"title": "H", "type": "boolean"}, "i": {"default": "a", "format": "path", "maxLength": 3, "title": "I", '
     '"type": ["string"]}, "j": {"default": "2024-01-02T00:00:00", "format": "date-time", "title": "J", '
     '"type": "string"}}, "title": "Limited", "type": "object"}'),
]

#: What calls of json_schema that cannot be honoured raise.
REFUSALS: List[Tuple[str, Callable[[], Any], type, str]] = [
    ("generator", lambda: Leaf.model_json_schema(schema_generator=object), TypeError,
     "schema_generator is not supported: there is one form of schema"),
    ("mode", lambda: TypeAdapter(int).json_schema(mode="both"), TypeError,
     "mode must be 'validation' or 'serialization', not 'both'"),
    ("form of unions", lambda: TypeAdapter(int).json_schema(union_format="one_of"), TypeError,
     "union_format must be 'any_of' or 'primitive_type_array', not 'one_of'"),
    ("base of models", Model.model_json_schema, AttributeError,
     "model_json_schema() must be called on a subclass of Model, not Model itself."),
]


@pytest.mark.filterwarnings("ignore::harbor.codec.schema.PydanticJsonSchemaWarning")
@pytest.mark.parametrize("kind, options, expected", rows(SCHEMAS))
def test_schema(kind: Any, options: Dict[str, Any], expected: str) -> None:
    assert json.dumps(TypeAdapter(kind).json_schema(**options)) == expected


def test_models_and_adapters_describe_alike() -> None:
    assert Closed.model_json_schema() == TypeAdapter(Closed).json_schema()


@pytest.mark.parametrize("act, error, text", rows(REFUSALS))
def test_refusal(act: Callable[[], Any], error: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        act()
    assert str(caught.value) == text


def test_defaults_that_json_cannot_say_are_warned_of() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Unsayable.model_json_schema()
    template = "Default value %s is not JSON serializable; excluding default from JSON schema [non-serializable-default]"
    assert [str(warning.message) for warning in caught] == [
        template % shown for shown in ("<built-in function len>", "b'\\xff'", "{'a': <class 'object'>}")]
    assert {warning.category for warning in caught} == {PydanticJsonSchemaWarning}


def test_defaults_of_subclasses_are_left_out() -> None:
    class Word(str):
        pass

    class Labelled(Model):
        label: Any = Word("a")

    with pytest.warns(PydanticJsonSchemaWarning):
        assert Labelled.model_json_schema()["properties"] == {"label": {"title": "Label"}}


def test_fields_that_nobody_can_give_are_not_described() -> None:
    @dataclasses.dataclass
    class Counter:
        total: int = dataclasses.field(init=False)
        start: int = dataclasses.field(init=False, default=0)

    assert list(TypeAdapter(Counter).json_schema()["properties"]) == ["start"]


def test_defaults_that_can_change_are_copied_for_each_instance() -> None:
    class Holder(Model):
        leaf: Leaf = Leaf()
        names: List[str] = Field(default=[], description="Names.")

    assert Holder().leaf is not Holder().leaf
    assert Holder().names is not Holder().names
    assert Holder().model_dump(exclude_defaults=True) == {}
    assert repr(Holder.model_fields["names"]).endswith("required=False, default=[], description='Names.')")
    assert Holder.model_fields["leaf"].get_default() is not Holder.model_fields["leaf"].default


def test_a_schema_is_the_callers_own() -> None:
    first = Leaf.model_json_schema()
    first["properties"].clear()
    assert Leaf.model_json_schema()["properties"] != {}
