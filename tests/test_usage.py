"""harbor.usage: totals that keep unknown apart from zero."""

import copy
import fractions
import functools
import json
import math
import multiprocessing
import pickle
import random
from typing import Any, Dict, List, Optional, Tuple

import pytest

from harbor.models.agent.context import AgentContext, ModelUsage
from harbor.models.trial.result import TrialResult
from harbor.usage import CostTotal, CountTotal, UsageTally, UsageTotals

NAN, INF = float("nan"), float("inf")


class Indexed:
    """A number as numpy's integers are: no int, but usable as an index."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class bool_:
    """What numpy calls its truth values; they turn into floats without a word."""

    def __float__(self) -> float:
        return 1.0


class Several:
    """An array of several numbers: it has the method, and no answer."""

    def __float__(self) -> float:
        raise TypeError("only length-1 arrays can be converted to Python scalars")


def _assign(**values: Any) -> AgentContext:
    """Make a context whose values nothing has checked."""
    context = AgentContext()
    for name, value in values.items():
        setattr(context, name, value)
    return context


def _make_trial(**values: Any) -> TrialResult:
    return TrialResult.model_validate(dict(
        values, task_name="t", trial_name="t__1", trial_uri="file:///t", task_id={"path": "t"}, task_checksum="0",
        config={}, agent_info={"name": "a", "version": "1"}))


def _count(known: int, unknown: int, exact: int) -> CountTotal:
    return CountTotal(known, unknown, exact)


# One context -----------------------------------------------------------------


def test_none_is_unknown_and_zero_is_known() -> None:
    totals = UsageTotals.of_contexts([AgentContext(), AgentContext(n_input_tokens=0, cost_usd=0.0)])
    assert totals.n_input_tokens == _count(1, 1, 0)
    assert totals.n_output_tokens == _count(0, 2, 0)
    assert (totals.n_input_tokens.value, totals.n_output_tokens.value) == (0, None)
    assert (totals.cost_usd.value, totals.cost_usd.is_lower_bound) == (0.0, True)
    assert [str(totals.n_input_tokens), str(totals.n_output_tokens)] == ["at least 0 (1 unknown)", "unknown"]
    assert totals.problems == {}


def test_input_includes_the_cached_tokens() -> None:
    totals = UsageTotals.of_context(AgentContext(n_input_tokens=1500, n_cache_tokens=800, n_output_tokens=600))
    assert (totals.n_input_tokens.value, totals.n_cache_tokens.value) == (1500, 800)
    assert (totals.n_uncached_tokens.value, totals.n_output_tokens.value) == (700, 600)
    assert str(totals.n_input_tokens) == "1,500"


def test_uncached_needs_both_from_the_same_context() -> None:
    both = AgentContext(n_input_tokens=5, n_cache_tokens=5)
    totals = UsageTotals.of_contexts([AgentContext(n_input_tokens=10), AgentContext(n_cache_tokens=4), both])
    assert totals.n_uncached_tokens == _count(1, 2, 0)


def test_more_cached_than_input_is_reported() -> None:
    totals = UsageTotals.of_context(AgentContext(n_input_tokens=4, n_cache_tokens=9))
    assert totals.problems == {("n_cache_tokens", "above n_input_tokens"): 1}
    assert (totals.n_input_tokens, totals.n_cache_tokens) == (_count(1, 0, 4), _count(1, 0, 9))
    assert totals.n_uncached_tokens == _count(0, 1, 0)


REFUSED: List[Tuple[str, str, Any, str]] = [
    ("bool", "n_input_tokens", True, "bool"),
    ("bool_cost", "cost_usd", False, "bool"),
    ("numpy_bool", "n_output_tokens", bool_(), "bool"),
    ("negative", "n_cache_tokens", -1, "negative"),
    ("negative_index", "n_cache_tokens", Indexed(-1), "negative"),
    ("negative_float", "n_input_tokens", -2.0, "negative"),
    ("negative_cost", "cost_usd", -0.01, "negative"),
    ("negative_int_cost", "cost_usd", -1, "negative"),
    ("nan", "cost_usd", NAN, "nan"),
    ("nan_count", "n_input_tokens", NAN, "nan"),
    ("infinite", "cost_usd", INF, "infinite"),
    ("minus_infinite", "cost_usd", -INF, "infinite"),
    ("infinite_count", "n_input_tokens", INF, "infinite"),
    ("beyond_floats", "cost_usd", 10 ** 400, "infinite"),
    ("fractional", "n_output_tokens", 0.5, "fractional"),
    ("text", "n_input_tokens", "12", "not a number"),
    ("text_cost", "cost_usd", "0.1", "not a number"),
    ("list", "cost_usd", [0.1], "not a number"),
    ("array", "cost_usd", Several(), "not a number"),
    ("complex", "cost_usd", 1j, "not a number"),
]


@pytest.mark.parametrize("name, value, problem", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_no_sum_of_tokens_or_dollars_is_reported_and_unknown(name: str, value: Any, problem: str) -> None:
    totals = UsageTotals.of_contexts([_assign(**{name: value}), _assign(**{name: 2})])
    assert totals.problems == {(name, problem): 1}
    total = getattr(totals, name)
    assert (total.known, total.unknown, total.value) == (1, 1, 2)


SUMMED: List[Tuple[str, str, Any, float]] = [
    ("int", "n_input_tokens", 7, 7),
    ("beyond_floats", "n_input_tokens", 10 ** 400, 10 ** 400),
    ("index", "n_input_tokens", Indexed(7), 7),
    ("whole_float", "n_input_tokens", 7.0, 7),
    ("int_cost", "cost_usd", 7, 7.0),
    ("fraction_cost", "cost_usd", fractions.Fraction(1, 2), 0.5),
    ("minus_zero", "cost_usd", -0.0, 0.0),
    ("smallest", "cost_usd", 5e-324, 5e-324),
    ("largest", "cost_usd", 1.7976931348623157e308, 1.7976931348623157e308),
]


@pytest.mark.parametrize("name, value, expected", [row[1:] for row in SUMMED], ids=[row[0] for row in SUMMED])
def test_what_is_summed(name: str, value: Any, expected: float) -> None:
    totals = UsageTotals.of_context(_assign(**{name: value}))
    assert totals.problems == {}
    found = getattr(totals, name).value
    assert (found, type(found)) == (expected, type(expected))


def test_a_cost_above_every_float_is_infinite_when_read_and_exact_in_the_total() -> None:
    largest = UsageTotals.of_context(AgentContext(cost_usd=1.7976931348623157e308)).cost_usd
    twice = largest.merge(largest)
    assert (twice.value, twice.exact) == (INF, 2 * largest.exact)


# Models ----------------------------------------------------------------------


def test_totals_per_model() -> None:
    totals = UsageTotals.of_contexts([
        AgentContext(
            n_input_tokens=5, model_usage={"a": ModelUsage(n_input_tokens=5, cost_usd=0.5), "b": ModelUsage()}),
        AgentContext(n_input_tokens=6, model_usage={"a": ModelUsage(n_input_tokens=6)}),
        AgentContext(n_input_tokens=7),
        None,
    ])
    assert sorted(totals.by_model) == ["a", "b"]
    first = totals.by_model["a"]
    assert (first.n_contexts, first.n_input_tokens) == (2, _count(2, 0, 11))
    assert str(first.cost_usd) == "at least $0.5 (1 unknown)"
    assert str(totals.by_model["b"].cost_usd) == "unknown"
    assert (totals.n_contexts, totals.n_without_models) == (4, 2)
    assert str(totals.n_input_tokens) == "at least 18 (1 unknown)"


def test_model_usage_that_nothing_has_checked() -> None:
    totals = UsageTotals.of_contexts([
        _assign(model_usage={"a": {"n_input_tokens": 5, "cost_usd": NAN}, "b": 3}), _assign(model_usage=[])])
    assert totals.problems == {("model_usage", "not a record"): 2}
    assert totals.by_model["a"].n_input_tokens == _count(1, 0, 5)
    assert totals.by_model["a"].problems == {("cost_usd", "nan"): 1}
    assert totals.by_model["b"].n_input_tokens == _count(0, 1, 0)
    assert totals.n_without_models == 1


# Trials ----------------------------------------------------------------------


def test_a_trial_is_its_own_context_else_those_of_its_steps() -> None:
    steps = [
        {"step_name": "one", "agent_result": {"n_input_tokens": 2}},
        {"step_name": "two", "agent_result": {"n_input_tokens": 3}},
        {"step_name": "three"},
    ]
    own = _make_trial(agent_result={"n_input_tokens": 10}, step_results=steps)
    stepped = _make_trial(step_results=steps)
    assert UsageTotals.of_trial(own).n_input_tokens == _count(1, 0, 10)
    assert UsageTotals.of_trial(stepped).n_input_tokens == _count(2, 1, 5)
    assert UsageTotals.of_trials(iter([own, stepped])).n_input_tokens == _count(3, 1, 15)
    assert own.compute_token_cost_totals()[0] == 10
    assert stepped.compute_token_cost_totals()[0] == 5


@pytest.mark.parametrize("steps", [None, []], ids=["none", "empty"])
def test_a_trial_without_a_context_is_one_of_which_nothing_is_known(steps: Optional[List[Any]]) -> None:
    totals = UsageTotals.of_trial(_make_trial(step_results=steps))
    assert totals == UsageTotals.of_context(None)
    assert (totals.n_contexts, totals.n_input_tokens, totals.cost_usd) == (1, _count(0, 1, 0), CostTotal(0, 1, 0))


# Folding ---------------------------------------------------------------------


def _make_random_context(random_: random.Random) -> Optional[AgentContext]:
    if random_.random() < 0.1:
        return None
    cost = random_.choice([None, NAN, -1.0, 0.0, random_.random(), 10 ** random_.uniform(-320, 300)])
    whole = random_.choice([None, True, 0, random_.randrange(10 ** 9)])
    context = _assign(n_input_tokens=whole, n_cache_tokens=random_.choice([None, 5]), cost_usd=cost)
    if random_.random() < 0.5:
        context.model_usage = {random_.choice("abc"): ModelUsage(n_output_tokens=random_.randrange(9), cost_usd=0.1)}
    return context


def _fold_randomly(parts: List[UsageTotals], random_: random.Random) -> UsageTotals:
    """Merge neighbours, anywhere, until one is left."""
    parts = list(parts)
    while len(parts) > 1:
        at = random_.randrange(len(parts) - 1)
        parts[at:at + 2] = [parts[at] + parts[at + 1]]
    return parts[0]


@pytest.mark.parametrize("seed", range(20))
def test_neither_order_nor_grouping_changes_a_total(seed: int) -> None:
    random_ = random.Random(seed)
    contexts = [_make_random_context(random_) for _ in range(random_.randrange(1, 60))]
    whole = UsageTotals.of_contexts(contexts)
    random_.shuffle(contexts)
    parts = [UsageTotals.of_context(context) for context in contexts]
    folded = _fold_randomly(parts, random_)
    assert folded == whole
    assert functools.reduce(UsageTotals.merge, parts, UsageTotals()) == whole
    assert json.dumps(folded.as_dict()) == json.dumps(whole.as_dict())
    costs = [context.cost_usd for context in contexts if context is not None]
    known = [cost for cost in costs if cost is not None and cost >= 0]
    assert whole.cost_usd.known == len(known)
    if known:
        assert whole.cost_usd.value == math.fsum(known) == float(sum(map(fractions.Fraction, known)))


@pytest.mark.parametrize("seed", range(3))
def test_a_tally_gives_the_same_sums_as_its_totals(seed: int) -> None:
    random_ = random.Random(seed)
    tally = UsageTally()
    for n_added in range(20):
        totals = tally.totals()
        for name in ("n_input_tokens", "n_cache_tokens", "n_uncached_tokens", "n_output_tokens", "cost_usd"):
            total = getattr(totals, name)
            assert tally.read_sum(name) == (total.value, total.unknown)
        assert totals.n_contexts == n_added and tally.problems == totals.problems
        tally.add_context(_make_random_context(random_))


def test_the_identity() -> None:
    totals = UsageTotals.of_context(AgentContext(n_input_tokens=1, model_usage={"a": ModelUsage()}))
    assert UsageTotals() + totals == totals == totals + UsageTotals()
    assert UsageTotals() + UsageTotals() == UsageTotals() == UsageTotals.of_contexts([])
    assert sum([totals, totals], UsageTotals()) == totals.merge(totals)
    assert (UsageTotals().n_input_tokens.value, UsageTotals().n_input_tokens.is_lower_bound) == (None, False)


def test_merging_leaves_both_as_they_were() -> None:
    first = UsageTotals.of_context(_assign(n_input_tokens=1, cost_usd=NAN, model_usage={"a": ModelUsage()}))
    before = copy.deepcopy(first)
    merged = first + first
    merged.by_model.clear()
    merged.problems.clear()
    assert first == before
    with pytest.raises(AttributeError):
        first.n_contexts = 5  # type: ignore[misc]  # that it is refused is the point


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_totals_pickle(protocol: int) -> None:
    totals = UsageTotals.of_context(_assign(n_input_tokens=1, cost_usd=0.1, model_usage={"a": ModelUsage()}))
    assert pickle.loads(pickle.dumps(totals, protocol)) == totals


def _total_chunk(costs: List[float]) -> UsageTotals:
    return UsageTotals.of_contexts(AgentContext(cost_usd=cost) for cost in costs)


def test_processes_fold_to_the_same_total() -> None:
    costs = [0.1 * number for number in range(100)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.imap_unordered(_total_chunk, [costs[start::7] for start in range(7)])
        assert functools.reduce(UsageTotals.merge, parts, UsageTotals()) == _total_chunk(costs)


def test_only_totals_merge() -> None:
    not_totals: Any = AgentContext()
    with pytest.raises(TypeError) as caught:
        UsageTotals().merge(not_totals)
    assert str(caught.value) == (
        "Expected UsageTotals to merge, got %r; of_context and of_trial make them" % (not_totals,))
    with pytest.raises(TypeError):
        UsageTotals() + not_totals


def test_memory_does_not_grow_with_the_number_of_contexts() -> None:
    context = AgentContext(n_input_tokens=3, cost_usd=0.1)
    few, many = (UsageTotals.of_contexts([context] * number) for number in (10, 100000))
    assert len(pickle.dumps(many)) < len(pickle.dumps(few)) + 32


# JSON ------------------------------------------------------------------------


def test_as_dict() -> None:
    context = _assign(n_input_tokens=9, n_cache_tokens=4, n_output_tokens=-1, model_usage={"b": ModelUsage(cost_usd=1)})
    unknown: Dict[str, Any] = {"total": None, "known": 0, "unknown": 1, "is_lower_bound": True}

    def show(total: float, known: int = 1) -> Dict[str, Any]:
        return {"total": total, "known": known, "unknown": 0, "is_lower_bound": False}

    shown = UsageTotals.of_context(context).as_dict()
    assert json.loads(json.dumps(shown)) == shown == {
        "n_contexts": 1,
        "n_input_tokens": show(9),
        "n_cache_tokens": show(4),
        "n_uncached_tokens": show(5),
        "n_output_tokens": unknown,
        "cost_usd": unknown,
        "problems": [{"field": "n_output_tokens", "problem": "negative", "count": 1}],
        "n_without_models": 0,
        "by_model": {
            "b": {
                "n_contexts": 1,
                "n_input_tokens": show(0),
                "n_cache_tokens": show(0),
                "n_uncached_tokens": show(0),
                "n_output_tokens": show(0),
                "cost_usd": show(1.0),
                "problems": [],
            }
        },
    }
