"""The record an agent fills while it runs: tokens, cost, rollouts, metadata.

Field order, defaults and the text of the descriptions are Harbor's, whose files and schemas these classes share.
"""

from typing import Any, Callable, Dict, List, Mapping, Optional

from ...codec.model import Field, Model
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

    # -- beyond Harbor: filling it, with the convention in the name

    def add_usage_excluding_cache(
        self,
        *,
        input_tokens: Optional[int],
        cache_read_tokens: Optional[int],
        cache_write_tokens: Optional[int],
        output_tokens: Optional[int],
        cost_usd: Optional[float] = None
    ) -> None:
        """Add what a provider reports whose input count leaves out cached tokens, as Anthropic's does.

        ``n_input_tokens`` grows by the sum of input, cache reads and cache writes, ``n_cache_tokens`` by the reads.
        Give 0 for a cache that the provider does not have; None is unknown, and makes the input of the call unknown.
        What is unknown adds nothing, and a field that was None takes the first number that is known.

        Raises ``TypeError`` for a bool or what is no number, ``ValueError`` for a negative, fractional or non-finite
        one, also where the context itself holds it; nothing has changed then.
        """
        parts = [
            _expect_count("input_tokens", input_tokens),
            _expect_count("cache_read_tokens", cache_read_tokens),
            _expect_count("cache_write_tokens", cache_write_tokens),
        ]
        known = [part for part in parts if part is not None]
        self._add_numbers(sum(known) if len(known) == len(parts) else None, parts[1], output_tokens, cost_usd)

    def add_usage_including_cache(
        self,
        *,
        input_tokens: Optional[int],
        cached_tokens: Optional[int],
        output_tokens: Optional[int],
        cost_usd: Optional[float] = None
    ) -> None:
        """Add what a provider reports whose input (or prompt) count includes cached tokens, as OpenAI's does.

        Adds as ``add_usage_excluding_cache`` does, with the same errors; more cached tokens than input tokens are a
        ``ValueError``, because such a provider's input count leaves the cached ones out.
        """
        n_input, n_cache = _expect_count("input_tokens", input_tokens), _expect_count("cached_tokens", cached_tokens)
        _expect_cached_within(n_input, n_cache)
        self._add_numbers(n_input, n_cache, output_tokens, cost_usd)

    def set_final_metrics(self, final_metrics: Optional[Mapping[str, Any]]) -> None:
        """Set tokens and cost to the totals of an ATIF trajectory, given as the dict of its ``final_metrics``.

        ``total_prompt_tokens`` includes the cached ones. These are totals of the whole run: they replace what was
        added before. What is missing or None there leaves its field as it is. Errors are those of
        ``add_usage_including_cache``; ``TypeError`` also where it is no dict.
        """
        if final_metrics is None:
            return
        if not isinstance(final_metrics, Mapping):
            raise TypeError("Expected the dict of final_metrics, got %r; a model gives it with model_dump()" % (
                final_metrics,))
        n_input, n_cache, n_output = (
            _expect_count(name, final_metrics.get(name))
            for name in ("total_prompt_tokens", "total_cached_tokens", "total_completion_tokens"))
        _expect_cached_within(n_input, n_cache)
        cost = _expect_cost("total_cost_usd", final_metrics.get("total_cost_usd"))
        self._set_known(
            {"n_input_tokens": n_input, "n_cache_tokens": n_cache, "n_output_tokens": n_output, "cost_usd": cost})

    def _add_numbers(
        self, n_input: Optional[int], n_cache: Optional[int], output_tokens: Optional[int], cost_usd: Optional[float]
    ) -> None:
        added = {
            "n_input_tokens": n_input,
            "n_cache_tokens": n_cache,
            "n_output_tokens": _expect_count("output_tokens", output_tokens),
            "cost_usd": _expect_cost("cost_usd", cost_usd),
        }
        for name, number in added.items():
            if number is not None:
                expect: Callable[[str, Any], Optional[float]] = _expect_cost if name == "cost_usd" else _expect_count
                held = expect("AgentContext." + name, getattr(self, name))
                added[name] = number if held is None else held + number
        self._set_known(added)

    def _set_known(self, numbers: Mapping[str, Optional[float]]) -> None:
        for name, number in numbers.items():
            if number is not None:
                setattr(self, name, number)


def _expect_count(name: str, value: Any) -> Optional[int]:
    from .numbers import read_count  # late

    count, fault = read_count(value)
    if fault:
        raise _refuse_number("count", name, value, fault)
    return count


def _expect_cost(name: str, value: Any) -> Optional[float]:
    from .numbers import read_cost  # late

    cost, fault = read_cost(value)
    if fault:
        raise _refuse_number("finite cost", name, value, fault)
    return cost


def _expect_cached_within(n_input: Optional[int], n_cache: Optional[int]) -> None:
    if n_input is not None and n_cache is not None and n_cache > n_input:
        raise ValueError("Expected an input count that includes the cached tokens, got %d with %d of them cached" % (
            n_input, n_cache))


def _refuse_number(kind: str, name: str, value: Any, fault: str) -> Exception:
    text = "Expected a %s of at least 0 for %s, got %r" % (kind, name, value)
    return TypeError(text) if fault in ("bool", "not a number") else ValueError(text)
