"""What follows from an exception of a trial: whether to try again, to grade, and whether its reward counts.

The names and what follows from them are Harbor 0.26's.
"""

from typing import Dict, Optional, Tuple

from ...codec import Model

__all__ = ["ErrorPolicy", "ErrorPolicyOverride", "policy_for"]


class ErrorPolicy(Model, frozen=True):
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
        return policy.model_copy(update={name: value for name, value in self if value is not None})


# Whether to try again, whether to grade, whether the reward counts; policies are made of it when they are asked for.
_Answers = Tuple[bool, bool, bool]
# An exception nobody knows: worth another try, and no reason to doubt the reward.
_UNKNOWN: _Answers = (True, True, True)

_GROUPS: Tuple[Tuple[_Answers, str], ...] = (
    # The place to run in was not there or broke down.
    ((True, False, False), """
        EnvironmentStartTimeoutError SandboxBuildFailedError AgentSetupTimeoutError HealthcheckError
        SandboxLikelyOutOfMemoryError MemoryLimitExceededError SSHAccessError GKEExecStreamClosedError
        GKEPodNotFoundError RuntimeRequestError AddTestsDirError DownloadVerifierDirError"""),
    # The model's service failed.
    ((True, True, False), """
        ApiError ApiRateLimitError ApiInternalServerError ApiOverloadedError ApiConnectionClosedError
        ApiResponseStalledError UnknownApiError NetworkConnectionError ApiConnectionError ApiUsageLimitError
        RateLimitError InternalServerError ServiceUnavailableError APIConnectionError APIError Timeout"""),
    # The request or the verifier was wrong: the same again would end the same.
    ((False, True, False), """
        UnsupportedModelParametersError BadRequestError UnprocessableEntityError UnsupportedParamsError
        APIResponseValidationError BudgetExceededError VerifierTimeoutError RewardFileNotFoundError
        RewardFileEmptyError VerifierOutputParseError"""),
    # Access, settings or the user's own stop.
    ((False, False, False), """
        AgentAuthenticationError ModelNotFoundError ApiProviderResourceNotFoundError AuthenticationError
        PermissionDeniedError NotFoundError ServiceOperationsUnsupportedError VercelScopeError DspyImportError
        MissingExtraError RegradeError CancelledError"""),
    # The agent came to an end of its own kind, which the reward shows.
    ((False, True, True), """
        NonZeroAgentExitCodeError AgentTimeoutError ContextWindowExceededError OutputTokenExceededError
        ContextLengthExceededError OutputLengthExceededError AgentSafetyRefusalError ContentPolicyViolationError"""),
)
_POLICIES: Dict[str, _Answers] = {name: answers for answers, names in _GROUPS for name in names.split()}


def policy_for(exception_type: str, override: Optional[ErrorPolicyOverride] = None) -> ErrorPolicy:
    """Give the policy for an exception by the name of its class."""
    should_retry, should_grade, has_valid_reward = _POLICIES.get(exception_type, _UNKNOWN)
    policy = ErrorPolicy(should_retry=should_retry, should_grade=should_grade, has_valid_reward=has_valid_reward)
    return policy if override is None else override.apply(policy)
