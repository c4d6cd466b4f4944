"""The tolerant reading of trial files: what writers in the wild produce, and what is read in its place.

In: the bytes of a file that is no trial by Harbor's rules. Out: a trial and a note for each place that was mended, or
nothing where too much is wrong. Only what is at fault is touched; nothing is invented that could be taken for a
measurement: unknown text becomes "", an unknown number None or nan, and never 0.
"""

import json
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from .codec import ValidationError
from .codec.text.writing import render
from .forms import escape_text
from .models.trial.result import TrialResult

__all__ = ["mend_trial"]

_Place = Tuple[Any, ...]
_Mend = Callable[[Any, Dict[str, Any]], Any]

# What a mend gives where the value is to be left out, or where it knows no cure.
_OUT, _NO_CURE = object(), object()
# The value of a key that is not there.
_ABSENT = object()
# A moment that nobody can take for a real one.
_NO_MOMENT = "1970-01-01T00:00:00Z"
# One mend may bring up the need for the next: an exception given as text lacks its other fields.
_ROUNDS = 4


def mend_trial(data: bytes, extra: Optional[str] = None) -> Optional[Tuple[TrialResult, List[str]]]:
    """Read a trial from bytes that the plain reading refused; None where that cannot be mended."""
    notes: List[str] = []
    document = _read_loosely(data, notes)
    if not isinstance(document, dict):
        return None
    for _ in range(_ROUNDS):
        try:
            text = render(document, inf_nan="constants")
            return TrialResult.model_validate_json(text, extra=extra), notes
        except ValidationError as error:
            places = [fault["loc"] for fault in error.errors(include_url=False, include_input=False)]
        if not _mend_places(document, places, notes):
            return None
    return None


def _read_loosely(data: bytes, notes: List[str]) -> Any:
    try:
        text = data.decode("utf-8")
        if text[:1] == "\ufeff":
            notes.append("the file: a byte order mark, skipped")
        document = json.loads(text.lstrip("\ufeff"))
        return _escape_all(document, (), notes)
    except (ValueError, RecursionError):
        return None


def _escape_all(value: Any, place: _Place, notes: List[str]) -> Any:
    """Escape the lone surrogates that other writers of JSON let through."""
    if isinstance(value, str):
        escaped = escape_text(value)
        if escaped is not value:
            notes.append("%s: lone surrogates, read as their escapes" % _show_place(place))
        return escaped
    if isinstance(value, dict):
        return {escape_text(key): _escape_all(item, place + (key,), notes) for key, item in value.items()}
    if isinstance(value, list) and not {int, float}.issuperset(map(type, value)):
        return [_escape_all(item, place + (index,), notes) for index, item in enumerate(value)]
    return value


def _mend_places(document: Dict[str, Any], places: List[_Place], notes: List[str]) -> bool:
    """Mend what is mendable among the places at fault, and tell whether that was anything."""
    done = set()
    for place in places:
        for length, mend in _find_mends(place):
            target = place[:length]
            if target in done:
                break
            if _mend_place(document, target, mend, notes):
                done.add(target)
                break
    return bool(done)


def _find_mends(place: _Place) -> Iterator[Tuple[int, _Mend]]:
    """Give the mends for a place and for what is around it, the innermost first, each with its location's length."""
    start = 2 if place[:1] == ("step_results",) and len(place) > 2 else 0
    for length in range(len(place), start, -1):
        steps = place[start:length]
        for pattern in _MENDS_BY_LENGTH.get(len(steps), ()):
            if all(step == "*" or step == found for step, found in zip(pattern, steps)):
                yield length, _MENDS[pattern]


def _mend_place(document: Dict[str, Any], place: _Place, mend: _Mend, notes: List[str]) -> bool:
    around: Any = document
    for step in place[:-1]:
        try:
            around = around[step]
        except (KeyError, IndexError, TypeError):
            return False
    last = place[-1]
    if isinstance(around, dict):
        value = around.get(last, _ABSENT)
    elif isinstance(around, list) and isinstance(last, int):
        value = around[last]
    else:
        return False
    new = mend(value, document)
    if new is _NO_CURE:
        return False
    if new is _OUT:
        del around[last]
    else:
        around[last] = new
    result = "left out" if new is _OUT else "read as %s" % _show_value(new)
    notes.append("%s: %s, %s" % (_show_place(place), _show_value(value), result))
    return True


def _show_place(place: _Place) -> str:
    return ".".join(map(str, place))


def _show_value(value: Any) -> str:
    if value is _ABSENT:
        return "missing"
    text = render(value, inf_nan="constants")
    return text if len(text) <= 60 else text[:40] + "..." + text[-17:]


# The mends: what stands in a place and the document in, what to read in its place out. ------------------------------


def _to_text(value: Any, document: Dict[str, Any]) -> Any:
    return "" if value is None or value is _ABSENT else _NO_CURE if isinstance(value, str) else render(value)


def _to_known_text(value: Any, document: Dict[str, Any]) -> Any:
    """Text of a number or a flag; without any there is no cure."""
    return render(value) if isinstance(value, (bool, int, float)) else _NO_CURE


def _to_none(value: Any, document: Dict[str, Any]) -> Any:
    return _NO_CURE if value is None or value is _ABSENT else None


def _to_nothing(value: Any, document: Dict[str, Any]) -> Any:
    return _NO_CURE if value is _ABSENT else _OUT


def _null_to_nothing(value: Any, document: Dict[str, Any]) -> Any:
    return _OUT if value is None else _NO_CURE


def _null_to(make: Callable[[], Any]) -> _Mend:
    return lambda value, document: make() if value is None else _NO_CURE


def _lack_to(make: Callable[[], Any]) -> _Mend:
    return lambda value, document: make() if value is None or value is _ABSENT else _NO_CURE


def _text_to(name: str, lack: Any = _NO_CURE) -> _Mend:
    """Make an object whose one field is the text that stands in its place; ``lack`` stands for null and nothing."""

    def mend(value: Any, document: Dict[str, Any]) -> Any:
        if value is None or value is _ABSENT:
            return dict(lack) if isinstance(lack, dict) else lack
        return {name: value} if isinstance(value, str) else _NO_CURE

    return mend


def _to_model(value: Any, document: Dict[str, Any]) -> Any:
    return {"name": value} if isinstance(value, str) and value else _to_none(value, document)


def _to_task_id(value: Any, document: Dict[str, Any]) -> Any:
    name = document.get("task_name") if value is None or value is _ABSENT else value
    return {"path": name} if isinstance(name, str) and name else _NO_CURE


def _to_rewards(value: Any, document: Dict[str, Any]) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"reward": value} if is_number else _NO_CURE


def _to_metadata(value: Any, document: Dict[str, Any]) -> Any:
    return {"metadata": value}


_TIMINGS = ("environment_setup", "agent_setup", "agent_execution", "verifier")
_ROLLOUT = "agent_result.rollout_details.*"

# By the place, in which "*" is any key or index; everything holds for each step of step_results as well.
_MENDS: Dict[_Place, _Mend] = {tuple(place.split(".")): mend for place, mend in [
    ("schema_version", _null_to_nothing),
    ("id", _to_nothing),
    ("task_name", _to_known_text),
    ("trial_name", _to_known_text),
    ("step_name", _to_text),
    ("trial_uri", _to_text),
    ("task_checksum", _to_text),
    ("task_id", _to_task_id),
    ("source", _to_known_text),
    ("config", _lack_to(dict)),
    ("agent_info", _text_to("name", {"name": "", "version": ""})),
    ("agent_info.name", _to_text),
    ("agent_info.version", _to_text),
    ("agent_info.model_info", _to_model),
    ("agent_info.model_info.name", _to_known_text),
    ("agent_info.model_info.provider", _to_known_text),
    ("verifier_environment_mode", _to_none),
    ("exception_info", _text_to("exception_message")),
    ("exception_info.exception_type", _to_text),
    ("exception_info.exception_message", _to_text),
    ("exception_info.exception_traceback", _to_text),
    ("exception_info.occurred_at", lambda value, document: _NO_MOMENT),
    ("exception_info.policy_override", _to_none),
    ("verifier_result.rewards", _to_rewards),
    ("verifier_result.rewards.*", _null_to_nothing),
    ("started_at", _to_none),
    ("finished_at", _to_none),
    *[("%s.%s" % (name, end), _to_none) for name in _TIMINGS for end in ("started_at", "finished_at")],
    *[(name, _to_none) for name in _TIMINGS],
    *[("agent_result." + name, _to_none)
      for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")],
    # A count that is not known has no other form here than 0.
    ("agent_result.model_usage.*", _to_nothing),
    ("agent_result.metadata", _to_metadata),
    (_ROLLOUT, _null_to(dict)),
    *[("%s.%s" % (_ROLLOUT, name), _null_to_nothing)
      for name in ("prompt_token_ids", "completion_token_ids", "logprobs", "extra", "extra.*")],
    # The positions stay what they are: a turn without logprobs is empty, a token without one has nan.
    (_ROLLOUT + ".logprobs.*", _null_to(list)),
    (_ROLLOUT + ".logprobs.*.*", _null_to(lambda: float("nan"))),
]}
_MENDS_BY_LENGTH: Dict[int, List[_Place]] = {}
for _pattern in _MENDS:
    _MENDS_BY_LENGTH.setdefault(len(_pattern), []).append(_pattern)
