"""harbor.models.agent.context: what goes beyond Harbor; the rest is compared with recorded data elsewhere."""

import decimal
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type

import pytest

from harbor.models.agent.context import AgentContext

NAN, INF = float("nan"), float("inf")

Numbers = Tuple[Optional[int], Optional[int], Optional[int], Optional[float]]


def _numbers(context: AgentContext) -> Numbers:
    return context.n_input_tokens, context.n_cache_tokens, context.n_output_tokens, context.cost_usd


def _make(numbers: Numbers) -> AgentContext:
    names = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
    values: Dict[str, Any] = {name: value for name, value in zip(names, numbers) if value is not None}
    return AgentContext(**values)


NOTHING: Numbers = (None, None, None, None)

# What stood there, input, cache reads, cache writes, output and cost, and what stands there then.
EXCLUDING: List[Tuple[str, Numbers, Tuple[Any, ...], Numbers]] = [
    ("first", NOTHING, (10, 800, 90, 7, 0.5), (900, 800, 7, 0.5)),
    ("added", (900, 800, 7, 0.5), (1, 20, 0, 3, 0.25), (921, 820, 10, 0.75)),
    ("zeros_are_known", NOTHING, (0, 0, 0, 0, 0), (0, 0, 0, 0.0)),
    ("nothing_is_known", NOTHING, (None, None, None, None, None), NOTHING),
    ("unknown_adds_nothing", (5, 4, 3, 2.0), (None, None, None, None, None), (5, 4, 3, 2.0)),
    ("input_needs_reads", NOTHING, (10, None, 0, 7, None), (None, None, 7, None)),
    ("input_needs_writes", NOTHING, (10, 5, None, 7, None), (None, 5, 7, None)),
    ("input_needs_input", (1, None, None, None), (None, 5, 5, None, None), (1, 5, None, None)),
]


@pytest.mark.parametrize("before, given, after", [row[1:] for row in EXCLUDING], ids=[row[0] for row in EXCLUDING])
def test_usage_that_excludes_cached_tokens(before: Numbers, given: Tuple[Any, ...], after: Numbers) -> None:
    context = _make(before)
    names = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "cost_usd")
    context.add_usage_excluding_cache(**dict(zip(names, given)))
    assert _numbers(context) == after


INCLUDING: List[Tuple[str, Numbers, Tuple[Any, ...], Numbers]] = [
    ("first", NOTHING, (900, 800, 7, 0.5), (900, 800, 7, 0.5)),
    ("added", (900, 800, 7, 0.5), (21, 20, 3, 0.25), (921, 820, 10, 0.75)),
    ("all_cached", NOTHING, (5, 5, 0, None), (5, 5, 0, None)),
    ("cached_unknown", NOTHING, (5, None, 1, None), (5, None, 1, None)),
    ("only_cached_known", NOTHING, (None, 5, None, None), (None, 5, None, None)),
    ("unknown_adds_nothing", (5, 4, 3, 2.0), (None, None, None, None), (5, 4, 3, 2.0)),
    ("whole_float", NOTHING, (5.0, 0, 1, decimal.Decimal("0.5")), (5, 0, 1, 0.5)),
]


@pytest.mark.parametrize("before, given, after", [row[1:] for row in INCLUDING], ids=[row[0] for row in INCLUDING])
def test_usage_that_includes_cached_tokens(before: Numbers, given: Tuple[Any, ...], after: Numbers) -> None:
    context = _make(before)
    names = ("input_tokens", "cached_tokens", "output_tokens", "cost_usd")
    context.add_usage_including_cache(**dict(zip(names, given)))
    assert _numbers(context) == after
    assert [type(value) for value in _numbers(context) if value is not None] == [
        kind for kind, value in zip((int, int, int, float), after) if value is not None]


METRICS: List[Tuple[str, Numbers, Optional[Mapping[str, Any]], Numbers]] = [
    (
        "replaces",
        (1, 1, 1, 1.0),
        {"total_prompt_tokens": 9, "total_cached_tokens": 4, "total_completion_tokens": 2, "total_cost_usd": 0.5},
        (9, 4, 2, 0.5),
    ),
    ("unknown_is_left", (1, 1, 1, 1.0), {"total_prompt_tokens": None, "total_completion_tokens": 0}, (1, 1, 0, 1.0)),
    ("other_keys", NOTHING, {"total_steps": 3, "extra": {"total_cost_usd": 1}}, NOTHING),
    ("no_metrics", (1, None, None, None), None, (1, None, None, None)),
]


@pytest.mark.parametrize("before, given, after", [row[1:] for row in METRICS], ids=[row[0] for row in METRICS])
def test_final_metrics(before: Numbers, given: Optional[Mapping[str, Any]], after: Numbers) -> None:
    context = _make(before)
    context.set_final_metrics(given)
    assert _numbers(context) == after


REFUSED: List[Tuple[str, Dict[str, Any], Type[Exception], str]] = [
    ("bool", {"input_tokens": True}, TypeError, "count of at least 0 for input_tokens, got True"),
    ("text", {"output_tokens": "7"}, TypeError, "count of at least 0 for output_tokens, got '7'"),
    ("negative", {"cached_tokens": -1}, ValueError, "count of at least 0 for cached_tokens, got -1"),
    ("fractional", {"input_tokens": 1.5}, ValueError, "count of at least 0 for input_tokens, got 1.5"),
    ("nan", {"cost_usd": NAN}, ValueError, "finite cost of at least 0 for cost_usd, got nan"),
    ("infinite", {"cost_usd": INF}, ValueError, "finite cost of at least 0 for cost_usd, got inf"),
    ("text_cost", {"cost_usd": "$1"}, TypeError, "finite cost of at least 0 for cost_usd, got '$1'"),
]


@pytest.mark.parametrize("given, error, text", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_number_that_is_none_changes_nothing(given: Dict[str, Any], error: Type[Exception], text: str) -> None:
    context = AgentContext(n_input_tokens=1, n_output_tokens=2)
    values: Dict[str, Any] = dict({"input_tokens": 9, "cached_tokens": 1, "output_tokens": 5, "cost_usd": 0.5}, **given)
    with pytest.raises(error) as caught:
        context.add_usage_including_cache(**values)
    assert (str(caught.value), type(caught.value)) == ("Expected a " + text, error)
    assert context == AgentContext(n_input_tokens=1, n_output_tokens=2)


def test_more_cached_than_input_tokens_shows_that_the_count_excludes_them() -> None:
    context = AgentContext()
    with pytest.raises(ValueError) as caught:
        context.add_usage_including_cache(input_tokens=5, cached_tokens=9, output_tokens=1)
    assert str(caught.value) == (
        "Expected an input count that includes the cached tokens, got 5 with 9 of them cached")
    with pytest.raises(ValueError):
        context.set_final_metrics({"total_prompt_tokens": 5, "total_cached_tokens": 9})
    assert context.is_empty()


def test_what_the_context_holds_must_be_a_number_too() -> None:
    context = AgentContext()
    context.n_input_tokens = "5"  # type: ignore[assignment]  # nothing checks assignments
    with pytest.raises(TypeError) as caught:
        context.add_usage_including_cache(input_tokens=5, cached_tokens=None, output_tokens=1)
    assert str(caught.value) == "Expected a count of at least 0 for AgentContext.n_input_tokens, got '5'"
    assert context.n_output_tokens is None
    # What is not added to is not looked at, and totals replace it.
    context.add_usage_including_cache(input_tokens=None, cached_tokens=None, output_tokens=1)
    context.set_final_metrics({"total_prompt_tokens": 5})
    assert _numbers(context) == (5, None, 1, None)


def test_final_metrics_are_a_dict() -> None:
    metrics: Any = ["total_prompt_tokens"]
    with pytest.raises(TypeError) as caught:
        AgentContext().set_final_metrics(metrics)
    assert str(caught.value) == (
        "Expected the dict of final_metrics, got ['total_prompt_tokens']; a model gives it with model_dump()")
    with pytest.raises(TypeError) as caught:
        AgentContext().set_final_metrics({"total_cost_usd": "1"})
    assert str(caught.value) == "Expected a finite cost of at least 0 for total_cost_usd, got '1'"


def test_filling_counts_as_setting() -> None:
    context = AgentContext()
    context.add_usage_including_cache(input_tokens=5, cached_tokens=None, output_tokens=1)
    assert context.model_fields_set == {"n_input_tokens", "n_output_tokens"}
    assert context.model_dump_json(exclude_unset=True) == '{"n_input_tokens":5,"n_output_tokens":1}'
