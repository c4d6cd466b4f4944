"""A rollout taken apart: its lists by turn, which turns may be shifted, and where a history breaks.

In: a ``RolloutDetail``, also one to which anything at all was assigned. Out: the lists that are lists, with findings
about their shape. Ids and logprobs are not looked at, except that prompts are compared with the turn before.
"""

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from .rollout_findings import Finding, describe_break, format_count, make_finding, name_type, show_value

__all__ = ["History", "PromptBreak", "RolloutParts"]

_PROMPTS, _COMPLETIONS, _LOGPROBS, _EXTRA = "prompt_token_ids", "completion_token_ids", "logprobs", "extra"


class RolloutParts:
    """The lists of a rollout, taken apart: ``findings`` says what is wrong with their shape.

    A list that is missing or no list is None, and so is a turn of one; values are not looked at. ``counts`` maps the
    lists that are there to their numbers of turns, ``n_turns`` is the largest; ``in_doubt`` holds the turns that may
    be shifted. ``extra`` maps the names whose lists have the right length to them.
    """

    def __init__(self, detail: Any, segment: int) -> None:
        self.segment = segment
        self.findings: List[Finding] = []
        self.prompts: Optional[List[Optional[List[int]]]] = None
        self.completions: Optional[List[Optional[List[int]]]] = None
        self.logprobs: Optional[List[Optional[List[float]]]] = None
        self.extra: Dict[str, List[Any]] = {}
        self.counts: Dict[str, int] = {}
        self.in_doubt: Set[int] = set()
        self._wrong_logprobs: Set[int] = set()
        if not isinstance(detail, dict):
            self._note("rollout_wrong_type", value=name_type(detail))
        elif not detail:
            self._note("rollout_empty")
        else:
            self.prompts = self._take_part(detail, _PROMPTS)
            self.completions = self._take_part(detail, _COMPLETIONS)
            self.logprobs = self._take_part(detail, _LOGPROBS)
            for key in detail:
                if key not in (_PROMPTS, _COMPLETIONS, _LOGPROBS, _EXTRA):
                    self._note("unknown_key", value=show_value(key))
        self.n_turns = max(self.counts.values(), default=0)
        if len(set(self.counts.values())) > 1:
            self._compare_counts()
        self._compare_lengths()
        if isinstance(detail, dict) and _EXTRA in detail:
            self._take_extra(detail[_EXTRA])

    def _note(self, kind: str, part: Optional[str] = None, turn: Optional[int] = None,
              position: Optional[int] = None, **details: Any) -> None:
        self.findings.append(make_finding(kind, self.segment, part, turn, position, **details))

    def _take_part(self, detail: Dict[str, Any], part: str) -> Optional[List[Any]]:
        if part not in detail:
            self._note("part_missing", part)
            return None
        turns = detail[part]
        if not isinstance(turns, list):
            self._note("part_wrong_type", part, expected="list of turns", value=name_type(turns))
            return None
        self.counts[part] = len(turns)
        if not turns:
            self._note("part_empty", part)
        if set(map(type, turns)) <= {list}:
            return turns
        taken = []
        for turn, values in enumerate(turns):
            is_list = isinstance(values, list)
            # No logprobs of a turn are missing ones, see _compare_lengths.
            if not is_list and not (part == _LOGPROBS and values is None):
                self._note("turn_wrong_type", part, turn, value=name_type(values))
                if part == _LOGPROBS:
                    self._wrong_logprobs.add(turn)
            taken.append(values if is_list else None)
        return taken

    def _compare_counts(self) -> None:
        """Find which turns may be shifted. What is not proved to be in its place is in doubt."""
        counts = self.counts
        certain = set(range(self.n_turns))
        n_completions = counts.get(_COMPLETIONS)
        if n_completions is None:
            certain.clear()
        if _PROMPTS in counts and counts[_PROMPTS] != n_completions:
            certain &= _find_anchored(self.prompts or [], self.completions or [])
        if _LOGPROBS in counts and counts[_LOGPROBS] != n_completions:
            certain &= _find_fixed(_list_lengths(self.logprobs), _list_lengths(self.completions))
        doubtful = tuple(turn for turn in range(self.n_turns) if turn not in certain)
        self.in_doubt.update(doubtful)
        shown = ["%s has %d" % (part, count) for part, count in counts.items()]
        self.findings.append(make_finding(
            "turn_counts_differ", self.segment, None, doubtful[0], None, doubtful, counts=", ".join(shown),
            turns=_list_turns(doubtful)))

    def _compare_lengths(self) -> None:
        for turn, (completion, logprobs) in enumerate(zip(self.completions or (), self.logprobs or ())):
            if turn in self.in_doubt or completion is None:
                continue
            tokens = format_count(len(completion), "token")
            if not logprobs:
                if completion and turn not in self._wrong_logprobs:
                    self._note("logprobs_missing", _LOGPROBS, turn, value=repr(logprobs), count=tokens)
            elif len(logprobs) != len(completion):
                position = min(len(logprobs), len(completion))
                self._note(
                    "lengths_differ", _LOGPROBS, turn, position, value=format_count(len(logprobs), "value"),
                    count=tokens)

    def _take_extra(self, extra: Any) -> None:
        if not isinstance(extra, dict):
            self._note("part_wrong_type", _EXTRA, expected="dict of lists", value=name_type(extra))
            return
        for name, values in extra.items():
            if not isinstance(values, list):
                self._note("part_wrong_type", _EXTRA, expected="list for " + show_value(name), value=name_type(values))
            elif len(values) != self.n_turns and self.counts:
                self._note(
                    "extra_count_differs", _EXTRA, value=show_value(name), count=format_count(len(values), "value"),
                    turns=format_count(self.n_turns, "turn"))
            else:
                self.extra[name] = values


def _find_anchored(prompts: List[Optional[List[int]]], completions: List[Optional[List[int]]]) -> Set[int]:
    """Find the first turns whose prompt and completion the next prompt repeats: those belong together."""
    anchored: Set[int] = set()
    for turn in range(min(len(prompts) - 1, len(completions))):
        prompt, completion, following = prompts[turn], completions[turn], prompts[turn + 1]
        if prompt is None or not completion or following is None or not _starts_with(following, prompt + completion):
            break
        anchored.add(turn)
    return anchored


def _find_fixed(left: Sequence[Optional[int]], right: Sequence[Optional[int]]) -> Set[int]:
    """Find the turns that keep their index however the shorter of two lists is fitted into the longer by lengths."""
    short, long_ = (left, right) if len(left) < len(right) else (right, left)
    earliest = _fit_lengths(short, long_)
    latest = _fit_lengths(short[::-1], long_[::-1])
    if earliest is None or latest is None:
        return set()
    latest = [len(long_) - 1 - index for index in reversed(latest)]
    return {turn for turn in range(len(short)) if earliest[turn] == turn == latest[turn]}


def _fit_lengths(short: Sequence[Optional[int]], long_: Sequence[Optional[int]]) -> Optional[List[int]]:
    """Give each length of the short list the first place left for it in the long one; None where one has none."""
    places: List[int] = []
    index = 0
    for length in short:
        while index < len(long_) and long_[index] != length:
            index += 1
        if index == len(long_):
            return None
        places.append(index)
        index += 1
    return places


def _list_lengths(turns: Optional[Sequence[Optional[Sequence[Any]]]]) -> List[Optional[int]]:
    return [None if values is None else len(values) for values in turns or ()]


def _list_turns(turns: Tuple[int, ...]) -> str:
    """Give "turn 3", "turns 1 to 4" or "turns 1, 2, 5"."""
    if len(turns) == 1:
        return "turn %d" % turns
    if turns == tuple(range(turns[0], turns[-1] + 1)):
        return "turns %d to %d" % (turns[0], turns[-1])
    return "turns " + ", ".join(map(str, turns))


class PromptBreak:
    """Where a prompt stops repeating the turn before it: ``position`` in the prompt, and the ids on both sides.

    ``reason`` is "prompt_differs" where the prompt of the turn before is not repeated, "completion_differs" where its
    completion is not, and "prompt_ends" where the prompt is over before. ``expected`` is the id of the turn before,
    ``got`` that of the prompt, None where it is over.
    """

    def __init__(self, reason: str, position: int, expected: int, got: Optional[int]) -> None:
        self.reason = reason
        self.position = position
        self.expected = expected
        self.got = got

    def describe(self) -> str:
        """Say it, as the end of a sentence."""
        return describe_break(self.reason, self.position, self.expected, self.got)


class _End:
    """The end of a list that is compared with a longer one; knows whether the comparison came as far as this."""

    def __init__(self) -> None:
        self.is_reached = False

    def __eq__(self, other: object) -> bool:
        self.is_reached = True
        return False

    def __lt__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # it equals nothing


class History:
    """The tokens of a linear history: the last prompt with its completion."""

    def __init__(self, prompt: List[int], completion: List[int]) -> None:
        self.tokens = prompt + completion
        self.prompt_length = len(prompt)

    def follow(self, prompt: List[Any], completion: List[int]) -> Optional[PromptBreak]:
        """Go on by a turn, or say where its prompt breaks with the history, which then stays as it is."""
        tokens = self.tokens
        length = len(tokens)
        if not _starts_with(prompt, tokens):
            position = _find_difference(prompt, tokens)
            if position < len(prompt):
                where = "prompt_differs" if position < self.prompt_length else "completion_differs"
                return PromptBreak(where, position, tokens[position], prompt[position])
            return PromptBreak("prompt_ends", position, tokens[position], None)
        tokens.extend(prompt[length:])
        self.prompt_length = len(tokens)
        tokens.extend(completion)
        return None


def _starts_with(longer: List[Any], tokens: List[int]) -> bool:
    """Tell whether a list starts with another, in one comparison that copies neither.

    Lists are ordered by their first unequal elements; an end that equals nothing is compared only where all before it
    are equal. ``longer[:n] == tokens`` says the same and takes up to three times as long.
    """
    if len(longer) <= len(tokens):
        return len(longer) == len(tokens) and _has_same_ids(longer, tokens)
    end = _End()
    tokens.append(end)  # type: ignore[arg-type]  # goes below
    try:
        # Which is smaller does not matter.
        bool(tokens < longer)
    except Exception:  # as in _has_same_ids
        return False
    finally:
        tokens.pop()
    return end.is_reached


def _has_same_ids(left: List[Any], right: List[int]) -> bool:
    try:
        return left == right
    except Exception:  # an object that cannot be compared, such as an array, is no token id
        return False


def _find_difference(left: List[Any], right: List[int]) -> int:
    """Give the index of the first difference of two lists, or the length of the shorter one."""
    start, stop = 0, min(len(left), len(right))
    while start < stop:
        middle = (start + stop + 1) // 2
        if _has_same_ids(left[start:middle], right[start:middle]):
            start = middle
        elif middle == start + 1:
            return start
        else:
            stop = middle
    return start
