"""Compare `python -m harbor stats` with Harbor's own reading of the same files.

    python benchmarks/stats.py --harbor-python PATH [--count 2000] [--rollouts 0.0] [--rounds 7] [--jobs N]

PATH is the Python of an environment with Harbor 0.26. It reads each file with `TrialResult.model_validate_json` and
counts what it refuses; `stats` does all of its work. So does a third process that only calls `json.loads`: no reader
that is built on it can be faster. All are timed as whole processes, import included, in turns, so that a busy machine
hits all of them. Medians of the time and of the processor's time are printed, and their ratio to Harbor's; the mark
is a third of the time.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Dict, List, Tuple

from make_trials import make_trials

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = 1 / 3

READ_WITH_JSON = """
import json, os, sys
read = refused = 0
for folder, _, files in os.walk(sys.argv[1]):
    if "result.json" in files:
        with open(os.path.join(folder, "result.json"), "rb") as file:
            data = file.read()
        try:
            json.loads(data)
            read += 1
        except ValueError:
            refused += 1
print(read, refused)
"""

READ_WITH_HARBOR = """
import os, sys
from harbor.models.trial.result import TrialResult
read = refused = 0
for folder, _, files in os.walk(sys.argv[1]):
    if "result.json" in files:
        with open(os.path.join(folder, "result.json"), "rb") as file:
            data = file.read()
        try:
            TrialResult.model_validate_json(data)
            read += 1
        except ValueError:
            refused += 1
print(read, refused)
"""


def main() -> int:
    """Print the times and their ratios; give 1 where the mark is missed."""
    parser = argparse.ArgumentParser(description="Compare the stats command with Harbor.")
    parser.add_argument("--harbor-python", required=True, metavar="PATH")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corrupt", type=float, default=0.03, metavar="PART")
    parser.add_argument("--rollouts", type=float, default=0.0, metavar="PART")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--jobs", help="of stats; as many as it chooses, unless given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = make_trials(
            pathlib.Path(folder, "jobs"), options.count, options.seed, options.corrupt, options.rollouts)
        size = sum(path.stat().st_size for path in pathlib.Path(folder).rglob("result.json"))
        print("%d trials, %.1f MB, %s" % (
            options.count, size / 1e6, ", ".join("%s %d" % item for item in made.items())))
        jobs = ["--jobs", options.jobs] if options.jobs else []
        commands = {
            "stats": [sys.executable, "-m", "harbor", "stats", folder, "--by", "model", *jobs],
            "json": [sys.executable, "-c", READ_WITH_JSON, folder],
            "Harbor": [options.harbor_python, "-c", READ_WITH_HARBOR, folder],
        }
        return _compare(commands, options.rounds)


def _compare(commands: Dict[str, List[str]], rounds: int) -> int:
    times: Dict[str, List[Tuple[float, float]]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            spent = _time_process(command, ROOT if name == "stats" else pathlib.Path(tempfile.gettempdir()))
            if number:  # the first round fills the caches of files and byte code
                times[name].append(spent)
    medians = {name: [statistics.median(part) for part in zip(*found)] for name, found in times.items()}
    ratios = {name: [mine / its for mine, its in zip(found, medians["Harbor"])] for name, found in medians.items()}
    for name, (seconds, processor) in medians.items():
        print("%-7s %7.3f s, processor %7.3f s, to Harbor %.2f and %.2f" % (name, seconds, processor, *ratios[name]))
    print("mark    %.2f" % MARK)
    return 0 if ratios["stats"][0] <= MARK else 1


def _time_process(command: List[str], folder: pathlib.Path) -> Tuple[float, float]:
    """Give the seconds that a process takes, and those of the processor's time."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    start, before = time.perf_counter(), os.times()
    subprocess.run(
        command, cwd=str(folder), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    end, after = time.perf_counter(), os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return end - start, processor


if __name__ == "__main__":
    sys.exit(main())
