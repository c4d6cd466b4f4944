"""What can be wrong with a rollout: the findings with their wordings, and the error that carries them.

In: a kind and a place. Out: a finding with its sentence. Nothing is looked for here.
"""

import dataclasses
from typing import Any, Dict, Iterable, Optional, Tuple

__all__ = [
    "FINDING_KINDS", "Finding", "RolloutError", "describe_break", "format_count", "make_finding", "name_type",
    "show_value",
]

_WORDINGS = {
    "context_missing": "agent_result is None: no context was recorded",
    "rollouts_missing": "rollout_details is None: no rollout was recorded",
    "rollouts_empty": "rollout_details is []: it was recorded that there was no rollout",
    "rollouts_wrong_type": "Expected a list of rollouts, got {value}",
    "rollout_wrong_type": "Expected a dict, got {value}",
    "rollout_empty": "The rollout is {{}}: nothing was recorded of it",
    "unknown_key": "Unknown key {value}",
    "part_missing": "There is no {part}",
    "part_empty": "{part} has no turns",
    "part_wrong_type": "Expected a {expected}, got {value}",
    "turn_counts_differ": "Numbers of turns differ: {counts}; {turns} may be shifted",
    "extra_count_differs": "extra[{value}] has {count}, the rollout has {turns}",
    "turn_wrong_type": "Expected a list, got {value}",
    "turn_empty": "{part}[{turn}] is empty",
    "logprobs_missing": "logprobs[{turn}] is {value}, completion_token_ids[{turn}] has {count}",
    "lengths_differ": "logprobs[{turn}] has {value}, completion_token_ids[{turn}] has {count}",
    "bad_token_id": "Expected an integer from 0 below 2**63, got {value}{more}",
    "logprob_null": "The logprob is None{more}",
    "logprob_wrong_type": "Expected a float, got {value}{more}",
    "logprob_nan": "The logprob is nan{more}",
    "logprob_infinite": "The logprob is {value}{more}",
    "logprob_positive": "Expected a logprob of at most 0, got {value}{more}",
    "prompt_not_continued": "The prompt does not continue turn {previous}, {reason}",
    "sequence_too_long": "The sequence from turn {turn} has {count}, more than max_length {value}; choose a truncation",
}

#: Every kind of finding.
FINDING_KINDS = tuple(_WORDINGS)

# The kinds that never keep sequences from being built; of others see Finding.is_refused.
_HARMLESS = frozenset((
    "context_missing", "rollouts_missing", "rollouts_empty", "unknown_key", "part_empty", "extra_count_differs",
    "turn_empty", "logprobs_missing", "logprob_null", "logprob_nan", "prompt_not_continued"))


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or missing, in a rollout.

    ``kind`` is one of ``FINDING_KINDS`` and ``message`` says it to a reader. ``segment`` is the index of the rollout
    in ``rollout_details``, ``part`` the key of the list, ``turn`` the index of the turn in it and ``position`` that
    of the token in the turn; each counts from 0, and is None where the finding is about more than one.
    ``turns_in_doubt`` lists the turns whose prompt, completion and logprobs may not belong together, because the
    lists have different numbers of turns. ``count`` is how many values of that turn are wrong in the same way;
    ``position`` is that of the first.
    """

    kind: str
    message: str
    segment: Optional[int] = None
    part: Optional[str] = None
    turn: Optional[int] = None
    position: Optional[int] = None
    turns_in_doubt: Tuple[int, ...] = ()
    count: int = 1

    @property
    def is_refused(self) -> bool:
        """Whether ``build_sequences`` refuses a rollout of which this was found."""
        if self.part == "extra" or self.kind in _HARMLESS:
            return False
        return not (self.kind == "part_missing" and self.part == "logprobs")

    @property
    def location(self) -> str:
        """The place as a path of keys and indices, such as ``rollout_details.0.logprobs.2.17``."""
        if self.kind == "context_missing":
            return "agent_result"
        places = ["rollout_details", self.segment, self.part]
        if self.part is not None:
            places += [self.turn, self.position]
        return ".".join(str(place) for place in places if place is not None)

    def as_dict(self) -> Dict[str, Any]:
        """Give every attribute, ``location`` and ``is_refused``, for JSON."""
        shown = dataclasses.asdict(self)
        shown["turns_in_doubt"] = list(self.turns_in_doubt)
        return dict(shown, location=self.location, is_refused=self.is_refused)

    def __str__(self) -> str:
        return "%s: %s" % (self.location, self.message)


class RolloutError(ValueError):
    """A rollout is not fit for what was asked; ``findings`` says why.

    ``kind``, ``segment``, ``turn`` and ``position`` are those of the first finding. ``trial_name`` and ``step_name``
    are set where the rollout came from a trial.
    """

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__(self.findings)
        self.trial_name: Optional[str] = None
        self.step_name: Optional[str] = None

    @property
    def kind(self) -> Optional[str]:
        """The kind of the first finding."""
        return self.findings[0].kind if self.findings else None

    @property
    def segment(self) -> Optional[int]:
        """The index of the rollout in ``rollout_details``."""
        return self.findings[0].segment if self.findings else None

    @property
    def turn(self) -> Optional[int]:
        """The index of the turn; None where the first finding is about the whole rollout."""
        return self.findings[0].turn if self.findings else None

    @property
    def position(self) -> Optional[int]:
        """The index of the token in the turn; None where the first finding is about more than one."""
        return self.findings[0].position if self.findings else None

    def __str__(self) -> str:
        if not self.findings:
            return "The rollout is not fit"
        rest = len(self.findings) - 1
        return str(self.findings[0]) + (" (and %d more)" % rest if rest else "")


def make_finding(
    kind: str, segment: Optional[int] = None, part: Optional[str] = None, turn: Optional[int] = None,
    position: Optional[int] = None, turns_in_doubt: Tuple[int, ...] = (), n_alike: int = 1, **details: Any
) -> Finding:
    """Make a finding with the wording of its kind."""
    more = " (and %d more in this turn)" % (n_alike - 1) if n_alike > 1 else ""
    message = _WORDINGS[kind].format(part=part, turn=turn, more=more, **details)
    return Finding(kind, message, segment, part, turn, position, turns_in_doubt, n_alike)


def format_count(number: int, word: str) -> str:
    """Give "1 token", "2 tokens"."""
    return "%d %s%s" % (number, word, "" if number == 1 else "s")


def describe_break(reason: str, position: Optional[int], expected: Optional[int], got: Optional[int]) -> str:
    """Say where a prompt breaks with the turn before it, as the end of a sentence."""
    if reason == "prompt_ends":
        return "it ends at token %s, where that has %r" % (position, expected)
    where = "prompt" if reason == "prompt_differs" else "completion"
    return "it differs from its %s at token %s: %r, not %r" % (where, position, got, expected)


def name_type(value: Any) -> str:
    """Name the type of a value; None is itself."""
    return "None" if value is None else type(value).__name__


def show_value(value: Any) -> str:
    """Show a wrong value, in short, whatever it does when shown."""
    try:
        shown = repr(value)
    except Exception:
        return "an object of type " + type(value).__name__
    return shown if len(shown) <= 60 else shown[:57] + "..."
