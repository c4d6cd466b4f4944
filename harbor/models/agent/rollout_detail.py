"""The record of one rollout: token ids, logprobs and whatever else a sampler reports per turn."""

from typing import Any, Dict, List, TypedDict

__all__ = ["RolloutDetail"]


class RolloutDetail(TypedDict, total=False):
    """Details about a complete chat history.

    Every list has one element per turn. ``prompt_token_ids`` holds the whole prompt of a turn, earlier turns
    included; ``completion_token_ids`` what the model answered; ``logprobs`` the natural logarithm of the probability
    of each completion token. ``extra`` maps a name to one value per turn. A missing key means not recorded; an agent
    with subagents or summaries has several rollouts, the main one first.
    """

    prompt_token_ids: List[List[int]]
    completion_token_ids: List[List[int]]
    logprobs: List[List[float]]
    extra: Dict[str, List[Any]]


if not hasattr(RolloutDetail, "__optional_keys__"):
    # Python 3.8 knows __total__ alone; this can go with it.
    setattr(RolloutDetail, "__required_keys__", frozenset())
    setattr(RolloutDetail, "__optional_keys__", frozenset(RolloutDetail.__annotations__))
