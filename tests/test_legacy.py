"""harbor.codec.legacy: the tables were observed on pydantic 2.14.4, less its "For further information" lines."""

import inspect
import json
import pickle
import sys
import warnings
from collections import deque, namedtuple
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

import pytest

from harbor.codec import Model, ValidationError
from harbor.codec.legacy import (
    PydanticDeprecatedSince20, PydanticDeprecatedSince211, PydanticDeprecationWarning, PydanticUserError,
)
from harbor.models.agent.context import AgentContext

GUIDE = (
    " Deprecated in Pydantic V2.0 to be removed in V3.0."
    " See Pydantic V2 Migration Guide at https://errors.pydantic.dev/2.14/migration/")
TEXTS = {
    "__fields__": "The `__fields__` attribute is deprecated, use the `model_fields` class property instead." + GUIDE,
    "__fields_set__": "The `__fields_set__` attribute is deprecated, use `model_fields_set` instead." + GUIDE,
    "construct": "The `construct` method is deprecated; use `model_construct` instead." + GUIDE,
    "copy": "The `copy` method is deprecated; use `model_copy` instead. See the docstring of `BaseModel.copy` for"
            " details about how to handle `include` and `exclude`." + GUIDE,
    "dict": "The `dict` method is deprecated; use `model_dump` instead." + GUIDE,
    "from_orm": "The `from_orm` method is deprecated; set `model_config['from_attributes']=True` and use"
                " `model_validate` instead." + GUIDE,
    "json": "The `json` method is deprecated; use `model_dump_json` instead." + GUIDE,
    "load_file": "`load_file` is deprecated." + GUIDE,
    "load_str_bytes": "`load_str_bytes` is deprecated." + GUIDE,
    "parse_file": "The `parse_file` method is deprecated; load the data from file, then if your data is JSON use"
                  " `model_validate_json`, otherwise `model_validate` instead." + GUIDE,
    "parse_obj": "The `parse_obj` method is deprecated; use `model_validate` instead." + GUIDE,
    "parse_raw": "The `parse_raw` method is deprecated; if your data is JSON use `model_validate_json`, otherwise load"
                 " the data then use `model_validate` instead." + GUIDE,
    "schema": "The `schema` method is deprecated; use `model_json_schema` instead." + GUIDE,
    "schema_json": "The `schema_json` method is deprecated; use `model_json_schema` and json.dumps instead." + GUIDE,
    "update_forward_refs": "The `update_forward_refs` method is deprecated; use `model_rebuild` instead." + GUIDE,
    "validate": "The `validate` method is deprecated; use `model_validate` instead." + GUIDE,
}
FILE = ["parse_file", "load_file", "load_str_bytes", "parse_obj"]
RAW = ["parse_raw", "load_str_bytes"]
PICKLED = pickle.dumps({"x": 4}, 2)


class Part(Model):
    a: int = 1
    b: Optional[str] = None


class Whole(Model):
    x: int
    y: Optional[Dict[str, Any]] = None
    z: Optional[List[Any]] = None
    part: Optional[Part] = None
    any: Any = None


class Open(Whole, extra="allow"):
    pass


Pair = namedtuple("Pair", "p q")


def make(**values: Any) -> Whole:
    given: Dict[str, Any] = {"x": 1, "y": {"a": [1, {"k": 1, "l": 2}], "b": 2}, "z": [{"q": 1, "r": 2}, [5, 6, 7]]}
    given.update(values)
    return Whole(**given)


def call(function: Callable[[], Any]) -> Tuple[Any, List[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            return function(), given
        except Exception as exc:
            return exc, given


def texts_of(given: List[warnings.WarningMessage]) -> List[str]:
    return [str(one.message) for one in given]


def in_folder(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    return str(folder / name)


# id, call, what it gives, the names that warn
GIVE: List[Tuple[str, Callable[[], Any], Any, List[str]]] = [
    ("parse_obj", lambda: Whole.parse_obj({"x": "1"}), Whole(x=1), ["parse_obj"]),
    ("validate", lambda: Whole.validate(value={"x": "1"}), Whole(x=1), ["validate"]),
    ("parse_raw text", lambda: Whole.parse_raw('{"x": 1}'), Whole(x=1), RAW),
    ("parse_raw bytes", lambda: Whole.parse_raw(b'{"x": 1}'), Whole(x=1), RAW),
    ("parse_raw encoding", lambda: Whole.parse_raw('{"x": 1}'.encode("utf-16"), encoding="utf-16"), Whole(x=1), RAW),
    ("parse_raw json type", lambda: Whole.parse_raw('{"x": 1}', content_type="application/json"), Whole(x=1), RAW),
    ("parse_raw js type", lambda: Whole.parse_raw('{"x": 1}', content_type="text/javascript"), Whole(x=1), RAW),
    ("parse_raw proto beats type", lambda: Whole.parse_raw('{"x": 1}', proto="json", content_type="text/plain"),
     Whole(x=1), RAW),
    ("parse_raw no proto, no type", lambda: Whole.parse_raw('{"x": 1}', proto="", content_type=""), Whole(x=1), RAW),
    ("parse_raw pickle", lambda: Whole.parse_raw(PICKLED, proto="pickle", allow_pickle=True), Whole(x=4), RAW),
    ("parse_raw pickle type", lambda: Whole.parse_raw(PICKLED, content_type="x/pickle", allow_pickle=True),
     Whole(x=4), RAW),
    ("construct", lambda: Whole.construct(x="a").x, "a", ["construct"]),
    ("construct fields set", lambda: Whole.construct({"y"}, x="a").model_fields_set, {"y"}, ["construct"]),
    ("dict", lambda: Whole(x=1).dict(),
     {"x": 1, "y": None, "z": None, "part": None, "any": None}, ["dict"]),
    ("dict include", lambda: make().dict(include={"z": {0: {"q"}}}), {"z": [{"q": 1}]}, ["dict"]),
    ("dict exclude", lambda: make().dict(exclude={"y", "z", "part"}), {"x": 1, "any": None}, ["dict"]),
    ("dict exclude_unset", lambda: Whole(x=1).dict(exclude_unset=True), {"x": 1}, ["dict"]),
    ("dict exclude_defaults", lambda: Whole(x=1, y=None).dict(exclude_defaults=True), {"x": 1}, ["dict"]),
    ("dict exclude_none", lambda: Whole(x=1).dict(exclude_none=True, by_alias=True), {"x": 1}, ["dict"]),
    ("json", lambda: Part(b="é").json(), '{"a":1,"b":"é"}', ["json"]),
    ("json include", lambda: Part().json(include={"a"}), '{"a":1}', ["json"]),
    ("json exclude", lambda: Part().json(exclude={"a"}, by_alias=True), '{"b":null}', ["json"]),
    ("json exclude_unset", lambda: Part(b="x").json(exclude_unset=True), '{"b":"x"}', ["json"]),
    ("json exclude_none", lambda: Part().json(exclude_none=True), '{"a":1}', ["json"]),
    ("json exclude_defaults", lambda: Part().json(exclude_defaults=True), "{}", ["json"]),
    ("schema", lambda: Part.schema() == Part.model_json_schema(), True, ["schema"]),
    ("schema by position", lambda: AgentContext.schema(False, "x{model}")["properties"]["rollout_details"]["anyOf"][0],
     {"items": {"$ref": "xRolloutDetail"}, "type": "array"}, ["schema"]),
    ("schema_json", lambda: Part.schema_json() == json.dumps(Part.model_json_schema()), True, ["schema_json"]),
    ("schema_json options", lambda: Part.schema_json(by_alias=False, ref_template="{model}", indent=1, sort_keys=True)
     == json.dumps(Part.model_json_schema(), indent=1, sort_keys=True), True, ["schema_json"]),
    ("update_forward_refs", lambda: Part.update_forward_refs(), None, ["update_forward_refs"]),
    ("__fields__", lambda: list(Part.__fields__), ["a", "b"], ["__fields__"]),
    ("__fields_set__", lambda: Part(b="x").__fields_set__, {"b"}, ["__fields_set__"]),
    ("documented example", lambda: AgentContext(n_input_tokens=1).dict(), {
        "n_input_tokens": 1, "n_cache_tokens": None, "n_output_tokens": None, "cost_usd": None,
        "rollout_details": None, "metadata": None}, ["dict"]),
]

# id, call, type of the error, its text, the names that warn
REFUSE: List[Tuple[str, Callable[[], Any], type, str, List[str]]] = [
    ("parse_obj", lambda: Part.parse_obj({"a": "q"}), ValidationError,
     "1 validation error for Part\na\n  Input should be a valid integer, unable to parse string as an integer"
     " [type=int_parsing, input_value='q', input_type=str]", ["parse_obj"]),
    ("validate", lambda: Part.validate(5), ValidationError,
     "1 validation error for Part\n  Input should be a valid dictionary or instance of Part"
     " [type=model_type, input_value=5, input_type=int]", ["validate"]),
    ("parse_raw is no strict JSON", lambda: Part.parse_raw('{"a": NaN}'), ValidationError,
     "1 validation error for Part\na\n  Input should be a finite number"
     " [type=finite_number, input_value=nan, input_type=float]", RAW),
    ("parse_raw empty", lambda: Part.parse_raw(""), ValidationError,
     "1 validation error for Part\n__root__\n  Expecting value: line 1 column 1 (char 0)"
     " [type=value_error.jsondecode, input_value='', input_type=str]", RAW),
    ("parse_raw more", lambda: Part.parse_raw(b"{} x"), ValidationError,
     "1 validation error for Part\n__root__\n  Extra data: line 1 column 4 (char 3)"
     " [type=value_error.jsondecode, input_value=b'{} x', input_type=bytes]", RAW),
    ("parse_raw no UTF-8", lambda: Part.parse_raw(b"\xff"), ValidationError,
     "1 validation error for Part\n__root__\n  'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"
     " [type=value_error.unicodedecode, input_value=b'\\xff', input_type=bytes]", RAW),
    ("parse_raw no text", lambda: Part.parse_raw(5), ValidationError,  # type: ignore[arg-type]  # refused
     "1 validation error for Part\n__root__\n  the JSON object must be str, bytes or bytearray, not int"
     " [type=type_error, input_value=5, input_type=int]", RAW),
    ("parse_raw unknown type", lambda: Part.parse_raw("{}", content_type="text/plain"), ValidationError,
     "1 validation error for Part\n__root__\n  Unknown content-type: text/plain"
     " [type=type_error, input_value='{}', input_type=str]", RAW),
    ("parse_raw type of pickle, not allowed", lambda: Part.parse_raw("{}", content_type="pickle"), ValidationError,
     "1 validation error for Part\n__root__\n  Unknown content-type: pickle"
     " [type=type_error, input_value='{}', input_type=str]", RAW),
    ("parse_raw unknown proto", lambda: Part.parse_raw("{}", proto="yaml"), ValidationError,
     "1 validation error for Part\n__root__\n  Unknown protocol: yaml"
     " [type=type_error, input_value='{}', input_type=str]", RAW),
    ("parse_raw pickle of another protocol", lambda: Part.parse_raw(b"\x80\x67.", proto="pickle", allow_pickle=True),
     ValidationError, "1 validation error for Part\n__root__\n  unsupported pickle protocol: 103"
     " [type=value_error, input_value=b'\\x80g.', input_type=bytes]", RAW),
    ("parse_raw pickle, not allowed", lambda: Part.parse_raw(PICKLED, proto="pickle"), RuntimeError,
     "Trying to decode with pickle with allow_pickle=False", RAW),
    ("parse_raw bad pickle", lambda: Part.parse_raw("", proto="pickle", allow_pickle=True), EOFError,
     "Ran out of input", RAW),
    ("parse_raw unknown encoding", lambda: Part.parse_raw(b"{}", encoding="nope"), LookupError,
     "unknown encoding: nope", RAW),
    ("parse_file missing", lambda: Part.parse_file("/no/such/file"), FileNotFoundError,
     "[Errno 2] No such file or directory: '/no/such/file'", FILE[:2]),
    ("from_orm", lambda: Part.from_orm(Part()), PydanticUserError,
     "You must set the config attribute `from_attributes=True` to use from_orm", ["from_orm"]),
    ("json encoder", lambda: Part().json(encoder=None), TypeError,
     "The `encoder` argument is no longer supported; use field serializers instead.", ["json"]),
    ("json models_as_dict", lambda: Part().json(models_as_dict=True), TypeError,
     "The `models_as_dict` argument is no longer supported; use a model serializer instead.", ["json"]),
    ("json options", lambda: Part().json(indent=2), TypeError,
     "`dumps_kwargs` keyword arguments are no longer supported.", ["json"]),
    ("update_forward_refs names", lambda: Part.update_forward_refs(Part=Part), TypeError,
     "`localns` arguments are not longer accepted.", ["update_forward_refs"]),
    ("copy include list", lambda: make().copy(include=["x"]), TypeError,
     "Unexpected type of exclude value <class 'list'>", ["copy"]),
    ("copy exclude number", lambda: make().copy(exclude={"x": 5}), TypeError,
     "Unexpected type of exclude value <class 'int'>", ["copy"]),
    ("copy exclude False", lambda: make().copy(exclude=False), TypeError,
     "Unexpected type of exclude value <class 'bool'>", ["copy"]),
    ("copy exclude everything", lambda: make().copy(exclude=True), AttributeError,
     "'bool' object has no attribute 'items'", ["copy"]),
    ("copy number below an index", lambda: make().copy(include={"z": {0: 5}}), TypeError,
     "Unexpected type of exclude value for index \"0\" <class 'int'>", ["copy"]),
    ("copy name in a list", lambda: make().copy(include={"z": {"a"}}), TypeError,
     "Excluding fields from a sequence of sub-models or dicts must be performed index-wise: expected integer keys or"
     ' keyword "__all__"', ["copy"]),
    ("copy number below a key", lambda: make().copy(exclude={"y": {"a": 5}}), TypeError,
     "Unexpected type of exclude value <class 'int'>", ["copy"]),
    ("copy generator", lambda: make(any=(one for one in "ab")).copy(exclude={"x"}), TypeError,
     "cannot create 'generator' instances", ["copy"]),
]

# id, instance, arguments, __dict__ of the copy, its fields_set
Q = [{"q": {"s": 1, "t": 2, "u": 3}, "r": 2}] * 2
COPY: List[Tuple[str, Whole, Dict[str, Any], Dict[str, Any], Set[str]]] = [
    ("plain", Whole(x=1), {}, {"x": 1, "y": None, "z": None, "part": None, "any": None}, {"x"}),
    ("construct", Whole.model_construct(), {}, {"y": None, "z": None, "part": None, "any": None}, set()),
    ("update", Whole.model_construct(), {"update": {"x": "unchecked", "new": 2}},
     {"y": None, "z": None, "part": None, "any": None, "x": "unchecked", "new": 2}, {"x", "new"}),
    ("include unsets nothing", make(), {"include": {"x"}}, {"x": 1}, {"x", "y", "z"}),
    ("include unknown", make(), {"include": {"x", "new"}}, {"x": 1}, {"x", "y", "z"}),
    ("include nothing", make(), {"include": set()}, {}, {"x", "y", "z"}),
    ("include None below", make(), {"include": {"x": None}}, {"x": 1}, {"x", "y", "z"}),
    ("include all", Whole(x=1), {"include": ...}, {"x": 1, "y": None, "z": None, "part": None, "any": None}, {"x"}),
    ("include and update", make(), {"include": {"x"}, "update": {"any": 5}}, {"x": 1, "any": 5},
     {"x", "y", "z", "any"}),
    ("include of a dict", make(), {"include": {"y": {"b"}}}, {"y": {"b": 2}}, {"x", "y", "z"}),
    ("include empty below", make(), {"include": {"z": {}}}, {"z": [{"q": 1, "r": 2}, [5, 6, 7]]}, {"x", "y", "z"}),
    ("include index", make(), {"include": {"z": {0: {"q"}}}}, {"z": [{"q": 1}]}, {"x", "y", "z"}),
    ("include negative index", make(), {"include": {"y": {"a": {-1: {"k"}}}}}, {"y": {"a": [{"k": 1}]}},
     {"x", "y", "z"}),
    ("include absent index", make(), {"include": {"z": {9, -9}}}, {"z": []}, {"x", "y", "z"}),
    ("include empty everywhere", make(), {"include": {"z": {"__all__": {}}}}, {"z": []}, {"x", "y", "z"}),
    ("include one index twice", make(z=Q), {"include": {"z": {-1: {"q": {"s"}}, 1: {"q": {"t"}}}}},
     {"z": [{"q": {"s": 1, "t": 2}}]}, {"x", "y", "z"}),
    ("include one index twice, first whole", make(z=Q), {"include": {"z": {-1: True, 1: {"q": {"s"}}}}},
     {"z": [Q[0]]}, {"x", "y", "z"}),
    ("exclude", make(), {"exclude": {"y", "z", "new"}}, {"x": 1, "part": None, "any": None}, {"x"}),
    ("exclude None below", Whole(x=1), {"exclude": {"x": None}},
     {"x": 1, "y": None, "z": None, "part": None, "any": None}, set()),
    ("exclude a part unsets the field", make(), {"exclude": {"y": {"a"}, "z": True}},
     {"x": 1, "y": {"b": 2}, "part": None, "any": None}, {"x"}),
    ("exclude index", make(), {"exclude": {"z": {0, -1}}, "include": {"z"}}, {"z": []}, {"x", "y"}),
    ("exclude everywhere", make(z=Q), {"exclude": {"z": {"__all__": {"q": {"s"}}, 0: {"q": {"t"}}}}, "include": {"z"}},
     {"z": [{"q": {"u": 3}, "r": 2}, {"q": {"t": 2, "u": 3}, "r": 2}]}, {"x", "y"}),
    ("exclude everywhere and one whole", make(z=Q),
     {"exclude": {"z": {"__all__": {"q": {"s"}}, 0: True}}, "include": {"z"}},
     {"z": [{"q": {"t": 2, "u": 3}, "r": 2}]}, {"x", "y"}),
    ("exclude all of a list", make(), {"exclude": {"z": {"__all__"}}, "include": {"z"}}, {"z": []}, {"x", "y"}),
    ("exclude and include", make(), {"exclude": {"y": {"a"}}, "include": {"x": True, "y": {"a", "b"}}},
     {"x": 1, "y": {"b": 2}}, {"x", "z"}),
    ("exclude and update", Whole(x=1), {"exclude": {"x"}, "update": {"x": 5}},
     {"y": None, "z": None, "part": None, "any": None, "x": 5}, set()),
    ("tuple", make(any=(1, 2, [3])), {"include": {"any": {0, 2}}}, {"any": (1, [3])}, {"x", "y", "z", "any"}),
    ("named tuple", make(any=Pair(1, [2, 3])), {"exclude": {"any": {1: {0}}}, "include": {"any"}},
     {"any": Pair(1, [3])}, {"x", "y", "z"}),
    ("set", make(any={5}), {"exclude": {"any": {0}}, "include": {"any"}}, {"any": set()}, {"x", "y", "z"}),
    ("deque has no negative index", make(any=deque([1, 2])), {"exclude": {"any": {-1}}, "include": {"any"}},
     {"any": deque([1, 2])}, {"x", "y", "z"}),
    ("text", make(any="abc"), {"include": {"any": {0}}}, {"any": "abc"}, {"x", "y", "z", "any"}),
]


@pytest.mark.parametrize("function, expected, names", [row[1:] for row in GIVE], ids=[row[0] for row in GIVE])
def test_old_name_gives_what_the_new_one_gives(function: Callable[[], Any], expected: Any, names: List[str]) -> None:
    result, given = call(function)
    assert (result, type(result)) == (expected, type(expected))
    assert texts_of(given) == [TEXTS[name] for name in names]
    assert {one.category for one in given} == {PydanticDeprecatedSince20}


@pytest.mark.parametrize("function, kind, text, names", [row[1:] for row in REFUSE], ids=[row[0] for row in REFUSE])
def test_old_name_refuses(function: Callable[[], Any], kind: type, text: str, names: List[str]) -> None:
    result, given = call(function)
    assert (type(result), str(result)) == (kind, text)
    assert texts_of(given) == [TEXTS[name] for name in names]


@pytest.mark.parametrize("source, options, values, fields_set", [row[1:] for row in COPY], ids=[row[0] for row in COPY])
def test_copy(source: Whole, options: Dict[str, Any], values: Dict[str, Any], fields_set: Set[str]) -> None:
    before = dict(source.__dict__), set(source.model_fields_set)
    copied, given = call(lambda: source.copy(**options))
    assert (copied.__dict__, list(copied.__dict__)) == (values, list(values))
    assert (copied.model_fields_set, type(copied), copied.model_extra) == (fields_set, Whole, None)
    assert (source.__dict__, source.model_fields_set) == before
    assert texts_of(given) == [TEXTS["copy"]]


@pytest.mark.parametrize("options, x, extra, fields_set", [
    ({}, 1, {"q": 2, "r": [3]}, {"x", "q", "r"}),
    ({"deep": True}, 1, {"q": 2, "r": [3]}, {"x", "q", "r"}),
    ({"exclude": {"q"}}, 1, {"r": [3]}, {"x", "r"}),
    ({"exclude": {"r": {0}}}, 1, {"q": 2, "r": []}, {"x", "q"}),
    ({"include": {"x", "q"}}, 1, {}, {"x", "q", "r"}),
    ({"exclude": {"q"}, "update": {"q": 5, "x": 7}}, 7, {"q": 5, "r": [3]}, {"x", "r"}),
], ids=["plain", "deep", "exclude", "exclude a part", "include knows fields only", "exclude and update"])
def test_copy_of_extra_values(options: Dict[str, Any], x: int, extra: Dict[str, Any], fields_set: Set[str]) -> None:
    copied, _ = call(lambda: Open(x=1, q=2, r=[3]).copy(**options))  # type: ignore[call-arg]  # extra is allowed
    assert (copied.x, copied.model_extra, copied.model_fields_set) == (x, extra, fields_set)


def test_copy_puts_new_names_of_update_beside_the_fields() -> None:
    copied, _ = call(lambda: Open(x=1).copy(update={"n": 6}))
    assert (copied.__dict__["n"], copied.model_extra) == (6, {})


def test_copy_shares_deep_copies_and_selection_rebuilds() -> None:
    source = make(part=Part())
    plain, _ = call(source.copy)
    deep, _ = call(lambda: source.copy(deep=True))
    chosen, given = call(lambda: source.copy(exclude=set()))
    shared = [[one.y is source.y, one.part is source.part] for one in (plain, deep, chosen)]
    assert shared == [[True, True], [False, False], [False, False]]
    assert plain == deep == chosen == source
    assert plain.model_fields_set is not source.model_fields_set
    # The model inside is copied by the old method again.
    assert texts_of(given) == [TEXTS["copy"]] * 2


@pytest.mark.parametrize("options, inner", [
    ({"exclude": {"any": {"__all__": {"a"}}}}, [{"b": None}, {"b": "x"}]),
    ({"include": {"any": {1: {"b"}}}}, [{"b": "x"}]),
    ({"exclude": {"any": {0: {"a": 0}}}}, TypeError("Unexpected type of exclude value <class 'int'>")),
], ids=["everywhere", "one", "falsy"])
def test_copy_selects_in_models_inside(options: Dict[str, Any], inner: Any) -> None:
    copied, _ = call(lambda: make(any=[Part(a=1), Part(a=2, b="x")]).copy(**options))
    if isinstance(inner, Exception):
        assert (type(copied), str(copied)) == (type(inner), str(inner))
    else:
        assert [part.__dict__ for part in copied.any] == inner


def test_copy_of_update_with_other_keys_than_text_is_refused() -> None:
    result, _ = call(lambda: make().copy(update={1: 2}))
    assert (type(result), str(result)) == (TypeError, "keywords must be strings")


def test_copy_can_be_pickled() -> None:
    copied, _ = call(lambda: make().copy(exclude={"y"}))
    assert pickle.loads(pickle.dumps(copied)) == copied


# file name, content, options, what is read, number of warnings
@pytest.mark.parametrize("name, content, options, expected, n_warnings", [
    ("a.json", b'{"x": 1}', {}, 1, 4),
    ("a.js", b'{"x": 1}', {"proto": "pickle"}, 1, 4),
    ("a.txt", b'{"x": 1}', {}, 1, 4),
    ("a.json", b'{"x": 1}', {"content_type": "json"}, 1, 4),
    ("a.txt", '{"x": 1}'.encode("utf-16"), {"encoding": "utf-16"}, 1, 4),
    ("a.pkl", PICKLED, {"allow_pickle": True}, 4, 4),
    ("a.pkl", PICKLED, {"allow_pickle": True, "proto": "json"}, 4, 4),
    ("a.txt", PICKLED, {"allow_pickle": True, "proto": "pickle"}, 4, 4),
    ("a.pkl", PICKLED, {}, RuntimeError("Trying to decode with pickle with allow_pickle=False"), 3),
    ("a.json", b"", {}, json.JSONDecodeError("Expecting value", "", 0), 3),
    ("a.json", b"{}", {"content_type": "text/plain"}, TypeError("Unknown content-type: text/plain"), 3),
    ("a.txt", b"{}", {"proto": "yaml"}, TypeError("Unknown protocol: yaml"), 3),
])
def test_parse_file(
    tmp_path: Path, name: str, content: bytes, options: Dict[str, Any], expected: Any, n_warnings: int
) -> None:
    path = in_folder(tmp_path, name, content)
    for form in (path, Path(path)):
        result, given = call(lambda: Whole.parse_file(form, **options))
        if isinstance(expected, Exception):
            assert (type(result), str(result)) == (type(expected), str(expected))
        else:
            assert result == Whole(x=expected)
        assert texts_of(given) == [TEXTS[name] for name in FILE[:n_warnings]]


def test_parse_file_of_a_wrong_record_is_a_validation_error(tmp_path: Path) -> None:
    result, _ = call(lambda: Part.parse_file(in_folder(tmp_path, "a.json", b'{"a": "q"}')))
    assert [(one["type"], one["loc"]) for one in result.errors()] == [("int_parsing", ("a",))]


def test_error_of_parse_raw_as_data() -> None:
    error, _ = call(lambda: Part.parse_raw(""))
    assert error.title == "Part"
    assert error.errors(include_url=False) == [{
        "type": "value_error.jsondecode", "loc": ("__root__",), "msg": "Expecting value: line 1 column 1 (char 0)",
        "input": ""}]
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert isinstance(error.__context__, json.JSONDecodeError)


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="this Python converts any number of digits")
def test_parse_raw_of_a_huge_number_is_a_value_error() -> None:
    error, _ = call(lambda: Part.parse_raw('{"a": %s}' % ("1" * 5000)))
    assert [(one["type"], one["loc"]) for one in error.errors()] == [("value_error", ("__root__",))]


def test_from_orm_on_a_configured_class() -> None:
    class Row(Part):
        pass

    class Source:
        a = 5

    # Set late: the class statement refuses what the codec does not know.
    Row.model_config["from_attributes"] = True
    result, given = call(lambda: Row.from_orm(Source()))
    assert (result, texts_of(given)) == (Row(a=5), [TEXTS["from_orm"]])


@pytest.mark.parametrize("name, expected, text", [
    ("model_fields", ["a", "b"],
     "Accessing the 'model_fields' attribute on the instance is deprecated. Instead, you should access this attribute"
     " from the model class. Deprecated in Pydantic V2.11 to be removed in V3.0."),
    ("model_computed_fields", [],
     "Accessing the 'model_computed_fields' attribute on the instance is deprecated. Instead, you should access this"
     " attribute from the model class. Deprecated in Pydantic V2.11 to be removed in V3.0."),
    ("__fields__", ["a", "b"], TEXTS["__fields__"]),
])
def test_instance_knows_the_fields_of_its_class(name: str, expected: List[str], text: str) -> None:
    result, given = call(lambda: getattr(Part(), name))
    assert (list(result), texts_of(given)) == (expected, [text])
    expected_category = PydanticDeprecatedSince20 if name == "__fields__" else PydanticDeprecatedSince211
    assert given[0].category is expected_category


def test_class_is_asked_for_its_fields_without_a_warning() -> None:
    assert (list(Part.model_fields), Part.model_computed_fields) == (["a", "b"], {})


def test_looking_at_all_attributes_of_a_class_does_not_warn() -> None:
    assert "__fields__" not in dir(Part)
    assert "__fields__" in dir(Part())
    assert {"copy", "dict", "model_fields", "__fields_set__"} <= {name for name, _ in inspect.getmembers(Part)}


@pytest.mark.parametrize("name", ["copy", "dict", "json", "model_fields", "model_computed_fields"])
def test_old_names_cannot_be_assigned(name: str) -> None:
    result, _ = call(lambda: setattr(Part(), name, 1))
    assert (type(result), str(result)) == (ValueError, '"Part" object has no field "%s"' % name)


def test_warnings_point_at_the_caller() -> None:
    def points_here(function: Callable[[], Any]) -> List[bool]:
        return [one.filename == __file__ for one in call(function)[1]]

    assert points_here(lambda: Part().dict()) == [True]
    assert points_here(lambda: Part.__fields__) == [True]
    assert points_here(lambda: Part().__fields_set__) == [True]
    assert points_here(lambda: Part.parse_raw("{}")) == [True, False]


def test_kinds_of_warnings() -> None:
    for kind, since in ((PydanticDeprecatedSince20, (2, 0)), (PydanticDeprecatedSince211, (2, 11))):
        assert kind.__mro__[1:3] == (PydanticDeprecationWarning, DeprecationWarning)
        warning = kind("Gone.")
        assert (warning.message, warning.since, warning.expected_removal) == ("Gone", since, (3, 0))
        assert (warning.args, str(pickle.loads(pickle.dumps(warning)))) == (("Gone.",), str(warning))
    assert str(PydanticDeprecatedSince20("Gone.")) == "Gone." + GUIDE
    assert issubclass(PydanticUserError, RuntimeError)


def test_tools_find_the_text_on_the_method() -> None:
    method: Any = Part.parse_raw
    assert method.__deprecated__ + GUIDE == TEXTS["parse_raw"]
    method = Part.dict
    assert method.__deprecated__ + GUIDE == TEXTS["dict"]


DUMP = "include=None exclude=None by_alias=False exclude_unset=False exclude_defaults=False exclude_none=False"
LOAD = "content_type=None encoding='utf8' proto=None allow_pickle=False"


@pytest.mark.parametrize("name, positional, keywords", [
    ("dict", "", DUMP),
    ("json", "", DUMP + " encoder models_as_dict dumps_kwargs"),
    ("copy", "", "include=None exclude=None update=None deep=False"),
    ("parse_obj", "obj", ""),
    ("parse_raw", "b", LOAD),
    ("parse_file", "path", LOAD),
    ("from_orm", "obj", ""),
    ("construct", "_fields_set=None", "values"),
    ("schema", "by_alias=True ref_template='#/$defs/{model}'", ""),
    ("schema_json", "", "by_alias=True ref_template='#/$defs/{model}' dumps_kwargs"),
    ("validate", "value", ""),
    ("update_forward_refs", "", "localns"),
])
def test_signature(name: str, positional: str, keywords: str) -> None:
    shown: Tuple[List[str], List[str]] = ([], [])
    for parameter in inspect.signature(getattr(Part(), name)).parameters.values():
        plain = parameter.default in (parameter.empty, ...) or type(parameter.default) is object
        text = parameter.name if plain else "%s=%r" % (parameter.name, parameter.default)
        shown[parameter.kind is not parameter.POSITIONAL_OR_KEYWORD].append(text)
    assert shown == (positional.split(), keywords.split())
