"""Measure the peak memory of one act of one contender; speed.py runs this file in a process of its own.

    python benchmarks/memory.py {read,write} {ours,Harbor} TURNS FIRST PER_TURN INDENT FILE

`read` reads the text in FILE, `write` writes a record that an agent has built. Printed are the bytes above what the
process held with its input alone, and the length of the text. The system's high-water mark is reset in between, which
needs Linux: else nothing is printed and the exit status is 2.
"""

import gc
import sys
from typing import Dict

from peers import load_harbor, load_ours
from workloads import make_chat


def main() -> int:
    """Print peak and length for the arguments of the command."""
    act, name = sys.argv[1:3]
    n_turns, first, per_turn, indent = map(int, sys.argv[3:7])
    context = load_ours() if name == "ours" else load_harbor()
    small = context.model_validate_json('{"rollout_details": [{"prompt_token_ids": [[1]]}]}')
    small.model_dump_json(indent=indent or None)  # what is loaded on first use is no part of the peak
    if act == "read":
        with open(sys.argv[7], "rb") as file:
            text = file.read().decode()
        if not _reset_peak():
            return 2
        before = _read_sizes()["VmRSS"]
        made = context.model_validate_json(text)
    else:
        made = context()
        for key, value in make_chat(n_turns, first, per_turn).items():
            setattr(made, key, value)
        if not _reset_peak():
            return 2
        before = _read_sizes()["VmRSS"]
        text = made.model_dump_json(indent=indent or None)
    print(_read_sizes()["VmHWM"] - before, len(text))
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
    with open("/proc/self/status") as file:
        lines = [line.split() for line in file if line.startswith("Vm")]
    return {line[0].rstrip(":"): int(line[1]) * 1024 for line in lines}


if __name__ == "__main__":
    sys.exit(main())
