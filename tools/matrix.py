"""Run the tests on every Python there is, and say which ones those were.

    python tools/matrix.py                      every row; exit status 1 unless all is as it must be
    python tools/matrix.py --only 3.8 pypy      some rows
    python tools/matrix.py --list               the rows, and how to get the interpreters of the optional ones

Each row ends in RAN ok, RAN FAIL or ABSENT. A required row that is absent is a failure, an optional one is not. The
interpreter says itself which version it is, and a row counts only if that is the row's. Rows run the whole suite, once
on the package and once on the one file; those whose Python cannot hold pytest run `tests/probe.py`, and Pyodide runs
what of the suite needs neither processes nor threads. Output goes to `build/matrix/ROW-IMPLEMENTATION.log`.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "matrix"
IMPLEMENTATIONS = ("package", "single")
#: Where the optional interpreters are looked for, unless `--interpreters` says otherwise.
INTERPRETERS = ROOT / "build" / "interpreters"

#: How long one run may take.
LONGEST_SEC = 3600

ASK_VERSION = (
    "import sys, sysconfig; print(sys.implementation.name, '%d.%d' % sys.version_info[:2] + "
    "('t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''))")
#: Test files that need processes, threads or a whole file system, and single tests that do.
NOT_IN_PYODIDE = (
    "test_agents.py", "test_benchmarks.py", "test_cli*.py", "test_docs.py", "test_environments.py", "test_files.py",
    "test_layouts.py", "test_matrix.py", "test_package.py", "test_record_golden.py", "test_runner.py", "test_single.py",
    "test_trials.py", "test_types.py")
NOT_SINGLY_IN_PYODIDE = (
    "test_legacy.py::test_old_name_refuses[parse_file missing]", "test_moments.py::test_import_leaves_datetime_and_uuid_alone",
    "test_text.py::test_reading_with_little_stack_left", "test_text.py::test_importing_the_modules_imports_no_json",
    "test_usage.py::test_processes_fold_to_the_same_total")


class Row(NamedTuple):
    """A Python: its `version` ("cpython 3.8", or "cpython" for any), and how its tests run."""

    name: str
    version: str
    required: bool
    kind: str
    places: Sequence[str]
    how_to_get: str = ""


class Outcome(NamedTuple):
    """How a row ended: `word` is RAN ok, RAN FAIL or ABSENT."""

    row: Row
    word: str
    version: str
    remark: str


DEBIAN = "tools/get_interpreters.sh debian %s build/interpreters %s"
PYODIDE = "tools/get_interpreters.sh pyodide %s build/interpreters"

#: `~` is the home folder, `@` the folder of interpreters; the last match in the order of versions counts.
ROWS = [
    *(Row("3.%d" % minor, "cpython 3.%d" % minor, True, "suite", ["$PYENV/versions/3.%d.*/bin/python3.%d" % (minor, minor)],
          "pyenv install 3.%d" % minor) for minor in range(8, 14)),
    Row("system", "cpython", True, "suite", ["/usr/bin/python3"]),
    Row("3.14", "cpython 3.14", False, "suite", ["@/sid/run/python3.14", "$PYENV/versions/3.14.*/bin/python3.14"],
        DEBIAN % ("sid", "python3.14")),
    Row("3.15", "cpython 3.15", False, "suite", ["@/sid/run/python3.15", "$PYENV/versions/3.15.*/bin/python3.15"],
        DEBIAN % ("sid", "python3.15")),
    Row("3.13t", "cpython 3.13t", False, "suite", ["$PYENV/versions/3.13.*t/bin/python3.13t", "@/3.13t/bin/python3.13t"],
        "pyenv install 3.13t (builds it, some minutes)"),
    Row("pypy", "pypy 3.11", False, "suite", ["@/trixie/run/pypy3"], DEBIAN % ("trixie", "pypy3")),
    Row("3.13-minimal", "cpython 3.13", False, "probe", ["@/trixie-minimal/run/python3.13"],
        DEBIAN % ("trixie", "python3.13-minimal") + ", with DEST build/interpreters/trixie-minimal"),
    *(Row("pyodide-" + release, "cpython " + python, False, "pyodide", ["@/pyodide-%s/node_modules/pyodide" % release],
          PYODIDE % release) for release, python in [("0.27.7", "3.12"), ("0.29.4", "3.13")]),
]


def find_interpreter(row: Row, folder: pathlib.Path) -> Optional[pathlib.Path]:
    """Give the interpreter of a row; None if it is not there."""
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    for place in row.places:
        pattern = place.replace("$PYENV", pyenv).replace("@", str(folder))
        found = sorted(pathlib.Path("/").glob(pattern.lstrip("/")), key=_read_numbers)
        if found:
            return found[-1]
    return None


def _read_numbers(path: pathlib.Path) -> List[int]:
    return [int(digits) for digits in "".join(c if c.isdigit() else " " for c in str(path)).split()]


def ask_version(command: Sequence[str]) -> str:
    """Give what an interpreter says it is, such as "cpython 3.8"; "" if it does not run."""
    done = subprocess.run([*command, "-c", ASK_VERSION], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode().strip() if done.returncode == 0 else ""


# Running --------------------------------------------------------------------------


def make_venv(version: str) -> pathlib.Path:
    """Make the virtual environment that `make test-VERSION` uses, and give its folder."""
    folder = ROOT / "build" / ("venv-" + version)
    command = ["make", "--no-print-directory", "build/venv-%s/ready" % version]
    subprocess.run(command, cwd=str(ROOT), check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return folder


def find_packages(version: str) -> pathlib.Path:
    """Give a folder with a pytest for an interpreter that has none: the newest made for its version or an older one."""
    minor = min(int(version.split(".")[1].rstrip("t")), 13)
    (folder,) = make_venv("3.%d" % minor).glob("lib/python3.*/site-packages")
    return folder


def run_suite(row: Row, interpreter: pathlib.Path, version: str, log: Callable[[str], pathlib.Path]) -> List[str]:
    """Run the whole suite on both implementations; gives a remark for each that failed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    python, options = str(interpreter), ["-q", "-p", "no:cacheprovider"]
    number = version.split()[1]
    if row.required and row.name != "system":
        python = str(make_venv(number) / "bin" / "python")
        if ask_version([python]) != version:
            return ["the virtual environment is not of this version"]
    else:
        # mypy is made for one interpreter, so the one test of it stays out on a borrowed one.
        environment["PYTHONPATH"] = str(find_packages(number))
        options.append("--ignore=tests/test_types.py")
    faults = []
    for implementation in IMPLEMENTATIONS:
        environment["HARBOR_UNDER_TEST"] = implementation
        faults += _run([python, "-m", "pytest", *options], environment, log(implementation), implementation)
    return faults


def run_probe(row: Row, interpreter: pathlib.Path, version: str, log: Callable[[str], pathlib.Path]) -> List[str]:
    """Run the probe on both implementations, without a site, as a small Python is."""
    faults = []
    for implementation, folder in zip(IMPLEMENTATIONS, (ROOT, ROOT / "single")):
        command = [str(interpreter), "-I", "-S", "-B", str(ROOT / "tests" / "probe.py"), str(folder)]
        faults += _run(command, dict(os.environ), log(implementation), implementation)
    return faults


def run_in_pyodide(row: Row, interpreter: pathlib.Path, version: str, log: Callable[[str], pathlib.Path]) -> List[str]:
    """Run the probe and what of the suite Pyodide can run, on both implementations."""
    packages = find_packages(version.split()[1])
    # No file of Pyodide outlives its name, as the one does that takes in what a descriptor is written.
    arguments = ["-q", "-p", "no:cacheprovider", "--capture=sys", "tests"]
    arguments += [option for name in NOT_IN_PYODIDE for option in ("--ignore-glob", "tests/" + name)]
    arguments += [option for name in NOT_SINGLY_IN_PYODIDE for option in ("--deselect", "tests/" + name)]
    faults = []
    for implementation in IMPLEMENTATIONS:
        environment = dict(os.environ, HARBOR_UNDER_TEST=implementation)
        command = [*_name_pyodide(interpreter), str(packages), *arguments]
        faults += _run(command, environment, log(implementation), implementation)
    return faults


def _name_pyodide(folder: pathlib.Path) -> List[str]:
    # Deeply nested documents need a deep stack.
    return ["node", "--stack-size=7000", str(ROOT / "tools" / "run_pyodide.mjs"), str(folder), str(ROOT)]


def _run(command: Sequence[str], environment: Dict[str, str], log: pathlib.Path, label: str) -> List[str]:
    """Run a command with its output in a log; gives a remark if it failed."""
    with log.open("wb") as output:
        output.write((" ".join(command) + "\n").encode())
        output.flush()
        try:
            status = subprocess.run(
                command, cwd=str(ROOT), env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, timeout=LONGEST_SEC).returncode
        except subprocess.TimeoutExpired:
            output.write(b"\nstopped after %d minutes\n" % (LONGEST_SEC // 60))
            status = 1
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return [] if status == 0 else ["%s: %s (%s)" % (label, lines[-1][-100:], log.name)]


KINDS = {"suite": run_suite, "probe": run_probe, "pyodide": run_in_pyodide}


def run_row(row: Row, folder: pathlib.Path) -> Outcome:
    """Run a row."""
    interpreter = find_interpreter(row, folder)
    if interpreter is None or row.kind == "pyodide" and shutil.which("node") is None:
        return Outcome(row, "ABSENT", "", row.how_to_get)
    command = _name_pyodide(interpreter) if row.kind == "pyodide" else [str(interpreter)]
    version = ask_version(command)
    if version != row.version and not (" " not in row.version and version.startswith(row.version + " ")):
        return Outcome(row, "RAN FAIL", version, "%s is %s" % (interpreter, version or "no Python that runs"))
    start = time.monotonic()
    try:
        faults = KINDS[row.kind](row, interpreter, version, lambda name: LOGS / ("%s-%s.log" % (row.name, name)))
    except subprocess.CalledProcessError as exc:
        faults = ["%s failed: %s" % (" ".join(exc.cmd), exc.stderr.decode("utf-8", "replace").strip()[-200:])]
    return Outcome(row, "RAN FAIL" if faults else "RAN ok", version, "; ".join(faults) or "%.0f s, %s" % (
        time.monotonic() - start, _summarize(row)))


def _summarize(row: Row) -> str:
    """Give the last lines of a row's logs, which count the tests."""
    logs = [LOGS / ("%s-%s.log" % (row.name, implementation)) for implementation in IMPLEMENTATIONS]
    return "; ".join(log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1].strip("= ") for log in logs)


# The command line -----------------------------------------------------------------


def is_failure(outcome: Outcome) -> bool:
    """Tell whether an outcome makes the matrix fail: an absent row does if it is required."""
    return outcome.word == "RAN FAIL" or outcome.word == "ABSENT" and outcome.row.required


def render(outcome: Outcome) -> str:
    """Give the line of a row."""
    kind = "required" if outcome.row.required else "optional"
    line = "%-15s %-9s %-8s %-14s %-7s %s" % (
        outcome.row.name, kind, outcome.word, outcome.version or "-", outcome.row.kind, outcome.remark)
    return line.rstrip()


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the rows; 0 if every required one ran well and no other one failed."""
    parser = argparse.ArgumentParser(description="Run the tests on every Python there is.")
    parser.add_argument("--only", nargs="+", choices=[row.name for row in ROWS], metavar="ROW", help="some rows")
    parser.add_argument("--interpreters", type=pathlib.Path, default=INTERPRETERS, help="where the optional ones are")
    parser.add_argument("--list", action="store_true", help="list the rows and run nothing")
    options = parser.parse_args(arguments)
    rows = [row for row in ROWS if options.only is None or row.name in options.only]
    if options.list:
        for row in rows:
            print("%-15s %-9s %-7s %s" % (row.name, "required" if row.required else "optional", row.kind, row.how_to_get))
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for row in rows:
        outcomes.append(run_row(row, options.interpreters.resolve()))
        print(render(outcomes[-1]), flush=True)
    failed = [outcome.row.name for outcome in outcomes if is_failure(outcome)]
    print("FAILED: " + ", ".join(failed) if failed else "every required row ran ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
