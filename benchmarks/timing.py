"""Time contenders in turns, and say how sure the figures are.

In: named calls. Out: the median and the quartiles of each. All contenders take one sample a round, so that a busy
machine hits all of them; the garbage collector is on, as in any program, and the time to free a result counts.
"""

import gc
import statistics
import time
from typing import Any, Callable, Dict, List, NamedTuple

__all__ = ["Clock", "Figure", "measure", "summarize"]

Call = Callable[[], Any]

# A contender that has used up its time takes part in so many rounds at least.
LEAST_ROUNDS = 3


class Clock(NamedTuple):
    """What time is taken with; ``process`` leaves out what other processes take."""

    name: str
    read: Callable[[], float]


CLOCKS = {
    "process": Clock("process", time.process_time),
    "wall": Clock("wall", time.perf_counter),
}


class Figure(NamedTuple):
    """The median of some samples with their quartiles, and how many they are."""

    median: float
    low: float
    high: float
    rounds: int


def summarize(samples: List[float]) -> Figure:
    """Give the median and the quartiles of samples."""
    if len(samples) < 2:
        return Figure(samples[0], samples[0], samples[0], 1)
    quartiles = statistics.quantiles(samples, n=4, method="inclusive")
    return Figure(statistics.median(samples), quartiles[0], quartiles[2], len(samples))


def measure(
    calls: Dict[str, Call], rounds: int, clock: Clock, budget: float = 30.0, least: float = 0.005
) -> Dict[str, Figure]:
    """Time each call so many times, in turns, and give seconds per call.

    A contender that has taken ``budget`` seconds sits out what is left after three rounds. A sample lasts ``least``
    seconds or longer: short calls are repeated within it.
    """
    gc.collect()
    # What is alive now is the benchmark's own: no contender's collections should go through it.
    getattr(gc, "freeze", int)()
    loops = {name: _warm_up(call, clock, least) for name, call in calls.items()}
    samples: Dict[str, List[float]] = {name: [] for name in calls}
    spent = dict.fromkeys(calls, 0.0)
    for _ in range(rounds):
        for name, call in calls.items():
            if spent[name] > budget and len(samples[name]) >= LEAST_ROUNDS:
                continue
            seconds = _sample(call, loops[name], clock)
            spent[name] += seconds
            samples[name].append(seconds / loops[name])
    getattr(gc, "unfreeze", int)()
    return {name: summarize(found) for name, found in samples.items()}


def _warm_up(call: Call, clock: Clock, least: float) -> int:
    """Call to fill caches, and say how many calls make a sample."""
    loops = 1
    if _sample(call, loops, clock) > 10 * least:
        return loops
    while _sample(call, loops, clock) < least:
        loops *= 2
    return loops


def _sample(call: Call, loops: int, clock: Clock) -> float:
    read = clock.read
    if loops == 1:
        start = read()
        call()
        return read() - start
    turns = [None] * loops
    start = read()
    for _ in turns:
        call()
    return read() - start
