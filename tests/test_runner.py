"""Running an agent: the result always says what happened, and keeps what was counted."""

import asyncio
import json
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import time
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Optional, Tuple

import pytest

import leftovers
from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.environments.local import LocalEnvironment
from harbor.models.agent.context import AgentContext
from harbor.models.task.config import VerifierEnvironmentMode
from harbor.models.task.id import LocalTaskId
from harbor.models.trial.result import AgentInfo, ModelInfo, TrialResult
from harbor.models.verifier.result import VerifierResult
from harbor.runner import AgentRun, run_agent
from harbor.trials import load_trial

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX processes")

ROOT = pathlib.Path(__file__).resolve().parent.parent

Step = Callable[["ScriptedAgent", BaseEnvironment, AgentContext], Awaitable[None]]


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with leftovers.watch(tmp_path_factory.mktemp("watched"), monkeypatch):
        yield


class ScriptedAgent(BaseAgent):
    """Does in `run` what it is given, after it has counted some tokens."""

    def __init__(self, step: Optional[Step] = None, **options: Any) -> None:
        super().__init__(pathlib.Path("logs"), **options)
        self.step = step
        self.seen: List[str] = []

    @staticmethod
    def name() -> str:
        return "scripted"

    def version(self) -> Optional[str]:
        return "1.2"

    async def setup(self, environment: BaseEnvironment) -> None:
        self.seen.append("setup")

    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        self.seen.append(instruction)
        context.n_input_tokens = 7
        if self.step is not None:
            await self.step(self, environment, context)


def _run(agent: BaseAgent, **options: Any) -> TrialResult:
    options.setdefault("environment", LocalEnvironment(grace_sec=0.2))
    return asyncio.run(run_agent(agent, instruction="do it", **options))


def _get_exception(result: TrialResult) -> Tuple[str, str, str]:
    assert result.exception_info is not None
    info = result.exception_info
    return info.exception_type, info.exception_message, info.exception_traceback


def _count_input(result: TrialResult) -> Optional[int]:
    assert result.agent_result is not None
    return result.agent_result.n_input_tokens


# All goes well -----------------------------------------------------------------


def test_a_result_holds_what_harbors_do() -> None:
    async def work(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
        printed = await environment.exec("echo x")
        context.metadata = {"stdout": printed.stdout, "session": agent.session_id, "context": str(agent.context_id)}

    agent = ScriptedAgent(work, model_name="provider/model")
    result = _run(agent, task_name="org/some task", timeout_sec=60)
    short = result.id.hex[:7]
    assert agent.seen == ["setup", "do it"]
    assert (result.task_name, result.trial_name) == ("org/some task", "some-task__" + short)
    assert result.task_id == LocalTaskId(path=pathlib.Path("org/some task"))
    assert result.trial_uri == (pathlib.Path.cwd() / "logs").as_uri()
    assert len(result.task_checksum) == 64
    assert result.agent_info == AgentInfo(
        name="scripted", version="1.2", model_info=ModelInfo(name="model", provider="provider"))
    assert result.agent_result == AgentContext(n_input_tokens=7, metadata={
        "stdout": "x\n", "session": "some-task__{}__agent".format(short), "context": str(result.id)})
    assert (result.exception_info, result.verifier_result, result.verifier) == (None, None, None)
    phases = [result.environment_setup, result.agent_setup, result.agent_execution]
    moments = [result.started_at]
    for phase in phases:
        assert phase is not None
        moments += [phase.started_at, phase.finished_at]
    moments.append(result.finished_at)
    known = [moment for moment in moments if moment is not None]
    assert len(known) == 8 and known == sorted(known)
    assert str(known[0].tzinfo) == "UTC"


def test_the_configuration_has_the_shape_of_harbors() -> None:
    result = _run(ScriptedAgent(model_name="p/m"), timeout_sec=60, verify="true", verify_timeout_sec=5, trial_name="t")
    assert result.config == {
        "task": {"path": "local"},
        "trial_name": "t",
        "trials_dir": str(pathlib.Path.cwd()),
        "agent": {
            "import_path": __name__ + ":ScriptedAgent", "model_name": "p/m", "override_timeout_sec": 60,
            "override_setup_timeout_sec": 360.0},
        "environment": {"import_path": "harbor.environments.local:LocalEnvironment"},
        "verifier": {"disable": False, "override_timeout_sec": 5},
        "extra_instructions": ["do it"],
    }


def test_variables_of_the_agent_reach_its_commands_and_no_verifier() -> None:
    async def work(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
        context.metadata = {"stdout": (await environment.exec("echo $OF_AGENT", env={"OF_AGENT": "command"})).stdout}

    result = _run(ScriptedAgent(work, extra_env={"OF_AGENT": "agent"}), verify='test -z "$OF_AGENT"')
    assert result.agent_result is not None and result.agent_result.metadata == {"stdout": "agent\n"}
    assert result.reward() == 1.0


# Something goes wrong -----------------------------------------------------------


async def _raise(*arguments: Any) -> None:
    raise ValueError("broken \udc80 text")


async def _exit(*arguments: Any) -> None:
    sys.exit("gone")


async def _mistype(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
    context.n_output_tokens = 3
    setattr(context, "output", 1)


async def _cancel_oneself(*arguments: Any) -> None:
    raise asyncio.CancelledError("mine")


async def _time_out_oneself(*arguments: Any) -> None:
    await asyncio.wait_for(asyncio.sleep(10), 0.01)


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


async def _raise_silent(*arguments: Any) -> None:
    raise Silent


FAILURES: List[Tuple[str, Step, str, str]] = [
    ("raises", _raise, "ValueError", "broken \\udc80 text"),
    ("exits", _exit, "SystemExit", "gone"),
    ("sets_an_unknown_attribute", _mistype, "ValueError", '"AgentContext" object has no field "output"'),
    ("cancels_itself", _cancel_oneself, "CancelledError", "mine"),
    ("raises_what_has_no_text", _raise_silent, "Silent", "<no text: RuntimeError>"),
]


@pytest.mark.parametrize("step, kind, message", [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_an_agent_that(step: Step, kind: str, message: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "result.json"
    result = _run(ScriptedAgent(step), path=path)
    exception_type, exception_message, trace = _get_exception(result)
    assert (exception_type, exception_message) == (kind, message)
    assert "in {}".format(step.__name__) in trace
    assert _count_input(result) == 7
    assert result.finished_at is not None
    loaded = load_trial(path)
    assert (_get_exception(loaded)[:2], _count_input(loaded)) == ((kind, message), 7)


def test_a_timeout_of_the_agents_own_is_not_called_its_limit() -> None:
    exception_type, _, trace = _get_exception(_run(ScriptedAgent(_time_out_oneself), timeout_sec=60))
    assert exception_type == "TimeoutError" and "_time_out_oneself" in trace


def test_what_went_before_a_mistyped_name_is_kept() -> None:
    result = _run(ScriptedAgent(_mistype))
    assert result.agent_result == AgentContext(n_input_tokens=7, n_output_tokens=3)


def _break(name: str, kind: Any = None) -> Any:
    """Make a class of agents or environments of which one method raises."""

    async def fail_later(*arguments: Any, **options: Any) -> None:
        raise ValueError("in " + name)

    def fail(*arguments: Any, **options: Any) -> None:
        raise ValueError("in " + name)

    kind = kind or ScriptedAgent
    is_async = name in ("setup", "run", "start", "stop")
    return type("Broken", (kind,), {name: fail_later if is_async else fail})


PHASES = [
    ("to_agent_info", ["agent_setup", "agent_execution"], True),
    ("version", ["agent_setup", "agent_execution"], True),
    ("setup", ["agent_setup"], False),
    ("run", ["agent_setup", "agent_execution"], True),
]


@pytest.mark.parametrize("name, phases, has_context", PHASES, ids=[row[0] for row in PHASES])
def test_an_agent_that_raises_in(name: str, phases: List[str], has_context: bool) -> None:
    result = _run(_break(name)())
    exception_type, message, trace = _get_exception(result)
    assert (exception_type, message) == ("ValueError", "in " + name)
    assert "Traceback" in trace and "fail" in trace
    found = [phase for phase in ("agent_setup", "agent_execution") if getattr(result, phase) is not None]
    assert (found, result.agent_result is not None) == (phases, has_context)
    assert result.finished_at is not None


def test_an_agent_that_raises_while_it_fills_its_empty_context() -> None:
    async def clear(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
        context.n_input_tokens = None

    assert _get_exception(_run(_break("populate_context_post_run")(clear)))[1] == "in populate_context_post_run"
    # Neither asked where it holds something, nor recorded over an earlier exception.
    assert _run(_break("populate_context_post_run")()).exception_info is None

    async def clear_and_raise(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
        context.n_input_tokens = None
        raise KeyError("first")

    assert _get_exception(_run(_break("populate_context_post_run")(clear_and_raise)))[0] == "KeyError"


def test_an_empty_context_is_filled_after_a_failure() -> None:
    class Filling(ScriptedAgent):
        async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
            raise ValueError

        def populate_context_post_run(self, context: AgentContext) -> None:
            context.n_output_tokens = 9

    result = _run(Filling())
    assert result.agent_result == AgentContext(n_output_tokens=9)
    assert _get_exception(result)[0] == "ValueError"


@pytest.mark.parametrize("name", ["start", "stop"])
def test_an_environment_that_raises_in(name: str) -> None:
    environment = _break(name, LocalEnvironment)()
    result = _run(ScriptedAgent(), environment=environment)
    assert _get_exception(result)[:2] == ("ValueError", "in " + name)
    assert (result.agent_result is None) == (name == "start")
    if name == "stop":
        asyncio.run(LocalEnvironment.stop(environment))


def test_a_run_that_is_no_coroutine_is_recorded() -> None:
    class Plain(ScriptedAgent):
        run = lambda self, **options: None  # type: ignore[assignment]  # noqa: E731  # what is tested

    assert _get_exception(_run(Plain()))[0] == "TypeError"


def test_metadata_that_json_cannot_say_does_not_lose_the_result(tmp_path: pathlib.Path) -> None:
    async def fill(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
        context.metadata = {"self": agent, "nan": float("nan")}
        context.metadata["around"] = context.metadata

    _run(ScriptedAgent(fill), path=tmp_path / "result.json", snapshot_sec=0.01)
    assert _count_input(load_trial(tmp_path / "result.json")) == 7


# Limits ------------------------------------------------------------------------


async def _hang(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
    await environment.exec("echo x; sleep 100")


async def _resist(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
    while not getattr(agent, "released", False):
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            context.n_cache_tokens = 1
    context.n_input_tokens = 99999


def test_an_agent_that_hangs_is_stopped_at_its_limit() -> None:
    start = time.monotonic()
    result = _run(ScriptedAgent(_hang), timeout_sec=0.3)
    assert time.monotonic() - start < 5
    exception_type, message, trace = _get_exception(result)
    assert (exception_type, message) == ("AgentTimeoutError", "Agent execution timed out after 0.3 seconds")
    assert "in _hang" in trace  # where it was
    assert (_count_input(result), result.timed_out) == (7, True)


def test_an_agent_that_cannot_be_stopped_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harbor.environments.processes._PATIENCE_SEC", (0.1, 0.1))

    async def run() -> TrialResult:
        agent = ScriptedAgent(_resist)
        result = await run_agent(agent, LocalEnvironment(), "do it", timeout_sec=0.2)
        setattr(agent, "released", True)
        await asyncio.sleep(0.1)
        return result

    result = asyncio.run(run())
    assert _get_exception(result)[1] == "Agent execution timed out after 0.2 seconds, and does not stop"
    # As it stood when the agent was left.
    assert result.agent_result == AgentContext(n_input_tokens=7, n_cache_tokens=1)


def test_setup_and_start_have_limits() -> None:
    class Slow(ScriptedAgent):
        DEFAULT_SETUP_TIMEOUT_SEC = 0.1

        async def setup(self, environment: BaseEnvironment) -> None:
            await asyncio.sleep(100)

    class SlowEnvironment(LocalEnvironment):
        async def start(self, force_build: bool = False) -> None:
            await asyncio.sleep(100)

    assert _get_exception(_run(Slow()))[:2] == ("AgentSetupTimeoutError", "Agent setup timed out after 0.1 seconds")
    assert _get_exception(_run(Slow(), setup_timeout_sec=0.2))[1] == "Agent setup timed out after 0.2 seconds"
    result = _run(ScriptedAgent(), environment=SlowEnvironment(), start_timeout_sec=0.1)
    assert _get_exception(result)[:2] == (
        "EnvironmentStartTimeoutError", "Environment start timed out after 0.1 seconds")


@pytest.mark.parametrize("name", [
    "timeout_sec", "setup_timeout_sec", "start_timeout_sec", "verify_timeout_sec", "snapshot_sec"])
def test_a_senseless_limit_is_refused(name: str) -> None:
    options: Dict[str, Any] = {name: -1}
    with pytest.raises(ValueError, match="Expected a {} ".format(name)):
        _run(ScriptedAgent(), **options)


def test_a_run_cannot_be_run_twice() -> None:
    async def run() -> None:
        run = AgentRun(ScriptedAgent(), LocalEnvironment(), "do it")
        await run.run()
        with pytest.raises(RuntimeError, match="runs once"):
            await run.run()

    asyncio.run(run())


# Interruption ------------------------------------------------------------------


def test_a_cancelled_run_keeps_what_it_has(tmp_path: pathlib.Path) -> None:
    async def run() -> TrialResult:
        run = AgentRun(
            ScriptedAgent(_hang), LocalEnvironment(grace_sec=0.2), "do it", path=tmp_path / "r.json", verify="true")
        task = asyncio.ensure_future(run.run())
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return run.result

    result = asyncio.run(run())
    exception_type, _, trace = _get_exception(result)
    assert exception_type == "CancelledError" and "in _hang" in trace
    assert (_count_input(result), result.verifier, result.finished_at is None) == (7, None, False)
    assert _count_input(load_trial(tmp_path / "r.json")) == 7
    assert _get_exception(load_trial(tmp_path / "r.json"))[0] == "CancelledError"


def test_an_interrupt_in_the_agent_is_recorded_and_raised(tmp_path: pathlib.Path) -> None:
    async def interrupt(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _run(ScriptedAgent(interrupt), path=tmp_path / "r.json")
    result = load_trial(tmp_path / "r.json")
    assert (_get_exception(result)[0], _count_input(result)) == ("KeyboardInterrupt", 7)


def test_a_cancellation_while_the_environment_stops_waits_for_it() -> None:
    class Slow(LocalEnvironment):
        async def stop(self, delete: bool = True) -> None:
            await asyncio.sleep(0.3)
            await super().stop(delete)

    async def run() -> TrialResult:
        run = AgentRun(ScriptedAgent(), Slow(), "do it")
        task = asyncio.ensure_future(run.run())
        await asyncio.sleep(0.15)
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0.02)
        with pytest.raises(asyncio.CancelledError):
            await task
        return run.result

    result = asyncio.run(run())
    assert (_get_exception(result)[0], _count_input(result)) == ("CancelledError", 7)


BLOCKING = """
import asyncio, pathlib, sys, time
from harbor.agents.base import BaseAgent
from harbor.environments.local import LocalEnvironment
from harbor.runner import run_agent

class Agent(BaseAgent):
    @staticmethod
    def name(): return "a"
    def version(self): return None
    async def setup(self, environment): pass
    async def run(self, instruction, environment, context):
        context.n_input_tokens = 0
        while True:
            context.n_input_tokens += 1
            {}

asyncio.run(run_agent(
    Agent(pathlib.Path("logs")), LocalEnvironment(sys.argv[2]), "x", path=sys.argv[1], snapshot_sec=0.1))
"""


@pytest.mark.parametrize("pause", ["await asyncio.sleep(0.01)", "time.sleep(0.01)"], ids=["awaits", "blocks"])
def test_a_kill_loses_no_more_than_the_time_between_snapshots(pause: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "result.json"
    process = subprocess.Popen(
        [sys.executable, "-c", BLOCKING.format(pause), str(path), str(tmp_path / "work")],
        env=dict(os.environ, PYTHONPATH=str(ROOT)))
    counts: List[int] = []
    end = time.monotonic() + 20
    while len(counts) < 4 and time.monotonic() < end:
        time.sleep(0.05)
        if path.exists():
            context = load_trial(path).agent_result  # whole at every moment
            if context is not None and context.n_input_tokens not in (None, *counts):
                counts.append(context.n_input_tokens or 0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(counts) == 4 and counts == sorted(counts)
    result = load_trial(path)
    assert (_count_input(result) or 0) >= counts[-1]
    # This is how a reader knows that it was killed.
    assert result.finished_at is None and result.exception_info is None
    assert result.agent_execution is not None and result.agent_execution.finished_at is None


def test_a_result_that_cannot_be_saved_stops_before_anything_starts(tmp_path: pathlib.Path) -> None:
    agent = ScriptedAgent()
    with pytest.raises(OSError):
        _run(agent, path=tmp_path)
    assert agent.seen == []


def test_the_folder_of_the_result_is_made_and_named(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "jobs" / "one" / "result.json"
    result = _run(ScriptedAgent(), path=path)
    assert result.trial_dir == path.parent
    assert load_trial(path) == result
    assert os.listdir(str(path.parent)) == ["result.json"]


# Verifying ----------------------------------------------------------------------

REWARDS: List[Tuple[str, Dict[str, Any], Optional[Dict[str, float]], Optional[Tuple[str, str]]]] = [
    ("success", {"verify": "true"}, {"reward": 1.0}, None),
    ("failure", {"verify": "exit 3"}, {"reward": 0.0}, None),
    ("file_text", {"verify": "echo ' 0.5' > r", "reward_file": "r"}, {"reward": 0.5}, None),
    ("file_json", {"verify": """echo '{"a": 1, "b": 0.25}' > r; exit 1""", "reward_file": "r"}, {
        "a": 1, "b": 0.25}, None),
    ("file_missing", {"verify": "true", "reward_file": "no 'r'"}, None, ("RewardFileNotFoundError", "No reward file ")),
    ("file_stale", {"verify": "true", "reward_file": "stale"}, None, ("RewardFileNotFoundError", "No reward file ")),
    ("file_empty", {"verify": ": > r", "reward_file": "r"}, None, ("RewardFileEmptyError", "Reward file 'r' is empty")),
    ("file_words", {"verify": "echo good > r", "reward_file": "r"}, None, (
        "VerifierOutputParseError", "Reward file 'r' holds neither a number nor JSON")),
    ("file_nan", {"verify": "echo nan > r", "reward_file": "r"}, None, (
        "VerifierOutputParseError", "Expected a finite number for 'reward' in 'r', got nan")),
    ("file_true", {"verify": """echo '{"a": true}' > r""", "reward_file": "r"}, None, (
        "VerifierOutputParseError", "Expected a finite number for 'a' in 'r', got True")),
    ("file_list", {"verify": "echo '[1]' > r", "reward_file": "r"}, None, (
        "VerifierOutputParseError", "Expected a finite number for 'reward' in 'r', got [1]")),
    ("time", {"verify": "sleep 100", "verify_timeout_sec": 0.2}, None, (
        "VerifierTimeoutError", "Verifier timed out after 0.2 seconds")),
]


@pytest.mark.parametrize("options, rewards, error", [row[1:] for row in REWARDS], ids=[row[0] for row in REWARDS])
def test_a_verifier_by(
    options: Dict[str, Any], rewards: Optional[Dict[str, float]], error: Optional[Tuple[str, str]]
) -> None:
    async def cheat(agent: ScriptedAgent, environment: BaseEnvironment, context: AgentContext) -> None:
        await environment.exec("echo 1 > stale")

    result = _run(ScriptedAgent(cheat), **options)
    assert result.verifier_result == (None if rewards is None else VerifierResult(rewards=rewards))
    assert result.verifier_environment_mode is VerifierEnvironmentMode.SHARED
    assert result.verifier is not None and result.verifier.duration is not None
    if error is None:
        assert result.exception_info is None
    else:
        kind, message, _ = _get_exception(result)
        assert (kind, message[:len(error[1])]) == error


@pytest.mark.parametrize("step, graded", [(_raise, True), (_hang, True), (_cancel_oneself, False)])
def test_harbors_policy_says_whether_a_failure_is_graded(step: Step, graded: bool) -> None:
    result = _run(ScriptedAgent(step), timeout_sec=0.3, verify="true")
    assert (result.verifier_result is not None) == graded
    assert _count_input(result) == 7


def test_a_reward_file_without_a_verifier_is_refused() -> None:
    with pytest.raises(TypeError, match="give its command as verify"):
        _run(ScriptedAgent(), reward_file="r")


# Harbor ------------------------------------------------------------------------

GOLDEN = ROOT / "tests" / "data" / "golden"


def _list_shape(value: Any) -> Any:
    return {key: _list_shape(part) for key, part in value.items()} if isinstance(value, dict) else None


def test_harbor_read_the_recorded_run_and_lost_nothing_of_it() -> None:
    """`tools/record_golden.py` had the real TrialResult read the one file and write the other."""
    ours, theirs = (json.loads((GOLDEN / name).read_text(encoding="utf-8")) for name in ("run.json", "run_harbor.json"))

    def find_lost(value: Any, other: Any) -> Any:
        if isinstance(value, dict):
            lost = {key: find_lost(part, other.get(key, "absent")) for key, part in value.items()}
            return {key: part for key, part in lost.items() if part} or None
        return None if value == other else (value, other)

    assert find_lost(ours, theirs) is None
    first, second = load_trial(GOLDEN / "run.json"), load_trial(GOLDEN / "run_harbor.json")
    first.config = second.config
    assert first == second


def test_a_run_still_has_the_shape_of_the_recorded_one(tmp_path: pathlib.Path) -> None:
    scope = runpy.run_path(str(ROOT / "docs" / "examples" / "my_agent.py"))
    _run(scope["MyAgent"](tmp_path, "example/model"), path=tmp_path / "result.json", verify="test -f notes.txt")
    made, recorded = (json.loads(path.read_text(encoding="utf-8")) for path in (
        tmp_path / "result.json", GOLDEN / "run.json"))
    assert _list_shape(made) == _list_shape(recorded)
    # The example does the same every time.
    made["agent_result"]["rollout_details"] = recorded["agent_result"]["rollout_details"]
    for name in ("agent_info", "verifier_result"):
        assert made[name] == recorded[name]
    assert made["agent_result"]["metadata"] == recorded["agent_result"]["metadata"]
