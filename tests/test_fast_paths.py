"""The quick ways against the exact ones: reading, making models, dumping, writing.

`force_exact` shuts every quick way; what comes out must be the same, on the recorded documents and on random ones.
"""

import contextlib
import functools
import itertools
import json
import random
import warnings
from decimal import Decimal
from fractions import Fraction
from types import new_class
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Type, Union
from unittest import mock

import pytest

import golden
from harbor.codec import Field, Model, TypeAdapter, ValidationError, calls
from harbor.codec.plan.base import NOT_COPIED
from harbor.codec.plan.records import RecordPlan
from harbor.codec.text import reading, writing
from harbor.models.agent.context import AgentContext, ModelUsage
from outcomes import Raised, assert_same, check, observe

#: The quick ways: whose attribute, its name, and what stands in for it.
SWITCHES: List[Tuple[Any, str, Any]] = []


def _refuse_quick_models(plan: RecordPlan, value: Any, call: Any) -> Any:
    call.quick = False
    return None


def _refuse_quick_text(*values: Any) -> Any:
    raise ValueError("the quick way is shut")


SWITCHES += [
    (RecordPlan, "_try_quickly", _refuse_quick_models),
    (RecordPlan, "fill", lambda *values: None),
    (RecordPlan, "fill_with_keywords", lambda *values: False),
    (RecordPlan, "load", lambda *values: None),
    (RecordPlan, "write_compactly", lambda *values: None),
    (RecordPlan, "write_quickly", lambda *values: None),
    (RecordPlan, "copy", lambda *values: NOT_COPIED),
    (calls, "parse", lambda document, *rest: reading.parse_exact(document)),
    (writing, "_encode_plain", _refuse_quick_text),
]


@contextlib.contextmanager
def force_exact() -> Iterator[None]:
    """Shut every quick way for a while."""
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, stand_in in SWITCHES:
            patch.setattr(owner, name, stand_in)
        yield


def _use_often(*made: Model) -> None:
    """Use classes until there are functions that were made for them."""
    for one in made:
        for _ in range(10):
            type(one)(**{name: getattr(one, name) for name in one.model_fields_set})
            one.model_dump()
            type(one).model_validate_json(one.model_dump_json())


class Part(Model):
    n: int
    share: float = 0.5
    tags: List[str] = []


class Whole(Model):
    context: AgentContext
    parts: List[Part] = []
    named: Dict[str, Part] = {}
    any: Any = None


class Open(Model, extra="allow"):
    n: int = 0


# Reading and making ------------------------------------------------------------


def both_ways(act: Callable[[], Any]) -> None:
    """Demand the same outcome of an act the quick way and the exact way."""
    quick = act()
    with force_exact():
        exact = act()
    assert_same(quick, exact)


def load(kind: Type[Model], document: Any) -> Any:
    """Give all that a document comes to: the model, its dumps and its texts, or the fault."""
    made = observe(lambda: kind.model_validate_json(document))
    if not isinstance(made, kind):
        return made
    return (
        made, sorted(made.model_fields_set), observe(made.model_dump), observe(lambda: made.model_dump(mode="json")),
        observe(made.model_dump_json), observe(lambda: made.model_dump_json(indent=2)),
        observe(lambda: made.model_dump_json(inf_nan="constants")),
        observe(lambda: made.model_dump_json(exclude_unset=True)),
        observe(lambda: made.model_dump_json(exclude_none=True, indent=1)),
    )


def test_the_switches_shut_the_ways_they_are_named_after() -> None:
    document = '{"context": {"n_input_tokens": 1, "metadata": {"a": [1]}}, "parts": [{"n": 1}]}'
    made = Whole.model_validate_json(document)
    for owner, name, stand_in in SWITCHES:
        used: List[str] = []
        before = vars(owner)[name]

        def count(*values: Any, **options: Any) -> Any:
            used.append(name)
            return before(*values, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, name, count)
            AgentContext(n_input_tokens=1)
            Whole.model_validate_json(document)
            made.model_dump()
            made.model_dump_json(exclude_unset=True)
            made.model_dump_json()
        assert used, name


# Keywords ----------------------------------------------------------------------


class _Text(str):
    pass


class _Dict(Dict[str, Any]):
    pass


KEYWORDS: List[Any] = [
    None, 0, 1, -1, True, 1.0, 1.5, float("nan"), "1", "x", _Text("1"), b"1", [], {}, {"a": 1}, {"a": {"b": [1]}},
    {1: 2},
    {_Text("a"): 1}, {"a": 1, 1: 2}, _Dict(a=1), {"\ud800": 1}, {"m": ModelUsage()}, {"m": {"n_input_tokens": 1}},
    [{"prompt_token_ids": [[1]]}],
]


@pytest.mark.parametrize("kind", [AgentContext, ModelUsage, Open, Part, Whole])
@pytest.mark.parametrize("seed", range(3))
def test_both_ways_agree_on_keywords(kind: Any, seed: int) -> None:
    random_ = random.Random(seed)
    n_filled = 0
    for _ in range(300):
        names = random_.sample([*kind.model_fields, "more"], random_.randrange(0, 1 + len(kind.model_fields)))
        given = {name: random_.choice(KEYWORDS) for name in names}
        if not random_.randrange(4):
            given = {_Text(name): value for name, value in given.items()}
        act = (lambda: kind(**given)) if random_.randrange(2) else (lambda: kind.model_validate(given))

        def make() -> Any:
            made = observe(act)
            if not isinstance(made, kind):
                return made
            return (
                made, list(vars(made)), made.model_fields_set, set(map(type, made.model_fields_set)), made.model_extra,
                observe(made.model_dump), observe(made.model_dump_json),
                [vars(made).get(name) is given[name] for name in given])

        both_ways(make)
        plan = kind.__codec_plan__
        n_filled += plan.fill(given, None, False) is not None
    assert n_filled > 0 or kind in (Part, Whole)


def test_a_caller_keeps_its_dict() -> None:
    given = {"a": [1]}
    made = AgentContext(metadata=given, n_input_tokens=1)
    assert made.metadata == given and made.metadata is not given
    given["b"] = [2]
    assert made.metadata == {"a": [1]}


# Documents that are right, and wrong in one place ------------------------------

DOCUMENTS: List[Tuple[Any, str]] = [
    (AgentContext, "{}"),
    (AgentContext, '{"n_input_tokens": 1, "cost_usd": 1, "metadata": null}'),
    (AgentContext, '{"n_input_tokens": true}'),
    (AgentContext, '{"n_input_tokens": "1", "more": 1}'),
    (AgentContext, '{"n_input_tokens": 1.0, "cost_usd": "x"}'),
    (AgentContext, '{"cost_usd": 1e999, "metadata": {"a": -0.0, "b": [NaN]}}'),
    (AgentContext, '{"model_usage": {"m": {"n_input_tokens": 1, "cost_usd": null}}}'),
    (AgentContext, '{"model_usage": {"m": {"n_input_tokens": null}, "l": 1}}'),
    (AgentContext, '{"rollout_details": [{"logprobs": [[1, -0.5]], "prompt_token_ids": [[1]], "extra": {"a": [0]}}]}'),
    (AgentContext, '{"rollout_details": [{"prompt_token_ids": [[1, "2", null]], "x": 1}, null]}'),
    (AgentContext, '{"n_input_tokens": 1, "n_input_tokens": 2}'),
    (AgentContext, '{"model_usage": {"a": {}, "a": {"n_input_tokens": "x"}}}'),
    (AgentContext, "[]"),
    (AgentContext, '{"metadata": {"\\ud83d\\ude00": "\\u0000"}}'),
    (Open, '{"n": 1, "more": [1], "n2": null}'),
    (Open, '{"n": "x", "more": 1}'),
    (Whole, '{"context": {"n_input_tokens": 1}, "parts": [{"n": 1}, {"n": "2", "tags": ["a", 1]}]}'),
    (Whole, '{"context": {}, "named": {"a": {"n": 1}, "b": {}}, "any": {"c": [1.5]}}'),
    (Whole, '{"parts": []}'),
]


@pytest.mark.parametrize("kind, document", DOCUMENTS, ids=[row[1][:40] for row in DOCUMENTS])
def test_both_ways_agree_on_chosen_documents(kind: Any, document: str) -> None:
    both_ways(lambda: load(kind, document))
    both_ways(lambda: load(kind, document.encode()))


@pytest.mark.parametrize("name", ["random", "validate_json", "dump"])
def test_the_exact_way_gives_what_was_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # test_golden goes the quick way on every case; every third will do here.
    monkeypatch.delenv("PYDANTIC_ERRORS_INCLUDE_URL", raising=False)
    failures, n_cases = [], 0
    with force_exact():
        for index, (_, case) in enumerate(golden.read_cases(golden.FOLDER / (name + ".jsonl.gz"))):
            if index % 3 or golden.skip_reason(case) or case["class"] not in ("AgentContext", "ModelUsage"):
                continue
            n_cases += 1
            if golden.find_differences(case, golden.run_case(case)):
                failures.append(case["id"])
    assert n_cases > 300
    assert failures == []


# Random documents ----------------------------------------------------------------

_SCALARS: List[Any] = [
    None, True, False, 0, 1, -5, 2**63, 10**30, 0.5, 1.0, -0.0, 1e-5, 1e16, 1e300, float("nan"), float("inf"), "", "a",
    "1", "1.5", "true", "é", "\U0001f600", "\u2028", '"\\', "x" * 60,
]
_KEYS = ["a", "b", "n", "share", "n_input_tokens", "é", "", "a.b", "1"]


def make_value(rng: random.Random, depth: int = 0) -> Any:
    """Make any JSON value."""
    kind = rng.randrange(8)
    if kind < 5 or depth > 3:
        return rng.choice(_SCALARS)
    if kind < 7:
        return [make_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(_KEYS): make_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def make_close(rng: random.Random, good: Any) -> Any:
    """Give a good value mostly, else any."""
    return make_value(rng, 2) if rng.random() < 0.03 else good


def make_tokens(rng: random.Random) -> Any:
    return make_close(rng, [
        make_close(rng, [make_close(rng, rng.randrange(100000)) for _ in range(rng.randrange(4))])
        for _ in range(rng.randrange(3))])


def make_usage(rng: random.Random) -> Any:
    names = ["n_input_tokens", "n_cache_tokens", "n_output_tokens"]
    usage: Dict[str, Any] = {name: make_close(rng, rng.randrange(1000)) for name in names if rng.random() < 0.7}
    if rng.random() < 0.5:
        usage["cost_usd"] = make_close(rng, rng.choice([None, 0.25, 1]))
    return make_close(rng, usage)


def make_rollout(rng: random.Random) -> Any:
    rollout: Dict[str, Any] = {}
    for name in rng.sample(["prompt_token_ids", "completion_token_ids"], rng.randrange(3)):
        rollout[name] = make_tokens(rng)
    if rng.random() < 0.5:
        rollout["logprobs"] = make_close(rng, [[-rng.random(), -1], [rng.choice([0.0, -0.0, 1e-7, float("nan")])]])
    if rng.random() < 0.3:
        rollout["extra"] = make_close(rng, {"k": [make_value(rng, 3)]})
    if rng.random() < 0.05:
        rollout["unknown"] = make_value(rng, 3)
    return make_close(rng, rollout)


def make_context(rng: random.Random) -> Any:
    """Make what is an AgentContext mostly, and wrong in a place or two else."""
    makers: List[Tuple[str, Callable[[], Any]]] = [
        ("n_input_tokens", lambda: rng.choice([None, 0, 7, 10**6])),
        ("n_cache_tokens", lambda: rng.choice([None, 0, 7])),
        ("n_output_tokens", lambda: rng.choice([None, 0, 7])),
        ("cost_usd", lambda: rng.choice([None, 0, 0.1, 1e-5, float("inf")])),
        ("model_usage", lambda: {"m%d" % n: make_usage(rng) for n in range(rng.randrange(3))}),
        ("rollout_details", lambda: [make_rollout(rng) for _ in range(rng.randrange(3))]),
        ("metadata", lambda: rng.choice([None, {}, {"k": make_value(rng), "l": make_value(rng)}])),
        ("more", lambda: make_value(rng, 2)),
    ]
    rng.shuffle(makers)
    return make_close(rng, {name: make_close(rng, make()) for name, make in makers if rng.random() < 0.6})


def make_document(rng: random.Random) -> str:
    document = json.dumps(make_context(rng), ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, None, 1]))
    if rng.random() < 0.05:  # no JSON any more, perhaps
        place = rng.randrange(len(document))
        document = document[:place] + rng.choice(["", ",", "]", "1", "\\", '"']) + document[place + 1 :]
    return document


def test_both_ways_agree_on_random_documents() -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    rng = random.Random(seed)
    documents = [make_document(rng) for _ in range(10000)]
    quick = [load_once(document) for document in documents]
    with force_exact():
        exact = [load_once(document) for document in documents]
    n_good = 0
    for document, one, other in zip(documents, quick, exact):
        if one != other:
            pytest.fail("seed %d\ndocument %s\nquick %r\nexact %r" % (seed, document, one, other))
        n_good += one[0] == "made"
    assert 3000 < n_good < 9000  # there are enough of both kinds


def make_growing(rng: random.Random) -> str:
    """Make a long record of a chat, whose prompts begin with all of the one before, mostly."""
    rollouts = []
    for _ in range(rng.randrange(1, 3)):
        tokens: List[Any] = [rng.randrange(100000) for _ in range(rng.randrange(900))]
        prompts = []
        for _ in range(rng.randrange(1, 12)):
            tokens = tokens + [rng.randrange(100000) for _ in range(rng.randrange(80))]
            if rng.random() < 0.1 and tokens:  # a break in the history
                tokens[rng.randrange(len(tokens))] = rng.choice([-1, 7, 10**20])
            if rng.random() < 0.02 and tokens:  # a wrong token
                tokens[rng.randrange(len(tokens))] = rng.choice([None, "5", 1.0, 1.5, True, [1], {}])
            prompts.append(make_close(rng, tokens))
        rollouts.append({"prompt_token_ids": prompts, "logprobs": [[-rng.random() for _ in range(50)]]})
    record = {"rollout_details": rollouts, "metadata": {"prompt_token_ids": rollouts[0]["prompt_token_ids"]}}
    return json.dumps(record, indent=rng.choice([None, None, 1]), separators=rng.choice([None, (",", ":")]))


def test_both_ways_agree_on_random_chats() -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    rng = random.Random(seed)
    documents = [make_growing(rng) for _ in range(60)]
    quick = [load_once(document) for document in documents]
    with force_exact():
        exact = [load_once(document) for document in documents]
    for document, one, other in zip(documents, quick, exact):
        if one != other:
            pytest.fail("seed %d\ndocument %.2000s\nquick %.2000r\nexact %.2000r" % (seed, document, one, other))


def load_once(document: str) -> Tuple[Any, ...]:
    """Give what a document comes to as text, which tells 1 from True and from 1.0."""
    try:
        made = AgentContext.model_validate_json(document)
    except ValueError as error:
        return ("refused", str(error), repr(error))
    choices: List[Dict[str, Any]] = [{}, {"indent": 1}, {"exclude_none": True}]
    options = choices[len(document) % 3]
    return (
        "made", repr(made), sorted(made.model_fields_set), made.model_dump_json(**options), repr(made.model_dump()))


@pytest.mark.parametrize("kind", [
    List[ModelUsage], Dict[str, ModelUsage], Dict[str, Any], List[List[float]], Any, List[Part], Dict[str, List[int]],
], ids=str)
def test_both_ways_agree_on_random_values_of_other_types(kind: Any) -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    rng = random.Random(seed)
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    makers: List[Callable[[], Any]] = [
        lambda: [make_usage(rng), make_usage(rng)], lambda: {"a": make_usage(rng)}, lambda: make_tokens(rng),
        lambda: make_value(rng), lambda: [{"n": 1, "tags": ["a", make_value(rng, 3)]}, {"n": make_value(rng, 3)}],
    ]
    for _ in range(300):
        value = rng.choice(makers)()

        def act() -> Any:
            found = check(kind, "json", value)
            return found, observe(lambda: adapter.dump_json(found) if not hasattr(found, "parts") else None)

        both_ways(act)


class _Count(int):
    pass


_ASSIGNED: List[Any] = _SCALARS + KEYWORDS + [
    _Count(5), float("-inf"), 1e-9, -1e-5, 0.0, 10**700, "\ud800", ("a", 1), {"a": ("b",)}, {"a": 1, "b": "c", "d": None},
    {"a": ["b", "c"], "d": [], "e": ["f", 1], "g": ["h", _Text("i")]}, {"a": {"b": {"c": [1.5, True]}}},
    {"k%d" % number: number for number in range(40)}, {"x" * 100: 1e-7}, {"a": _Text("b")}, {"a": _Count(1)}, {"é": "é"},
    {"%s": "%d", "{": "}"}, {"a": float("nan")}, {"a": 10**700},
]


class Flat(Model):
    first: int = 1
    ok: bool = True
    text: str = "a"
    either: Union[int, str] = 2
    share: Optional[float] = None
    hidden: Optional[str] = Field(default=None, exclude_if=lambda value: value in (None, "a"))


@pytest.mark.parametrize("kind", [AgentContext, Flat])
def test_both_ways_agree_on_assigned_values(kind: Type[Model]) -> None:
    _use_often(kind())
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        for name in kind.model_fields:
            for value in _ASSIGNED:
                made: Any = kind()
                setattr(made, name, value)
                both_ways(lambda: [observe(made.model_dump_json), observe(made.model_dump)])
                delattr(made, name)
                both_ways(lambda: [observe(made.model_dump_json), observe(made.model_dump)])
                setattr(made, name, None)  # the last one now
                both_ways(lambda: [observe(made.model_dump_json), observe(made.model_dump)])


class _Liar(int):
    def __eq__(self, other: Any) -> bool:
        return True

    __hash__ = int.__hash__


@pytest.mark.parametrize("place", [5, 6, 300, 598])
@pytest.mark.parametrize("odd", [
    True, False, 7.0, 1.0, Decimal(7), Fraction(7), _Count(7), _Liar(8), mock.ANY, "7", None, 10**20, Exception], ids=repr)
def test_what_equals_a_known_int_is_written_as_the_exact_way_writes_it(odd: Any, place: int) -> None:
    """The other values are the very objects of the list before, which is no proof for this one."""
    first = list(range(1000, 1600))
    first[5], first[6], first[300] = 1, 0, 7
    changed = first + [5, 6]
    changed[place] = odd
    context = AgentContext()
    setattr(context, "rollout_details", [{"prompt_token_ids": [first, first + [1], changed, changed + [8], changed]}])
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        both_ways(lambda: observe(context.model_dump_json))


def test_a_record_of_single_values_is_written_by_what_was_made_for_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [AgentContext(n_input_tokens=1, cost_usd=0.5, metadata={"a": ["b"]}), Flat(text="b", hidden="c")]
    _use_often(*made)
    monkeypatch.delattr(RecordPlan, "write")
    monkeypatch.delattr(calls, "render")
    assert [one.model_dump_json() for one in made] == [
        '{"n_input_tokens":1,"n_cache_tokens":null,"n_output_tokens":null,"cost_usd":0.5,"rollout_details":null,'
        '"metadata":{"a":["b"]}}',
        '{"first":1,"ok":true,"text":"b","either":2,"share":null,"hidden":"c"}']


class Named(Model):
    """Fields that are called like what the code of functions speaks of."""

    type: int = 1
    dict: Optional[Dict[str, Any]] = None  # type: ignore[assignment]
    cls: str = "c"
    names: List[int] = []
    part0: Optional[float] = None
    full: bool = False
    self: int = 2


class Dropped(Model):
    first: Optional[int] = Field(default=None, exclude_if=lambda value: value is None)
    second: int = 2


def test_a_record_of_single_values_is_made_and_copied_by_what_was_made_for_its_class(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [
        AgentContext(n_input_tokens=1, cost_usd=0.5, metadata={"a": ["b", {"c": 1}]}), Flat(text="b", hidden="c"),
        Named(type=5, dict={"a": 1}, self=3), Dropped(second=3), Dropped(first=1)]
    _use_often(*made)
    given = [{name: getattr(one, name) for name in one.model_fields_set} for one in made]
    dumped = [one.model_dump() for one in made]
    monkeypatch.delattr(RecordPlan, "fill")
    monkeypatch.setattr(RecordPlan, "count_use", None)
    monkeypatch.delattr(calls, "dump_value")
    for one, values, dump in zip(made, given, dumped):
        again = type(one)(**values)
        assert again == one and again.model_fields_set == one.model_fields_set == set(values)
        assert list(vars(again)) == list(type(one).model_fields)
        assert_same(again.model_dump(), dump)
    assert dumped[3:] == [{"second": 3}, {"first": 1, "second": 2}]
    copied, context = dumped[0]["metadata"], made[0]
    assert copied == context.metadata and copied is not context.metadata  # type: ignore[attr-defined]
    assert copied["a"] is not context.metadata["a"]  # type: ignore[attr-defined]


def test_what_was_made_for_a_class_hands_over_what_is_unusual() -> None:
    _use_often(Named(dict={"a": 1}), AgentContext(n_input_tokens=1))
    first, second = Named(), Named()
    first.names.append(1)
    assert second.names == [] and second.model_fields_set == set()
    assert Named(type="7", more=1, _self=2, _values=3).type == 7  # type: ignore[call-arg, arg-type]
    assert AgentContext(metadata=None).model_fields_set == {"metadata"}
    with pytest.raises(TypeError) as refused:
        Named(1, type=2)  # type: ignore[misc]
    with pytest.raises(TypeError) as refused_before:
        Model.__init__(Named(), 1, type=2)  # type: ignore[call-arg]
    assert str(refused.value) == str(refused_before.value)
    text = _Text("a")
    assert type(list(AgentContext(metadata={text: 1}).metadata or {})[0]) is str
    given: Dict[str, Any] = {"a": [1]}
    assert AgentContext(metadata=given).metadata is not given
    with pytest.raises(ValidationError) as caught:
        Named(self=None, type="x")  # type: ignore[arg-type]
    assert [fault["loc"] for fault in caught.value.errors()] == [("type",), ("self",)]
    # A value that was taken away, or that came, is none of the class's.
    del first.names
    assert "names" not in first.model_dump()
    vars(second)["other"] = 1
    assert second.model_dump(warnings=False)["type"] == 1


def test_a_subclass_is_not_made_by_what_was_made_for_its_base() -> None:
    class Base(Model):
        x: int = 1

    class Above(Base):
        y: int

    class Own(Base):
        def __init__(self, **values: Any) -> None:
            super().__init__(**values)
            vars(self)["x"] += 10

    _use_often(Base(x=3), Above(y=3))
    assert (Above(y=5).x, Above(y=5).y, Own(x=1).x) == (1, 5, 11)
    with pytest.raises(ValidationError) as caught:
        Above(z=1, x=2)  # type: ignore[call-arg]
    assert list(caught.value.errors()[0]["input"]) == ["z", "x"]


def test_what_somebody_puts_in_place_of_a_constructor_is_called() -> None:
    class Base(Model):
        x: int = 1

    class Above(Base):
        y: int = 2

    made: List[str] = []

    def wrap(init: Any) -> Any:
        @functools.wraps(init)
        def wrapped(self: Any, **values: Any) -> None:
            made.append(type(self).__name__)
            init(self, **values)

        return wrapped

    for owner in (Model, Base):
        with mock.patch.object(owner, "__init__", wrap(owner.__init__)):
            _use_often(Above(y=3))
        _use_often(Above(y=3))
    assert made == ["Above"] * 22

    def make(cls: Any, **values: Any) -> Any:
        made.append("new")
        return object.__new__(cls)

    with mock.patch.object(Above, "__new__", make):
        assert Above.model_validate_json('{"y": 5}').y == 5
    assert made[22:] == ["new"]


def test_factories_run_once_and_last() -> None:
    count = itertools.count()

    class Counted(Model):
        a: int = Field(default_factory=lambda: next(count))
        b: int = 0

    made = [Counted(b=1) for _ in range(10)] + [Counted.model_validate_json('{"b": 1}') for _ in range(10)]
    made += [Counted(b="5"), Counted.model_validate_json('{"b": "5"}'), Counted(b=1)]  # type: ignore[arg-type]
    assert [one.a for one in made] == list(range(23))


def test_exclude_if_sees_the_value_and_not_its_dump() -> None:
    class Held(Model):
        held: ModelUsage = Field(default_factory=ModelUsage, exclude_if=lambda value: value == ModelUsage())
        kept: Optional[Dict[str, Any]] = Field(default=None, exclude_if=lambda value: value is empty)

    empty: Dict[str, Any] = {}
    made = Held()
    vars(made)["kept"] = empty
    assert [made.model_dump() for _ in range(20)] == [{}] * 20
    vars(made)["held"] = ModelUsage(n_input_tokens=1)
    vars(made)["kept"] = {}
    assert list(made.model_dump()) == ["held", "kept"]


@pytest.mark.parametrize("change", [
    lambda state: state.update(more=1), lambda state: state.pop("last"), lambda state: state.pop("first"),
    lambda state: state.clear(), lambda state: state.update(last="new"),
])
def test_what_an_exclude_if_does_to_the_instance_does_not_show(change: Callable[[Dict[str, Any]], Any]) -> None:
    def change_and_keep(value: Any) -> bool:
        change(vars(made))
        return False

    class Changed(Model):
        first: int = 1
        asked: int = Field(default=2, exclude_if=change_and_keep)
        last: str = "old"

    expected = {"first": 1, "asked": 2, "last": "old"}
    for _ in range(20):
        made = Changed()
        assert made.model_dump() == expected
        made = Changed()
        assert json.loads(made.model_dump_json()) == expected


def test_a_dump_is_a_dict_with_the_names_of_the_fields() -> None:
    class State(Dict[str, Any]):
        def copy(self) -> Any:
            return self

    for kind in (dict, State):
        for name in (str, _Text):
            made = ModelUsage(n_input_tokens=1)
            for _ in range(10):
                made.__dict__ = kind((name(key), value) for key, value in vars(ModelUsage(n_input_tokens=1)).items())
                dumped = made.model_dump()
                assert type(dumped) is dict and {type(key) for key in dumped} == {str}


def test_a_class_whose_fields_have_odd_names() -> None:
    body = {"class": 1, "\ufb01": 2, "names": 3, "source": 4}
    odd: Any = new_class("Odd", (Model,), exec_body=lambda names: names.update(
        body, __annotations__=dict.fromkeys(body, int), __module__=__name__))
    made = odd(**{"class": 5})
    _use_often(made)
    assert odd(**{"class": 5}) == made and list(vars(made)) == list(body)
    assert made.model_dump() == dict(body, **{"class": 5})
    assert made.model_dump_json() == '{"class":5,"\ufb01":2,"names":3,"source":4}'
    quoted: Any = new_class("Quoted", (Model,), exec_body=lambda names: names.update(
        {"a'{b}": 1, "__annotations__": {"a'{b}": int}, "__module__": __name__}))
    _use_often(quoted(**{"a'{b}": 2}))
    assert quoted.model_validate_json("{\"a'{b}\": 3}").model_dump() == {"a'{b}": 3}


def test_what_the_quick_writer_cannot_write_is_an_error_both_ways() -> None:
    made = AgentContext(metadata={"a": "\ud800"})
    refusal = Raised(
        "SerializationError",
        "Error serializing to JSON: UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0: "
        "surrogates not allowed")
    assert_same(observe(made.model_dump_json), refusal)
    with force_exact():
        assert_same(observe(made.model_dump_json), refusal)
