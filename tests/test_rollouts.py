"""Turns and training sequences, on small rollouts and on random ones.

Random rollouts come from a seed that is printed; HARBOR_TEST_SEED sets it.
"""

import array
import copy
import gc
import os
import pickle
import random
import time
import weakref
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Type

import pytest

from harbor.models.agent.context import AgentContext
from harbor.models.trial.result import TrialResult
from harbor.rollouts import (
    Finding, RolloutError, SequenceStart, TrainingSequence, TurnSpan, build_sequences, check_context, check_rollout,
    iter_sequences, iter_turns,
)

SEED = int(os.environ.get("HARBOR_TEST_SEED", time.time()))

LINEAR: Any = {
    "prompt_token_ids": [[1, 2], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7]],
    "completion_token_ids": [[3, 4], [6], [8, 9]],
    "logprobs": [[-0.1, -0.2], [-0.3], [-0.4, -0.5]],
}

#: The third turn's logprobs took the second's place.
SHIFTED: Any = {
    "prompt_token_ids": [[1], [1, 2, 3, 4]],
    "completion_token_ids": [[2, 3], [5], [6]],
    "logprobs": [[-0.1, -0.2], [-0.3]],
}


def _with(**changes: Any) -> Any:
    """Give the linear rollout with other parts; None takes one away."""
    changed = {**copy.deepcopy(LINEAR), **changes}
    return {key: value for key, value in changed.items() if value is not None}


# Random rollouts ---------------------------------------------------------------------------------------------------


def _make_ids(rng: random.Random, most: int, least: int = 0) -> List[int]:
    return [rng.randrange(200000) for _ in range(rng.randint(least, most))]


def _make_sound(rng: random.Random, least_turns: int = 1) -> Any:
    """Make a rollout in which nothing is to be found: linear, with all its parts."""
    rollout: Dict[str, Any] = {"prompt_token_ids": [], "completion_token_ids": [], "logprobs": []}
    tokens: List[int] = _make_ids(rng, 5, 1)
    for _ in range(rng.randint(least_turns, 8)):
        tokens = tokens + _make_ids(rng, 5)
        completion = _make_ids(rng, 6, 1)
        rollout["prompt_token_ids"].append(tokens)
        rollout["completion_token_ids"].append(completion)
        rollout["logprobs"].append([-rng.expovariate(1.0) if rng.random() < 0.9 else 0.0 for _ in completion])
        tokens = tokens + completion
    if rng.random() < 0.5:
        rollout["extra"] = {"routed": [[turn] for turn in range(len(rollout["logprobs"]))]}
    return rollout


def _make_any(rng: random.Random) -> Any:
    """Make a rollout that can be trained on: turns may break with the one before, be empty or lack logprobs."""
    rollout: Dict[str, Any] = {"prompt_token_ids": [], "completion_token_ids": [], "logprobs": []}
    tokens: List[int] = []
    for _ in range(rng.randint(0, 8)):
        way = rng.random()
        if way < 0.1:
            tokens = []  # another conversation
        elif way < 0.2:
            tokens = tokens[:rng.randint(0, len(tokens))]
        elif way < 0.35 and tokens:
            tokens = list(tokens)
            tokens[rng.randrange(len(tokens))] += 1
        tokens = tokens + _make_ids(rng, 4)
        completion = _make_ids(rng, 4)
        logprobs: List[Optional[float]] = [-rng.random() for _ in completion]
        rollout["prompt_token_ids"].append(tokens)
        rollout["completion_token_ids"].append(completion)
        rollout["logprobs"].append([] if rng.random() < 0.2 else logprobs)
        tokens = tokens + completion
    if rng.random() < 0.2:
        del rollout["logprobs"]
    return rollout


def _repeat(make: Callable[[random.Random], Any], times: int = 400) -> Iterator[Any]:
    print("HARBOR_TEST_SEED=%d" % SEED)
    rng = random.Random(SEED)
    for _ in range(times):
        yield make(rng)


def _flatten(lists: Any) -> List[Any]:
    return [value for values in lists for value in values]


def _take_masked(sequence: TrainingSequence, values: Any) -> List[Any]:
    return [value for value, flag in zip(values, sequence.loss_mask) if flag]


def test_masked_tokens_are_the_completions() -> None:
    for rollout in _repeat(_make_any):
        every: List[Any] = [{}, {"per_turn": True}, {"compact": True}]
        for options in every:
            sequences = build_sequences(rollout, **options)
            masked = _flatten(_take_masked(sequence, sequence.token_ids) for sequence in sequences)
            assert masked == _flatten(rollout["completion_token_ids"])
            assert sum(sequence.n_trained_tokens for sequence in sequences) == len(masked)


def test_the_three_lists_have_one_length() -> None:
    for rollout in _repeat(_make_any):
        for sequence in build_sequences(rollout):
            assert len(sequence.loss_mask) == len(sequence.logprobs) == len(sequence.token_ids)
            assert set(sequence.loss_mask) <= {0, 1}


def test_every_logprob_stands_at_its_own_token() -> None:
    for rollout in _repeat(_make_any):
        for sequence in build_sequences(rollout):
            expected: List[Optional[float]] = [None] * len(sequence.token_ids)
            for span in sequence.turns:
                assert sequence.token_ids[span.start:span.stop] == rollout["completion_token_ids"][span.turn]
                if rollout.get("logprobs"):
                    for position, logprob in enumerate(rollout["logprobs"][span.turn]):
                        expected[span.start + position] = logprob
            assert sequence.logprobs == expected


def test_splitting_and_joining_agree() -> None:
    for rollout in _repeat(_make_any):
        joined, split = build_sequences(rollout), build_sequences(rollout, per_turn=True)
        assert [span.turn for sequence in joined for span in sequence.turns] == list(range(len(split)))
        for sequence in joined:
            for span in sequence.turns:
                alone = split[span.turn]
                assert sequence.token_ids[:span.stop] == alone.token_ids
                assert sequence.logprobs[span.start:span.stop] == alone.logprobs[alone.turns[0].start:]
            # The last turn has seen all of it.
            assert sequence.token_ids == alone.token_ids
        parts = {
            "prompt_token_ids": [sequence.token_ids[:sequence.turns[0].start] for sequence in split],
            "completion_token_ids": [_take_masked(sequence, sequence.token_ids) for sequence in split],
        }
        assert parts == {key: rollout[key] for key in parts}


def test_a_sequence_ends_only_where_the_prompt_does_not_go_on() -> None:
    for rollout in _repeat(_make_any):
        prompts, completions = rollout["prompt_token_ids"], rollout["completion_token_ids"]
        breaks = [finding for finding in check_rollout(rollout) if finding.kind == "prompt_not_continued"]
        starts = [sequence.start for sequence in build_sequences(rollout)]
        assert [(start.turn, start.position) for start in starts[1:]] == [
            (finding.turn, finding.position) for finding in breaks]
        for start in starts[1:]:
            before, prompt = prompts[start.turn - 1] + completions[start.turn - 1], prompts[start.turn]
            assert start.position is not None
            assert before[:start.position] == prompt[:start.position]
            assert start.expected == before[start.position]
            assert [start.got] == (prompt[start.position:start.position + 1] or [None])
            assert start.got != start.expected
        befores = [prompt + completion for prompt, completion in zip(prompts, completions)]
        assert [start.turn for start in starts[1:]] == [
            turn for turn, before in enumerate(befores[:-1], 1) if prompts[turn][:len(before)] != before]


def test_compact_sequences_hold_the_same() -> None:
    for rollout in _repeat(_make_any):
        for plain, compact in zip(build_sequences(rollout), build_sequences(rollout, compact=True)):
            assert [compact.token_ids.typecode, compact.loss_mask.typecode, compact.logprobs.typecode] == list("qbd")
            assert compact.as_dict() == plain.as_dict()
            assert compact.n_missing_logprobs == plain.n_missing_logprobs


def test_truncation_says_what_it_cut() -> None:
    rng = random.Random(SEED)
    for rollout in _repeat(_make_any):
        most = rng.randint(1, 12)
        for side in ("left", "right"):
            whole = build_sequences(rollout)
            for full, cut in zip(whole, build_sequences(rollout, max_length=most, truncation=side)):
                assert len(cut.token_ids) == len(cut.loss_mask) == len(cut.logprobs) <= most
                first, last = cut.n_cut_left, len(full.token_ids) - cut.n_cut_right
                assert (first if side == "right" else cut.n_cut_right) == 0
                assert cut.token_ids == full.token_ids[first:last]
                assert cut.loss_mask == full.loss_mask[first:last]
                assert cut.logprobs == full.logprobs[first:last]
                assert len(cut.token_ids) == min(most, len(full.token_ids))
                for span, full_span in zip(cut.turns, full.turns):
                    completion = rollout["completion_token_ids"][span.turn]
                    kept = completion[span.n_cut_left:len(completion) - span.n_cut_right]
                    assert cut.token_ids[span.start:span.stop] == kept
                    assert 0 <= span.prompt_start <= span.start <= span.stop <= len(cut.token_ids)
                    assert span.turn == full_span.turn


def test_nothing_is_found_in_sound_rollouts() -> None:
    for rollout in _repeat(_make_sound):
        assert check_rollout(rollout) == []
        assert len(build_sequences(rollout)) == 1


# Damage ------------------------------------------------------------------------------------------------------------

Place = Tuple[str, Optional[int], Optional[int]]
Damage = Callable[[Any, random.Random], Place]


def _pick(rollout: Any, rng: random.Random) -> Tuple[int, int]:
    """Pick a turn, and a token of its completion."""
    turn = rng.randrange(len(rollout["completion_token_ids"]))
    return turn, rng.randrange(len(rollout["completion_token_ids"][turn]))


def _replace_id(value: Any) -> Damage:
    def damage(rollout: Any, rng: random.Random) -> Place:
        turn, position = _pick(rollout, rng)
        rollout["completion_token_ids"][turn][position] = value
        return "bad_token_id", turn, position

    return damage


def _replace_prompt_id(value: Any) -> Damage:
    def damage(rollout: Any, rng: random.Random) -> Place:
        turn, _ = _pick(rollout, rng)
        rollout["prompt_token_ids"][turn] = rollout["prompt_token_ids"][turn] + [value]
        return "bad_token_id", turn, len(rollout["prompt_token_ids"][turn]) - 1

    return damage


def _replace_logprob(kind: str, value: Any) -> Damage:
    def damage(rollout: Any, rng: random.Random) -> Place:
        turn, position = _pick(rollout, rng)
        rollout["logprobs"][turn][position] = value
        return kind, turn, position

    return damage


def _drop_turn(part: str) -> Damage:
    def damage(rollout: Any, rng: random.Random) -> Place:
        turn, _ = _pick(rollout, rng)
        del rollout[part][turn]
        (finding,) = [found for found in check_rollout(rollout) if found.kind == "turn_counts_differ"]
        assert set(range(turn, len(rollout["logprobs" if part != "logprobs" else "prompt_token_ids"]))) <= set(
            finding.turns_in_doubt)
        return "turn_counts_differ", finding.turns_in_doubt[0], None

    return damage


def _repeat_logprobs(rollout: Any, rng: random.Random) -> Place:
    turn, _ = _pick(rollout, rng)
    rollout["logprobs"].insert(turn, rollout["logprobs"][turn])
    (finding,) = [found for found in check_rollout(rollout) if found.kind == "turn_counts_differ"]
    assert finding.turns_in_doubt[-1] == len(rollout["logprobs"]) - 1
    return "turn_counts_differ", finding.turns_in_doubt[0], None


def _shorten_logprobs(rollout: Any, rng: random.Random) -> Place:
    turn, _ = _pick(rollout, rng)
    rollout["completion_token_ids"][turn].append(7)
    if turn + 1 < len(rollout["prompt_token_ids"]):  # keep the history whole
        for later in range(turn + 1, len(rollout["prompt_token_ids"])):
            place = len(rollout["prompt_token_ids"][turn]) + len(rollout["completion_token_ids"][turn]) - 1
            rollout["prompt_token_ids"][later].insert(place, 7)
    return "lengths_differ", turn, len(rollout["logprobs"][turn])


def _lengthen_logprobs(rollout: Any, rng: random.Random) -> Place:
    turn, _ = _pick(rollout, rng)
    rollout["logprobs"][turn].append(-1.0)
    return "lengths_differ", turn, len(rollout["completion_token_ids"][turn])


def _drop_part(part: str) -> Damage:
    def damage(rollout: Any, rng: random.Random) -> Place:
        del rollout[part]
        return "part_missing", None, None

    return damage


def _put(part: str, kind: str, value: Any) -> Damage:
    def damage(rollout: Any, rng: random.Random) -> Place:
        rollout[part] = copy.deepcopy(value)
        return kind, None, None

    return damage


def _put_turn(part: str, kind: str, value: Any) -> Damage:
    def damage(rollout: Any, rng: random.Random) -> Place:
        turn, _ = _pick(rollout, rng)
        rollout[part][turn] = copy.deepcopy(value)
        return kind, turn, None

    return damage


def _change_history(rollout: Any, rng: random.Random) -> Place:
    turn = rng.randrange(1, len(rollout["prompt_token_ids"]))
    before = rollout["prompt_token_ids"][turn - 1] + rollout["completion_token_ids"][turn - 1]
    position = rng.randrange(len(before))
    rollout["prompt_token_ids"][turn][position] += 1
    return "prompt_not_continued", turn, position


def _cut_history(rollout: Any, rng: random.Random) -> Place:
    turn = rng.randrange(1, len(rollout["prompt_token_ids"]))
    before = rollout["prompt_token_ids"][turn - 1] + rollout["completion_token_ids"][turn - 1]
    position = rng.randrange(1, len(before))
    rollout["prompt_token_ids"][turn] = before[:position]
    return "prompt_not_continued", turn, position


def _shorten_extra(rollout: Any, rng: random.Random) -> Place:
    rollout["extra"] = {"routed": [0] * (len(rollout["logprobs"]) - 1)}
    return "extra_count_differs", None, None


DAMAGES: List[Tuple[str, Damage]] = [
    ("a turn of the prompts is lost", _drop_turn("prompt_token_ids")),
    ("a turn of the completions is lost", _drop_turn("completion_token_ids")),
    ("a turn of the logprobs is lost", _drop_turn("logprobs")),
    ("a turn of the logprobs stands twice", _repeat_logprobs),
    ("a logprob is lost", _shorten_logprobs),
    ("a logprob is too many", _lengthen_logprobs),
    ("the prompts are missing", _drop_part("prompt_token_ids")),
    ("the completions are missing", _drop_part("completion_token_ids")),
    ("the logprobs are missing", _drop_part("logprobs")),
    ("the logprobs are empty", _put("logprobs", "part_empty", [])),
    ("the logprobs of a turn are empty", _put_turn("logprobs", "logprobs_missing", [])),
    ("the logprobs of a turn are None", _put_turn("logprobs", "logprobs_missing", None)),
    ("a prompt is empty", _put_turn("prompt_token_ids", "turn_empty", [])),
    ("a completion is empty", _put_turn("completion_token_ids", "turn_empty", [])),
    ("an id is negative", _replace_id(-1)),
    ("an id is a float", _replace_id(3.0)),
    ("an id is a bool", _replace_id(True)),
    ("an id is text", _replace_id("17")),
    ("an id is None", _replace_id(None)),
    ("an id is a list", _replace_id([17])),
    ("an id is beyond 64 bits", _replace_id(1 << 63)),
    ("an id of a prompt is negative", _replace_prompt_id(-100)),
    ("an id of a prompt is a float", _replace_prompt_id(1.5)),
    ("a logprob is positive", _replace_logprob("logprob_positive", 0.1)),
    ("a logprob is nan", _replace_logprob("logprob_nan", float("nan"))),
    ("a logprob is infinite", _replace_logprob("logprob_infinite", float("inf"))),
    ("a logprob is minus infinity", _replace_logprob("logprob_infinite", float("-inf"))),
    ("a logprob is an integer beyond every float", _replace_logprob("logprob_infinite", -10**400)),
    ("a logprob is None", _replace_logprob("logprob_null", None)),
    ("a logprob is text", _replace_logprob("logprob_wrong_type", "-0.1")),
    ("a logprob is a bool", _replace_logprob("logprob_wrong_type", False)),
    ("a token of the history differs", _change_history),
    ("the history is cut", _cut_history),
    ("an extra list is short", _shorten_extra),
    ("extra is a list", _put("extra", "part_wrong_type", [])),
    ("an extra list is none", _put("extra", "part_wrong_type", {"routed": 3})),
    ("a key is unknown", _put("prompt_ids", "unknown_key", [[1]])),
    ("the completions are a tuple", _put("completion_token_ids", "part_wrong_type", ([1],))),
    ("the prompts are None", _put("prompt_token_ids", "part_wrong_type", None)),
    ("the prompts are flat", _put_turn("prompt_token_ids", "turn_wrong_type", 5)),
    ("a turn is an array", _put_turn("completion_token_ids", "turn_wrong_type", array.array("q", [1]))),
    ("the logprobs of a turn are a dict", _put_turn("logprobs", "turn_wrong_type", {})),
]


@pytest.mark.parametrize("damage", [damage for _, damage in DAMAGES], ids=[name for name, _ in DAMAGES])
def test_damage_is_found_where_it_is(damage: Damage) -> None:
    rng = random.Random(SEED)
    for rollout in _repeat(lambda rng: _make_sound(rng, least_turns=2), 60):
        rollout = copy.deepcopy(rollout)
        expected = damage(rollout, rng)
        found = check_rollout(rollout, segment=4)
        assert expected in [(finding.kind, finding.turn, finding.position) for finding in found]
        assert {finding.segment for finding in found} == {4}
        assert all(finding.message for finding in found)
        # What is refused, is refused with these findings; all else gives sequences.
        refused = [finding for finding in check_rollout(rollout) if finding.is_refused]
        if refused:
            with pytest.raises(RolloutError) as caught:
                build_sequences(rollout)
            assert caught.value.findings == tuple(refused)
        else:
            sequences = build_sequences(rollout)
            assert _flatten(_take_masked(sequence, sequence.token_ids) for sequence in sequences) == _flatten(
                rollout["completion_token_ids"])


def test_the_shifted_case_is_reported() -> None:
    assert check_rollout(SHIFTED) == [Finding(
        "turn_counts_differ",
        "Numbers of turns differ: prompt_token_ids has 2, completion_token_ids has 3, logprobs has 2; "
        "turns 1 to 2 may be shifted",
        segment=0, turn=1, turns_in_doubt=(1, 2))]


def test_no_turn_gets_the_logprobs_of_the_next() -> None:
    with pytest.raises(RolloutError) as caught:
        build_sequences(SHIFTED)
    assert (caught.value.kind, caught.value.turn) == ("turn_counts_differ", 1)
    with pytest.raises(RolloutError):
        iter_turns(SHIFTED)
    found: List[Finding] = []
    turns = list(iter_turns(SHIFTED, report=found.append))
    assert [turn.logprobs for turn in turns] == [[-0.1, -0.2], None, None]
    assert [turn.is_doubtful for turn in turns] == [False, True, True]
    assert [turn.prompt_token_ids for turn in turns] == [[1], [1, 2, 3, 4], None]
    assert [turn.completion_token_ids for turn in turns] == [[2, 3], [5], [6]]
    assert found == check_rollout(SHIFTED)


# Turns -------------------------------------------------------------------------------------------------------------


def test_turns_hold_the_lists_of_the_rollout() -> None:
    rollout = _with(extra={"stop_reason": ["tool", "tool", "end"]})
    turns = list(iter_turns(rollout, segment=2))
    assert [turn.index for turn in turns] == [0, 1, 2]
    assert {turn.segment for turn in turns} == {2}
    assert turns[1].prompt_token_ids is rollout["prompt_token_ids"][1]
    assert turns[1].completion_token_ids == [6]
    assert turns[1].logprobs == [-0.3]
    assert [turn.extra for turn in turns] == [{"stop_reason": "tool"}, {"stop_reason": "tool"}, {"stop_reason": "end"}]
    assert not any(turn.is_doubtful for turn in turns)


@pytest.mark.parametrize("logprobs", [None, [[-0.1, -0.2], [], [-0.4, -0.5]], [[-0.1, -0.2], None, [-0.4, -0.5]]])
def test_a_turn_without_logprobs_has_none(logprobs: Any) -> None:
    turns = list(iter_turns(_with(logprobs=logprobs)))
    assert turns[1].logprobs in (None, [])
    (sequence,) = build_sequences(_with(logprobs=logprobs))
    assert sequence.logprobs[5] is None
    assert sequence.n_missing_logprobs == (5 if logprobs is None else 1)


def test_parts_that_are_missing_are_none_in_each_turn() -> None:
    (turn,) = iter_turns({"completion_token_ids": [[3]]})
    assert (turn.prompt_token_ids, turn.completion_token_ids, turn.logprobs) == (None, [3], None)
    assert list(iter_turns({})) == []


@pytest.mark.parametrize("part, value, kind", [
    ("logprobs", [[-0.1], [-0.3], [-0.4, -0.5]], "lengths_differ"),
    ("extra", {"routed": [1, 2]}, "extra_count_differs"),
    ("prompt_token_ids", [[1, 2], 3, [4]], "turn_wrong_type"),
    ("prompt_token_ids", 5, "part_wrong_type"),
])
def test_a_ragged_rollout_raises_unless_it_is_reported(part: str, value: Any, kind: str) -> None:
    rollout: Any = _with(**{part: value})
    with pytest.raises(RolloutError) as caught:
        iter_turns(rollout)
    assert caught.value.kind == kind
    found: List[Finding] = []
    turns = list(iter_turns(rollout, report=found.append))
    assert [finding.kind for finding in found] == [kind]
    assert len(turns) == 3
    assert (turns[0].logprobs is None) == (kind == "lengths_differ")


# Sequences ---------------------------------------------------------------------------------------------------------


def test_a_linear_history_is_one_sequence() -> None:
    assert build_sequences(LINEAR) == [TrainingSequence(
        segment=0,
        token_ids=[1, 2, 3, 4, 5, 6, 7, 8, 9],
        loss_mask=[0, 0, 1, 1, 0, 1, 0, 1, 1],
        logprobs=[None, None, -0.1, -0.2, None, -0.3, None, -0.4, -0.5],
        turns=[TurnSpan(0, 0, 2, 4), TurnSpan(1, 4, 5, 6), TurnSpan(2, 6, 7, 9)],
        start=SequenceStart("first_turn", 0))]


@pytest.mark.parametrize("prompt, start, text", [
    ([1, 2, 3, 99, 5], SequenceStart("completion_differs", 1, 3, 4, 99),
     "it differs from its completion at token 3: 99, not 4"),
    ([1, 50], SequenceStart("prompt_differs", 1, 1, 2, 50), "it differs from its prompt at token 1: 50, not 2"),
    ([1, 2, 3], SequenceStart("prompt_ends", 1, 3, 4, None), "it ends at token 3, where that has 4"),
    ([1, 2], SequenceStart("prompt_ends", 1, 2, 3, None), "it ends at token 2, where that has 3"),
    ([], SequenceStart("prompt_ends", 1, 0, 1, None), "it ends at token 0, where that has 1"),
])
def test_a_break_says_where_and_why(prompt: List[int], start: SequenceStart, text: str) -> None:
    rollout: Any = {"prompt_token_ids": [[1, 2], prompt], "completion_token_ids": [[3, 4], [6]]}
    first, second = build_sequences(rollout)
    assert first.start == SequenceStart("first_turn", 0)
    assert second.start == start
    assert str(second.start) == "The prompt of turn 1 does not continue turn 0, " + text
    assert second.token_ids == prompt + [6]
    assert second.turns == [TurnSpan(1, 0, len(prompt), len(prompt) + 1)]


def test_the_example_of_the_specification_breaks_at_its_second_turn() -> None:
    rollout: Any = {
        "prompt_token_ids": [[101, 2023, 2003], [101, 2023, 2003, 2009]],
        "completion_token_ids": [[2009, 2003, 102], [2025, 2026, 102]],
        "logprobs": [[-0.5, -0.3, -0.1], [-0.4, -0.2, -0.15]],
    }
    assert [sequence.start for sequence in build_sequences(rollout)] == [
        SequenceStart("first_turn", 0), SequenceStart("prompt_ends", 1, 4, 2003, None)]


def test_a_prompt_that_adds_nothing_goes_on() -> None:
    rollout: Any = {"prompt_token_ids": [[1], [1, 2]], "completion_token_ids": [[2], [3]]}
    (sequence,) = build_sequences(rollout)
    assert sequence.token_ids == [1, 2, 3]
    assert sequence.turns == [TurnSpan(0, 0, 1, 2), TurnSpan(1, 2, 2, 3)]


@pytest.mark.parametrize("mask_turns", [[0, 2], {0, -1}, (-3, -1), lambda turn: turn.index != 1])
def test_chosen_turns_stay_masked(mask_turns: Any) -> None:
    (sequence,) = build_sequences(LINEAR, mask_turns=mask_turns)
    assert sequence.loss_mask == [0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert [span.is_trained for span in sequence.turns] == [False, True, False]
    assert sequence.logprobs[2:4] == [-0.1, -0.2]
    assert sequence.n_trained_tokens == 1


def test_one_sequence_for_each_turn() -> None:
    sequences = build_sequences(LINEAR, per_turn=True)
    assert [sequence.token_ids for sequence in sequences] == [
        [1, 2, 3, 4], [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7, 8, 9]]
    assert [sequence.start.reason for sequence in sequences] == ["first_turn", "one_per_turn", "one_per_turn"]


@pytest.mark.parametrize("side, tokens, spans", [
    ("left", [4, 5, 6, 7, 8, 9], [TurnSpan(0, 0, 0, 1, True, 1, 0), TurnSpan(1, 1, 2, 3), TurnSpan(2, 3, 4, 6)]),
    ("right", [1, 2, 3, 4, 5, 6], [TurnSpan(0, 0, 2, 4), TurnSpan(1, 4, 5, 6), TurnSpan(2, 6, 6, 6, True, 0, 2)]),
])
def test_what_is_cut_is_counted(side: str, tokens: List[int], spans: List[TurnSpan]) -> None:
    (sequence,) = build_sequences(LINEAR, max_length=6, truncation=side)
    assert sequence.token_ids == tokens
    assert sequence.turns == spans
    assert (sequence.n_cut_left, sequence.n_cut_right) == ((3, 0) if side == "left" else (0, 3))


def test_a_sequence_that_is_too_long_is_refused_unless_it_may_be_cut() -> None:
    assert len(build_sequences(LINEAR, max_length=9)) == 1
    with pytest.raises(RolloutError) as caught:
        build_sequences(LINEAR, max_length=8)
    assert str(caught.value) == (
        "rollout_details.0: The sequence from turn 0 has 9 tokens, more than max_length 8; choose a truncation")


@pytest.mark.parametrize("options, error, text", [
    ({"truncation": "left"}, TypeError, "Expected a max_length beside truncation='left'"),
    ({"max_length": 3, "truncation": "both"}, TypeError,
     "Expected truncation to be \"left\", \"right\" or None, got 'both'"),
    ({"max_length": 0}, ValueError, "Expected a max_length of at least 1, got 0"),
    ({"max_length": 2.0}, TypeError, "Expected max_length to be an int or None, got 2.0"),
    ({"mask_turns": 1}, TypeError, "Expected mask_turns to be a collection of indices or a function, got 1; try [1]"),
])
def test_misuse_is_named(options: Dict[str, Any], error: Type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        build_sequences(LINEAR, **options)
    assert str(caught.value) == text


def test_without_logprobs_their_faults_do_not_matter() -> None:
    rollout: Any = _with(logprobs=[[0.5], "x"])
    (sequence,) = build_sequences(rollout, with_logprobs=False)
    assert sequence.logprobs is None
    assert sequence.loss_mask == [0, 0, 1, 1, 0, 1, 0, 1, 1]
    assert sequence.as_dict()["logprobs"] is None
    assert sequence.n_missing_logprobs == 5
    assert "logprobs" in rollout


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_a_token_without_logprob_has_none(nothing: Any) -> None:
    rollout: Any = _with(logprobs=[[nothing, -0.2], [-0.3], [-0.4, -0.5]])
    (sequence,) = build_sequences(rollout)
    assert sequence.logprobs == [None, None, None, -0.2, None, -0.3, None, -0.4, -0.5]
    assert sequence.n_missing_logprobs == 1


def test_the_rollout_is_left_as_it_is() -> None:
    rollout = copy.deepcopy(LINEAR)
    (sequence,) = build_sequences(rollout)
    sequence.token_ids.append(0)
    check_rollout(rollout)
    list(iter_turns(rollout))
    assert rollout == LINEAR


def test_an_object_that_cannot_be_compared_is_no_token() -> None:
    class Array:
        def __eq__(self, other: object) -> bool:
            raise ValueError("The truth of an array is ambiguous")

        __hash__ = None  # type: ignore[assignment]  # as an array's

    for place in (1, 3, 5):
        prompt: List[Any] = [1, 2, 3, 4, 5]
        prompt.insert(place, Array())
        rollout: Any = {"prompt_token_ids": [[1, 2], prompt], "completion_token_ids": [[3, 4], [6]]}
        found = [(finding.kind, finding.position) for finding in check_rollout(rollout) if finding.part != "logprobs"]
        assert ("bad_token_id", place) in found
        with pytest.raises(RolloutError) as caught:
            build_sequences(rollout)
        assert (caught.value.kind, caught.value.turn, caught.value.position) == ("bad_token_id", 1, place)


# Contexts and trials -----------------------------------------------------------------------------------------------


def test_none_empty_and_an_empty_rollout_are_told_apart() -> None:
    kinds = []
    every: List[Any] = [None, [], [{}], 5, [5]]
    for details in every:
        context = AgentContext()
        context.rollout_details = details  # assigned, and so not checked
        kinds.append([(finding.kind, finding.segment, finding.is_refused) for finding in check_context(context)])
    assert kinds == [
        [("rollouts_missing", None, False)], [("rollouts_empty", None, False)], [("rollout_empty", 0, True)],
        [("rollouts_wrong_type", None, True)], [("rollout_wrong_type", 0, True)]]


def test_a_context_gives_the_sequences_of_each_rollout() -> None:
    context = AgentContext(rollout_details=[LINEAR, {}, _with(logprobs=None)])
    with pytest.raises(RolloutError) as caught:
        build_sequences(context)
    assert (caught.value.segment, caught.value.kind) == (1, "rollout_empty")
    refused: List[RolloutError] = []
    sequences = build_sequences(context, report=refused.append)
    assert [sequence.segment for sequence in sequences] == [0, 2]
    assert [error.segment for error in refused] == [1]
    assert build_sequences(AgentContext()) == build_sequences(AgentContext(rollout_details=[])) == []


def _make_trial(**parts: Any) -> TrialResult:
    return TrialResult.model_validate({
        "task_name": "t", "trial_name": "t__1", "trial_uri": "file:///t", "task_id": {"path": "t"},
        "task_checksum": "c", "config": {}, "agent_info": {"name": "a", "version": "1"}, **parts})


@pytest.mark.parametrize("rewards, name, reward", [
    (None, None, None), ({}, None, None), ({"score": 2}, None, 2), ({"reward": 1.0, "score": 2}, None, 1.0),
    ({"speed": 1.0, "score": 2}, None, None), ({"speed": 1.0, "score": 2}, "score", 2),
    ({"reward": 1.0}, "other", None),
])
def test_sequences_of_a_trial_carry_its_name_and_reward(rewards: Any, name: Optional[str], reward: Any) -> None:
    trial = _make_trial(agent_result={"rollout_details": [LINEAR]}, verifier_result={"rewards": rewards})
    (sequence,) = iter_sequences([trial], reward_name=name)
    assert (sequence.trial_name, sequence.step_name, sequence.reward) == ("t__1", None, reward)
    assert sequence.rewards == rewards


def test_steps_have_names_and_rewards_of_their_own() -> None:
    steps = [
        {"step_name": "one", "agent_result": {"rollout_details": [LINEAR]}, "verifier_result": {"rewards": {"r": 1}}},
        {"step_name": "two"},
        {"step_name": "three", "agent_result": {"rollout_details": [SHIFTED, LINEAR]}},
    ]
    trial = _make_trial(step_results=steps)
    refused: List[RolloutError] = []
    sequences = list(iter_sequences([trial, _make_trial()], report=refused.append))
    assert [(sequence.step_name, sequence.segment, sequence.reward) for sequence in sequences] == [
        ("one", 0, 1), ("three", 1, None)]
    assert [(error.trial_name, error.step_name, error.segment) for error in refused] == [("t__1", "three", 0)]
    with pytest.raises(RolloutError) as caught:
        list(iter_sequences([trial]))
    assert caught.value.trial_name == "t__1"


def test_a_trial_is_no_source_of_build_sequences() -> None:
    with pytest.raises(TypeError) as caught:
        build_sequences(_make_trial())  # type: ignore[arg-type]  # is refused
    assert str(caught.value) == "Expected a context or a rollout, got TrialResult; iter_sequences takes trials"


def test_the_generator_holds_one_trial_at_a_time() -> None:
    alive: List["weakref.ref[Any]"] = []

    def make_contexts() -> Iterator[AgentContext]:
        for _ in range(50):
            context = AgentContext(rollout_details=[LINEAR])
            alive.append(weakref.ref(context))
            yield context

    for count, _ in enumerate(iter_sequences(make_contexts(), compact=True), 1):
        gc.collect()
        assert sum(ref() is not None for ref in alive) <= 2
    assert count == 50


# Errors ------------------------------------------------------------------------------------------------------------


def test_an_error_copies_and_pickles() -> None:
    with pytest.raises(RolloutError) as caught:
        build_sequences(SHIFTED)
    error = caught.value
    error.trial_name = "t__1"
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is RolloutError
        assert (other.findings, other.trial_name, str(other)) == (error.findings, "t__1", str(error))
    assert isinstance(error, ValueError)
    assert str(RolloutError(())) == "The rollout is not fit"
    assert str(RolloutError(error.findings * 3)) == str(error) + " (and 2 more)"


def test_sequences_copy_and_pickle() -> None:
    for compact in (False, True):
        (sequence,) = build_sequences(LINEAR, compact=compact)
        assert copy.deepcopy(sequence).as_dict() == sequence.as_dict()
        assert pickle.loads(pickle.dumps(sequence)).as_dict() == sequence.as_dict()
