"""The record of a trial, as Harbor writes it to ``result.json``.

Fields, defaults and the text of descriptions are Harbor 0.26's, whose files and schemas these classes share;
``config`` stays the plain dict of the file. Beyond Harbor stand the accessors that people write by hand.
"""

import datetime
import pathlib
import uuid
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Tuple, Union

from ...codec import Field, Model, computed_field
from ..agent.context import AgentContext
from ..task.config import VerifierEnvironmentMode
from ..task.id import GitTaskId, LocalTaskId, PackageTaskId
from ..verifier.result import VerifierResult
from .error_policy import ErrorPolicy, ErrorPolicyOverride, policy_for
from .outcomes import choose_reward, is_timeout

__all__ = ["AgentInfo", "ExceptionInfo", "ModelInfo", "StepResult", "TimingInfo", "TrialResult"]

TokenCostTotals = Tuple[Optional[int], Optional[int], Optional[int], Optional[float]]


class TimingInfo(Model):
    """When a phase of a trial began and ended."""

    started_at: Optional[datetime.datetime] = None
    finished_at: Optional[datetime.datetime] = None

    @property
    def duration(self) -> Optional[datetime.timedelta]:
        """How long the phase took; None where that is not known."""
        return _time_between(self.started_at, self.finished_at)


class ExceptionInfo(Model):
    """An exception that ended a trial or a step, or that was handled there."""

    exception_type: str
    exception_message: str
    exception_traceback: str
    occurred_at: datetime.datetime
    policy_override: Optional[ErrorPolicyOverride] = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def from_exception(
        cls, e: BaseException, *, override_error_policy: Optional[Mapping[str, ErrorPolicyOverride]] = None
    ) -> "ExceptionInfo":
        """Describe an exception that was caught just now, with its traceback."""
        import traceback  # costs as much as the models, and readers do without

        name = type(e).__name__
        return cls(
            exception_type=name,
            exception_message=str(e),
            exception_traceback="".join(traceback.format_exception(type(e), e, e.__traceback__)),
            occurred_at=datetime.datetime.now(datetime.timezone.utc),
            policy_override=(override_error_policy or {}).get(name),
        )

    @computed_field
    def policy(self) -> ErrorPolicy:
        return policy_for(self.exception_type, self.policy_override)


class ModelInfo(Model):
    """A model that took part in a trial; ``provider`` is None where none was named."""

    name: str
    provider: Optional[str] = None


class AgentInfo(Model):
    """The agent of a trial."""

    name: str
    version: str
    model_info: Optional[ModelInfo] = None


# No docstrings on the next two: Harbor's classes have none, and their JSON schemas would show it.
class StepResult(Model):
    step_name: str
    agent_result: Optional[AgentContext] = None
    verifier_result: Optional[VerifierResult] = None
    exception_info: Optional[ExceptionInfo] = None
    agent_execution: Optional[TimingInfo] = None
    verifier: Optional[TimingInfo] = None


class TrialResult(Model):
    schema_version: Literal[1] = Field(
        default=1,
        description="Serialized document schema version. Omission denotes the legacy version 1 format.")
    id: uuid.UUID = Field(default_factory=uuid.uuid4)
    task_name: str
    trial_name: str
    trial_uri: str
    task_id: Union[LocalTaskId, GitTaskId, PackageTaskId]
    source: Optional[str] = None
    task_checksum: str
    config: Dict[str, Any]
    agent_info: AgentInfo
    agent_result: Optional[AgentContext] = None
    verifier_result: Optional[VerifierResult] = None
    verifier_environment_mode: Optional[VerifierEnvironmentMode] = Field(
        default=None,
        description=(
            "Resolved verifier environment mode ('shared' or 'separate') the trial-level verify ran in. None for "
            "multi-step trials: the mode is resolved per step there and is not recorded yet."),
    )
    exception_info: Optional[ExceptionInfo] = None
    started_at: Optional[datetime.datetime] = None
    finished_at: Optional[datetime.datetime] = None
    environment_setup: Optional[TimingInfo] = None
    agent_setup: Optional[TimingInfo] = None
    agent_execution: Optional[TimingInfo] = None
    verifier: Optional[TimingInfo] = None
    step_results: Optional[List[StepResult]] = None

    def recorded_exceptions(self) -> List[ExceptionInfo]:
        """List the exceptions of the trial and of its steps, the trial's first."""
        found = [self.exception_info] + [step.exception_info for step in self.step_results or ()]
        return [exception for exception in found if exception is not None]

    @computed_field
    def reward_valid(self) -> bool:
        if self.verifier_result is None or not self.verifier_result.rewards:
            return False
        return all(exception.policy.has_valid_reward for exception in self.recorded_exceptions())

    def contexts(self) -> Iterator[AgentContext]:
        """Give the contexts that count: the trial's own, else those of its steps."""
        if self.agent_result is not None:
            yield self.agent_result
            return
        for step in self.step_results or ():
            if step.agent_result is not None:
                yield step.agent_result

    def compute_token_cost_totals(self) -> TokenCostTotals:
        """Sum input tokens (cached ones included), cached tokens, output tokens and cost in US dollars.

        A sum is None where no context knows a number; unknown ones beside known ones are left out, as in Harbor.
        ``harbor.usage`` tells the two apart.
        """
        names = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
        known: Dict[str, List[Any]] = {name: [] for name in names}
        for context in self.contexts():
            for name in names:
                value = getattr(context, name)
                if value is not None:
                    known[name].append(value)
        n_input, n_cache, n_output = (sum(known[name]) if known[name] else None for name in names[:3])
        cost = sum(known["cost_usd"], 0.0) if known["cost_usd"] else None
        return n_input, n_cache, n_output, cost

    # -- beyond Harbor

    def reward(self, name: Optional[str] = None) -> Optional[float]:
        """Give a reward: the one named, else the one called "reward", else the only one; None where there is none.

        Raises ``KeyError`` naming the choices where the reward asked for is not there, or several could be meant.
        """
        return choose_reward(None if self.verifier_result is None else self.verifier_result.rewards, name)

    @property
    def exceptions(self) -> List[ExceptionInfo]:
        """The exceptions of the trial and of its steps, the trial's first."""
        return self.recorded_exceptions()

    @property
    def timed_out(self) -> bool:
        """Whether an exception of the trial or of a step was a timeout."""
        return any(is_timeout(exception.exception_type) for exception in self.exceptions)

    @property
    def duration(self) -> Optional[datetime.timedelta]:
        """How long the trial took; None where that is not known."""
        return _time_between(self.started_at, self.finished_at)

    @property
    def durations(self) -> Dict[str, datetime.timedelta]:
        """How long each phase took, by its name, for the phases of which it is known."""
        phases = ("environment_setup", "agent_setup", "agent_execution", "verifier")
        timings = [(name, getattr(self, name)) for name in phases]
        found = {name: timing.duration for name, timing in timings if timing is not None}
        return {name: duration for name, duration in found.items() if duration is not None}

    @property
    def trial_dir(self) -> Optional[pathlib.Path]:
        """The folder ``trial_uri`` names; None where it is no ``file:`` URI of this machine."""
        import urllib.parse  # as above

        parts = urllib.parse.urlsplit(self.trial_uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            return None
        path = urllib.parse.unquote(parts.path)
        # file:///C:/jobs names a drive.
        return pathlib.Path(path[1:] if path[2:3] == ":" and path[:1] == "/" else path)


def _time_between(
    start: Optional[datetime.datetime], end: Optional[datetime.datetime]
) -> Optional[datetime.timedelta]:
    """Give the time between two moments; None if one is missing, or one alone names its zone."""
    if start is None or end is None or (start.utcoffset() is None) != (end.utcoffset() is None):
        return None
    return end - start
