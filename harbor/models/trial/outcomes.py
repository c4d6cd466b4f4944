"""What a trial's rewards and exceptions come to, for whoever has no ``TrialResult`` of it.

In: rewards by name, names of exceptions' types. Out: the reward that counts, whether time ran out.
"""

from typing import Mapping, Optional

__all__ = ["choose_reward", "is_timeout"]


def choose_reward(rewards: Optional[Mapping[str, float]], name: Optional[str]) -> Optional[float]:
    """Choose among rewards as ``TrialResult.reward`` does."""
    rewards = rewards or {}
    if name is None and not rewards:
        return None
    if name is None:
        name = "reward" if "reward" in rewards or len(rewards) > 1 else next(iter(rewards))
    if name not in rewards:
        raise KeyError("No reward %r; there are: %s" % (name, ", ".join(map(repr, rewards)) or "none"))
    return rewards[name]


def is_timeout(exception_type: str) -> bool:
    """Tell by the name of its type whether an exception is a timeout."""
    return exception_type.endswith(("TimeoutError", "TimeoutExpired", "Timeout"))
