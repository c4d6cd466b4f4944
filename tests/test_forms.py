"""The forms of values that JSON cannot say, and that everything else is left alone."""

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import re
import types
import uuid
from typing import Any, Iterator, List, Tuple

import pytest

from harbor.codec import Model
from harbor.forms import FormGiver, describe_value, escape_text
from harbor.models.agent.context import AgentContext
from harbor.models.trial.result import ExceptionInfo, StepResult
from harbor.trials import save

NAN, INF = float("nan"), float("inf")


class Plain:
    def __repr__(self) -> str:
        return "Plain()"


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class BrokenError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


class Text(str):
    pass


class Colour(enum.Enum):
    RED = "red"
    BAD = b"\xff"


class Ranks(enum.IntEnum):
    FIRST = 1


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = None


Pair = collections.namedtuple("Pair", "a b")


class Array:
    """An array or tensor, as far as its methods go."""

    dtype = types.SimpleNamespace(kind="f")

    def __init__(self, values: Any) -> None:
        self.values = values

    def tolist(self) -> Any:
        return self.values


class Moments(Array):
    """An array of moments, whose plain values would be nanoseconds."""

    dtype = types.SimpleNamespace(kind="M")

    def astype(self, kind: type) -> Array:
        return Array(list(map(kind, ["2026-01-01T00:00:00.000000001"])))


class LongDouble(Array):
    """A number too precise for Python, which gives itself."""

    def tolist(self) -> Any:
        return self

    def __str__(self) -> str:
        return "1.10000000000000000002"


class Foreign:
    """A model of another library."""

    def model_dump(self) -> Any:
        return {"a": b"\xff", "b": NAN}


def _count() -> Iterator[int]:
    while True:
        yield 1


def _nest(depth: int) -> Any:
    value: Any = "leaf"
    for _ in range(depth):
        value = [value]
    return value


def _cycle() -> Any:
    value: Any = {"n": 1}
    value["me"] = value
    return value


def _list_cycle() -> Any:
    value: List[Any] = []
    value.append({"around": value})
    return value


FORMS: List[Tuple[str, Any, Any]] = [
    # What the codec says anyway, as pydantic does.
    ("datetime", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc), "2026-01-01T00:00:00Z"),
    ("timedelta", datetime.timedelta(seconds=90), "PT1M30S"),
    ("decimal", decimal.Decimal("1.50"), "1.50"),
    ("uuid", uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ("path", pathlib.PurePosixPath("/a/b"), "/a/b"),
    ("complex", 1 + 2j, "1+2j"),
    ("pattern", re.compile("a+"), "a+"),
    ("enum", Colour.RED, "red"),
    ("int_enum", Ranks.FIRST, 1),
    ("dataclass", Point(1, (2, 3)), {"x": 1, "y": [2, 3]}),
    ("namedtuple", Pair(1, 2), [1, 2]),
    ("set", {1}, [1]),
    ("frozenset", frozenset(("a",)), ["a"]),
    ("deque", collections.deque([1, 2]), [1, 2]),
    ("ordered_dict", collections.OrderedDict(a=1), {"a": 1}),
    ("bytes_of_utf_8", "café".encode("utf-8"), "café"),
    ("model", AgentContext(n_input_tokens=1), json.loads(AgentContext(n_input_tokens=1).model_dump_json())),
    # What nothing else says.
    ("nan", NAN, "NaN"),
    ("infinities", [INF, -INF], ["Infinity", "-Infinity"]),
    ("bytes", b"caf\xe9 \x00", "caf\\xe9 \x00"),
    ("bytearray", bytearray(b"\xff"), "\\xff"),
    ("memoryview", memoryview(b"\xff"), "\\xff"),
    ("lone_surrogate", "a\ud83d\u00e9", "a\\ud83d\u00e9"),
    ("lone_surrogate_in_a_subclass", Text("\udcff"), "\\udcff"),
    ("text_subclass", Text("a"), "a"),
    ("path_that_is_no_text", pathlib.PurePosixPath("/\udcff"), "/\\udcff"),
    ("exception", ValueError("bad", 1), "ValueError: ('bad', 1)"),
    ("exception_with_a_surrogate", KeyError("\ud800"), "KeyError: '\\ud800'"),
    ("exception_without_text", BrokenError(), "BrokenError()"),
    ("object", Plain(), "Plain()"),
    ("object_without_repr", Broken(), "<Broken object>"),
    ("class", int, "<class 'int'>"),
    ("range", range(3), "range(0, 3)"),
    ("array_of_the_library", array.array("d", [1.5, NAN]), [1.5, "NaN"]),
    ("array", Array([[1, NAN], [Plain(), b"\xff"]]), [[1, "NaN"], ["Plain()", "\\xff"]]),
    ("scalar", Array(5), 5),
    ("scalar_nan", Array(NAN), "NaN"),
    ("moments", Moments([1]), ["2026-01-01T00:00:00.000000001"]),
    ("long_double", LongDouble(0), "1.10000000000000000002"),
    ("foreign_model", Foreign(), {"a": "\\xff", "b": "NaN"}),
    ("mapping", types.MappingProxyType({"a": b"\xff"}), {"a": "\\xff"}),
    ("chain_map", collections.ChainMap({"a": 1}), {"a": 1}),
    ("keys", {"a": 1}.keys(), ["a"]),
    ("enum_with_bytes", Colour.BAD, "<Colour.BAD: b'\\xff'>"),
    ("dataclass_with_bytes", Point(b"\xff"), {"x": "\\xff", "y": None}),
    ("huge_int", -(16 ** 4000), "-0x1" + "0" * 4000),
    ("huge_ints", [1, 16 ** 4000], [1, "0x1" + "0" * 4000]),
    ("largest_int", 10 ** 4299, 10 ** 4299),
    ("cycle", _cycle(), {"n": 1, "me": "<dict that contains itself>"}),
    ("list_cycle", _list_cycle(), [{"around": "<list that contains itself>"}]),
    ("the_same_twice_is_no_cycle", [[1]] * 2, [[1], [1]]),
    ("nested", _nest(188), _nest(188)),
    ("key_with_a_surrogate", {"\ud800": 1}, {"\\ud800": 1}),
    ("keys_that_are_the_same_text", {1: "a", "1": "b", "1 (str)": "c"},
     {"1": "a", "1 (str)": "b", "1 (str) (str)": "c"}),
    ("other_keys", {None: 1, True: 2, 1.5: 3, NAN: 4, -INF: 5, b"\xff": 6, (1, 2): 7, Colour.RED: 8},
     {"None": 1, "true": 2, "1.5": 3, "NaN": 4, "-Infinity": 5, "\\xff": 6, "1,2": 7, "red": 8}),
    ("keys_json_cannot_say", {frozenset((1,)): 1, Plain: 2, Plain(): 3, 16 ** 4000: 4, datetime.date(2026, 1, 1): 5},
     {"frozenset({1})": 1, repr(Plain): 2, "Plain()": 3, "0x1" + "0" * 4000: 4, "2026-01-01": 5}),
]


@pytest.mark.parametrize("value, expected", [row[1:] for row in FORMS], ids=[row[0] for row in FORMS])
def test_a_value_in_metadata_is_saved_in_its_form(value: Any, expected: Any, tmp_path: pathlib.Path) -> None:
    for metadata in ({"value": value}, {"value": value, "neighbour": b"\xff"}):
        context = AgentContext()
        context.metadata = metadata
        save(context, tmp_path / "context.json", sync=False)
        read = AgentContext.model_validate_json((tmp_path / "context.json").read_bytes())
        assert read.metadata is not None
        assert read.metadata["value"] == expected
        assert type(read.metadata["value"]) is type(expected)


@pytest.mark.parametrize("value, start", [
    (_count(), "<generator object _count at 0x"), (iter([1]), "<list_iterator object at 0x"),
    (map(str, [1]), "<map object at 0x"), (object(), "<object object at 0x"), (_count, "<function _count at 0x"),
], ids=["generator", "iterator", "map", "object", "function"])
def test_what_has_no_better_form_is_its_repr_and_is_not_used_up(value: Any, start: str, tmp_path: pathlib.Path) -> None:
    context = AgentContext(metadata={"list": [value], "point": Point(value)})
    save(context, tmp_path / "context.json")
    saved = json.loads((tmp_path / "context.json").read_bytes())["metadata"]
    assert saved["list"][0].startswith(start)
    assert saved["point"]["x"] == saved["list"][0]
    if hasattr(value, "__next__"):
        assert next(value) in (1, "1")


def test_what_is_nested_too_deep_is_text_from_there_on(tmp_path: pathlib.Path) -> None:
    for depth, text in ((189, "['leaf']"), (300, repr(_nest(112))), (100000, "<list object>")):
        save(AgentContext(metadata={"value": _nest(depth)}), tmp_path / "context.json")
        read = AgentContext.model_validate_json((tmp_path / "context.json").read_bytes())
        assert read.metadata is not None
        value, levels = read.metadata["value"], 0
        while isinstance(value, list):
            value, levels = value[0], levels + 1
        assert (levels, value) == (188, text)


def test_a_record_inside_its_own_metadata_is_cut(tmp_path: pathlib.Path) -> None:
    context = AgentContext(metadata={})
    assert context.metadata is not None
    context.metadata["context"] = context
    save(context, tmp_path / "context.json")
    saved = json.loads((tmp_path / "context.json").read_bytes())
    assert saved["metadata"] == {"context": "<AgentContext that contains itself>"}


def test_arrays_are_read_out_in_typed_fields_too(tmp_path: pathlib.Path) -> None:
    context = AgentContext()
    context.n_input_tokens = Array(7)  # type: ignore[assignment]  # as arrays come
    rollout: Any = {"prompt_token_ids": Array([[1, 2]]), "logprobs": [Array([-0.5, NAN])]}
    context.rollout_details = [rollout]
    save(context, tmp_path / "context.json")
    read = AgentContext.model_validate_json((tmp_path / "context.json").read_bytes())
    assert read.n_input_tokens == 7
    assert repr(read.rollout_details) == "[{'prompt_token_ids': [[1, 2]], 'logprobs': [[-0.5, nan]]}]"


def test_a_misspelt_key_of_a_rollout_is_not_lost(tmp_path: pathlib.Path) -> None:
    context = AgentContext(rollout_details=[{"prompt_token_ids": [[1]]}])
    assert context.rollout_details is not None
    context.rollout_details[0]["token_ids"] = b"\xff"  # type: ignore[typeddict-unknown-key]  # as happens
    save(context, tmp_path / "context.json")
    saved = json.loads((tmp_path / "context.json").read_bytes())
    assert saved["rollout_details"] == [{"prompt_token_ids": [[1]], "token_ids": "\\xff"}]


def test_a_good_record_is_not_copied() -> None:
    context = AgentContext(
        n_input_tokens=1,
        metadata={"a": [1, {"b": "é", "c": None}], "d": 1.5, "e": [1, 2], "f": datetime.date(2026, 1, 1)},
        rollout_details=[{"prompt_token_ids": [[1]], "logprobs": [[NAN]]}])
    for thorough in (False, True):
        assert FormGiver(thorough).give_forms(context) is context


def test_only_what_changes_is_copied() -> None:
    class Holder(Model):
        steps: List[Any]
        other: Any = None

    good, bad = StepResult(step_name="a"), StepResult(step_name="b", agent_result=AgentContext(metadata={"x": b"\xff"}))
    holder = Holder(steps=[good, bad], other={"kept": 1})
    formed = FormGiver().give_forms(holder)
    assert formed is not holder
    assert formed.steps[0] is good
    assert formed.other is holder.other
    assert formed.steps[1].agent_result.metadata == {"x": "\\xff"}
    assert bad.agent_result is not None
    assert bad.agent_result.metadata == {"x": b"\xff"}


def test_foreign_values_are_described_for_the_codec() -> None:
    assert describe_value(Plain()) == "Plain()"
    assert describe_value(Array([1])) == [1]
    assert AgentContext(metadata={"a": Plain()}).model_dump_json(fallback=describe_value).endswith('{"a":"Plain()"}}')


def test_text_without_lone_surrogates_is_given_back() -> None:
    for text in ("a", "é", "\U0001f600", ""):
        assert escape_text(text) is text


def test_an_exception_info_of_an_odd_exception_is_saved(tmp_path: pathlib.Path) -> None:
    try:
        raise ValueError("caf\udce9")
    except ValueError as error:
        info = ExceptionInfo.from_exception(error)
    save(info, tmp_path / "exception.json")
    saved = json.loads((tmp_path / "exception.json").read_bytes())
    assert saved["exception_message"] == "caf\\udce9"
    assert "caf\\udce9" in saved["exception_traceback"]
