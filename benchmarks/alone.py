"""Measure the time and the peak memory of one act of one contender; speed.py runs this file, each time anew.

    python benchmarks/alone.py {read,write} {ours,Harbor} TURNS FIRST PER_TURN INDENT FILE CLOCK

`read` reads the text in FILE, `write` writes a record that an agent has built. Printed, as a JSON list, are the peak in
bytes above what the process held with its input alone, the length of the text, and the seconds. The system's high-water
mark is reset before the act, which needs Linux: else the peak is null.
"""

import functools
import gc
import json
import sys
from typing import Dict

from peers import load_harbor, load_ours
from timing import CLOCKS
from workloads import make_chat


def main() -> int:
    """Print what the act took for the arguments of the command."""
    act, name = sys.argv[1:3]
    n_turns, first, per_turn, indent = map(int, sys.argv[3:7])
    context = load_ours() if name == "ours" else load_harbor()
    read_clock = CLOCKS[sys.argv[8]].read
    small = context.model_validate_json('{"rollout_details": [{"prompt_token_ids": [[1]]}]}')
    small.model_dump_json(indent=indent or None)  # what is loaded on first use is no part of the act
    if act == "read":
        with open(sys.argv[7], "rb") as file:
            text = file.read().decode()
        call = functools.partial(context.model_validate_json, text)
    else:
        made = context()
        for key, value in make_chat(n_turns, first, per_turn).items():
            setattr(made, key, value)
        call = functools.partial(made.model_dump_json, indent=indent or None)
    has_peak = _reset_peak()
    before = _read_sizes().get("VmRSS", 0)
    start = read_clock()
    found = call()
    seconds = read_clock() - start
    peak = _read_sizes()["VmHWM"] - before if has_peak else None
    print(json.dumps([peak, len(text if act == "read" else found), seconds]))
    return 0


def _reset_peak() -> bool:
    """Make the high-water mark start from what is held now; False where the system cannot."""
    gc.collect()
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return "VmHWM" in _read_sizes()
    except OSError:
        return False


def _read_sizes() -> Dict[str, int]:
    try:
        with open("/proc/self/status") as file:
            lines = [line.split() for line in file if line.startswith("Vm")]
    except OSError:
        return {}
    return {line[0].rstrip(":"): int(line[1]) * 1024 for line in lines}


if __name__ == "__main__":
    sys.exit(main())
