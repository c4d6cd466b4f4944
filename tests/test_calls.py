"""harbor.codec.calls: the warnings of a dump, non-finite floats, and input made to do harm."""

import json
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

import pytest

from harbor.codec import Model, SerializationError, TypeAdapter, ValidationError, model_dump_json
from harbor.models.agent.context import AgentContext, ModelUsage
from outcomes import Raised, Refused, Warned, assert_same, observe, rows, unexpected

NAN, INF = float("nan"), float("inf")


class Point(Model):
    x: int = 0
    y: Optional[float] = None
    more: Any = None


WRONG = Point.model_construct(x="a", y="b")
LINES = [unexpected("int", "'a'", "str", "x"), unexpected("float", "'b'", "str", "y")]
HEAD = "Pydantic serializer warnings:"

# id, warnings, outcome of a dump to text
WARNINGS: List[Tuple[str, Any, Any]] = [
    ("true", True, Warned('{"x":"a","y":"b","more":null}', *LINES)),
    ("warn", "warn", Warned('{"x":"a","y":"b","more":null}', *LINES)),
    ("false", False, '{"x":"a","y":"b","more":null}'),
    ("none", "none", '{"x":"a","y":"b","more":null}'),
    ("error", "error", Raised("SerializationError", "\n  ".join([HEAD, *LINES]))),
]


@pytest.mark.parametrize("option, expected", rows(WARNINGS))
def test_warnings(option: Any, expected: Any) -> None:
    assert_same(observe(lambda: WRONG.model_dump_json(warnings=option)), expected)
    found = observe(lambda: WRONG.model_dump(warnings=option))
    assert isinstance(found, (dict, Warned, Raised))
    assert getattr(found, "parts", [0])[1:] == getattr(expected, "parts", [0])[1:]


def test_a_good_dump_does_not_warn() -> None:
    assert observe(lambda: Point(x=1, y=1).model_dump_json(warnings="error")) == '{"x":1,"y":1.0,"more":null}'


def test_a_warning_that_is_an_error_stops_the_dump() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning) as caught:
            WRONG.model_dump_json()
    assert str(caught.value) == "\n  ".join([HEAD, *LINES])


# Non-finite floats --------------------------------------------------------------

FLOATS = [NAN, INF, -INF, 1.5, -0.0]

# inf_nan, text of the floats
TEXTS: List[Tuple[str, str]] = [
    ("null", "[null,null,null,1.5,-0.0]"),
    ("constants", "[NaN,Infinity,-Infinity,1.5,-0.0]"),
    ("strings", '["NaN","Infinity","-Infinity",1.5,-0.0]'),
]


@pytest.mark.parametrize("option, text", TEXTS)
def test_inf_nan(option: str, text: str) -> None:
    for kind in (Any, List[Any], List[float], List[Optional[float]]):
        assert TypeAdapter[Any](kind).dump_json(FLOATS, inf_nan=option).decode() == text
    assert TypeAdapter[Any](Dict[str, float]).dump_json({"a": NAN, "b": 1.0}, inf_nan=option, indent=1).decode() == (
        '{\n "a": %s,\n "b": 1.0\n}' % text[1:].split(",")[0])
    assert Point(y=NAN, more=[INF]).model_dump_json(inf_nan=option) == '{"x":0,"y":%s,"more":[%s]}' % (
        text[1:].split(",")[0], text.split(",")[1])


def make_context() -> AgentContext:
    return AgentContext(
        n_input_tokens=1, cost_usd=INF, model_usage={"m": ModelUsage(cost_usd=NAN)},
        rollout_details=[
            {"prompt_token_ids": [[1]], "logprobs": [[-INF, NAN, -0.5, -0.0]], "extra": {"k": [NAN, "a"]}}],
        metadata={"a": NAN, "b": [INF, {"c": -INF}], "d": "NaN"})


def test_everything_reads_back_from_constants() -> None:
    made = make_context()
    for indent in (None, 2):
        text = made.model_dump_json(inf_nan="constants", indent=indent)
        assert repr(AgentContext.model_validate_json(text)) == repr(made)
        assert json.dumps(json.loads(text)) == json.dumps(made.model_dump())
    adapter: TypeAdapter[Any] = TypeAdapter(Any)
    assert_same(adapter.validate_json(adapter.dump_json(FLOATS, inf_nan="constants")), FLOATS)


def test_typed_floats_read_back_from_strings() -> None:
    made = make_context()
    back = AgentContext.model_validate_json(made.model_dump_json(inf_nan="strings"))
    assert made.model_usage is not None and back.model_usage is not None
    assert made.rollout_details is not None and back.rollout_details is not None
    assert_same(back.cost_usd, INF)
    assert repr(back.model_usage) == repr(made.model_usage)
    assert_same(back.rollout_details[0]["logprobs"], made.rollout_details[0]["logprobs"])
    # Without a type there is nobody to make a number of the text.
    assert back.metadata == {"a": "NaN", "b": ["Infinity", {"c": "-Infinity"}], "d": "NaN"}
    # What is strings is JSON to the strictest reader.
    json.loads(made.model_dump_json(inf_nan="strings"), parse_constant=lambda word: pytest.fail(word))


def test_null_is_the_default_and_loses_them() -> None:
    made = make_context()
    assert made.model_dump_json() == made.model_dump_json(inf_nan="null")
    assert AgentContext.model_validate_json(made.model_dump_json(exclude={"rollout_details"})).cost_usd is None


def test_functions_and_adapters_take_inf_nan_too() -> None:
    @dataclass
    class Spot:
        x: float

    assert model_dump_json(Spot(NAN), inf_nan="constants") == '{"x":NaN}'
    assert TypeAdapter[Any](float).dump_json(NAN, inf_nan="strings") == b'"NaN"'


# Harm ---------------------------------------------------------------------------

DEEP = 100000
TOO_DEEP = "Invalid JSON: recursion limit exceeded at line 1 column %d"
LOOP: Dict[str, Any] = {}
LOOP["metadata"] = LOOP

# id, document, message of the one fault
DOCUMENTS: List[Tuple[str, Any, str]] = [
    ("100,000 brackets", "[" * DEEP + "]" * DEEP, TOO_DEEP % 202),
    ("100,000 braces", '{"a":' * DEEP + "1" + "}" * DEEP, TOO_DEEP % 1006),
    ("brackets in a field", '{"metadata": {"a": ' + "[" * DEEP, TOO_DEEP % 219),
    ("50 MB of brackets", b"[" * 50000000, TOO_DEEP % 202),
    ("5,000 digits", "9" * 5000, "Invalid JSON: number out of range at line 1 column 4302"),
    ("5,000 digits in a field", '{"n_input_tokens": ' + "9" * 5000 + "}",
     "Invalid JSON: number out of range at line 1 column 4321"),
    ("1,000,000 digits", "1" * 1000000, "Invalid JSON: number out of range at line 1 column 4302"),
    ("10 MB of a string that does not end", '"' + "a" * 10000000,
     "Invalid JSON: EOF while parsing a string at line 1 column 10000001"),
    ("10 MB of spaces", " " * 10000000, "Invalid JSON: EOF while parsing a value at line 1 column 10000000"),
    ("1,000,000 backslashes", '"' + "\\" * 1000001,
     "Invalid JSON: EOF while parsing a string at line 1 column 1000002"),
]


def within(seconds: float, act: Callable[[], Any]) -> Any:
    """Call, and demand that it takes less time than that."""
    start = time.perf_counter()
    found = act()
    assert time.perf_counter() - start < seconds
    return found


@pytest.mark.parametrize("document, message", rows(DOCUMENTS))
def test_a_hostile_document_is_one_fault_in_time(document: Any, message: str) -> None:
    for kind in (AgentContext, Point):
        found = within(5, lambda: observe(lambda: kind.model_validate_json(document)))
        assert isinstance(found, Refused)
        assert [fault[3] for fault in found.parts] == [message]
        assert found.parts[0][:3] == ("json_invalid", (), document)


def test_the_text_of_a_huge_input_is_short() -> None:
    with pytest.raises(ValidationError) as caught:
        AgentContext.model_validate_json("[" * 1000000)
    assert len(str(caught.value)) < 300


def test_a_deep_document_at_the_limit_is_read_and_written() -> None:
    document = '{"metadata":{"a":' + "[" * 198 + "1" + "]" * 198 + "}}"
    made = AgentContext.model_validate_json(document)
    assert made.model_dump_json(exclude_unset=True) == document
    assert_same(AgentContext.model_validate_json(made.model_dump_json()).metadata, made.metadata)


def test_a_dict_in_itself_is_taken_and_not_written() -> None:
    made = AgentContext(metadata=LOOP)
    text = "Circular reference detected (id repeated)"
    assert_same(observe(made.model_dump_json), Raised(
        "SerializationError", "Error serializing to JSON: ValueError: " + text))
    assert_same(observe(lambda: made.model_dump(mode="json")), Raised("ValueError", text))


def test_a_value_100_000_deep_is_taken_and_not_written() -> None:
    value: Any = 1
    for _ in range(DEEP):
        value = [value]
    made = AgentContext(metadata={"a": value})
    text = "Maximum serialization depth exceeded"
    assert_same(observe(made.model_dump_json), Raised(
        "SerializationError", "Error serializing to JSON: ValueError: " + text))
    assert_same(observe(lambda: made.model_dump(mode="json")), Raised("ValueError", text))
    while isinstance(value, list):  # taken apart by hand: some interpreters free a deep list by recursion
        value = value.pop()


def test_numbers_of_any_length_are_written() -> None:
    made = AgentContext(n_input_tokens=10**5000, metadata={"a": -(10**5000)})
    zeros = "0" * 5000
    assert made.model_dump_json(include={"n_input_tokens", "metadata"}) == (
        '{"n_input_tokens":1%s,"metadata":{"a":-1%s}}' % (zeros, zeros))


def test_a_digit_limit_of_the_interpreter_is_not_felt() -> None:
    if not hasattr(sys, "set_int_max_str_digits"):
        pytest.skip("this interpreter has no limit")
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        digits = "7" * 4300
        made = AgentContext.model_validate_json('{"n_input_tokens": %s}' % digits)
        assert made.model_dump_json(exclude_unset=True) == '{"n_input_tokens":%s}' % digits
        assert TypeAdapter[Any](int).validate_python(digits) == made.n_input_tokens
    finally:
        sys.set_int_max_str_digits(limit)


def test_little_stack_is_no_recursion_error() -> None:
    document = '{"metadata":{"a":' + "[" * 190 + "]" * 190 + "}}"

    def fall(depth: int) -> Any:
        if depth:
            return fall(depth - 1)
        return AgentContext.model_validate_json(document)

    made = fall(sys.getrecursionlimit() - 250)
    assert made.model_dump_json(exclude_unset=True) == document


def test_an_error_of_the_dump_is_a_serialization_error_with_its_cause() -> None:
    class Failing:
        pass

    def fail(value: Any) -> Any:
        raise KeyError("no")

    with pytest.raises(SerializationError) as caught:
        Point(more=Failing()).model_dump_json(fallback=fail)
    assert str(caught.value) == "Error serializing to JSON: KeyError: 'no'"
    assert isinstance(caught.value.__cause__, KeyError)
