"""What follows from an exception of a trial: whether to try again, to grade, and whether its reward counts.

The names and what follows from them are Harbor 0.26's.
"""

import dataclasses
from typing import Dict, Optional, Tuple

from ...codec import Model

__all__ = ["ErrorPolicy", "ErrorPolicyOverride", "policy_for"]


@dataclasses.dataclass(frozen=True)
class ErrorPolicy:
    should_retry: bool
    should_grade: bool
    has_valid_reward: bool


class ErrorPolicyOverride(Model):
    model_config = {"extra": "forbid", "frozen": True}

    should_retry: Optional[bool] = None
    should_grade: Optional[bool] = None
    has_valid_reward: Optional[bool] = None

    def apply(self, policy: ErrorPolicy) -> ErrorPolicy:
        """Give a policy with the parts set here in place of its own."""
        changes = {name: value for name, value in self if value is not None}
        return dataclasses.replace(policy, **changes)


# An exception nobody knows: worth another try, and no reason to doubt the reward.
_UNKNOWN = ErrorPolicy(should_retry=True, should_grade=True, has_valid_reward=True)

_GROUPS: Tuple[Tuple[ErrorPolicy, str], ...] = (
    # The place to run in was not there or broke down.
    (ErrorPolicy(should_retry=True, should_grade=False, has_valid_reward=False), """
        EnvironmentStartTimeoutError SandboxBuildFailedError AgentSetupTimeoutError HealthcheckError
        SandboxLikelyOutOfMemoryError MemoryLimitExceededError SSHAccessError GKEExecStreamClosedError
        GKEPodNotFoundError RuntimeRequestError AddTestsDirError DownloadVerifierDirError"""),
    # The model's service failed.
    (ErrorPolicy(should_retry=True, should_grade=True, has_valid_reward=False), """
        ApiError ApiRateLimitError ApiInternalServerError ApiOverloadedError ApiConnectionClosedError
        ApiResponseStalledError UnknownApiError NetworkConnectionError ApiConnectionError ApiUsageLimitError
        RateLimitError InternalServerError ServiceUnavailableError APIConnectionError APIError Timeout"""),
    # The request or the verifier was wrong: the same again would end the same.
    (ErrorPolicy(should_retry=False, should_grade=True, has_valid_reward=False), """
        UnsupportedModelParametersError BadRequestError UnprocessableEntityError UnsupportedParamsError
        APIResponseValidationError BudgetExceededError VerifierTimeoutError RewardFileNotFoundError
        RewardFileEmptyError VerifierOutputParseError"""),
    # Access, settings or the user's own stop.
    (ErrorPolicy(should_retry=False, should_grade=False, has_valid_reward=False), """
        AgentAuthenticationError ModelNotFoundError ApiProviderResourceNotFoundError AuthenticationError
        PermissionDeniedError NotFoundError ServiceOperationsUnsupportedError VercelScopeError DspyImportError
        MissingExtraError RegradeError CancelledError"""),
    # The agent came to an end of its own kind, which the reward shows.
    (ErrorPolicy(should_retry=False, should_grade=True, has_valid_reward=True), """
        NonZeroAgentExitCodeError AgentTimeoutError ContextWindowExceededError OutputTokenExceededError
        ContextLengthExceededError OutputLengthExceededError AgentSafetyRefusalError ContentPolicyViolationError"""),
)
_POLICIES: Dict[str, ErrorPolicy] = {name: policy for policy, names in _GROUPS for name in names.split()}


def policy_for(exception_type: str, override: Optional[ErrorPolicyOverride] = None) -> ErrorPolicy:
    """Give the policy for an exception by the name of its class."""
    policy = _POLICIES.get(exception_type, _UNKNOWN)
    return policy if override is None else override.apply(policy)
