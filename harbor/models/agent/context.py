"""The record an agent fills while it runs: tokens, cost, rollouts, metadata.

Field order, defaults and the text of the descriptions are Harbor's, whose files and schemas these classes share.
"""

from typing import Any, Dict, List, Optional

from ...codec import Field, Model
from .rollout_detail import RolloutDetail

__all__ = ["AgentContext", "ModelUsage"]


class ModelUsage(Model):
    """Tokens and cost of one model; ``n_input_tokens`` includes the cached ones, cost is in US dollars."""

    n_input_tokens: int = 0
    n_cache_tokens: int = 0
    n_output_tokens: int = 0
    cost_usd: Optional[float] = None


# No docstring: Harbor's class has none, and its JSON schema would show it. Tokens are counts, cost is in US dollars;
# None means not measured, 0 means measured as zero.
class AgentContext(Model):
    n_input_tokens: Optional[int] = Field(
        default=None, description="The number of input tokens used including cache.")
    n_cache_tokens: Optional[int] = Field(default=None, description="The number of cache tokens used.")
    n_output_tokens: Optional[int] = Field(default=None, description="The number of output tokens used.")
    cost_usd: Optional[float] = Field(default=None, description="The cost in USD for the agent execution.")
    model_usage: Optional[Dict[str, ModelUsage]] = Field(
        default=None,
        description=(
            "Token usage and cost broken down by model name as reported by the agent, including subagents. "
            "Backfilled from the ATIF trajectory when the agent does not populate it."),
        # A context that never used it dumps the six documented keys alone.
        exclude_if=lambda value: value is None,
    )
    rollout_details: Optional[List[RolloutDetail]] = Field(
        default=None,
        description=(
            "Detailed information about each rollout trajectory including token IDs, loss masks, and logprobs. Each "
            "element represents one trajectory. For a linear chat history, there is only one rollout trajectory."),
    )
    metadata: Optional[Dict[str, Any]] = Field(
        default=None, description="Additional metadata about the agent execution.")

    def is_empty(self) -> bool:
        """Tell whether every field is None; zero, an empty list and an empty dict are values."""
        return all(value is None for value in self.model_dump().values())
