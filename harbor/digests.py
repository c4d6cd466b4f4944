"""What sums over trials need of one, taken from a JSON document without making any model.

In: the bytes of a `result.json`, or a trial. Out: a digest, or None for a document that is unusual in any way, which
`TrialResult` must read then. What is digested here `TrialResult` reads as well, to the same digest; a test holds the
two together. A model of a trial takes ten times as long to make as its JSON to read.
"""

import re
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from .codec.text.reading import JsonError, parse, parse_ordinary
from .models.trial.outcomes import is_timeout
from .trial_files import TrialReadError, is_rollup, name_bad_shape, name_bad_text, name_rollup

if TYPE_CHECKING:
    from .models.agent.context import AgentContext
    from .models.trial.result import TrialResult

__all__ = ["DIGEST_SIZE_LIMIT", "TrialDigest", "digest_document", "digest_trial", "find_failure"]

_TRIAL_PHASES = ("environment_setup", "agent_setup", "agent_execution", "verifier")
_STEP_PHASES = ("agent_execution", "verifier")
# Larger documents are left to the model.
DIGEST_SIZE_LIMIT = 1 << 20
# Looking for rollouts is dearer than reading a shorter one with rollouts.
_SMALL = 1 << 14
# Beyond it an int and the float of it differ.
_EXACT_LIMIT = 1 << 53
_MOST_TASK_IDS = 10000
_MOST_KEYS = 100
# Of a config: its start and end as Harbor writes them, how many are kept, of how many agents, and how long and deep.
_CONFIG_START = b'\n    "config": {\n'
_CONFIG_END = b'\n    },\n    "agent_info": {\n'
_OBJECT_END = b"\n    }"
_MOST_SHAPES = 16
_MOST_AGENTS = 100
_AGENT_SIZE_LIMIT = 1 << 11
_CONFIG_SIZE_LIMIT = 1 << 14
_CONFIG_DEPTH_LIMIT = 100
_COUNT_TYPES = frozenset((int, type(None)))
_STR = frozenset((str,))
_TEXT_TYPES = frozenset((str, type(None)))

_match_uuid = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
# The name of a trial, as Harbor makes it of that of its task.
_search_names = re.compile(rb'\n    "trial_name": "(([-.\w]*)__\w+)",\n').search
# What no number and no word outside of a string has.
_search_letter = re.compile(rb"[^-+.0-9EINaefilnrstuy]").search
# Days that every month has: no need to ask a calendar.
_match_moment = re.compile(
    r"[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    r"(?:\.[0-9]{6})?Z?").fullmatch


# What is right in a trial for each field that is a text, an object or required, in the order of the model's fields;
# None where an object may be missing. And the texts inside of some.
_RIGHT_PARTS: Dict[str, Any] = {
    "task_name": "", "trial_name": "", "trial_uri": "", "task_id": {"path": ""}, "task_checksum": "", "config": {},
    "agent_info": {"name": "", "version": ""}, "agent_result": None, "verifier_result": None, "exception_info": None,
    **dict.fromkeys(_TRIAL_PHASES),
}
_RIGHT_INSIDE: Dict[str, Dict[str, Any]] = {
    "agent_info": _RIGHT_PARTS["agent_info"],
    "exception_info": {"exception_type": "", "exception_message": "", "exception_traceback": ""},
}
_MISSING = ("missing", "Field required")
_NO_TEXT = ("string_type", "Input should be a valid string")
_NO_OBJECT = ("model_type", "Input should be an object")


class TrialDigest(NamedTuple):
    """A trial as sums see it; ``contexts`` holds AgentContexts or dicts of the same keys, None for a missing one."""

    agent: str
    model: Optional[str]
    task: str
    dataset: Optional[str]
    has_failed: bool
    has_timed_out: bool
    rewards: Optional[Dict[str, float]]
    contexts: List[Any]


class _Unusual(Exception):
    """A document that only the model can judge."""


def digest_trial(trial: "TrialResult") -> TrialDigest:
    """Digest a trial."""
    model, verified = trial.agent_info.model_info, trial.verifier_result
    contexts: List[Optional[AgentContext]] = [trial.agent_result]
    if trial.agent_result is None and trial.step_results:
        contexts = [step.agent_result for step in trial.step_results]
    return TrialDigest(
        trial.agent_info.name, None if model is None else _join_model(model.name, model.provider), trial.task_name,
        trial.source, bool(trial.exceptions), trial.timed_out, None if verified is None else verified.rewards, contexts)


def digest_document(data: bytes) -> Optional[TrialDigest]:
    """Digest a JSON document that is a trial in every part; None where ``TrialResult`` must have a look."""
    # An escape may hide that a key stands twice; and rollouts, which make a file long, have a reader that is faster.
    if b"\\" in data and b"\\u" in data or len(data) > _SMALL and (
            len(data) > DIGEST_SIZE_LIMIT or b'"prompt_token_ids"' in data):
        return None
    try:
        rest = _skip_config(data)
        return _digest(parse_ordinary(rest), rest)
    except (_Unusual, AttributeError, KeyError, TypeError, ValueError):
        return None


def find_failure(name: str, data: bytes) -> Optional[TrialReadError]:
    """Say what keeps a whole file from being a trial, where no model is needed to see it."""
    try:
        document = parse(data)
    except JsonError as exc:
        return name_bad_text(name, data, "Invalid JSON: " + exc.message)
    if is_rollup(document):
        return name_rollup(name)
    if type(document) is not dict:
        return name_bad_shape(name, [_make_fault(_NO_OBJECT, ())])
    faults: List[Dict[str, Any]] = []
    try:
        if len(data) > _SMALL or b"\\u" in data:  # as for a digest
            return None
        # Where the rest of it is that of a trial, these faults are all.
        _digest(_mend(document, _RIGHT_PARTS, (), faults), data)
    except (_Unusual, AttributeError, KeyError, TypeError, ValueError):
        return None
    return name_bad_shape(name, faults) if faults else None


def _mend(
    owner: Dict[str, Any], right: Dict[str, Any], place: Tuple[str, ...], faults: List[Dict[str, Any]]
) -> Dict[str, Any]:
    """Copy an object with what is right in place of what it lacks or has wrong, and list that as the model does."""
    mended = dict(owner)
    for name, instead in right.items():
        value, fault = owner.get(name), None
        if name not in owner:
            fault = _MISSING if instead is not None else None
        elif type(instead) is str:
            fault = _NO_TEXT if type(value) is not str else None
        elif type(value) is dict:
            if name in _RIGHT_INSIDE:
                mended[name] = _mend(value, _RIGHT_INSIDE[name], (name,), faults)
        elif name not in ("task_id", "config") and not (value is None and instead is None):
            fault = _NO_OBJECT
        if fault is not None:
            faults.append(_make_fault(fault, (*place, name)))
            mended[name] = instead
    return mended


def _make_fault(fault: Tuple[str, str], place: Tuple[str, ...]) -> Dict[str, Any]:
    return {"type": fault[0], "loc": place, "msg": fault[1]}


# Configs that are JSON, with marks in place of the trial's and the task's name, by what stands after them: the agent,
# which says most of what differs.
_configs: Dict[bytes, List[bytes]] = {}


def _skip_config(data: bytes) -> bytes:
    """Put ``{}`` in place of a config that is JSON, which is half of most files and tells nothing to sums.

    The configs of a job differ in little but names, so most have been read before. What is left is JSON if, and only
    if, the whole is: the config that is cut out is an object by itself, and nothing but its own key is called so.
    """
    start = data.find(_CONFIG_START) + len(_CONFIG_START) - 2
    end = data.find(_CONFIG_END, start)
    names = _search_names(data, 0, start)
    if start < len(_CONFIG_START) or end < start or names is None or end - start > _CONFIG_SIZE_LIMIT:
        return data
    name, task = names.groups()
    if _search_letter(task) is None:
        return data
    end += len(_OBJECT_END)
    rest = b"{}".join((data[:start], data[end:]))
    if rest.count(b'"config"') != 1:
        return data
    agent_end = data.find(_OBJECT_END, end, end + _AGENT_SIZE_LIMIT)
    if agent_end < 0:
        return data
    agent = data[end:agent_end]
    shapes = _configs.get(agent, ())
    config = data[start:end]
    # A name is inside a string wherever it stands, so another one in its place makes no difference.
    if any(shape.replace(b"\0", name).replace(b"\1", task) == config for shape in shapes):
        return rest
    if b"\\" in config or b"\0" in config or b"\1" in config:
        return data
    if config.count(b"{") + config.count(b"[") > _CONFIG_DEPTH_LIMIT:
        return data
    parse_ordinary(config)
    if len(shapes) < _MOST_SHAPES and (shapes or len(_configs) < _MOST_AGENTS):
        _configs.setdefault(agent, []).append(config.replace(name, b"\0").replace(task, b"\1"))
    return rest


def _digest(trial: Dict[str, Any], data: bytes) -> TrialDigest:
    get = trial.get
    keys: List[str] = []
    agent = trial["agent_info"]
    model = agent.get("model_info")
    steps = get("step_results")
    moments = [get("started_at"), get("finished_at")]
    _gather_phases(trial, _TRIAL_PHASES, moments)
    exceptions = [_take_exception(trial, moments)]
    contexts = [_take_context(trial, keys)]
    rewards = _take_rewards(trial, keys)
    texts = [trial[name] for name in ("task_name", "trial_name", "trial_uri", "task_checksum")]
    texts += [agent["name"], agent["version"]]
    if model is not None:
        texts.append(model["name"])
    if steps is not None:
        _insist(type(steps) is list)
        for step in steps:
            texts.append(step["step_name"])
            _gather_phases(step, _STEP_PHASES, moments)
            exceptions.append(_take_exception(step, moments))
            contexts.append(_take_context(step, keys))
            _take_rewards(step, keys)
    provider = None if model is None else model.get("provider")
    version = get("schema_version", 1)
    _insist(set(map(type, texts)) == _STR and _TEXT_TYPES.issuperset((type(get("source")), type(provider))))
    _insist(type(trial["config"]) is dict and type(version) is int and version == 1)
    _insist(get("verifier_environment_mode") in (None, "shared", "separate"))
    _insist("id" not in trial or _match_uuid(trial["id"]) is not None)
    for moment in moments:
        if moment is not None and not _match_moment(moment):
            _insist_moment(moment)
    _insist_task_id(trial["task_id"])
    # A reader of JSON keeps the last of two values under one key, where a dict of one type must check both.
    _insist(len(keys) <= _MOST_KEYS)
    for key in set(keys):
        count, quoted = keys.count(key), b'"%s"' % key.encode("utf-8")
        if data.count(quoted) != count:
            # Some are values, maybe.
            _insist(len(re.findall(re.escape(quoted) + rb"[ \t\r\n]*:", data)) == count)
    found = [name for name in exceptions if name is not None]
    own = contexts[:1] if contexts[0] is not None or len(contexts) == 1 else contexts[1:]
    return TrialDigest(
        agent["name"], None if model is None else _join_model(model["name"], provider), trial["task_name"],
        get("source"), bool(found), any(map(is_timeout, found)), rewards, own)


def _insist(condition: bool) -> None:
    if not condition:
        raise _Unusual


def _insist_moment(moment: str) -> None:
    from .codec.moments import MomentError, read_datetime  # late

    try:
        read_datetime(moment)
    except MomentError:
        raise _Unusual from None


def _gather_phases(owner: Dict[str, Any], names: Any, moments: List[Any]) -> None:
    for name in names:
        timing = owner.get(name)
        if timing is not None:
            moments.append(timing.get("started_at"))
            moments.append(timing.get("finished_at"))


def _take_exception(owner: Dict[str, Any], moments: List[Any]) -> Optional[str]:
    """Check what stands under ``exception_info``, and give the type of the exception."""
    info = owner.get("exception_info")
    if info is None:
        return None
    moments.append(info["occurred_at"])
    name: str = info["exception_type"]
    texts = (name, info["exception_message"], info["exception_traceback"])
    _insist(set(map(type, texts)) == _STR and info.get("policy_override") is None)
    _insist(info["occurred_at"] is not None)
    return name


def _take_context(owner: Dict[str, Any], keys: List[str]) -> Optional[Dict[str, Any]]:
    """Check what stands under ``agent_result``, and give it."""
    context: Optional[Dict[str, Any]] = owner.get("agent_result")
    if context is None:
        return None
    get = context.get
    _insist_counts((get("n_input_tokens"), get("n_cache_tokens"), get("n_output_tokens")), _COUNT_TYPES)
    _insist_cost(get("cost_usd"))
    _insist(type(get("metadata", {})) is dict or get("metadata") is None)
    _insist(not get("rollout_details") and type(get("rollout_details", [])) in (list, type(None)))
    usages = get("model_usage")
    if usages is not None:
        keys.extend(usages)
        for usage in usages.values():
            # Missing counts are zero in the model.
            _insist_counts((usage["n_input_tokens"], usage["n_cache_tokens"], usage["n_output_tokens"]), (int,))
            _insist_cost(usage.get("cost_usd"))
    return context


def _take_rewards(owner: Dict[str, Any], keys: List[str]) -> Optional[Dict[str, float]]:
    """Check what stands under ``verifier_result``, and give the rewards."""
    verified = owner.get("verifier_result")
    rewards: Optional[Dict[str, float]] = None if verified is None else verified.get("rewards")
    if rewards is not None:
        keys.extend(rewards)
        for reward in rewards.values():
            _insist(type(reward) is float or type(reward) is int and -_EXACT_LIMIT < reward < _EXACT_LIMIT)
    return rewards


def _insist_counts(counts: Any, types: Any) -> None:
    for count in counts:
        if type(count) not in types:
            raise _Unusual


def _insist_cost(cost: Any) -> None:
    if cost is not None and type(cost) is not float:
        _insist(type(cost) is int and -_EXACT_LIMIT < cost < _EXACT_LIMIT)


# Ids of tasks that the model has taken: many trials share a task.
_task_ids: Dict[Any, bool] = {}


def _insist_task_id(task_id: Dict[str, Any]) -> None:
    if len(task_id) == 1 and type(task_id["path"]) is str:
        return
    key = tuple(task_id.items())
    if key not in _task_ids:
        from .codec import TypeAdapter, ValidationError  # late
        from .models.trial.result import TrialResult  # late

        import json

        adapter: Any = TypeAdapter(TrialResult.__annotations__["task_id"])
        try:
            adapter.validate_json(json.dumps(task_id))
        except ValidationError:
            raise _Unusual from None
        if len(_task_ids) < _MOST_TASK_IDS:
            _task_ids[key] = True


def _join_model(name: str, provider: Optional[str]) -> str:
    return name if provider is None else "%s/%s" % (provider, name)
