"""harbor.codec.hints: which annotations are known, and what is said of the others."""

import collections
import dataclasses
import enum
import functools
import sys
import typing
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path, PurePath
from typing import Any, Callable, ClassVar, Dict, FrozenSet, List, Literal, Optional, Set, Tuple, TypedDict, Union
from uuid import UUID

import pytest

from harbor.codec import Model, TypeAdapter
from harbor.codec.hints import Hint, describe_type
from outcomes import Raised, Refused, assert_same, check, observe

T = typing.TypeVar("T")
NONE: Any = type(None)


class Color(enum.Enum):
    RED = 1


class Turn(TypedDict):
    x: int


@dataclass
class Spot:
    x: int


class Point(Model):
    x: int


class Plain:
    pass


class Items(List[int]):
    pass


def show(hint: Hint) -> str:
    """Show a hint as `kind(what it is made of)`."""
    inner = ", ".join(map(show, hint.items))
    source = hint.source.__name__ if isinstance(hint.source, type) else hint.source
    return hint.kind + (":%s" % (source,) if source is not None else "") + ("(%s)" % inner if inner else "")


# annotation, what it is
KNOWN: List[Tuple[Any, str]] = [
    (int, "int"),
    (float, "float"),
    (str, "str"),
    (bool, "bool"),
    (None, "none"),
    (NONE, "none"),
    (Any, "any"),
    (list, "list(any)"),
    (List, "list(any)"),
    (List[int], "list(int)"),
    (dict, "dict(any, any)"),
    (Dict, "dict(any, any)"),
    (Dict[str, List[int]], "dict(str, list(int))"),
    (Optional[int], "optional(int)"),
    (Union[int, str], "union(int, str)"),
    (Union[int, str, None], "optional(union(int, str))"),
    (Union[int, Union[str, Optional[bool]]], "optional(union(int, str, bool))"),
    (Union[int], "int"),
    (Literal["a", 1], "literal:('a', 1)"),
    (Literal["a", Literal["b", "a"]], "literal:('a', 'b')"),
    (Literal[1, True], "literal:(1, True)"),
    (datetime, "datetime:datetime"),
    (UUID, "uuid:UUID"),
    (Path, "path:Path"),
    (Color, "enum:Color"),
    (Turn, "typed-dict:Turn"),
    (Spot, "record:Spot"),
    (Point, "record:Point"),
    ("int", "int"),
    (typing.ForwardRef("int"), "int"),
]

# annotation, how the refusal shows it
UNKNOWN: List[Tuple[Any, str]] = [
    (bytes, "bytes"),
    (object, "object"),
    (complex, "complex"),
    (date, "date"),
    (PurePath, "PurePath"),
    (Plain, "Plain"),
    (Items, "Items"),
    (tuple, "tuple"),
    (Tuple[int, str], "typing.Tuple[int, str]"),
    (Set[int], "typing.Set[int]"),
    (FrozenSet[int], "typing.FrozenSet[int]"),
    (Callable[[int], str], "typing.Callable[[int], str]"),
    (typing.Type[int], "typing.Type[int]"),
    (T, "~T"),
    (1, "1"),
    ([int], "[<class 'int'>]"),
    (typing.DefaultDict[str, int], "typing.DefaultDict[str, int]"),
    (collections.OrderedDict, "OrderedDict"),
]

MODERN: List[Tuple[Any, str]] = []
if sys.version_info >= (3, 9):
    MODERN += [(list[int], "list(int)"), (dict[str, int], "dict(str, int)")]
if sys.version_info >= (3, 10):
    MODERN += [
        (int | None, "optional(int)"), (int | str, "union(int, str)"), (list[int] | None, "optional(list(int))"),
        (Spot | int, "union(record:Spot, int)"),
    ]


@pytest.mark.parametrize("annotation, shown", KNOWN + MODERN, ids=[row[1] for row in KNOWN + MODERN])
def test_known(annotation: Any, shown: str) -> None:
    assert show(describe_type(annotation, "It")) == shown


@pytest.mark.parametrize("annotation, shown", UNKNOWN, ids=[row[1] for row in UNKNOWN])
def test_unknown(annotation: Any, shown: str) -> None:
    text = "It has a type this codec does not know: " + shown
    assert_same(observe(lambda: describe_type(annotation, "It")), Raised("TypeError", text))


def test_what_a_known_type_is_made_of_must_be_known_too() -> None:
    refusal = Raised("TypeError", "It has a type this codec does not know: bytes")
    for annotation in (List[bytes], Dict[str, bytes], Dict[bytes, int], Optional[bytes], Union[int, List[bytes]]):
        assert_same(observe(functools.partial(describe_type, annotation, "It")), refusal)


def make_adapter(kind: Any) -> Callable[[], Any]:
    return lambda: TypeAdapter(kind)


def test_a_refusal_names_class_field_and_type() -> None:
    class Bad(Model):
        fine: int
        wrong: Optional[Set[int]] = None

    text = (
        "Field 'wrong' of test_a_refusal_names_class_field_and_type.<locals>.Bad has a type this codec does not know: "
        "typing.Set[int]")
    assert_same(observe(lambda: Bad(fine=1)), Raised("TypeError", text))
    assert_same(observe(make_adapter(List[Bad])), Raised("TypeError", text))


def test_a_refusal_names_the_inner_class() -> None:
    @dataclass
    class Inner:
        wrong: bytes

    class Keys(TypedDict):
        part: bytes

    @dataclass
    class Outer:
        inner: Inner

    @dataclass
    class Holder:
        keys: Keys

    place = "test_a_refusal_names_the_inner_class.<locals>."
    assert_same(observe(make_adapter(Outer)), Raised(
        "TypeError", "Field 'wrong' of %sInner has a type this codec does not know: bytes" % place))
    assert_same(observe(make_adapter(Holder)), Raised(
        "TypeError", "Field 'part' of %sKeys has a type this codec does not know: bytes" % place))
    assert_same(observe(make_adapter(bytes)), Raised(
        "TypeError", "The type given has a type this codec does not know: bytes"))


def test_a_class_that_was_refused_is_refused_again() -> None:
    @dataclass
    class Bad:
        good: Spot
        wrong: bytes

    first, second = observe(make_adapter(Bad)), observe(make_adapter(Bad))
    assert isinstance(first, Raised)
    assert first.parts == second.parts


@dataclass
class Node:
    value: int
    next: Optional["Node"] = None
    others: "Optional[List[Node]]" = None


class Tree(Model):
    leaf: Optional[int] = None
    left: "Optional[Tree]" = None
    nodes: Dict[str, "Tree"] = {}


class Folder(TypedDict, total=False):
    name: str
    folders: "List[Folder]"


@dataclass
class Ping:
    pong: "Optional[Pong]" = None


@dataclass
class Pong:
    ping: Optional[Ping] = None


def test_classes_that_mention_themselves() -> None:
    assert TypeAdapter[Any](Node).validate_python(
        {"value": 1, "next": {"value": "2"}, "others": [{"value": 3}]},
    ) == Node(1, Node(2), [Node(3)])
    assert Tree.model_validate({"left": {"nodes": {"a": {"leaf": 1}}}}) == Tree(left=Tree(nodes={"a": Tree(leaf=1)}))
    folder = {"name": "a", "folders": [{"name": "b", "folders": []}]}
    assert TypeAdapter[Any](Folder).validate_python(folder) == folder
    assert TypeAdapter[Any](Ping).validate_python({"pong": {"ping": {}}}) == Ping(Pong(Ping()))
    assert TypeAdapter[Any](Pong).validate_python({"ping": {"pong": {}}}) == Pong(Ping(Pong()))


def test_names_that_nobody_knows_are_refused() -> None:
    class Lost(Model):
        x: "Nowhere"  # type: ignore[name-defined]  # noqa: F821  # the point of the test

    text = (
        "Field 'x' of test_names_that_nobody_knows_are_refused.<locals>.Lost has a type that cannot be resolved: "
        "'Nowhere' (name 'Nowhere' is not defined)")
    assert_same(observe(lambda: Lost(x=1)), Raised("TypeError", text))


def test_a_class_inside_a_function_may_be_named() -> None:
    class Inner(Model):
        x: int

    class Outer(Model):
        inner: "Inner"
        more: "Optional[List[Inner]]" = None

    assert Outer.model_validate({"inner": {"x": 1}, "more": [{"x": 2}]}).model_dump() == {
        "inner": {"x": 1}, "more": [{"x": 2}]}


def test_class_variables_are_no_fields() -> None:
    class Counter(Model):
        limit: ClassVar[int] = 5
        total: "ClassVar[int]" = 6
        x: int

    assert [field.name for field in dataclasses.fields(Counter)] == ["x"]
    assert (Counter.limit, Counter.total) == (5, 6)


def test_a_subclass_keeps_the_order_of_its_base() -> None:
    class Base(Model):
        a: int
        b: int = 0

    class Child(Base):
        c: str = ""
        a: str  # type: ignore[assignment]  # the point of the test

    assert [(field.name, field.type) for field in dataclasses.fields(Child)] == [("a", str), ("b", int), ("c", str)]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="typing has no NotRequired before 3.11")
def test_keys_that_are_required_or_not() -> None:
    required: Any = getattr(typing, "Required", None)
    not_required: Any = getattr(typing, "NotRequired", None)
    total = TypedDict("total", {"a": int, "b": not_required[int]})  # made at run time
    partial = TypedDict("partial", {"a": required[int], "b": int}, total=False)
    for kind in (total, partial):
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        assert adapter.validate_python({"a": 1}) == {"a": 1}
        assert_same(check(kind, "python", {"b": 1}), Refused(("missing", ("a",), {"b": 1}, "Field required")))


class BaseKeys(TypedDict):
    a: int


class ChildKeys(BaseKeys, total=False):
    b: int


def test_keys_of_a_base_keep_their_totality() -> None:
    missing: Any = {} if sys.version_info < (3, 9) else Refused(("missing", ("a",), {}, "Field required"))
    # Python 3.8 remembers the totality of the last class only.
    assert_same(check(ChildKeys, "python", {}), missing)


def test_union_with_a_bar_in_quotes_is_as_old_as_the_interpreter() -> None:
    class Modern(Model):
        x: "int | None" = None

    if sys.version_info >= (3, 10):
        assert Modern(x=None).x is None
    else:
        found = observe(lambda: Modern(x=None))
        assert isinstance(found, Raised) and found.parts[0] == "TypeError"
