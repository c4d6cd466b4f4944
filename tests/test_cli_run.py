"""The command `run`, as a process and in this one."""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pytest

import leftovers
from harbor.cli import main
from harbor.cli_run import add_run_options
from harbor.models.trial.result import TrialResult
from harbor.trials import load_trial

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX processes")

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "docs" / "examples" / "my_agent.py"

AGENTS = """
import asyncio, os, sys, threading, time
from harbor.agents.base import BaseAgent
import neighbour

class Agent(BaseAgent):
    SPAN = 100
    @staticmethod
    def name(): return "agent"
    def version(self): return None
    async def setup(self, environment): pass
    async def run(self, instruction, environment, context):
        context.n_input_tokens = neighbour.COUNT
        context.metadata = {"instruction": instruction, "model": self.model_name, "logs": str(self.logs_dir),
            "environment_logs": str(self.environment_logs_dir), "exists": os.path.isdir(self.logs_dir),
            "folder": (await environment.exec("pwd -P")).stdout.strip()}

class Failing(Agent):
    async def run(self, instruction, environment, context):
        context.n_output_tokens = 3
        raise ValueError("first line\\nsecond line")

class Sleeping(Agent):
    async def run(self, instruction, environment, context):
        context.n_output_tokens = 3
        await environment.exec("touch %s; sleep 100" % instruction)

class Blocking(Agent):
    async def run(self, instruction, environment, context):
        context.n_output_tokens = 3
        open(instruction, "w").close()
        time.sleep(100)

class Threaded(Agent):
    async def run(self, instruction, environment, context):
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 100)

class Unfinished(BaseAgent):
    pass

class Demanding(Agent):
    def __init__(self, must, **options):
        super().__init__(**options)

class Outer:
    class Inner(Agent):
        pass

number = 7
"""


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    with leftovers.watch(tmp_path_factory.mktemp("watched"), monkeypatch):
        yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name in ("agents_of_test", "neighbour", "my_agent", "broken", "exiting"):
            del sys.modules[name]


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Work in a folder that holds a module of agents."""
    (tmp_path / "agents_of_test.py").write_text(AGENTS)
    (tmp_path / "neighbour.py").write_text("COUNT = 5\n")
    (tmp_path / "broken.py").write_text("class A(:\n")
    (tmp_path / "exiting.py").write_text("import sys\nsys.exit('no')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _main(*arguments: str) -> int:
    return main(["run", *arguments])


def _start(*arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "harbor", "run", *arguments], env=dict(os.environ, PYTHONPATH=str(ROOT)),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def _finish(process: "subprocess.Popen[bytes]") -> Tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


def _wait_for(path: pathlib.Path) -> None:
    end = time.monotonic() + 20
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert path.exists()


def _get_metadata(result: TrialResult) -> Dict[str, Any]:
    assert result.agent_result is not None and result.agent_result.metadata is not None
    return result.agent_result.metadata


def test_the_example_runs_in_a_checkout_and_is_shown(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "result.json"
    process = _start("docs/examples/my_agent.py:MyAgent", "--instruction", "x", "--output", str(path), cwd=str(ROOT))
    status, out, err = _finish(process)
    assert (status, out) == (0, ""), err
    assert re.fullmatch(r"(local__\w{7}): the agent ended after \d+\.\d s\n\1: see .*result\.json\n", err)
    result = load_trial(path)
    assert result.agent_info.name == "my-agent"
    assert _get_metadata(result)["success"] is True
    assert [step["stdout"] for step in _get_metadata(result)["steps"]] == ["1 notes.txt\n", "", "2 notes.txt\n"]
    assert main(["show", str(path)]) == 0


def test_without_an_output_the_result_is_printed(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _main("agents_of_test:Agent", "--instruction", "x") == 0
    captured = capsys.readouterr()
    result = TrialResult.model_validate_json(captured.out)
    assert result.agent_result is not None and result.agent_result.n_input_tokens == 5
    assert re.fullmatch(r"local__\w{7}: the agent ended after \d+\.\d s\n", captured.err)


def test_what_is_asked_for_reaches_agent_and_result(folder: pathlib.Path) -> None:
    status = _main(
        "agents_of_test.py:Agent", "--instruction", "say \u00e9", "--model", "p/m", "--workdir", "work",
        "--logs", "logs", "--timeout", "50", "--verify", "echo 0.5 > r", "--verify-timeout", "20", "--reward-file", "r",
        "--name", "org/t", "--output", "out/result.json", "--snapshot", "1")
    assert status == 0
    result = load_trial(folder / "out" / "result.json")
    logs = os.path.abspath("logs")
    assert _get_metadata(result) == {
        "instruction": "say \u00e9", "model": "p/m", "logs": logs, "environment_logs": logs, "exists": True,
        "folder": os.path.realpath("work")}
    assert result.agent_info.model_info is not None and result.agent_info.model_info.provider == "p"
    assert (result.task_name, result.reward()) == ("org/t", 0.5)
    assert result.trial_name.startswith("t__")
    assert result.config["agent"]["import_path"] == "agents_of_test:Agent"
    assert result.config["agent"]["override_timeout_sec"] == 50.0
    assert result.config["verifier"] == {"disable": False, "override_timeout_sec": 20.0}
    assert (folder / "work" / "r").exists()


INSTRUCTIONS = [("plain", "plain"), ("@text.txt", "from\na file\n"), ("@@text", "@text"), ("", "")]


@pytest.mark.parametrize("given, told", INSTRUCTIONS, ids=["plain", "file", "at", "empty"])
def test_an_instruction_is_text_or_a_file(given: str, told: str, folder: pathlib.Path) -> None:
    (folder / "text.txt").write_text("from\na file\n")
    assert _main("agents_of_test:Agent", "--instruction", given, "--output", "r.json") == 0
    assert _get_metadata(load_trial("r.json"))["instruction"] == told


def test_an_instruction_may_come_from_standard_input(folder: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harbor", "run", "agents_of_test:Agent", "--instruction", "@-"],
        env=dict(os.environ, PYTHONPATH=str(ROOT)), input=b"piped", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout.decode())["agent_result"]["metadata"]["instruction"] == "piped"


def test_a_class_in_a_class_is_found(folder: pathlib.Path) -> None:
    assert _main("agents_of_test:Outer.Inner", "--instruction", "x", "--output", "r.json") == 0


REFUSED: List[Tuple[str, List[str], str]] = [
    ("no_colon", ["agents_of_test"], "Expected an agent as MODULE:CLASS or FILE.py:CLASS, got 'agents_of_test'"),
    ("no_class", ["agents_of_test:"], "Expected an agent as MODULE:CLASS or FILE.py:CLASS, got 'agents_of_test:'"),
    ("no_module", ["nowhere:A"], "Cannot import nowhere: ModuleNotFoundError: No module named 'nowhere'"),
    ("no_file", ["nowhere/a.py:A"], "There is no file nowhere/a.py"),
    ("no_such_class", ["agents_of_test:Absent"], "There is no Absent in agents_of_test"),
    ("no_agent", ["agents_of_test:number"], "agents_of_test:number is no subclass of harbor.agents.base.BaseAgent"),
    ("no_agent_class", ["neighbour.py:COUNT"], "neighbour.py:COUNT is no subclass of harbor.agents.base.BaseAgent"),
    ("exiting", ["exiting:A"], "Cannot import exiting: SystemExit: no"),
    ("no_instruction_file", ["agents_of_test:Agent", "--instruction", "@absent"], "absent: No such file or directory"),
    ("no_text", ["agents_of_test:Agent", "--instruction", "@binary"], "binary: Not UTF-8"),
    ("output_is_a_folder", ["agents_of_test:Agent", "--output", "."], "{folder}: Is a directory"),
    ("reward_without_verifier", ["agents_of_test:Agent", "--reward-file", "r"], "--reward-file needs --verify"),
]


@pytest.mark.parametrize("arguments, message", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_cannot_be_run_is_said_in_a_line(
    arguments: List[str], message: str, folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "binary").write_bytes(b"\xff")
    if "--instruction" not in arguments:
        arguments = [*arguments, "--instruction", "x"]
    assert _main(*arguments) == 2
    assert capsys.readouterr() == ("", "harbor: run: {}\n".format(message.format(folder=folder)))


PARTLY: List[Tuple[str, str, str]] = [
    ("bad_syntax", "broken:A", r"Cannot import broken: SyntaxError: invalid syntax.*"),
    ("abstract", "agents_of_test:Unfinished", r"Cannot make the agent agents_of_test:Unfinished: TypeError: Can't .*"),
    ("demanding", "agents_of_test:Demanding", r"Cannot make the agent agents_of_test:Demanding: TypeError: .*'must'"),
]


@pytest.mark.parametrize("agent, pattern", [row[1:] for row in PARTLY], ids=[row[0] for row in PARTLY])
def test_what_python_refuses_is_said_in_a_line(
    agent: str, pattern: str, folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _main(agent, "--instruction", "x") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch("harbor: run: {}\n".format(pattern), captured.err)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "soon"])
def test_a_time_must_be_a_number_above_zero(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        _main("a:A", "--instruction", "x", "--timeout=" + text)
    assert caught.value.code == 2
    assert "invalid number of seconds value: {!r}".format(text) in capsys.readouterr().err


def test_an_agent_that_fails_gives_one(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _main("agents_of_test:Failing", "--instruction", "x", "--output", "r.json", "--verify", "exit 1") == 1
    result = load_trial("r.json")
    assert result.agent_result is not None and result.agent_result.n_output_tokens == 3
    lines = capsys.readouterr().err.splitlines()
    assert [re.sub(r"local__\w{7}|\d+\.\d s", "_", line) for line in lines] == [
        "_: ValueError: first line after _", "_: reward is 0.0", "_: see r.json"]


def test_an_agent_that_takes_too_long_gives_one(folder: pathlib.Path) -> None:
    assert _main("agents_of_test:Sleeping", "--instruction", "x", "--output", "r.json", "--timeout", "0.3") == 1
    result = load_trial("r.json")
    assert result.timed_out
    assert result.agent_result is not None and result.agent_result.n_output_tokens == 3


def test_a_thread_that_the_agent_left_does_not_hold_up_the_end(folder: pathlib.Path) -> None:
    start = time.monotonic()
    process = _start("agents_of_test:Threaded", "--instruction", "x", "--timeout", "0.3", "--output", "r.json")
    status, _, err = _finish(process)
    assert (status, time.monotonic() - start < 20) == (1, True), err
    assert load_trial("r.json").timed_out


SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


@pytest.mark.parametrize("number, expected", SIGNALS, ids=["interrupt", "terminate"])
def test_a_signal_keeps_the_partial_result(number: int, expected: int, folder: pathlib.Path) -> None:
    mark = folder / "mark"
    process = _start("agents_of_test:Sleeping", "--instruction", str(mark), "--output", "r.json", "--verify", "true")
    _wait_for(mark)
    process.send_signal(number)
    status, out, err = _finish(process)
    assert (status, out) == (expected, ""), err
    assert "Traceback" not in err and ": CancelledError after" in err
    result = load_trial("r.json")
    assert result.agent_result is not None and result.agent_result.n_output_tokens == 3
    assert result.exception_info is not None and result.exception_info.exception_type == "CancelledError"
    assert result.finished_at is not None and result.verifier_result is None


def test_a_second_interrupt_ends_an_agent_that_blocks(folder: pathlib.Path) -> None:
    mark = folder / "mark"
    process = _start("agents_of_test:Blocking", "--instruction", str(mark), "--output", "r.json")
    _wait_for(mark)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    status, _, err = _finish(process)
    assert status == 130, err
    result = load_trial("r.json")
    assert result.agent_result is not None and result.agent_result.n_output_tokens == 3
    # The first one was waiting for the agent to give way to it.
    assert result.exception_info is not None and result.exception_info.exception_type == "CancelledError"
    assert "KeyboardInterrupt" in result.exception_info.exception_traceback


def test_the_command_can_be_added_to_any_parser(folder: pathlib.Path) -> None:
    parser = argparse.ArgumentParser()
    add_run_options(parser.add_subparsers().add_parser("run"))
    options = parser.parse_args(["run", "agents_of_test:Agent", "--instruction", "x", "--output", "r.json"])
    status: Optional[int] = options.run(options)
    assert status == 0
