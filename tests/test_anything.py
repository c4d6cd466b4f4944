"""harbor.codec.plan.anything: dumping values of no known type; the tables were recorded from pydantic 2.14.4."""

# Calls that a type checker refuses are among what is tested here.
# mypy: disable-error-code=call-arg

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import re
import types
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Dict, List, Tuple
from uuid import UUID

import pytest

from harbor.codec import Model, TypeAdapter
from outcomes import Raised, Warned, assert_same, dump, observe, rows, unexpected

NAN, INF = float("nan"), float("inf")
UTC = datetime.timezone.utc
ADAPTER: TypeAdapter[Any] = TypeAdapter(Any)


class Color(enum.Enum):
    RED = "red"
    PAIR = (1, 2)


class Level(enum.IntEnum):
    LOW = 1


class Shade(str, enum.Enum):
    DARK = "dark"


class Count(int):
    pass


class Word(str):
    pass


class Share(float):
    pass


class Items(list):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


class Table(dict):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


class Pair(collections.namedtuple("Pair", "a b")):
    __slots__ = ()


class Point(Model):
    x: int = 1
    y: Any = None


class Open(Model, extra="allow"):
    pass


@dataclasses.dataclass
class Spot:
    x: Any = 1
    y: int = dataclasses.field(default=2, repr=False)


class Unknown:
    def __repr__(self) -> str:
        return "Unknown()"

    def __hash__(self) -> int:
        return 7


UNKNOWN, COUNT, WORD, SHARE = Unknown(), Count(1), Word("a"), Share(1.5)
LISTED, TABLE, PAIR = Items([Color.RED]), Table(a=Color.RED), Pair(1, Color.RED)
FRACTION, DECIMAL, PATTERN = fractions.Fraction(1, 2), decimal.Decimal("1.50"), re.compile("a+")
DAY, CLOCK, SPAN = datetime.date(2024, 1, 2), datetime.time(3, 4, 5, 6), datetime.timedelta(1, 2, 3)
MOMENT = datetime.datetime(2024, 1, 2, 3, 4, tzinfo=UTC)
ID, ADDRESS, NETWORK = UUID(int=1), ipaddress.ip_address("::1"), ipaddress.ip_network("10.0.0.0/8")
PATH, PURE, WINDOWS = Path("a/b"), PurePosixPath("a"), PureWindowsPath("a\\b")
ORDERED, DEFAULT = collections.OrderedDict(a=Color.RED), collections.defaultdict(int, a=1)
COUNTER, DEQUE = collections.Counter("aab"), collections.deque([Color.RED, 1], 3)
PROXY, FROZEN, VIEW = types.MappingProxyType({"a": 1}), frozenset([1]), memoryview(b"a")
ERROR, FUNCTION = ValueError("boom"), len


def unknown(kind: Any) -> Raised:
    return Raised("SerializationError", "Unable to serialize unknown type: %r" % kind)


# id, value, in mode "python", in mode "json", as text
VALUES: List[Tuple[str, Any, Any, Any, Any]] = [
    ("none", None, None, None, "null"),
    ("bool", False, False, False, "false"),
    ("int", 2**70, 1180591620717411303424, 1180591620717411303424, "1180591620717411303424"),
    ("int subclass", COUNT, COUNT, 1, "1"),
    ("float", 1.5, 1.5, 1.5, "1.5"),
    ("nan", NAN, NAN, None, "null"),
    ("-inf", -INF, -INF, None, "null"),
    ("float subclass", SHARE, SHARE, 1.5, "1.5"),
    ("str", "é\u2028\x7f", "é\u2028\x7f", "é\u2028\x7f", '"é\u2028\x7f"'),
    ("str subclass", WORD, WORD, "a", '"a"'),
    ("str with lone surrogate", "a\udc80", "a\udc80", "a\udc80", Raised("SerializationError",
     "Error serializing to JSON: UnicodeEncodeError: 'utf-8' codec can't encode character '\\udc80' in position 1:"
     " surrogates not allowed")),
    ("complex", 1 - 2j, (1-2j), "1-2j", '"1-2j"'),
    ("bytes", b"a\xc3\xa9", b'a\xc3\xa9', "aé", '"aé"'),
    ("bytearray", bytearray(b"a"), bytearray(b"a"), "a", '"a"'),
    ("memoryview", VIEW, VIEW, unknown(memoryview), unknown(memoryview)),
    ("bytes that are no text", b"a\xff", b'a\xff',
     Raised("UnicodeDecodeError", "'utf-8' codec can't decode byte 0xff in position 1: invalid utf-8"),
     Raised("SerializationError", "Error serializing to JSON: invalid utf-8 sequence of 1 bytes from index 1")),
    ("bytes cut short", b"a\xc3", b'a\xc3',
     Raised("UnicodeDecodeError", "'utf-8' codec can't decode byte 0xc3 in position 1: invalid utf-8"),
     Raised("SerializationError", "Error serializing to JSON: incomplete utf-8 byte sequence from index 1")),
    ("list", [1, [Color.RED]], [1, [Color.RED]], [1, ["red"]], '[1,["red"]]'),
    ("list subclass", LISTED, [Color.RED], ["red"], '["red"]'),
    ("tuple", (1, (Color.RED,)), (1, (Color.RED,)), [1, ["red"]], '[1,["red"]]'),
    ("namedtuple", PAIR, (1, Color.RED), [1, "red"], '[1,"red"]'),
    ("set", {1}, {1}, [1], "[1]"),
    ("frozenset", FROZEN, frozenset([1]), [1], "[1]"),
    ("deque", DEQUE, collections.deque([Color.RED, 1], 3), ["red", 1], '["red",1]'),
    ("range", range(2), range(0, 2), unknown(range), unknown(range)),
    ("dict", {"a": {"b": Color.RED}}, {"a": {"b": Color.RED}}, {"a": {"b": "red"}}, '{"a":{"b":"red"}}'),
    ("dict subclass", TABLE, {"a": Color.RED}, {"a": "red"}, '{"a":"red"}'),
    ("OrderedDict", ORDERED, collections.OrderedDict({"a": Color.RED}), {"a": "red"}, '{"a":"red"}'),
    ("defaultdict", DEFAULT, {"a": 1}, {"a": 1}, '{"a":1}'),
    ("Counter", COUNTER, collections.Counter({"a": 2, "b": 1}), {"a": 2, "b": 1}, '{"a":2,"b":1}'),
    ("mapping proxy", PROXY, PROXY, unknown(types.MappingProxyType), unknown(types.MappingProxyType)),
    ("enum", Color.RED, Color.RED, "red", '"red"'),
    ("enum of tuple", Color.PAIR, Color.PAIR, [1, 2], "[1,2]"),
    ("int enum", Level.LOW, Level.LOW, 1, "1"),
    ("text enum", Shade.DARK, Shade.DARK, "dark", '"dark"'),
    ("datetime", MOMENT, MOMENT, "2024-01-02T03:04:00Z", '"2024-01-02T03:04:00Z"'),
    ("date", DAY, DAY, "2024-01-02", '"2024-01-02"'),
    ("time", CLOCK, CLOCK, "03:04:05.000006", '"03:04:05.000006"'),
    ("timedelta", SPAN, SPAN, "P1DT2.000003S", '"P1DT2.000003S"'),
    ("decimal", DECIMAL, DECIMAL, "1.50", '"1.50"'),
    ("fraction", FRACTION, "1/2", "1/2", '"1/2"'),
    ("uuid", ID, ID, "00000000-0000-0000-0000-000000000001", '"00000000-0000-0000-0000-000000000001"'),
    ("path", PATH, PATH, "a/b", '"a/b"'),
    ("pure path", PURE, PURE, unknown(PurePosixPath), unknown(PurePosixPath)),
    ("windows path", WINDOWS, WINDOWS, unknown(PureWindowsPath), unknown(PureWindowsPath)),
    ("address", ADDRESS, ADDRESS, "::1", '"::1"'),
    ("network", NETWORK, NETWORK, "10.0.0.0/8", '"10.0.0.0/8"'),
    ("pattern", PATTERN, PATTERN, "a+", '"a+"'),
    ("model", Point(y=Color.RED), {"x": 1, "y": Color.RED}, {"x": 1, "y": "red"}, '{"x":1,"y":"red"}'),
    ("model with extra", Open(a=Color.RED), {"a": Color.RED}, {"a": "red"}, '{"a":"red"}'),
    ("dataclass", Spot(Color.RED), {"x": Color.RED, "y": 2}, {"x": "red", "y": 2}, '{"x":"red","y":2}'),
    ("models inside", [Point(), {"a": Spot()}], [{"x": 1, "y": None}, {"a": {"x": 1, "y": 2}}],
     [{"x": 1, "y": None}, {"a": {"x": 1, "y": 2}}], '[{"x":1,"y":null},{"a":{"x":1,"y":2}}]'),
    ("model with wrong value", Point.model_construct(x="a"),
     Warned({"x": "a", "y": None}, unexpected("int", "'a'", "str", "x")),
     Warned({"x": "a", "y": None}, unexpected("int", "'a'", "str", "x")),
     Warned('{"x":"a","y":null}', unexpected("int", "'a'", "str", "x"))),
    ("class", Color, Color, unknown(type(Color)), unknown(type(Color))),
    ("function", FUNCTION, FUNCTION, unknown(type(len)), unknown(type(len))),
    ("exception", ERROR, ERROR, unknown(ValueError), unknown(ValueError)),
    ("object", UNKNOWN, UNKNOWN, unknown(Unknown), unknown(Unknown)),
    ("object inside", {"a": [UNKNOWN]}, {"a": [UNKNOWN]}, unknown(Unknown), unknown(Unknown)),
]

# id, key, in mode "python", in mode "json", as text
KEYS: List[Tuple[str, Any, Any, Any, Any]] = [
    ("str", "é", {"é": 1}, {"é": 1}, '{"é":1}'),
    ("str with lone surrogate", "\udc80", {"\udc80": 1}, Raised("UnicodeEncodeError",
     "'utf-8' codec can't encode character '\\udc80' in position 0: surrogates not allowed"),
     Raised("SerializationError",
     "Error serializing to JSON: UnicodeEncodeError: 'utf-8' codec can't encode character '\\udc80' in position 0:"
     " surrogates not allowed")),
    ("none", None, {None: 1}, {"None": 1}, '{"None":1}'),
    ("bool", True, {True: 1}, {"true": 1}, '{"true":1}'),
    ("int", -1, {-1: 1}, {"-1": 1}, '{"-1":1}'),
    ("int subclass", COUNT, {COUNT: 1}, {"1": 1}, '{"1":1}'),
    ("float", 1.0, {1.0: 1}, {"1.0": 1}, '{"1.0":1}'),
    ("float 1e16", 1e16, {1e+16: 1}, {"1e+16": 1}, '{"1e+16":1}'),
    ("float 1e-7", 1e-7, {1e-07: 1}, {"1e-07": 1}, '{"1e-07":1}'),
    ("nan", NAN, {NAN: 1}, {"None": 1}, '{"None":1}'),
    ("inf", INF, {INF: 1}, {"None": 1}, '{"None":1}'),
    ("bytes", b"a", {b"a": 1}, {"a": 1}, '{"a":1}'),
    ("bytes that are no text", b"\xff", {b'\xff': 1},
     Raised("UnicodeDecodeError", "'utf-8' codec can't decode byte 0xff in position 0: invalid utf-8"),
     Raised("SerializationError",
     "Error serializing to JSON: UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid"
     " utf-8")),
    ("tuple", (1, "a", None), {(1, "a", None): 1}, {"1,a,None": 1}, '{"1,a,None":1}'),
    ("frozenset", FROZEN, {frozenset([1]): 1}, Raised("TypeError", "`frozenset` not valid as object key"),
     Raised("SerializationError", "Error serializing to JSON: TypeError: `frozenset` not valid as object key")),
    ("enum", Color.RED, {Color.RED: 1}, {"red": 1}, '{"red":1}'),
    ("int enum", Level.LOW, {Level.LOW: 1}, {"1": 1}, '{"1":1}'),
    ("datetime", MOMENT, {MOMENT: 1}, {"2024-01-02T03:04:00Z": 1}, '{"2024-01-02T03:04:00Z":1}'),
    ("date", DAY, {DAY: 1}, {"2024-01-02": 1}, '{"2024-01-02":1}'),
    ("timedelta", SPAN, {SPAN: 1}, {"P1DT2.000003S": 1}, '{"P1DT2.000003S":1}'),
    ("decimal", DECIMAL, {DECIMAL: 1}, {"1.50": 1}, '{"1.50":1}'),
    ("uuid", ID, {ID: 1}, {"00000000-0000-0000-0000-000000000001": 1}, '{"00000000-0000-0000-0000-000000000001":1}'),
    ("path", PATH, {PATH: 1}, {"a/b": 1}, '{"a/b":1}'),
    ("complex", 1j, {1j: 1}, {"1j": 1}, '{"1j":1}'),
    ("object", UNKNOWN, {UNKNOWN: 1}, unknown(Unknown), Raised("SerializationError",
     "Error serializing to JSON: SerializationError: Unable to serialize unknown type: <class"
     " 'test_anything.Unknown'>")),
]

# id, value, fallback, in mode "python", in mode "json", as text
FALLBACKS: List[Tuple[str, Any, Any, Any, Any, Any]] = [
    ("for a value", UNKNOWN, str, "Unknown()", "Unknown()", '"Unknown()"'),
    ("for an item", [UNKNOWN, 1], str, ["Unknown()", 1], ["Unknown()", 1], '["Unknown()",1]'),
    ("for a key", {UNKNOWN: 1}, str, {"Unknown()": 1}, {"Unknown()": 1}, '{"Unknown()":1}'),
    ("gives an enum", UNKNOWN, lambda value: Color.RED, Color.RED, "red", '"red"'),
    ("not for a known value", Color.RED, lambda value: "never", Color.RED, "red", '"red"'),
    ("raises", UNKNOWN, lambda value: 1 / 0, Raised("ZeroDivisionError", "division by zero"),
     Raised("ZeroDivisionError", "division by zero"),
     Raised("SerializationError", "Error serializing to JSON: ZeroDivisionError: division by zero")),
]


@pytest.mark.parametrize("value, python, data, text", rows(VALUES))
def test_dump(value: Any, python: Any, data: Any, text: Any) -> None:
    assert_same(dump(Any, "python", value), python)
    assert_same(dump(Any, "json", value), data)
    assert_same(dump(Any, "text", value), text)


@pytest.mark.parametrize("key, python, data, text", rows(KEYS))
def test_dump_a_key(key: Any, python: Any, data: Any, text: Any) -> None:
    assert_same(dump(Any, "python", {key: 1}), python)
    assert_same(dump(Any, "json", {key: 1}), data)
    assert_same(dump(Any, "text", {key: 1}), text)


@pytest.mark.parametrize("value, fallback, python, data, text", rows(FALLBACKS))
def test_fallback(value: Any, fallback: Any, python: Any, data: Any, text: Any) -> None:
    assert_same(dump(Any, "python", value, fallback=fallback), python)
    assert_same(dump(Any, "json", value, fallback=fallback), data)
    assert_same(dump(Any, "text", value, fallback=fallback), text)


def make_loop(kind: str) -> Any:
    items: List[Any] = []
    table: Dict[str, Any] = {"a": items}
    point = Point()
    point.y = [point]
    items.append(items if kind == "list" else table)
    if kind == "dict":
        table["a"] = table
    return {"list": items, "dict": table, "both": items, "model": point}[kind]


# what contains itself, in mode "json", as text
LOOPS: List[Tuple[str, Any, Any]] = [
    ("list", Raised("ValueError", "Circular reference detected (id repeated)"),
     Raised("SerializationError", "Error serializing to JSON: ValueError: Circular reference detected (id repeated)")),
    ("dict", Raised("ValueError", "Circular reference detected (id repeated)"),
     Raised("SerializationError", "Error serializing to JSON: ValueError: Circular reference detected (id repeated)")),
    ("both", Raised("ValueError", "Circular reference detected (id repeated)"),
     Raised("SerializationError", "Error serializing to JSON: ValueError: Circular reference detected (id repeated)")),
    ("model", Raised("ValueError", "Circular reference detected (id repeated)"),
     Raised("SerializationError", "Error serializing to JSON: ValueError: Circular reference detected (id repeated)")),
]


@pytest.mark.parametrize("kind, data, text", LOOPS, ids=[row[0] for row in LOOPS])
def test_a_value_in_itself_is_refused(kind: str, data: Any, text: Any) -> None:
    assert_same(dump(Any, "json", make_loop(kind)), data)
    assert_same(dump(Any, "text", make_loop(kind)), text)


def test_a_value_may_stand_twice() -> None:
    item = [1]
    assert ADAPTER.dump_json([item, {"a": item}, item]) == b'[[1],{"a":[1]},[1]]'


# levels of lists around a value, length of the data, length of the text
DEPTHS: List[Tuple[int, Any, Any]] = [
    (200, 1, 401),
    (254, 1, 509),
    (255, Raised("ValueError", "Maximum serialization depth exceeded"),
     Raised("SerializationError", "Error serializing to JSON: ValueError: Maximum serialization depth exceeded")),
    (256, Raised("ValueError", "Maximum serialization depth exceeded"),
     Raised("SerializationError", "Error serializing to JSON: ValueError: Maximum serialization depth exceeded")),
    (5000, Raised("ValueError", "Maximum serialization depth exceeded"),
     Raised("SerializationError", "Error serializing to JSON: ValueError: Maximum serialization depth exceeded")),
]


@pytest.mark.parametrize("depth, data, text", DEPTHS)
def test_depth(depth: int, data: Any, text: Any) -> None:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    assert_same(observe(lambda: len(ADAPTER.dump_python(value, mode="json"))), data)
    assert_same(observe(lambda: len(ADAPTER.dump_json(value))), text)


def test_a_model_around_a_value_does_not_make_it_deeper() -> None:
    value: Any = 1
    for _ in range(254):
        value = [value]
    assert len(Point(y=value).model_dump_json()) == 509 + len('{"x":1,"y":}')
    assert_same(observe(lambda: Point(y=[value]).model_dump_json()), Raised(
        "SerializationError", "Error serializing to JSON: ValueError: Maximum serialization depth exceeded"))


def test_keys_that_clash_stay_two_in_text() -> None:
    value = {1: "a", "1": "b"}
    assert ADAPTER.dump_json(value) == b'{"1":"a","1":"b"}'
    assert ADAPTER.dump_python(value, mode="json") == {"1": "b"}


def test_an_iterator_is_dumped_while_it_is_read() -> None:
    seen: List[int] = []

    def count() -> Any:
        for number in range(3):
            seen.append(number)
            yield Color.RED if number else number

    found = ADAPTER.dump_python(count())
    assert seen == []
    assert (next(found), seen) == (0, [0])
    assert list(found) == [Color.RED, Color.RED]
    assert ADAPTER.dump_python(count(), mode="json") == [0, "red", "red"]
    assert ADAPTER.dump_json(iter([1, Color.RED])) == b'[1,"red"]'


def test_containers_are_made_anew_and_other_values_are_not() -> None:
    for value in ([1], (1,), {1}, {"a": 1}, DEQUE):
        found = ADAPTER.dump_python(value)
        assert (found == value, type(found)) == (True, type(value))
    assert ADAPTER.dump_python(UNKNOWN) is UNKNOWN
    assert ADAPTER.dump_python(MOMENT) is MOMENT


def test_other_modes_are_python() -> None:
    assert ADAPTER.dump_python(Color.RED, mode="anything") is Color.RED
