"""harbor.codec.plan.containers: list, dict and TypedDict; the tables were recorded from pydantic 2.14.4."""

import collections
import collections.abc
import enum
import types
from typing import Any, Dict, Iterator, List, Optional, Tuple, TypedDict

import pytest

from harbor.codec import Model, TypeAdapter
from outcomes import (
    EVERY, JSON, LAX, PYTHON, STRICT, Raised, Refused, Warned, assert_checks, assert_dumps, assert_same, check,
    rows, unexpected,
)

NAN = float("nan")


class Color(enum.Enum):
    RED = "red"


class Items(list):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


class Table(dict):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


class View(collections.abc.Mapping):  # type: ignore[type-arg]  # not subscriptable on 3.8
    """A mapping that is no dict."""

    def __init__(self, **held: Any) -> None:
        self.held = held

    def __getitem__(self, key: Any) -> Any:
        return self.held[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


class Broken(View):
    def items(self) -> Any:
        raise RuntimeError("lookup failed")


class Endless:
    """Fail after the first item."""

    def __iter__(self) -> Iterator[int]:
        yield 1
        raise ValueError("no more")


class Turn(TypedDict):
    prompt: List[int]
    text: str


class Part(TypedDict, total=False):
    n: int
    note: Optional[str]


class Inner(TypedDict, total=False):
    turns: List[Turn]
    by_name: Dict[str, Part]


class Closed(Model, extra="forbid"):
    part: Part


class Open(Model, extra="allow"):
    part: Part


ENDLESS, BROKEN, VIEW, USER = Endless(), Broken(a=1), View(a=1, b="2"), collections.UserDict(n=1)
DEQUE, KEYS, PROXY = collections.deque([1]), {"a": 1}.keys(), types.MappingProxyType({"a": 1})
MORE: Any = {"n": 1, "more": 1}
OPEN = Open(part=MORE)
TABLE, LISTED = Table(a="1"), Items(["1"])

# id, type, ways, input, expected
CHECKS: List[Tuple[str, Any, str, Any, Any]] = [
    ("list", List[int], EVERY, [1, 2], [1, 2]),
    ("list empty", List[int], EVERY, [], []),
    ("list of lax items, lax", List[int], LAX, ["1", 2.0], [1, 2]),
    ("list of lax items, strict", List[int], STRICT, ["1", 2.0], Refused(("int_type", (0,), "1",
     "Input should be a valid integer"), ("int_type", (1,), 2.0, "Input should be a valid integer"))),
    ("list with two faults, lax", List[int], LAX, ["a", 1, None], Refused(("int_parsing", (0,), "a",
     "Input should be a valid integer, unable to parse string as an integer"), ("int_type", (2,), None,
     "Input should be a valid integer"))),
    ("list with two faults, strict", List[int], STRICT, ["a", 1, None], Refused(("int_type", (0,), "a",
     "Input should be a valid integer"), ("int_type", (2,), None, "Input should be a valid integer"))),
    ("list of lists", List[List[float]], EVERY, [[1], [], [None]],
     Refused(("float_type", (2, 0), None, "Input should be a valid number"))),
    ("bare list", list, EVERY, [1, "a"], [1, "a"]),
    ("list from tuple, python", List[int], "python", (1, 2), [1, 2]),
    ("list from tuple, strict python", List[int], "strict-python", (1, 2),
     Refused(("list_type", (), (1, 2), "Input should be a valid list"))),
    ("list from frozenset, python", List[int], "python", frozenset([1]), [1]),
    ("list from frozenset, strict python", List[int], "strict-python", frozenset([1]),
     Refused(("list_type", (), frozenset({1}), "Input should be a valid list"))),
    ("list from deque, python", List[int], "python", DEQUE, [1]),
    ("list from deque, strict python", List[int], "strict-python", DEQUE,
     Refused(("list_type", (), DEQUE, "Input should be a valid list"))),
    ("list from range, python", List[int], "python", range(2), [0, 1]),
    ("list from range, strict python", List[int], "strict-python", range(2),
     Refused(("list_type", (), range(0, 2), "Input should be a valid list"))),
    ("list from dict keys, python", List[str], "python", KEYS, ["a"]),
    ("list from dict keys, strict python", List[str], "strict-python", KEYS,
     Refused(("list_type", (), KEYS, "Input should be a valid list"))),
    ("list from subclass, python", List[int], "python", LISTED, [1]),
    ("list from subclass, strict python", List[int], "strict-python", LISTED,
     Refused(("int_type", (0,), "1", "Input should be a valid integer"))),
    ("list from text, python", List[str], PYTHON, "ab",
     Refused(("list_type", (), "ab", "Input should be a valid list"))),
    ("list from text, json", List[str], JSON, "ab", Refused(("list_type", (), "ab", "Input should be a valid array"))),
    ("list from bytes", List[int], PYTHON, b"ab", Refused(("list_type", (), b"ab", "Input should be a valid list"))),
    ("list from dict, python", List[str], PYTHON, {"a": 1},
     Refused(("list_type", (), {"a": 1}, "Input should be a valid list"))),
    ("list from dict, json", List[str], JSON, {"a": 1},
     Refused(("list_type", (), {"a": 1}, "Input should be a valid array"))),
    ("list from mapping", List[str], PYTHON, VIEW, Refused(("list_type", (), VIEW, "Input should be a valid list"))),
    ("list from none, python", List[int], PYTHON, None,
     Refused(("list_type", (), None, "Input should be a valid list"))),
    ("list from none, json", List[int], JSON, None, Refused(("list_type", (), None, "Input should be a valid array"))),
    ("list from int, python", List[int], PYTHON, 1, Refused(("list_type", (), 1, "Input should be a valid list"))),
    ("list from int, json", List[int], JSON, 1, Refused(("list_type", (), 1, "Input should be a valid array"))),
    ("list from broken iteration, python", List[int], "python", ENDLESS, Refused(("iteration_error", (1,), ENDLESS,
     "Error iterating over object, error: ValueError: no more", {"error": "ValueError: no more"}))),
    ("list from broken iteration, strict python", List[int], "strict-python", ENDLESS,
     Refused(("list_type", (), ENDLESS, "Input should be a valid list"))),
    ("dict", Dict[str, int], EVERY, {"a": 1}, {"a": 1}),
    ("dict empty", Dict[str, int], EVERY, {}, {}),
    ("dict of lax parts, lax", Dict[int, float], LAX, {"1": "1.5"}, {1: 1.5}),
    ("dict of lax parts, strict python", Dict[int, float], "strict-python", {"1": "1.5"}, Refused(("int_type", ("1",
     "[key]"), "1", "Input should be a valid integer"), ("float_type", ("1",), "1.5",
     "Input should be a valid number"))),
    ("dict of lax parts, strict json", Dict[int, float], "strict-json", {"1": "1.5"},
     Refused(("float_type", ("1",), "1.5", "Input should be a valid number"))),
    ("dict with faults in key and value, lax", Dict[int, int], LAX, {"a": None, "2": "b"}, Refused(("int_parsing",
     ("a", "[key]"), "a", "Input should be a valid integer, unable to parse string as an integer"), ("int_type", ("a",
     ), None, "Input should be a valid integer"), ("int_parsing", ("2",), "b",
     "Input should be a valid integer, unable to parse string as an integer"))),
    ("dict with faults in key and value, strict python", Dict[int, int], "strict-python", {"a": None, "2": "b"},
     Refused(("int_type", ("a", "[key]"), "a", "Input should be a valid integer"), ("int_type", ("a",), None,
     "Input should be a valid integer"), ("int_type", ("2", "[key]"), "2", "Input should be a valid integer"),
     ("int_type", ("2",), "b", "Input should be a valid integer"))),
    ("dict with faults in key and value, strict json", Dict[int, int], "strict-json", {"a": None, "2": "b"},
     Refused(("int_parsing", ("a", "[key]"), "a",
     "Input should be a valid integer, unable to parse string as an integer"), ("int_type", ("a",), None,
     "Input should be a valid integer"), ("int_type", ("2",), "b", "Input should be a valid integer"))),
    ("dict with int keys", Dict[str, int], PYTHON, {1: 1},
     Refused(("string_type", (1, "[key]"), 1, "Input should be a valid string"))),
    ("dict with key of a float, python", Dict[int, int], "python", {1.5: 1}, Refused(("int_from_float", ("1.5",
     "[key]"), 1.5, "Input should be a valid integer, got a number with a fractional part"))),
    ("dict with key of a float, strict python", Dict[int, int], "strict-python", {1.5: 1},
     Refused(("int_type", ("1.5", "[key]"), 1.5, "Input should be a valid integer"))),
    ("dict with key of a tuple", Dict[str, int], PYTHON, {(1, 2): 1},
     Refused(("string_type", ("(1, 2)", "[key]"), (1, 2), "Input should be a valid string"))),
    ("dict with keys of bool, python json", Dict[bool, int], "python json strict-json", {"true": 1}, {True: 1}),
    ("dict with keys of bool, strict python", Dict[bool, int], "strict-python", {"true": 1},
     Refused(("bool_type", ("true", "[key]"), "true", "Input should be a valid boolean"))),
    ("dict with keys of enum, python json", Dict[Color, int], "python json strict-json", {"red": 1, "blue": 2},
     Refused(("enum", ("blue", "[key]"), "blue", "Input should be 'red'", {"expected": "'red'"}))),
    ("dict with keys of enum, strict python", Dict[Color, int], "strict-python", {"red": 1, "blue": 2},
     Refused(("is_instance_of", ("red", "[key]"), "red", "Input should be an instance of Color", {"class": "Color"}),
     ("is_instance_of", ("blue", "[key]"), "blue", "Input should be an instance of Color", {"class": "Color"}))),
    ("dict with key of a lone surrogate, python", Dict[str, int], "python", {"\ud800": "x"},
     Refused(("int_parsing", ("���",), "x", "Input should be a valid integer, unable to parse string as an integer"))),
    ("dict with key of a lone surrogate, strict python", Dict[str, int], "strict-python", {"\ud800": "x"},
     Refused(("int_type", ("���",), "x", "Input should be a valid integer"))),
    ("dict of dicts, lax", Dict[str, Dict[str, int]], LAX, {"a": {"b": "c"}}, Refused(("int_parsing", ("a", "b"), "c",
     "Input should be a valid integer, unable to parse string as an integer"))),
    ("dict of dicts, strict", Dict[str, Dict[str, int]], STRICT, {"a": {"b": "c"}},
     Refused(("int_type", ("a", "b"), "c", "Input should be a valid integer"))),
    ("bare dict", dict, EVERY, {"a": [None]}, {"a": [None]}),
    ("dict from mapping, python", Dict[str, int], "python", VIEW, {"a": 1, "b": 2}),
    ("dict from mapping, strict python", Dict[str, int], "strict-python", VIEW,
     Refused(("dict_type", (), VIEW, "Input should be a valid dictionary"))),
    ("dict from mapping proxy, python", Dict[str, int], "python", PROXY, {"a": 1}),
    ("dict from mapping proxy, strict python", Dict[str, int], "strict-python", PROXY,
     Refused(("dict_type", (), PROXY, "Input should be a valid dictionary"))),
    ("dict from subclass, python", Dict[str, int], "python", TABLE, {"a": 1}),
    ("dict from subclass, strict python", Dict[str, int], "strict-python", TABLE,
     Refused(("int_type", ("a",), "1", "Input should be a valid integer"))),
    ("dict from broken mapping, python", Dict[str, int], "python", BROKEN, Refused(("mapping_type", (), BROKEN,
     "Input should be a valid mapping, error: RuntimeError: lookup failed",
     {"error": "RuntimeError: lookup failed"}))),
    ("dict from broken mapping, strict python", Dict[str, int], "strict-python", BROKEN,
     Refused(("dict_type", (), BROKEN, "Input should be a valid dictionary"))),
    ("dict from pairs, python", Dict[str, int], PYTHON, [["a", 1]],
     Refused(("dict_type", (), [["a", 1]], "Input should be a valid dictionary"))),
    ("dict from pairs, json", Dict[str, int], JSON, [["a", 1]],
     Refused(("dict_type", (), [["a", 1]], "Input should be an object"))),
    ("dict from none, python", Dict[str, int], PYTHON, None,
     Refused(("dict_type", (), None, "Input should be a valid dictionary"))),
    ("dict from none, json", Dict[str, int], JSON, None,
     Refused(("dict_type", (), None, "Input should be an object"))),
    ("typed dict", Turn, EVERY, {"prompt": [1], "text": "a"}, {"prompt": [1], "text": "a"}),
    ("typed dict in the order of the class", Turn, EVERY, {"text": "a", "prompt": [1]}, {"prompt": [1], "text": "a"}),
    ("typed dict without required keys", Turn, EVERY, {},
     Refused(("missing", ("prompt",), {}, "Field required"), ("missing", ("text",), {}, "Field required"))),
    ("typed dict with faults, lax", Turn, LAX, {"prompt": ["x"], "text": None}, Refused(("int_parsing", ("prompt", 0),
     "x", "Input should be a valid integer, unable to parse string as an integer"), ("string_type", ("text",), None,
     "Input should be a valid string"))),
    ("typed dict with faults, strict", Turn, STRICT, {"prompt": ["x"], "text": None}, Refused(("int_type", ("prompt",
     0), "x", "Input should be a valid integer"), ("string_type", ("text",), None, "Input should be a valid string"))),
    ("typed dict with an unknown key", Turn, EVERY, {"prompt": [], "text": "", "more": 1}, {"prompt": [], "text": ""}),
    ("typed dict from other, python", Turn, PYTHON, [],
     Refused(("dict_type", (), [], "Input should be a valid dictionary"))),
    ("typed dict from other, json", Turn, JSON, [], Refused(("dict_type", (), [], "Input should be an object"))),
    ("typed dict from mapping, python", Part, "python", USER, {"n": 1}),
    ("typed dict from mapping, strict python", Part, "strict-python", USER,
     Refused(("dict_type", (), USER, "Input should be a valid dictionary"))),
    ("typed dict that needs nothing", Part, EVERY, {}, {}),
    ("typed dict of a lax value, lax", Part, LAX, {"n": "1", "note": None}, {"n": 1, "note": None}),
    ("typed dict of a lax value, strict", Part, STRICT, {"n": "1", "note": None},
     Refused(("int_type", ("n",), "1", "Input should be a valid integer"))),
    ("typed dicts inside, lax", Inner, LAX, {"turns": [{"prompt": []}], "by_name": {"a": {"n": "x"}}},
     Refused(("missing", ("turns", 0, "text"), {"prompt": []}, "Field required"), ("int_parsing", ("by_name", "a",
     "n"), "x", "Input should be a valid integer, unable to parse string as an integer"))),
    ("typed dicts inside, strict", Inner, STRICT, {"turns": [{"prompt": []}], "by_name": {"a": {"n": "x"}}},
     Refused(("missing", ("turns", 0, "text"), {"prompt": []}, "Field required"), ("int_type", ("by_name", "a", "n"),
     "x", "Input should be a valid integer"))),
    ("typed dict in closed model", Closed, EVERY, {"part": {"n": 1, "more": 1}},
     Refused(("extra_forbidden", ("part", "more"), 1, "Extra inputs are not permitted"))),
    ("typed dict in open model", Open, EVERY, {"part": {"n": 1, "more": 1}}, OPEN),
]

# id, type, options, input, expected
OPTIONS: List[Tuple[str, Any, Dict[str, Any], Any, Any]] = [
    ("typed dict allow", Part, {"extra": "allow"}, {"more": 1, "n": 2}, {"n": 2, "more": 1}),
    ("typed dict forbid", Part, {"extra": "forbid"}, {"more": 1, "n": "x"}, Refused(("int_parsing", ("n",), "x",
     "Input should be a valid integer, unable to parse string as an integer"), ("extra_forbidden", ("more",), 1,
     "Extra inputs are not permitted"))),
    ("typed dict ignore in closed model", Closed, {"extra": "ignore"}, {"part": {"more": 1}, "x": 1}, Closed(part={})),
    ("typed dict forbid below", Inner, {"extra": "forbid"}, {"by_name": {"a": {"b": 1}}},
     Refused(("extra_forbidden", ("by_name", "a", "b"), 1, "Extra inputs are not permitted"))),
    ("typed dict allow a key that is no text", Part, {"extra": "allow"}, {1: 1},
     Refused(("invalid_key", (1,), 1, "Keys should be strings"))),
    ("typed dict ignore a key that is no text", Part, {}, {1: 1}, {}),
]

# id, type, input, expected
STRINGS: List[Tuple[str, Any, Any, Any]] = [
    ("dict", Dict[int, float], {"1": "1.5"}, {1: 1.5}),
    ("dict refused", Dict[int, float], {"1": "x", "y": "1"}, Refused(("float_parsing", ("1",), "x",
     "Input should be a valid number, unable to parse string as a number"), ("int_parsing", ("y", "[key]"), "y",
     "Input should be a valid integer, unable to parse string as an integer"))),
    ("typed dict", Part, {"n": "1", "note": "x"}, {"n": 1, "note": "x"}),
    ("list", List[int], "1", Refused(("list_type", (), "1", "Input should be a valid array"))),
    ("typed dict refused", Turn, "x", Refused(("dict_type", (), "x", "Input should be an object"))),
    ("value that is no text", Dict[str, int], {"a": 1},
     Refused(("string_type", (), 1, "Input should be a valid string"))),
]

# id, type, value, in mode "python", in mode "json", as text
DUMPS: List[Tuple[str, Any, Any, Any, Any, Any]] = [
    ("list", List[float], [1.0, NAN], [1.0, NAN], [1.0, NAN], "[1.0,null]"),
    ("list of lists", List[List[int]], [[1], []], [[1], []], [[1], []], "[[1],[]]"),
    ("list of enums", List[Color], [Color.RED], [Color.RED], ["red"], '["red"]'),
    ("list subclass", List[str], LISTED, ["1"], ["1"], '["1"]'),
    ("dict", Dict[str, int], {"a": 1}, {"a": 1}, {"a": 1}, '{"a":1}'),
    ("dict with int keys", Dict[int, int], {1: 1, -2: 2}, {1: 1, -2: 2}, {"1": 1, "-2": 2}, '{"1":1,"-2":2}'),
    ("dict with float keys", Dict[float, int], {1.5: 1, NAN: 2}, {1.5: 1, NAN: 2}, {"1.5": 1, "nan": 2},
     '{"1.5":1,"nan":2}'),
    ("dict with int keys and true", Dict[int, int], {True: 1}, {True: 1}, {"True": 1}, '{"True":1}'),
    ("dict with bool keys", Dict[bool, int], {True: 1}, {True: 1}, {"true": 1}, '{"true":1}'),
    ("dict subclass", Dict[str, str], TABLE, {"a": "1"}, {"a": "1"}, '{"a":"1"}'),
    ("typed dict", Turn, {"text": "a", "prompt": [1]}, {"text": "a", "prompt": [1]}, {"text": "a", "prompt": [1]},
     '{"text":"a","prompt":[1]}'),
    ("typed dict with an unknown key", Part, {"n": 1, "more": 2}, {"n": 1}, {"n": 1}, '{"n":1}'),
    ("typed dict without required keys", Turn, {}, {}, {}, "{}"),
    ("list with tuple", List[int], (1,), Warned((1,), unexpected("list[int]", "(1,)", "tuple")),
     Warned([1], unexpected("list[int]", "(1,)", "tuple")), Warned("[1]", unexpected("list[int]", "(1,)", "tuple"))),
    ("list with a wrong item", List[int], [1, "a"], Warned([1, "a"], unexpected("int", "'a'", "str")),
     Warned([1, "a"], unexpected("int", "'a'", "str")), Warned('[1,"a"]', unexpected("int", "'a'", "str"))),
    ("list with none", List[int], None, None, None, "null"),
    ("dict with list", Dict[str, int], [1], Warned([1], unexpected("dict[str, int]", "[1]", "list")),
     Warned([1], unexpected("dict[str, int]", "[1]", "list")),
     Warned("[1]", unexpected("dict[str, int]", "[1]", "list"))),
    ("dict with mapping", Dict[str, int], PROXY,
     Warned(PROXY, unexpected("dict[str, int]", "mappingproxy({'a': 1})", "mappingproxy")),
     Raised("SerializationError", "Unable to serialize unknown type: <class 'mappingproxy'>"),
     Raised("SerializationError", "Unable to serialize unknown type: <class 'mappingproxy'>")),
    ("dict with wrong parts", Dict[str, int], {1: "a"},
     Warned({1: "a"}, unexpected("str", "1", "int"), unexpected("int", "'a'", "str")),
     Warned({"1": "a"}, unexpected("str", "1", "int"), unexpected("int", "'a'", "str")),
     Warned('{"1":"a"}', unexpected("str", "1", "int"), unexpected("int", "'a'", "str"))),
    ("typed dict with wrong value", Part, {"n": "a"}, Warned({"n": "a"}, unexpected("int", "'a'", "str", "n")),
     Warned({"n": "a"}, unexpected("int", "'a'", "str", "n")),
     Warned('{"n":"a"}', unexpected("int", "'a'", "str", "n"))),
    ("typed dict with list", Part, [1], Warned([1], unexpected("general-fields", "[1]", "list")),
     Warned([1], unexpected("general-fields", "[1]", "list")),
     Warned("[1]", unexpected("general-fields", "[1]", "list"))),
    ("typed dict with a key that is no text", Part, {1: 1},
     Raised("TypeError", "'int' object is not an instance of 'str'"),
     Raised("TypeError", "'int' object is not an instance of 'str'"),
     Raised("SerializationError", "Error serializing to JSON: TypeError: 'int' object is not an instance of 'str'")),
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


@pytest.mark.parametrize("kind, value, python, data, text", rows(DUMPS))
def test_dump(kind: Any, value: Any, python: Any, data: Any, text: Any) -> None:
    assert_dumps(kind, value, python, data, text)


@pytest.mark.parametrize("kind, value", [(List[int], [1]), (Dict[str, int], {"a": 1}), (Part, {"n": 1}), (list, [1])])
def test_a_checked_container_is_new(kind: Any, value: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    assert adapter.validate_python(value) == value
    assert adapter.validate_python(value) is not value
    assert adapter.dump_python(value) is not value


def test_any_leaves_a_container_alone() -> None:
    value: List[Any] = [1]
    assert TypeAdapter[Any](Any).validate_python(value) is value
    assert TypeAdapter[Any](List[Any]).validate_python([value])[0] is value


def test_a_generator_is_read_once() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(List[int])
    assert adapter.validate_python(number for number in "12") == [1, 2]


def test_a_model_of_a_repeated_key_takes_the_last_value() -> None:
    assert TypeAdapter[Any](Part).validate_json('{"n": 1, "n": 2}') == {"n": 2}
    assert TypeAdapter[Any](Dict[str, int]).validate_json('{"n": 1, "n": 2}') == {"n": 2}
