"""The checks of a rollout: every list, id and logprob, and whether each prompt goes on from the turn before.

In: a ``RolloutDetail`` or an ``AgentContext``, also one to which anything at all was assigned. Out: findings, each
with its place and a sentence. Nothing is mended.
"""

from typing import TYPE_CHECKING, Any, Dict, List

from .rollout_findings import Finding, make_finding, name_type, show_value
from .rollout_parts import History, RolloutParts

if TYPE_CHECKING:
    from .models.agent.context import AgentContext
    from .models.agent.rollout_detail import RolloutDetail

__all__ = ["are_logprobs", "are_token_ids", "check_context", "check_rollout"]

_INFINITE = float("inf")
#: Token ids are held as signed 64-bit integers by every trainer.
_ID_LIMIT = 1 << 63


def check_context(context: "AgentContext") -> List[Finding]:
    """Check the rollouts of a context; an empty list means that they are sound.

    ``rollout_details`` of None, ``[]`` and ``[{}]`` are three different findings.
    """
    details: Any = context.rollout_details
    if details is None:
        return [make_finding("rollouts_missing")]
    if not isinstance(details, list):
        return [make_finding("rollouts_wrong_type", value=name_type(details))]
    if not details:
        return [make_finding("rollouts_empty")]
    return [finding for segment, detail in enumerate(details) for finding in check_rollout(detail, segment=segment)]


def check_rollout(detail: "RolloutDetail", *, segment: int = 0) -> List[Finding]:
    """Check one rollout: its turns, the lengths within them, and every id and logprob.

    Gives findings in the order of shape, ids, logprobs, and prompts that do not continue the turn before them; wrong
    values of one kind in one turn are one finding with a count. ``segment`` is only repeated in the findings.
    """
    parts = RolloutParts(detail, segment)
    found = parts.findings
    for part, turns in (("prompt_token_ids", parts.prompts), ("completion_token_ids", parts.completions)):
        for turn, ids in enumerate(turns or ()):
            if ids is not None and not are_token_ids(ids):
                found.extend(_check_ids(ids, segment, part, turn))
            elif ids is not None and not ids:
                found.append(make_finding("turn_empty", segment, part, turn))
    for turn, logprobs in enumerate(parts.logprobs or ()):
        if logprobs is not None and not are_logprobs(logprobs):
            found.extend(_check_logprobs(logprobs, segment, turn))
    if parts.prompts is not None and parts.completions is not None:
        found.extend(_check_continuity(parts))
    return found


def _check_continuity(parts: RolloutParts) -> List[Finding]:
    found: List[Finding] = []
    history = None
    pairs = list(zip(parts.prompts or (), parts.completions or ()))
    for turn, (prompt, completion) in enumerate(pairs):
        if prompt is None or completion is None or turn in parts.in_doubt:
            history = None
            continue
        if history is None:
            history = History(prompt, completion)
            continue
        break_ = history.follow(prompt, completion)
        if break_ is not None:
            found.append(make_finding(
                "prompt_not_continued", parts.segment, "prompt_token_ids", turn, break_.position, previous=turn - 1,
                reason=break_.describe()))
            history = History(prompt, completion)
    return found


def are_token_ids(ids: List[Any]) -> bool:
    """Tell whether all are integers that a token id can be, looking at each in C; an int subclass gives False too."""
    if not ids:
        return True
    return set(map(type, ids)) == {int} and min(ids) >= 0 and max(ids) < _ID_LIMIT


def are_logprobs(logprobs: List[Any]) -> bool:
    """Tell whether all are floats that a logprob can be, looking at each in C; some others give False too."""
    if not logprobs:
        return True
    # A sum is nan or infinite where a term is; that of huge terms is too, and the exact check then settles it.
    return set(map(type, logprobs)) == {float} and max(logprobs) <= 0.0 and -_INFINITE < sum(logprobs) <= 0.0


def _check_ids(ids: List[Any], segment: int, part: str, turn: int) -> List[Finding]:
    """Look at each id; an int subclass other than bool is an id."""
    wrong = [
        position for position, value in enumerate(ids)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _ID_LIMIT]
    if not wrong:
        return []
    return [make_finding(
        "bad_token_id", segment, part, turn, wrong[0], n_alike=len(wrong), value=show_value(ids[wrong[0]]))]


def _check_logprobs(logprobs: List[Any], segment: int, turn: int) -> List[Finding]:
    """Look at each logprob; an integer is a float, as in JSON."""
    wrong: Dict[str, List[int]] = {}
    for position, value in enumerate(logprobs):
        kind = _judge_logprob(value)
        if kind:
            wrong.setdefault(kind, []).append(position)
    return [
        make_finding(
            kind, segment, "logprobs", turn, positions[0], n_alike=len(positions),
            value=show_value(logprobs[positions[0]]))
        for kind, positions in wrong.items()]


def _judge_logprob(value: Any) -> str:
    if value is None:
        return "logprob_null"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "logprob_wrong_type"
    if value != value:
        return "logprob_nan"
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        return "logprob_infinite"
    if number in (_INFINITE, -_INFINITE):
        return "logprob_infinite"
    return "logprob_positive" if number > 0 else ""
