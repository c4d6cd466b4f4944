"""The records that speed.py reads and writes: invented, and the same for the same arguments."""

import json
import random
from typing import Any, Dict, List, Tuple

__all__ = ["ADVERSE", "make_chat", "make_small", "make_turn", "rebuild_ints", "scatter_space", "write_text"]

N_TOKENS = 150000


def make_small() -> Dict[str, Any]:
    """Make what most agents record: three counts, the cost and four metadata keys."""
    return {
        "n_input_tokens": 1500,
        "n_cache_tokens": 800,
        "n_output_tokens": 600,
        "cost_usd": 0.025,
        "metadata": {
            "stop_reason": "finished",
            "n_episodes": 15,
            "share_of_budget": 0.85,
            "phases": ["planning", "coding", "testing"],
        },
    }


def make_chat(n_turns: int, first: int, per_turn: int, *, is_trained: bool = False, seed: int = 1) -> Dict[str, Any]:
    """Make the record of a linear chat: every prompt begins with the one before it.

    The lists share their ints, as copies of one history do. ``is_trained`` adds completions, half of the new tokens of
    a turn, and their logprobs, which have 16 or 17 digits.
    """
    random_ = random.Random(seed)
    history = _make_ids(random_, first)
    rollout: Dict[str, List[List[Any]]] = {"prompt_token_ids": []}
    if is_trained:
        rollout.update(completion_token_ids=[], logprobs=[])
    for _ in range(n_turns):
        rollout["prompt_token_ids"].append(list(history))
        completion = _make_ids(random_, per_turn // 2)
        if is_trained:
            rollout["completion_token_ids"].append(completion)
            rollout["logprobs"].append(_make_logprobs(random_, len(completion)))
        history += completion + _make_ids(random_, per_turn - len(completion))
    return _make_record([rollout])


def make_turn(n_completion: int) -> Dict[str, Any]:
    """Make the record of one turn with a long completion and its logprobs."""
    random_ = random.Random(2)
    return _make_record([{
        "prompt_token_ids": [_make_ids(random_, 100)],
        "completion_token_ids": [_make_ids(random_, n_completion)],
        "logprobs": [_make_logprobs(random_, n_completion)],
    }])


def rebuild_ints(record: Dict[str, Any]) -> Dict[str, Any]:
    """Copy a record so that no two lists share an int."""
    copy: Dict[str, Any] = json.loads(json.dumps(record))
    return copy


def write_text(record: Dict[str, Any], indent: int = 0) -> str:
    """Write a record as Harbor does, less the fields that it does not have."""
    if indent:
        return json.dumps(record, ensure_ascii=False, indent=indent)
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


# Adverse cases -------------------------------------------------------------------


def make_unshared(scale: float) -> Dict[str, Any]:
    """Make prompts that have nothing in common."""
    random_ = random.Random(3)
    return _make_record([{"prompt_token_ids": [_make_ids(random_, int(21000 * scale)) for _ in range(40)]}])


def make_near_misses(scale: float) -> Dict[str, Any]:
    """Make prompts each of which differs from the one before in its last token, and then goes on."""
    record = make_chat(40, int(1500 * scale), int(1000 * scale), seed=4)
    for prompt in record["rollout_details"][0]["prompt_token_ids"]:
        prompt[-1] += N_TOKENS
    return record


def make_many_turns(scale: float) -> Dict[str, Any]:
    """Make very many prompts of one token."""
    random_ = random.Random(5)
    return _make_record([{"prompt_token_ids": [_make_ids(random_, 1) for _ in range(int(100000 * scale))]}])


def make_mixed(scale: float) -> Dict[str, Any]:
    """Make a chat with booleans and whole floats among its ids, which count as ints."""
    record = make_chat(40, int(1500 * scale), int(1000 * scale), seed=6)
    prompts = record["rollout_details"][0]["prompt_token_ids"]
    for place in range(0, len(prompts[-1]), 100):
        for prompt in prompts:
            if place < len(prompt):
                prompt[place] = True if place % 200 else float(prompt[place])
    return record


def make_spacious(scale: float) -> Dict[str, Any]:
    """Make a chat to be written with space wherever JSON allows it."""
    return make_chat(40, int(1500 * scale), int(1000 * scale), seed=7)


#: What is adverse, what makes such a record in some size, and whether its text is full of space.
ADVERSE: List[Tuple[str, Any, bool]] = [
    ("no shared prefix", make_unshared, False),
    ("prefixes that differ in the last token", make_near_misses, False),
    ("100,000 turns of one token", make_many_turns, False),
    ("booleans and floats among ids", make_mixed, False),
    ("whitespace everywhere", make_spacious, True),
]


def scatter_space(text: str) -> str:
    """Put space of changing kind and width around every bracket, comma and colon of a text without strings but keys."""
    random_ = random.Random(8)
    spaces = [" ", "  ", "\n", "\t ", "\r\n", ""]
    for mark in "[],:":
        text = text.replace(mark, "\0%s\0" % mark)
    return "".join(random_.choice(spaces) + part for part in text.split("\0"))


def _make_record(rollouts: List[Dict[str, Any]]) -> Dict[str, Any]:
    return {"n_input_tokens": 1500, "n_cache_tokens": 800, "n_output_tokens": 600, "cost_usd": 0.025,
            "rollout_details": rollouts, "metadata": {"n_episodes": 40}}


def _make_ids(random_: random.Random, count: int) -> List[int]:
    return [random_.randrange(N_TOKENS) for _ in range(count)]


def _make_logprobs(random_: random.Random, count: int) -> List[float]:
    return [-random_.expovariate(2.0) for _ in range(count)]
