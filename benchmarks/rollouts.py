"""Time training sequences against one comparison of the same lists.

A rollout of 200 turns whose last prompt has 100,000 tokens, each prompt repeating the turn before it. Comparing it
with another of its kind (`a == b`) looks at every token once; building its sequences must take at most three times
as long. Both are timed where the two share their integers, as two copies in memory do, and where they do not, as
two records that were read do not.

    python benchmarks/rollouts.py [--turns N] [--tokens N] [--repeat N]

Prints milliseconds (the best of the repetitions, which are interleaved) and the ratio; the exit status is 1 if the
ratio is above 3.
"""

import argparse
import json
import pathlib
import random
import sys
import time
from typing import Any, Callable, Dict, List

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harbor.rollouts import build_sequences, check_rollout  # noqa: E402  # the path comes first

LIMIT = 3.0


def make_rollout(n_turns: int, n_tokens: int, seed: int = 7) -> Dict[str, Any]:
    """Make a linear rollout whose last prompt has about ``n_tokens`` tokens, two fifths of them completions."""
    rng = random.Random(seed)
    share = n_tokens // n_turns
    tokens: List[int] = []
    rollout: Dict[str, Any] = {"prompt_token_ids": [], "completion_token_ids": [], "logprobs": []}
    for _ in range(n_turns):
        n_completion = share * 2 // 5
        tokens = tokens + [rng.randrange(1000, 150000) for _ in range(share - n_completion)]
        completion = [rng.randrange(1000, 150000) for _ in range(n_completion)]
        rollout["prompt_token_ids"].append(tokens)
        rollout["completion_token_ids"].append(completion)
        rollout["logprobs"].append([-rng.expovariate(2.0) for _ in completion])
        tokens = tokens + completion
    return rollout


def copy_lists(rollout: Dict[str, Any]) -> Dict[str, Any]:
    """Copy the lists of a rollout, keeping the integers."""
    return {key: [list(values) for values in turns] for key, turns in rollout.items()}


def measure(calls: Dict[str, Callable[[], Any]], repeat: int) -> Dict[str, float]:
    """Give the best time of each call in milliseconds, taking turns."""
    best = {name: float("inf") for name in calls}
    for _ in range(repeat):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - start)
    return {name: seconds * 1000 for name, seconds in best.items()}


def main() -> int:
    """Run the benchmark and give its exit status."""
    parser = argparse.ArgumentParser(description="Time training sequences against one comparison of the same lists.")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=100000, help="tokens of the last prompt")
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    made = make_rollout(options.turns, options.tokens)
    text = json.dumps(made)
    pairs = [
        ("integers shared", made, copy_lists(made)),
        ("integers not shared", json.loads(text), json.loads(text)),
    ]
    failed = False
    n_tokens = sum(map(len, made["prompt_token_ids"])) + sum(map(len, made["completion_token_ids"]))
    print("%d turns, last prompt %d tokens, %d tokens in all; Python %s" % (
        options.turns, len(made["prompt_token_ids"][-1]), n_tokens, sys.version.split()[0]))
    for name, rollout, other in pairs:
        (sequence,) = build_sequences(rollout)
        assert sequence.n_trained_tokens == sum(map(len, rollout["completion_token_ids"]))
        assert not check_rollout(rollout)
        times = measure({
            "a == b": lambda: rollout == other,
            "build_sequences": lambda: build_sequences(rollout),
            "build_sequences, compact": lambda: build_sequences(rollout, compact=True),
            "check_rollout": lambda: check_rollout(rollout),
        }, options.repeat)
        for call, spent in times.items():
            print("%-20s %-26s %8.1f ms  %5.2f x" % (name, call, spent, spent / times["a == b"]))
        failed = failed or times["build_sequences"] > LIMIT * times["a == b"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
