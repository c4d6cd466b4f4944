"""Runs an agent in an environment and records what came of it as a trial's result.

In: an agent, an environment, an instruction. Out: a ``TrialResult``, and its file if a path is given, at every moment
with what is known by then. Whatever the agent does, the result says it. Order and names are those of Harbor's trials.
"""

import datetime
import hashlib
import json
import logging
import math
import os
import pathlib
import re
import shlex
import threading
import traceback
from typing import Any, Awaitable, Callable, Dict, Optional, Union

from .agents.base import BaseAgent
from .environments.base import BaseEnvironment, ExecResult
from .environments.processes import Attempt, attempt, finish
from .forms import escape_text
from .models.agent.context import AgentContext
from .models.task.config import VerifierEnvironmentMode
from .models.task.id import LocalTaskId
from .models.trial.result import AgentInfo, ExceptionInfo, TimingInfo, TrialResult
from .models.verifier.result import VerifierResult
from .trials import save

__all__ = [
    "AgentRun", "AgentSetupTimeoutError", "AgentTimeoutError", "EnvironmentStartTimeoutError", "RewardFileEmptyError",
    "RewardFileNotFoundError", "VerifierOutputParseError", "VerifierTimeoutError", "run_agent",
]

_LOGGER = logging.getLogger("harbor").getChild(__name__)
_SNAPSHOT_TRIES = 3


# Errors --------------------------------------------------------------------------------------------------------------
# They stand in results, by the names that Harbor gives them; none is ever raised to the caller.


class EnvironmentStartTimeoutError(TimeoutError):
    """The environment did not start in time."""


class AgentSetupTimeoutError(TimeoutError):
    """The agent's ``setup`` did not end in time."""


class AgentTimeoutError(TimeoutError):
    """The agent's ``run`` did not end in time."""


class VerifierTimeoutError(TimeoutError):
    """The verifier did not end in time."""


class RewardFileNotFoundError(FileNotFoundError):
    """The verifier left no reward file."""


class RewardFileEmptyError(Exception):
    """The verifier's reward file is empty."""


class VerifierOutputParseError(Exception):
    """The verifier's reward file holds no finite number, and no JSON object of such."""


# Running -------------------------------------------------------------------------------------------------------------


async def run_agent(
    agent: BaseAgent,
    environment: BaseEnvironment,
    instruction: str,
    *,
    timeout_sec: Optional[float] = None,
    setup_timeout_sec: Optional[float] = None,
    start_timeout_sec: Optional[float] = None,
    verify: Optional[str] = None,
    reward_file: Optional[str] = None,
    verify_timeout_sec: Optional[float] = None,
    task_name: str = "local",
    trial_name: Optional[str] = None,
    path: Union[str, pathlib.Path, None] = None,
    snapshot_sec: Optional[float] = 5.0
) -> TrialResult:
    """Start the environment, let the agent set up and run, verify, stop the environment; give the record of it all.

    What the agent raises, ``SystemExit`` included, is recorded and not raised: ``exception_info`` says what happened
    first, and ``agent_result`` holds the context as it stood then. A cancellation and a ``KeyboardInterrupt`` are
    recorded, the environment is stopped, and they are raised. The limits are in seconds: of ``run``, of ``setup``
    (None is the agent's default, 360), of the environment's start and of the verifier. An agent is stopped at its
    limit when it awaits something; one that never does cannot be.

    ``verify`` is a command, run in the environment after the agent, also after one that failed, as Harbor decides by
    the kind of exception. Its exit status 0 is a reward of 1.0, any other of 0.0; with ``reward_file``, that file of
    the environment is the reward: a number, or a JSON object of numbers. It is removed before.

    ``path`` is where the result is saved, first before anything starts, and while the agent runs every
    ``snapshot_sec`` (None or 0: not), from a thread of its own, so that a SIGKILL loses no more than that. Raises
    ``OSError`` where it cannot be saved at the start or at the end.
    """
    return await AgentRun(
        agent, environment, instruction, timeout_sec=timeout_sec, setup_timeout_sec=setup_timeout_sec,
        start_timeout_sec=start_timeout_sec, verify=verify, reward_file=reward_file,
        verify_timeout_sec=verify_timeout_sec, task_name=task_name, trial_name=trial_name, path=path,
        snapshot_sec=snapshot_sec).run()


class AgentRun:
    """A call of ``run_agent``, with ``result`` at hand also while it runs and after it was interrupted."""

    def __init__(
        self,
        agent: BaseAgent,
        environment: BaseEnvironment,
        instruction: str,
        *,
        timeout_sec: Optional[float] = None,
        setup_timeout_sec: Optional[float] = None,
        start_timeout_sec: Optional[float] = None,
        verify: Optional[str] = None,
        reward_file: Optional[str] = None,
        verify_timeout_sec: Optional[float] = None,
        task_name: str = "local",
        trial_name: Optional[str] = None,
        path: Union[str, pathlib.Path, None] = None,
        snapshot_sec: Optional[float] = 5.0
    ) -> None:
        limits = {
            "timeout_sec": timeout_sec, "setup_timeout_sec": setup_timeout_sec,
            "start_timeout_sec": start_timeout_sec, "verify_timeout_sec": verify_timeout_sec}
        for name, limit in limits.items():
            if limit is not None and not limit > 0:
                raise ValueError("Expected a %s above 0, got %r" % (name, limit))
        if snapshot_sec is not None and not snapshot_sec >= 0:
            raise ValueError("Expected a snapshot_sec of at least 0, got %r" % (snapshot_sec,))
        if reward_file is not None and verify is None:
            raise TypeError("A reward_file is written by a verifier; give its command as verify")
        self._agent = agent
        self._environment = environment
        self._instruction = instruction
        self._timeout_sec = timeout_sec
        if setup_timeout_sec is None:
            setup_timeout_sec = agent.DEFAULT_SETUP_TIMEOUT_SEC
        self._setup_timeout_sec = setup_timeout_sec
        self._start_timeout_sec = start_timeout_sec
        self._verify = verify
        self._reward_file = reward_file
        self._verify_timeout_sec = verify_timeout_sec
        self._path = None if path is None else os.path.abspath(os.fspath(path))
        self._snapshot_sec = snapshot_sec
        self.result = self._make_result(task_name, trial_name)

    def _make_result(self, task_name: str, trial_name: Optional[str]) -> TrialResult:
        # Harbor's reader wants a task with a place; one that is only a name is a relative path.
        result = TrialResult(
            task_name=task_name, trial_name="", trial_uri="", task_id=LocalTaskId(path=pathlib.Path(task_name)),
            task_checksum=hashlib.sha256(self._instruction.encode("utf-8", "surrogatepass")).hexdigest(), config={},
            agent_info=AgentInfo(name=type(self._agent).__name__, version="unknown"))
        if trial_name is None:
            short = re.sub(r"[^\w.-]+", "-", task_name.split("/")[-1])[:32].strip("-_")
            trial_name = "%s__%s" % (short, result.id.hex[:7])
        folder = pathlib.Path(self._agent.logs_dir if self._path is None else os.path.dirname(self._path)).absolute()
        result.trial_name = trial_name
        result.trial_uri = folder.as_uri()
        result.config = self._describe_config(task_name, trial_name, folder)
        if self._verify is not None:
            result.verifier_environment_mode = VerifierEnvironmentMode.SHARED
        return result

    def _describe_config(self, task_name: str, trial_name: str, folder: pathlib.Path) -> Dict[str, Any]:
        """Give the trial's configuration in the shape that Harbor's TrialConfig reads."""
        kind = type(self._environment)
        return {
            "task": {"path": task_name},
            "trial_name": trial_name,
            "trials_dir": str(folder.parent),
            "agent": {
                "import_path": self._agent.import_path(),
                "model_name": self._agent.model_name,
                "override_timeout_sec": self._timeout_sec,
                "override_setup_timeout_sec": self._setup_timeout_sec,
            },
            "environment": {"import_path": "%s:%s" % (kind.__module__, kind.__qualname__)},
            "verifier": {"disable": self._verify is None, "override_timeout_sec": self._verify_timeout_sec},
            "extra_instructions": [self._instruction],
        }

    async def run(self) -> TrialResult:
        """Run it, once, as ``run_agent`` says."""
        if self.result.started_at is not None:
            raise RuntimeError("An AgentRun runs once; make another one")
        self.result.started_at = _now()
        if self._path is not None:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            save(self.result, self._path)
        snapshots = _Snapshots(self.result, self._path, self._snapshot_sec)
        interruption: Optional[BaseException] = None
        try:
            await self._run_phases()
        except GeneratorExit:  # the loop is gone, and nothing can be awaited
            snapshots.stop()
            raise
        except Exception as error:  # of a method that is no part of a phase, such as import_path
            self._record(error)
        except BaseException as error:
            self._record(error)
            interruption = error
        try:
            self._record(await finish(lambda: self._environment.stop(delete=True)))
        except BaseException as error:
            self._record(error)
            interruption = interruption or error
        self.result.finished_at = _now()
        snapshots.stop()
        if self._path is not None:
            save(self.result, self._path)
        if interruption is not None:
            raise interruption
        return self.result

    async def _run_phases(self) -> None:
        agent, environment, result = self._agent, self._environment, self.result
        agent.session_id = "%s__agent" % result.trial_name
        agent.context_id = result.id
        self._describe_agent()
        started = await self._run_phase(
            "environment_setup", EnvironmentStartTimeoutError, "Environment start", self._start_timeout_sec,
            lambda: environment.start(force_build=False))
        if started.error is not None or started.timed_out:
            return
        with environment.scoped_exec_env(agent.extra_env):
            ready = await self._run_phase(
                "agent_setup", AgentSetupTimeoutError, "Agent setup", self._setup_timeout_sec,
                lambda: agent.setup(environment=environment))
            if ready.error is not None or ready.timed_out:
                return
            # Some know their version only now.
            self._describe_agent()
            context = result.agent_result = AgentContext()
            try:
                ended = await self._run_phase(
                    "agent_execution", AgentTimeoutError, "Agent execution", self._timeout_sec,
                    lambda: agent.run(instruction=self._instruction, environment=environment, context=context))
                if ended.goes_on:
                    # What it does to its context from now on is no part of the result.
                    result.agent_result = _copy_context(context)
            finally:
                self._fill_context()
        if self._verify is not None and (result.exception_info is None or result.exception_info.policy.should_grade):
            await self._run_verifier(self._verify)

    async def _run_phase(
        self,
        name: str,
        timeout_error: Callable[[str], BaseException],
        title: str,
        limit_sec: Optional[float],
        call: Callable[[], Awaitable[Any]],
    ) -> Attempt:
        timing = TimingInfo(started_at=_now())
        setattr(self.result, name, timing)
        try:
            done = await attempt(call, limit_sec)
        finally:
            timing.finished_at = _now()
        if done.timed_out:
            text = "%s timed out after %g seconds" % (title, limit_sec or 0)
            error = timeout_error(text + ", and does not stop" if done.goes_on else text)
            # What it was doing when it was stopped.
            error.__cause__ = done.error
            self._record(error)
        elif isinstance(done.error, KeyboardInterrupt):
            raise done.error
        else:
            self._record(done.error)
        return done

    def _describe_agent(self) -> None:
        try:
            self.result.agent_info = self._agent.to_agent_info()
        except Exception as error:
            self._record(error)

    def _fill_context(self) -> None:
        context = self.result.agent_result
        # Not is_empty(): it warns of values that are of the wrong type.
        if context is None or any(value is not None for value in vars(context).values()):
            return
        try:
            self._agent.populate_context_post_run(context)
        except Exception as error:
            self._record(error)

    async def _run_verifier(self, command: str) -> None:
        reward_file = self._reward_file

        async def grade() -> Dict[str, Union[float, int]]:
            if reward_file is not None:
                await self._environment.exec("rm -f -- " + shlex.quote(reward_file))
            done = await self._environment.exec(command)
            if reward_file is None:
                return {"reward": 0.0 if done.return_code else 1.0}
            return _parse_rewards(await self._environment.exec("cat -- " + shlex.quote(reward_file)), reward_file)

        graded = await self._run_phase("verifier", VerifierTimeoutError, "Verifier", self._verify_timeout_sec, grade)
        if graded.value is not None and not graded.timed_out:
            self.result.verifier_result = VerifierResult(rewards=graded.value)

    def _record(self, error: Optional[BaseException]) -> None:
        """Keep an exception, unless there is an earlier one, of which it is then likely to be a consequence."""
        if error is not None and self.result.exception_info is None:
            self.result.exception_info = _describe_exception(error)


def _copy_context(context: AgentContext) -> AgentContext:
    try:
        return context.model_copy(deep=True)
    except Exception:  # metadata can hold anything
        return context.model_copy()


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def _describe_exception(error: BaseException) -> ExceptionInfo:
    try:
        info = ExceptionInfo.from_exception(error)
    except Exception as failure:  # of its own method that gives the text
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        info = ExceptionInfo(
            exception_type=type(error).__name__, exception_message="<no text: %s>" % type(failure).__name__,
            exception_traceback=trace, occurred_at=_now())
    # The name of a file, for example, may be no Unicode.
    info.exception_message = escape_text(info.exception_message)
    info.exception_traceback = escape_text(info.exception_traceback)
    return info


# Rewards -------------------------------------------------------------------------------------------------------------


def _parse_rewards(shown: ExecResult, name: str) -> Dict[str, Union[float, int]]:
    if shown.return_code:
        raise RewardFileNotFoundError("No reward file %r: %s" % (name, (shown.stderr or "").strip()))
    text = (shown.stdout or "").strip()
    if not text:
        raise RewardFileEmptyError("Reward file %r is empty" % name)
    try:
        found: Any = float(text)
    except ValueError:
        try:
            found = json.loads(text)
        except ValueError:
            raise VerifierOutputParseError("Reward file %r holds neither a number nor JSON" % name) from None
    rewards = found if isinstance(found, dict) else {"reward": found}
    for key, value in rewards.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise VerifierOutputParseError("Expected a finite number for %r in %r, got %r" % (key, name, value))
    return rewards


# Snapshots -----------------------------------------------------------------------------------------------------------


class _Snapshots:
    """Saves a result every so often from a thread, which an agent that blocks the event loop does not hold up."""

    def __init__(self, result: TrialResult, path: Optional[str], interval_sec: Optional[float]) -> None:
        self._result = result
        self._path = path
        self._interval_sec = interval_sec or 0.0
        self._ended = threading.Event()
        self._thread: Optional[threading.Thread] = None
        if path is not None and interval_sec:
            self._thread = threading.Thread(target=self._save_often, name="harbor-snapshots", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _save_often(self) -> None:
        while not self._ended.wait(self._interval_sec):
            for _ in range(_SNAPSHOT_TRIES):
                if self._save_once():
                    break

    def _save_once(self) -> bool:
        try:
            # Enough to outlive a kill; the disk is waited for at the end.
            save(self._result, self._path or "", sync=False)
        except OSError as error:
            _LOGGER.warning("Could not save a snapshot: %s", error)
        except Exception:  # the agent changed something while it was looked at
            return False
        return True
