"""What the checks find, as exact lists on small rollouts."""

import copy
import pickle
from typing import Any, Dict, List, Tuple

import pytest

from harbor.rollout_checks import check_rollout
from harbor.rollout_findings import FINDING_KINDS, Finding

P, C, L = "prompt_token_ids", "completion_token_ids", "logprobs"

FOUND: List[Tuple[str, Any, List[str]]] = [
    ("sound", {P: [[1]], C: [[2]], L: [[-1.0]]}, []),
    ("zero_is_a_logprob", {P: [[1]], C: [[2]], L: [[0.0]]}, []),
    ("negative_zero_is_a_logprob", {P: [[1]], C: [[2]], L: [[-0.0]]}, []),
    ("an_integer_is_a_logprob", {P: [[1]], C: [[2, 3]], L: [[-1, -0.5]]}, []),
    ("an_empty_completion_needs_no_logprobs", {P: [[1]], C: [[]], L: [[]]}, [
        "rollout_details.0.completion_token_ids.0: completion_token_ids[0] is empty"]),
    ("not_a_dict", [[1]], ["rollout_details.0: Expected a dict, got list"]),
    ("none", None, ["rollout_details.0: Expected a dict, got None"]),
    ("empty", {}, ["rollout_details.0: The rollout is {}: nothing was recorded of it"]),
    ("parts_missing", {"tokens": [1]}, [
        "rollout_details.0.prompt_token_ids: There is no prompt_token_ids",
        "rollout_details.0.completion_token_ids: There is no completion_token_ids",
        "rollout_details.0.logprobs: There is no logprobs",
        "rollout_details.0: Unknown key 'tokens'"]),
    ("parts_empty", {P: [], C: [], L: []}, [
        "rollout_details.0.prompt_token_ids: prompt_token_ids has no turns",
        "rollout_details.0.completion_token_ids: completion_token_ids has no turns",
        "rollout_details.0.logprobs: logprobs has no turns"]),
    ("logprobs_of_the_first_turn_lost", {P: [[1], [1, 2, 3]], C: [[2], [4, 5]], L: [[-1.0, -2.0]]}, [
        "rollout_details.0: Numbers of turns differ: prompt_token_ids has 2, completion_token_ids has 2, "
        "logprobs has 1; turns 0 to 1 may be shifted"]),
    ("logprobs_of_the_last_turn_lost", {P: [[1], [1, 2, 3]], C: [[2], [4, 5]], L: [[-1.0]]}, [
        "rollout_details.0: Numbers of turns differ: prompt_token_ids has 2, completion_token_ids has 2, "
        "logprobs has 1; turn 1 may be shifted"]),
    ("a_turn_in_between_is_certain", {P: [[1], [1, 2, 3], [1, 2, 3, 4, 5, 6]], C: [[2], [4, 5], [7]], L: [
        [-1.0], [-1.0, -2.0]]}, [
        "rollout_details.0: Numbers of turns differ: prompt_token_ids has 3, completion_token_ids has 3, "
        "logprobs has 2; turn 2 may be shifted"]),
    ("a_completion_lost", {P: [[1], [1, 2, 3], [1, 2, 3, 4, 5]], C: [[2], [6]], L: [[-1.0], [-1.0], [-1.0]]}, [
        "rollout_details.0: Numbers of turns differ: prompt_token_ids has 3, completion_token_ids has 2, "
        "logprobs has 3; turns 0 to 2 may be shifted"]),
    ("prompts_and_logprobs_alone", {P: [[1], [1, 2]], L: [[-1.0]]}, [
        "rollout_details.0.completion_token_ids: There is no completion_token_ids",
        "rollout_details.0: Numbers of turns differ: prompt_token_ids has 2, logprobs has 1; "
        "turns 0 to 1 may be shifted"]),
    ("lengths_differ", {P: [[1], [1, 2, 3]], C: [[2], [4, 5]], L: [[-1.0, -1.0], [-1.0]]}, [
        "rollout_details.0.logprobs.0.1: logprobs[0] has 2 values, completion_token_ids[0] has 1 token",
        "rollout_details.0.logprobs.1.1: logprobs[1] has 1 value, completion_token_ids[1] has 2 tokens"]),
    ("logprobs_of_a_turn_missing", {P: [[1], [1, 2, 3]], C: [[2], [4, 5]], L: [[], None]}, [
        "rollout_details.0.logprobs.0: logprobs[0] is [], completion_token_ids[0] has 1 token",
        "rollout_details.0.logprobs.1: logprobs[1] is None, completion_token_ids[1] has 2 tokens"]),
    ("many_faults_of_one_kind_in_a_turn", {P: [[1]], C: [[-1, 2, True, 3.0]], L: [[None, 1.0, None, 2.0]]}, [
        "rollout_details.0.completion_token_ids.0.0: Expected an integer from 0 below 2**63, got -1 "
        "(and 2 more in this turn)",
        "rollout_details.0.logprobs.0.0: The logprob is None (and 1 more in this turn)",
        "rollout_details.0.logprobs.0.1: Expected a logprob of at most 0, got 1.0 (and 1 more in this turn)"]),
    ("ids_one_list_too_deep", {P: [[[1]]], C: [[[2]]], L: [[-1.0]]}, [
        "rollout_details.0.prompt_token_ids.0.0: Expected an integer from 0 below 2**63, got [1]",
        "rollout_details.0.completion_token_ids.0.0: Expected an integer from 0 below 2**63, got [2]"]),
    ("ids_one_list_too_flat", {P: [1], C: [[2]], L: [[-1.0]]}, [
        "rollout_details.0.prompt_token_ids.0: Expected a list, got int"]),
    ("long_values_are_shortened", {P: [[1]], C: [["x" * 100]], L: [[-1.0]]}, [
        "rollout_details.0.completion_token_ids.0.0: Expected an integer from 0 below 2**63, got '%s..." % ("x" * 56)]),
    ("extra_is_compared", {P: [[1]], C: [[2]], L: [[-1.0]], "extra": {"a": [1], "b": [1, 2], "c": None}}, [
        "rollout_details.0.extra: extra['b'] has 2 values, the rollout has 1 turn",
        "rollout_details.0.extra: Expected a list for 'c', got None"]),
    ("a_break_hides_no_later_one", {P: [[1], [9], [8]], C: [[2], [3], [4]], L: [[-1.0], [-1.0], [-1.0]]}, [
        "rollout_details.0.prompt_token_ids.1.0: The prompt does not continue turn 0, it differs from its prompt at "
        "token 0: 9, not 1",
        "rollout_details.0.prompt_token_ids.2.0: The prompt does not continue turn 1, it differs from its prompt at "
        "token 0: 8, not 9"]),
    ("an_equal_value_of_another_type_is_no_id", {P: [[1], [True, 2.0, 3]], C: [[2], [4]], L: [[-1.0], [-1.0]]}, [
        "rollout_details.0.prompt_token_ids.1.0: Expected an integer from 0 below 2**63, got True "
        "(and 1 more in this turn)"]),
]


@pytest.mark.parametrize("rollout, expected", [row[1:] for row in FOUND], ids=[row[0] for row in FOUND])
def test_findings(rollout: Any, expected: List[str]) -> None:
    assert list(map(str, check_rollout(rollout))) == expected


def test_what_cannot_be_shown_is_named_by_its_type() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    rollout: Any = {P: [[1]], C: [[Odd()]], L: [[-1.0]]}
    assert [finding.message for finding in check_rollout(rollout)] == [
        "Expected an integer from 0 below 2**63, got an object of type Odd"]


def test_kinds_are_listed() -> None:
    assert len(FINDING_KINDS) == len(set(FINDING_KINDS))
    kinds = {finding.kind for _, rollout, _ in FOUND for finding in check_rollout(rollout)}
    assert kinds <= set(FINDING_KINDS)


def test_a_finding_copies_pickles_and_becomes_json() -> None:
    rollout: Any = {P: [[1]], C: [[2]], L: [[0.5]]}
    (finding,) = check_rollout(rollout, segment=3)
    assert copy.copy(finding) == pickle.loads(pickle.dumps(finding)) == finding
    expected: Dict[str, Any] = {
        "kind": "logprob_positive", "message": "Expected a logprob of at most 0, got 0.5", "segment": 3,
        "part": "logprobs", "turn": 0, "position": 0, "turns_in_doubt": [], "count": 1,
        "location": "rollout_details.3.logprobs.0.0", "is_refused": True}
    assert finding.as_dict() == expected
    assert Finding("context_missing", "m").location == "agent_result"
