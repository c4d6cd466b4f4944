"""harbor.codec.plan.filters: include and exclude; the tables were recorded from pydantic 2.14.4."""

# Calls that a type checker refuses are among what is tested here.
# mypy: disable-error-code=call-arg

import collections
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, TypedDict

import pytest

from harbor.codec import Model
from outcomes import Raised, assert_same, dump, rows


class Leaf(Model):
    a: int = 1
    b: int = 2


class Turn(TypedDict):
    x: int
    y: int


@dataclass
class Spot:
    x: int
    y: int


class Whole(Model):
    leaf: Leaf = Leaf()
    leaves: List[Leaf] = [Leaf(), Leaf(a=3)]
    table: Dict[str, Leaf] = {"k": Leaf(), "l": Leaf(a=5)}
    turn: Turn = {"x": 1, "y": 2}
    spot: Spot = Spot(1, 2)
    any: Any = {"p": [1, {"q": 2, "r": 3}], "s": (4, 5)}


class Open(Model, extra="allow"):
    a: int = 1


WHOLE = Whole()
OPEN = Open(b=2, c={"d": 3, "e": 4})
NUMBERS = [0, 1, 2, 3]

# id, value, include, exclude, expected
FILTERS: List[Tuple[str, Any, Any, Any, Any]] = [
    ("nothing", WHOLE, set(), None, {}),
    ("nothing left out", Leaf(), None, set(), {"a": 1, "b": 2}),
    ("one field", WHOLE, {"leaf"}, None, {"leaf": {"a": 1, "b": 2}}),
    ("one field by dict", WHOLE, {"leaf": True}, None, {"leaf": {"a": 1, "b": 2}}),
    ("one field by dots", WHOLE, {"leaf": ...}, None, {"leaf": {"a": 1, "b": 2}}),
    ("one field by list", WHOLE, ["leaf"], None, {"leaf": {"a": 1, "b": 2}}),
    ("one field by tuple", Leaf(), None, ("a",), {"b": 2}),
    ("one field by frozenset", Leaf(), None, frozenset(["a"]), {"b": 2}),
    ("false is no selection", Leaf(), {"a": False}, None, {"a": 1}),
    ("false leaves nothing out", Leaf(), None, {"a": False}, {"a": 1, "b": 2}),
    ("none below leaves nothing out", Leaf(), None, {"a": None}, {"a": 1, "b": 2}),
    ("unknown names", Leaf(), {"z"}, {"z"}, {}),
    ("both", Leaf(), {"a", "b"}, {"b"}, {"a": 1}),
    ("below a field", WHOLE, {"leaf": {"a"}}, None, {"leaf": {"a": 1}}),
    ("all but below a field", Leaf(), None, {"a": {"z"}}, {"a": 1, "b": 2}),
    ("both below a field", WHOLE, {"leaf": {"a", "b"}, "spot": True}, {"leaf": {"a"}, "spot": {"x"}},
     {"leaf": {"b": 2}, "spot": {"y": 2}}),
    ("index", WHOLE, {"leaves": {0}}, None, {"leaves": [{"a": 1, "b": 2}]}),
    ("index from the end", WHOLE, {"leaves": {-1: {"a"}}}, None, {"leaves": [{"a": 3}]}),
    ("every index", WHOLE, {"leaves": {"__all__": {"a"}}}, None, {"leaves": [{"a": 1}, {"a": 3}]}),
    ("every index and one", WHOLE, {"leaves": {"__all__": {"a"}, 0: {"b"}}}, None,
     {"leaves": [{"a": 1, "b": 2}, {"a": 3}]}),
    ("every index out", WHOLE, {"leaves"}, {"leaves": {"__all__": {"a"}}}, {"leaves": [{"b": 2}, {"b": 2}]}),
    ("every index and one out", WHOLE, {"leaves"}, {"leaves": {"__all__": {"a"}, 1: True}}, {"leaves": [{"b": 2}]}),
    ("all of a list", WHOLE, {"leaves": {"__all__"}}, None, {"leaves": [{"a": 1, "b": 2}, {"a": 3, "b": 2}]}),
    ("key of a dict", WHOLE, {"table": {"k": {"a"}}}, None, {"table": {"k": {"a": 1}}}),
    ("every key of a dict", WHOLE, {"table": {"__all__": {"a"}}}, None, {"table": {"k": {"a": 1}, "l": {"a": 5}}}),
    ("every field", WHOLE.leaf, {"__all__"}, None, {"a": 1, "b": 2}),
    ("typed dict", WHOLE, {"turn": {"x"}}, None, {"turn": {"x": 1}}),
    ("typed dict out", WHOLE, {"turn"}, {"turn": {"x"}}, {"turn": {"y": 2}}),
    ("dataclass", WHOLE, {"spot": {"y"}}, None, {"spot": {"y": 2}}),
    ("any", WHOLE, {"any": {"p": {1: {"q"}}}}, None, {"any": {"p": [{"q": 2}]}}),
    ("any out", WHOLE, {"any"}, {"any": {"p": {1: {"q"}}, "s": {0}}}, {"any": {"p": [1, {"r": 3}], "s": (5,)}}),
    ("extra", OPEN, {"b", "c"}, None, {"b": 2, "c": {"d": 3, "e": 4}}),
    ("extra below", OPEN, None, {"a": True, "c": {"d"}}, {"b": 2, "c": {"e": 4}}),
    ("list", NUMBERS, {1, -1}, None, [1, 3]),
    ("list out", NUMBERS, None, {0: True, -2: True}, [1, 3]),
    ("list beyond its end", NUMBERS, {5}, None, [1]),
    ("tuple", (0, 1, 2), {0, 2}, None, (0, 2)),
    ("tuple out", (0, 1, 2), None, {-1}, (0, 1)),
    ("empty list", [], {0}, {0}, []),
    ("keys that are no text", {1: "a", "1": "b"}, {1}, None, {1: "a"}),
    ("set is not filtered", {7}, {0}, {0}, {7}),
    ("deque", collections.deque([1, 2, 3]), {0, -1}, {0}, collections.deque([3])),
    ("scalar is not filtered", 7, {0}, {0}, 7),
    ("text", Leaf(), "a", None, {"a": 1}),
    ("int", Leaf(), 5, None, Raised("TypeError", "`include` argument must be a set or dict.")),
    ("int below", WHOLE, {"leaf": 5}, None, Raised("TypeError", "`include` argument must be a set or dict.")),
    ("int out", Leaf(), None, 5, Raised("TypeError", "`exclude` argument must be a set or dict.")),
    ("int below beside all", WHOLE, {"leaves": {"__all__": {"a"}, 0: 5}}, None, Raised("TypeError",
     "`include` and `exclude` must be of type `dict[str | int, <recursive> | ...] | set[str | int | ...]`")),
    ("text among indexes", NUMBERS, {"a"}, None, []),
]


@pytest.mark.parametrize("value, include, exclude, expected", rows(FILTERS))
def test_filter(value: Any, include: Any, exclude: Any, expected: Any) -> None:
    kind: Any = type(value) if isinstance(value, Model) else Any
    assert_same(dump(kind, "python", value, include=include, exclude=exclude), expected)


@pytest.mark.parametrize("value, include, exclude, expected", rows(FILTERS))
def test_filter_as_any(value: Any, include: Any, exclude: Any, expected: Any) -> None:
    if type(value) not in (Whole, Open):
        assert_same(dump(Optional[Any], "python", value, include=include, exclude=exclude), expected)


def test_text_is_filtered_the_same() -> None:
    options: Dict[str, Any] = {"include": {"leaves": {0: {"a"}}}}
    assert WHOLE.model_dump_json(**options) == '{"leaves":[{"a":1}]}'
    assert WHOLE.model_dump(mode="json", **options) == {"leaves": [{"a": 1}]}


def test_a_generator_is_filtered() -> None:
    assert_same(dump(Any, "json", (number for number in NUMBERS), include={0, 2}), [0, 2])


def test_the_arguments_are_left_as_they_were() -> None:
    include: Dict[str, Any] = {"leaves": {"__all__": {"a"}, 0: {"b"}}}
    WHOLE.model_dump(include=include)
    assert include == {"leaves": {"__all__": {"a"}, 0: {"b"}}}
