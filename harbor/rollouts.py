"""Rollouts as turns and as training sequences of tokens, loss mask and logprobs.

In: a ``RolloutDetail``, an ``AgentContext``, or any number of trials, one at a time. Out: turns as they were
recorded, and sequences for training. What is not recorded is None: nothing is padded, shifted or made up, and a
rollout whose lists disagree is refused with a ``RolloutError``. No file is read or written here.

Segments, turns and tokens are counted from 0 throughout.
"""

import array
import dataclasses
from typing import (
    TYPE_CHECKING, Any, Callable, Collection, Dict, Iterable, Iterator, List, Optional, Tuple, Union,
)

from .rollout_checks import are_logprobs, are_token_ids, check_context, check_rollout
from .rollout_findings import FINDING_KINDS, Finding, RolloutError, describe_break, format_count, make_finding
from .rollout_parts import History, PromptBreak, RolloutParts

if TYPE_CHECKING:
    from .models.agent.context import AgentContext
    from .models.agent.rollout_detail import RolloutDetail
    from .models.trial.result import TrialResult

__all__ = [
    "FINDING_KINDS", "Finding", "RolloutError", "SequenceStart", "TrainingSequence", "Turn", "TurnSpan",
    "build_sequences", "check_context", "check_rollout", "iter_sequences", "iter_turns",
]

#: Turns whose loss mask stays 0: their indices (negative ones count from the end), or what decides for each.
MaskTurns = Union[Collection[int], Callable[["Turn"], bool]]


@dataclasses.dataclass
class Turn:
    """One turn of a rollout, its lists being those of the rollout itself.

    ``index`` is the turn's own, ``segment`` that of its rollout. ``prompt_token_ids`` is the whole prompt, earlier
    turns included, ``completion_token_ids`` what was sampled, and ``logprobs`` one natural logarithm for each token
    of the completion. Each is None where it was not recorded; a list of logprobs that is empty beside a completion
    that is not counts as not recorded. ``extra`` maps each name to the turn's value. ``is_doubtful`` tells that
    prompt and completion may belong to different turns; it is False unless a ``report`` was asked for.
    """

    segment: int
    index: int
    prompt_token_ids: Optional[List[int]]
    completion_token_ids: Optional[List[int]]
    logprobs: Optional[List[float]]
    extra: Dict[str, Any]
    is_doubtful: bool = False


@dataclasses.dataclass
class TurnSpan:
    """Where a turn stands in a sequence.

    ``token_ids[prompt_start:start]`` is what its prompt added to the turns before it, ``token_ids[start:stop]`` its
    completion, with loss mask 1 if ``is_trained``. ``n_cut_left`` and ``n_cut_right`` are how many tokens of the
    completion a truncation took away on that side; of a turn that is gone, ``start == stop``.
    """

    turn: int
    prompt_start: int
    start: int
    stop: int
    is_trained: bool = True
    n_cut_left: int = 0
    n_cut_right: int = 0


@dataclasses.dataclass
class SequenceStart:
    """Why a sequence starts at its first turn, ``turn``.

    ``reason`` is "first_turn", or "one_per_turn" where that was asked for, or says how the prompt breaks with the
    turn before: "completion_differs" (the completion comes back as other tokens: retokenised, or edited),
    "prompt_differs" (an earlier part does: a summary, another conversation) or "prompt_ends" (it repeats less than
    the turn before). ``position`` is the first token of the prompt that differs, ``expected`` the id that the turn
    before has there, and ``got`` the prompt's own, None where the prompt has ended; all three are None where there
    is no break.
    """

    reason: str
    turn: int
    position: Optional[int] = None
    expected: Optional[int] = None
    got: Optional[int] = None

    def __str__(self) -> str:
        if self.position is None:
            return "Turn %d is the first" % self.turn if self.reason == "first_turn" else "One sequence for each turn"
        broken = describe_break(self.reason, self.position, self.expected, self.got)
        return "The prompt of turn %d does not continue turn %d, %s" % (self.turn, self.turn - 1, broken)


@dataclasses.dataclass
class TrainingSequence:
    """Tokens to train on, flat; ``token_ids``, ``loss_mask`` and ``logprobs`` have the same length.

    ``loss_mask`` is 1 on the tokens of the completions to be trained, else 0. ``logprobs`` holds the natural
    logarithm of the probability with which a completion token was sampled, at that token's own index, and None
    everywhere else, also where a nan was recorded; it is None itself where logprobs were not asked for. The three are
    lists or, if ``compact``, ``array.array`` of types "q", "b" and "d", in which a logprob that is not there is nan.

    ``turns`` has one span for each turn, in order, and ``start`` says why the sequence begins where it does.
    ``n_cut_left`` and ``n_cut_right`` are how many tokens a truncation took away. ``segment`` is the index of the
    rollout. ``trial_name``, ``step_name``, ``reward`` and ``rewards`` are known where the rollout comes from a trial.
    """

    segment: int
    token_ids: Any
    loss_mask: Any
    logprobs: Any
    turns: List[TurnSpan]
    start: SequenceStart
    n_cut_left: int = 0
    n_cut_right: int = 0
    trial_name: Optional[str] = None
    step_name: Optional[str] = None
    reward: Optional[float] = None
    rewards: Optional[Dict[str, float]] = None

    @property
    def n_trained_tokens(self) -> int:
        """How many tokens have loss mask 1."""
        return sum(span.stop - span.start for span in self.turns if span.is_trained)

    @property
    def n_missing_logprobs(self) -> int:
        """How many tokens with loss mask 1 have no logprob."""
        if self.logprobs is None:
            return self.n_trained_tokens
        spans = [self.logprobs[span.start:span.stop] for span in self.turns if span.is_trained]
        return sum(_count_missing(logprobs) for logprobs in spans)

    def as_dict(self) -> Dict[str, Any]:
        """Give every attribute as dicts, lists and numbers, for JSON."""
        shown: Dict[str, Any] = {
            "trial_name": self.trial_name, "step_name": self.step_name, "segment": self.segment,
            "reward": self.reward, "rewards": self.rewards,
            "token_ids": list(self.token_ids), "loss_mask": list(self.loss_mask),
            "logprobs": None if self.logprobs is None else [
                None if value is None or value != value else value for value in self.logprobs],
        }
        shown["turns"] = [dataclasses.asdict(span) for span in self.turns]
        shown["start"] = dataclasses.asdict(self.start)
        shown["n_cut_left"], shown["n_cut_right"] = self.n_cut_left, self.n_cut_right
        return shown


def iter_turns(
    detail: "RolloutDetail", *, segment: int = 0, report: Optional[Callable[[Finding], Any]] = None
) -> Iterator[Turn]:
    """Give the turns of a rollout, in order; a list that was not recorded is None in each.

    Raises ``RolloutError`` where the lists disagree: numbers of turns that differ, logprobs of another length than
    their completion, ``extra`` lists of another length, or values that are no lists. With ``report``, such as the
    ``append`` of a list, each of these findings is given to it instead, and what may belong to another turn is
    marked by ``is_doubtful`` and has no logprobs. Values within the lists are not looked at; ``check_rollout`` does
    that.
    """
    parts = RolloutParts(detail, segment)
    ragged = [finding for finding in parts.findings if finding.kind in _RAGGED]
    if ragged and report is None:
        raise RolloutError(ragged)
    for finding in ragged if report is not None else ():
        report(finding)  # type: ignore[misc]  # is not None here
    return _iter_parts(parts)


def build_sequences(
    source: Union["AgentContext", "RolloutDetail"], *, per_turn: bool = False, mask_turns: MaskTurns = (),
    max_length: Optional[int] = None, truncation: Optional[str] = None, with_logprobs: bool = True,
    compact: bool = False, report: Optional[Callable[[RolloutError], Any]] = None,
) -> List[TrainingSequence]:
    """Build the training sequences of a rollout, or of each rollout of a context.

    As long as each prompt repeats the turn before it, token for token, the turns make one sequence; where one does
    not, a new sequence starts, and its ``start`` says why. None and ``[]`` in place of rollouts give no sequence.

    - ``per_turn``: one sequence for each turn, its whole prompt with its completion.
    - ``mask_turns``: turns that keep loss mask 0: indices, counted from the end where negative, or a function that
      is given each ``Turn``.
    - ``max_length``: of a sequence, in tokens. ``truncation`` says on which side the rest goes, "left" or "right";
      without it, a longer one is refused.
    - ``with_logprobs=False``: leave logprobs alone, and whatever may be wrong with them.
    - ``compact``: arrays in place of lists: 17 bytes for a token.
    - ``report``: is given the ``RolloutError`` of each rollout that is refused; the others' sequences are returned.

    Raises ``RolloutError`` with the findings for which ``is_refused`` is true. A token of a prompt that is equal to
    that of the turn before is not looked at again.
    """
    if hasattr(source, "agent_result"):
        raise TypeError("Expected a context or a rollout, got %s; iter_sequences takes trials" % type(source).__name__)
    options = _Options(per_turn, mask_turns, max_length, truncation, with_logprobs, compact)
    return [sequence for built in _iter_rollouts(source, options, report) for sequence in built]


def iter_sequences(
    sources: Iterable[Union["TrialResult", "AgentContext", "RolloutDetail"]], *, reward_name: Optional[str] = None,
    per_turn: bool = False, mask_turns: MaskTurns = (), max_length: Optional[int] = None,
    truncation: Optional[str] = None, with_logprobs: bool = True, compact: bool = False,
    report: Optional[Callable[[RolloutError], Any]] = None,
) -> Iterator[TrainingSequence]:
    """Give the training sequences of any number of trials, contexts or rollouts, holding one rollout's at a time.

    Options and errors are those of ``build_sequences``. Of a trial, the contexts count that its ``contexts()`` gives,
    and sequences and errors carry its name and, in a trial of several steps, the step's. ``rewards`` are those of the
    trial, or of the step; ``reward`` is the one called ``reward_name``, else "reward", else the only one, and None
    where there is none of these.
    """
    options = _Options(per_turn, mask_turns, max_length, truncation, with_logprobs, compact)
    return _iter_sources(sources, reward_name, options, report)


# Turns -------------------------------------------------------------------------------------------------------------

_RAGGED = frozenset((
    "rollout_wrong_type", "part_wrong_type", "turn_counts_differ", "extra_count_differs", "turn_wrong_type",
    "lengths_differ"))


def _iter_parts(parts: RolloutParts) -> Iterator[Turn]:
    prompts, completions, logprobs = parts.prompts or (), parts.completions or (), parts.logprobs or ()
    for index in range(parts.n_turns):
        prompt = prompts[index] if index < len(prompts) else None
        completion = completions[index] if index < len(completions) else None
        own = logprobs[index] if index < len(logprobs) else None
        is_doubtful = index in parts.in_doubt
        if is_doubtful or (own is not None and completion is not None and len(own) != len(completion)):
            own = None
        extra = {name: values[index] for name, values in parts.extra.items()}
        yield Turn(parts.segment, index, prompt, completion, own, extra, is_doubtful)


# Sequences ---------------------------------------------------------------------------------------------------------


class _Options:
    """The options of ``build_sequences``, checked."""

    def __init__(
        self, per_turn: bool, mask_turns: MaskTurns, max_length: Optional[int], truncation: Optional[str],
        with_logprobs: bool, compact: bool,
    ) -> None:
        if truncation not in (None, "left", "right"):
            raise TypeError('Expected truncation to be "left", "right" or None, got %r' % (truncation,))
        if truncation is not None and max_length is None:
            raise TypeError("Expected a max_length beside truncation=%r" % truncation)
        if max_length is not None and (isinstance(max_length, bool) or not isinstance(max_length, int)):
            raise TypeError("Expected max_length to be an int or None, got %r" % (max_length,))
        if max_length is not None and max_length < 1:
            raise ValueError("Expected a max_length of at least 1, got %r" % max_length)
        if isinstance(mask_turns, int):
            raise TypeError("Expected mask_turns to be a collection of indices or a function, got %r; try [%r]" % (
                mask_turns, mask_turns))
        self.per_turn = per_turn
        self.mask_turns = mask_turns if callable(mask_turns) else frozenset(mask_turns)
        self.max_length = max_length
        self.truncation = truncation
        self.with_logprobs = with_logprobs
        self.compact = compact

    def is_masked(self, turn: Turn, n_turns: int) -> bool:
        """Tell whether a turn keeps loss mask 0."""
        if callable(self.mask_turns):
            return bool(self.mask_turns(turn))
        return turn.index in self.mask_turns or turn.index - n_turns in self.mask_turns


def _iter_sources(
    sources: Iterable[Any], reward_name: Optional[str], options: _Options,
    report: Optional[Callable[[RolloutError], Any]],
) -> Iterator[TrainingSequence]:
    for source in sources:
        trial_name = getattr(source, "trial_name", None)
        for step_name, context, rewards in _iter_contexts(source):
            def note(error: RolloutError, step_name: Optional[str] = step_name) -> None:
                error.trial_name, error.step_name = trial_name, step_name
                if report is None:
                    raise error
                report(error)

            reward = _choose_reward(rewards, reward_name)
            for built in _iter_rollouts(context, options, note):
                for sequence in built:
                    sequence.trial_name, sequence.step_name = trial_name, step_name
                    sequence.reward, sequence.rewards = reward, rewards
                    yield sequence


def _iter_contexts(source: Any) -> Iterator[Tuple[Optional[str], Any, Optional[Dict[str, float]]]]:
    """Give step name, context and rewards, as ``TrialResult.contexts`` does; what is no trial has no rewards."""
    if not hasattr(source, "agent_result"):
        yield None, source, None
    elif source.agent_result is not None:
        yield None, source.agent_result, _find_rewards(source)
    else:
        for step in source.step_results or ():
            if step.agent_result is not None:
                yield step.step_name, step.agent_result, _find_rewards(step)


def _find_rewards(trial: Any) -> Optional[Dict[str, float]]:
    return None if trial.verifier_result is None else trial.verifier_result.rewards


def _choose_reward(rewards: Optional[Dict[str, float]], name: Optional[str]) -> Optional[float]:
    if not rewards:
        return None
    if name is None:
        name = next(iter(rewards)) if len(rewards) == 1 else "reward"
    return rewards.get(name)


def _iter_rollouts(
    source: Any, options: _Options, report: Optional[Callable[[RolloutError], Any]]
) -> Iterator[List[TrainingSequence]]:
    """Give the sequences of one rollout after the other."""
    details = source.rollout_details if hasattr(source, "rollout_details") else [source]
    if details is not None and not isinstance(details, list):
        error = RolloutError(check_context(source))
        if report is None:
            raise error
        report(error)
        return
    for segment, detail in enumerate(details or ()):
        try:
            sequences = _build_rollout(detail, segment, options)
        except RolloutError as error:
            if report is None:
                raise
            report(error)
        else:
            yield sequences


def _build_rollout(detail: Any, segment: int, options: _Options) -> List[TrainingSequence]:
    if not options.with_logprobs and isinstance(detail, dict):
        detail = {key: value for key, value in detail.items() if key != "logprobs"}
    parts = RolloutParts(detail, segment)
    if any(finding.is_refused for finding in parts.findings):
        raise _refuse_rollout(detail, segment)
    sequences: List[TrainingSequence] = []
    history: Optional[History] = None
    start = SequenceStart("first_turn", 0)
    spans: List[TurnSpan] = []
    logprobs: List[Optional[List[Any]]] = []
    for turn in _iter_parts(parts):
        prompt, completion = turn.prompt_token_ids or [], turn.completion_token_ids or []
        own: Optional[List[Any]] = turn.logprobs or None
        if not (are_token_ids(completion) and are_logprobs(own or [])):
            _expect_no_fault(detail, segment)
            own = own and [None if value is None or value != value else value for value in own]
        broken: Optional[PromptBreak] = None
        known = 0
        if history is not None and not options.per_turn:
            known = len(history.tokens)
            broken = history.follow(prompt, completion)
        if history is not None and (options.per_turn or broken is not None):
            sequences.append(_finish(segment, history.tokens, spans, logprobs, start, options))
            start = SequenceStart("one_per_turn", turn.index)
            if broken is not None:
                start = SequenceStart(broken.reason, turn.index, broken.position, broken.expected, broken.got)
            history, known, spans, logprobs = None, 0, [], []
        # What equals the turn before was looked at there.
        if not are_token_ids(prompt[known:] if known else prompt):
            _expect_no_fault(detail, segment)
        if history is None:
            history = History(prompt, completion)
        is_trained = not options.is_masked(turn, parts.n_turns)
        spans.append(TurnSpan(turn.index, known, len(prompt), len(prompt) + len(completion), is_trained))
        logprobs.append(own)
    if history is not None:
        sequences.append(_finish(segment, history.tokens, spans, logprobs, start, options))
    return sequences


def _expect_no_fault(detail: Any, segment: int) -> None:
    """Look exactly, where the quick look met something unusual."""
    error = _refuse_rollout(detail, segment)
    if error.findings:
        raise error


def _refuse_rollout(detail: Any, segment: int) -> RolloutError:
    return RolloutError(finding for finding in check_rollout(detail, segment=segment) if finding.is_refused)


def _finish(
    segment: int, tokens: List[int], spans: List[TurnSpan], logprobs: List[Optional[List[Any]]],
    start: SequenceStart, options: _Options,
) -> TrainingSequence:
    """Lay the mask and the logprobs beside the tokens, and truncate."""
    length = len(tokens)
    first, last = 0, length
    if options.max_length is not None and length > options.max_length:
        if options.truncation is None:
            raise RolloutError([make_finding(
                "sequence_too_long", segment, None, start.turn, options.max_length,
                count=format_count(length, "token"), value=options.max_length)])
        if options.truncation == "left":
            first = length - options.max_length
        else:
            last = options.max_length
        tokens = tokens[first:last]
    mask: List[int] = []
    aligned: List[Optional[float]] = []
    for span, own in zip(spans, logprobs):
        span.n_cut_left = min(max(first - span.start, 0), span.stop - span.start)
        span.n_cut_right = min(max(span.stop - last, 0), span.stop - span.start)
        if own is not None:
            own = own[span.n_cut_left:len(own) - span.n_cut_right]
        span.prompt_start, span.start, span.stop = (
            min(max(place, first), last) - first for place in (span.prompt_start, span.start, span.stop))
        mask += [0] * (span.start - len(mask))
        mask += [1 if span.is_trained else 0] * (span.stop - span.start)
        if options.with_logprobs:
            aligned += [None] * (span.start - len(aligned))
            aligned += own if own is not None else [None] * (span.stop - span.start)
    mask += [0] * (len(tokens) - len(mask))
    sequence = TrainingSequence(
        segment, tokens, mask, None, spans, start, n_cut_left=first, n_cut_right=length - last)
    if options.with_logprobs:
        sequence.logprobs = aligned + [None] * (len(tokens) - len(aligned))
    if options.compact:
        _make_compact(sequence)
    return sequence


def _make_compact(sequence: TrainingSequence) -> None:
    sequence.token_ids = array.array("q", sequence.token_ids)
    sequence.loss_mask = array.array("b", sequence.loss_mask)
    if sequence.logprobs is not None:
        missing = float("nan")
        sequence.logprobs = array.array(
            "d", [missing if value is None else value for value in sequence.logprobs])


def _count_missing(logprobs: Iterable[Optional[float]]) -> int:
    return sum(value is None or value != value for value in logprobs)
