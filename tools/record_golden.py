"""Record the golden data anew from the real Harbor and pydantic.

    python tools/record_golden.py --venv DIR [--install [REQUIREMENT ...]] --output tests/data/golden

DIR is a virtual environment that holds the real `harbor`. With --install it is
made first if it is not there, and the requirements are installed into it:
those given, for example `harbor==0.26.0 pydantic==2.14.4`, or else the
versions of the manifest.

Every input of the existing golden files is run through the real models by the
same `golden.run_case` that the tests use. The observed outcomes are written to
the output folder, beside MANIFEST.json with the versions they come from, and
the changed cases are listed. Inputs are never changed; a case that the
interpreter in DIR is too old for keeps its outcome. `run.json`, a result that
`python -m harbor run` wrote, is read by the real TrialResult as well, and what
that makes of it is written to `run_harbor.json`. What it makes of the trial
files in `trials`, beside the output folder, goes to `expected.jsonl.gz` there.

The real models differ from ours by decision in two places, and are amended
accordingly before recording: `amend_models` says where.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
from importlib.metadata import version
from typing import Any, Dict, List, NamedTuple, Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import golden  # noqa: E402  # stands in tests, put on the path above

__all__ = ["Recording", "amend_models", "main", "record", "record_run", "record_trials"]

MANIFEST = "MANIFEST.json"
RUN = "run.json"
RUN_READ = "run_harbor.json"
TRIALS = golden.FOLDER.parent / "trials"
TRIALS_READ = "expected.jsonl.gz"


class Recording(NamedTuple):
    """What became of the cases, by `file: id`; counts are cases per file."""

    counts: Dict[str, int]
    changed: List[str]
    kept: List[str]
    broken: List[str]


def find_context() -> Any:
    """Import the real AgentContext; without it, or with this package in its place, end the program."""
    try:
        context = golden.find_class("AgentContext")
    except ModuleNotFoundError as error:
        raise SystemExit("The environment of {} holds no harbor: {}".format(sys.executable, error)) from None
    if not hasattr(context, "__pydantic_fields__"):
        origin = sys.modules["harbor"].__file__
        raise SystemExit("The harbor found at {} is not built on pydantic".format(origin))
    return context


def amend_models() -> None:
    """Give the real models the two differences that this project decided on.

    `AgentContext.model_usage` is written only when it is not None, and
    `TrialResult.config` is a plain dict.
    """
    context = find_context()
    step, trial = map(golden.find_class, ("StepResult", "TrialResult"))
    context.__pydantic_fields__["model_usage"].exclude_if = lambda value: value is None
    trial.__pydantic_fields__["config"].annotation = Dict[str, Any]
    for cls in (context, step, trial):  # the inner ones first
        cls.model_rebuild(force=True)


def record(source: pathlib.Path, output: pathlib.Path) -> Recording:
    """Run every case of the source folder and write the outcomes to the output folder."""
    recording = Recording({}, [], [], [])
    output.mkdir(parents=True, exist_ok=True)
    for path in golden.list_files(source):
        name = path.name.split(".")[0]
        stored, lines = [], []
        for line, case in golden.read_cases(path):
            stored.append(line)
            lines.append(_record_case(line, case, "{}: {}".format(name, case["id"]), recording))
        recording.counts[name] = len(lines)
        target = output / path.name
        # Compressors differ between Python versions: equal content stays untouched.
        if lines != stored or not target.exists() or output.resolve() != source.resolve():
            golden.write_lines(target, lines)
    return recording


def _record_case(line: str, case: golden.Case, label: str, recording: Recording) -> str:
    if golden.skip_reason(case) == "python too old":
        recording.kept.append(label)
        return line
    try:
        seen = golden.run_case(case)
    except Exception as error:
        recording.broken.append("{} ({}: {})".format(label, type(error).__name__, error))
        return line
    if not golden.find_differences(case, seen):
        return line
    recording.changed.append(label)
    anew = {key: value for key, value in json.loads(line).items() if key not in golden.OUTCOME}
    anew.update((key, value) for key, value in seen.items() if value is not None)
    return json.dumps(anew) + "\n"


def record_run(source: pathlib.Path, output: pathlib.Path) -> None:
    """Have the real TrialResult, not yet amended, read the run of the source folder, and write what it read."""
    text = (source / RUN).read_text(encoding="utf-8")
    read = golden.find_class("TrialResult").model_validate_json(text)
    output.mkdir(parents=True, exist_ok=True)
    (output / RUN).write_text(text, encoding="utf-8")
    (output / RUN_READ).write_text(read.model_dump_json(indent=4) + "\n", encoding="utf-8")


def record_trials(source: pathlib.Path, output: pathlib.Path) -> int:
    """Write what the real TrialResult makes of each trial file, without its unknown keys and with them; count them."""
    trial = golden.find_class("TrialResult")
    lines = []
    for path in sorted(source.glob("*.json")):
        data = path.read_bytes()
        texts = {name: trial.model_validate_json(data, extra=name).model_dump_json() for name in ("ignore", "allow")}
        lines.append(json.dumps(dict(texts, file=path.name)) + "\n")
    target = output / TRIALS_READ
    output.mkdir(parents=True, exist_ok=True)
    if not target.exists() or lines != [line for line, _ in golden.read_cases(target)]:
        golden.write_lines(target, lines)
    return len(lines)


def _write_manifest(output: pathlib.Path, counts: Dict[str, int]) -> None:
    manifest: Dict[str, Any] = {name: version(name) for name in ("harbor", "pydantic", "pydantic_core")}
    manifest["python"] = ".".join(map(str, sys.version_info[:3]))
    manifest["cases"] = counts
    text = json.dumps(manifest, indent=4) + "\n"
    (output / MANIFEST).write_text(text, encoding="utf-8")


def _record_inside(output: pathlib.Path) -> int:
    """Record with the models of the running interpreter and report."""
    find_context()
    record_run(golden.FOLDER, output)
    amend_models()
    print("{} trial files read".format(record_trials(TRIALS, output.parent / "trials")))
    recording = record(golden.FOLDER, output)
    _write_manifest(output, recording.counts)
    for title, labels in (
        ("changed", recording.changed),
        ("kept, this Python is too old for them", recording.kept),
        ("kept, their input could not be set up", recording.broken),
    ):
        print("{} of {} cases {}".format(len(labels), sum(recording.counts.values()), title))
        for label in labels:
            print("    " + ascii(label)[1:-1])
    return 1 if recording.broken else 0


def _find_python(venv: pathlib.Path) -> pathlib.Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _install(venv: pathlib.Path, requirements: List[str]) -> None:
    if not requirements:
        manifest = json.loads((golden.FOLDER / MANIFEST).read_text(encoding="utf-8"))
        requirements = ["{}=={}".format(name, manifest[name]) for name in ("harbor", "pydantic")]
    if not _find_python(venv).exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([str(_find_python(venv)), "-m", "pip", "install", "--quiet", *requirements], check=True)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the tool and give its exit status."""
    parser = argparse.ArgumentParser(description="Record the golden data from the real Harbor and pydantic.")
    parser.add_argument("--venv", type=pathlib.Path, metavar="DIR", help="virtual environment with the real harbor")
    parser.add_argument(
        "--install",
        nargs="*",
        metavar="REQUIREMENT",
        help="make DIR if need be and install these into it (default: the versions of the manifest)",
    )
    parser.add_argument("--output", type=pathlib.Path, required=True, metavar="FOLDER", help="where to write")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)  # the child process
    options = parser.parse_args(arguments)
    if options.inside:
        return _record_inside(options.output)
    if options.venv is None:
        parser.error("the following arguments are required: --venv")
    if options.install is not None:
        _install(options.venv, options.install)
    # No PYTHONPATH: the harbor of this checkout must not hide the real one.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(_find_python(options.venv)), __file__, "--inside", "--output", str(options.output)]
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
