"""harbor.digests: what it takes `TrialResult` takes as well, and to the same digest."""

import copy
import json
import pathlib
import random
from typing import Any, Dict, List, Tuple

import pytest

from harbor import digests
from harbor.codec.text.reading import parse_ordinary
from harbor.digests import TrialDigest, digest_document, digest_trial, find_failure
from harbor.models.trial.result import TrialResult
from harbor.trials import try_trial
from harbor.usage import UsageTally, UsageTotals
from make_trials import make_trials

RECORDED = sorted((pathlib.Path(__file__).resolve().parent / "data" / "trials").glob("*.json"))
EXAMPLE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "examples" / "result.json"


def _summarise(digest: TrialDigest) -> Tuple[str, UsageTotals]:
    tally = UsageTally()
    for context in digest.contexts:
        tally.add_context(context)
    return repr(digest._replace(contexts=[])), tally.totals()


def _assert_same(data: bytes) -> bool:
    """Tell whether a document is digested, and make sure that it is no other digest than that of its model."""
    digest = digest_document(data)
    if digest is None:
        return False
    assert _summarise(digest) == _summarise(digest_trial(TrialResult.model_validate_json(data)))
    return True


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> List[bytes]:
    folder = tmp_path_factory.mktemp("jobs")
    make_trials(folder, 60, seed=5, corrupt=0.0)
    return [path.read_bytes() for path in sorted(folder.rglob("*/*/result.json"))]


def _make(**changes: Any) -> Dict[str, Any]:
    trial: Dict[str, Any] = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    trial["agent_result"]["rollout_details"] = []
    trial["agent_result"]["model_usage"] = {
        "m": {"n_input_tokens": 1, "n_cache_tokens": 0, "n_output_tokens": 2, "cost_usd": 0.5}}
    trial["verifier_result"] = {"rewards": {"reward": 1, "style": 0.5}}
    trial.update(changes)
    return trial


def _dump(trial: Any) -> bytes:
    return json.dumps(trial, ensure_ascii=False).encode("utf-8")


def test_usual_trials_are_digested(documents: List[bytes]) -> None:
    digested = [_assert_same(data) for data in documents]
    assert all(digested)
    assert _assert_same(_dump(_make()))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_files_of_every_version(path: pathlib.Path) -> None:
    data = path.read_bytes()
    assert _assert_same(data) == (b"prompt_token_ids" not in data)


def test_there_are_files_of_every_version() -> None:
    assert len(RECORDED) >= 50


@pytest.mark.parametrize("task_id", [
    {"path": "a/b"},
    {"git_url": "https://example.org/x", "git_commit_id": None, "path": "a"},
    {"org": "o", "name": "n", "ref": "sha256:0"},
    {"git_url": "u", "path": "../a"},
], ids=["local", "git", "package", "git_outside_of_it"])
def test_ids_of_tasks(task_id: Any) -> None:
    assert _assert_same(_dump(_make(task_id=task_id)))
    assert _assert_same(_dump(_make(task_id=task_id)))


MISTAKE = {
    "exception_type": "AgentTimeoutError", "exception_message": "", "exception_traceback": "",
    "occurred_at": "2026-01-31T00:00:00Z",
}

USUAL: List[Tuple[str, Dict[str, Any]]] = [
    ("timeout", {"exception_info": MISTAKE}),
    ("no_context", {"agent_result": None}),
    ("no_context_in_a_step", {"agent_result": None, "step_results": [{"step_name": "a"}]}),
    ("steps_beside_a_context", {"step_results": [{"step_name": "a", "agent_result": {"n_input_tokens": 5}}]}),
    ("numbers_that_are_not_summed", {"agent_result": {"n_input_tokens": -5, "cost_usd": float("nan")}}),
    ("no_provider", {"agent_info": {"name": "a", "version": "", "model_info": {"name": "m"}}}),
    ("unknown_keys", {"new_in_0_99": {"a": [1]}}),
    ("odd_moments", {"started_at": "2026-02-28T23:59:59.000001Z", "finished_at": "2026-01-31 00:00+05:30"}),
]


@pytest.mark.parametrize("changes", [row[1] for row in USUAL], ids=[row[0] for row in USUAL])
def test_what_is_digested(changes: Dict[str, Any]) -> None:
    assert _assert_same(_dump(_make(**changes)))


UNUSUAL: List[Tuple[str, Dict[str, Any]]] = [
    ("no_checksum", {"task_checksum": None}),
    ("bool_count", {"agent_result": {"n_input_tokens": True}}),
    ("text_count", {"agent_result": {"n_input_tokens": "5"}}),
    ("float_count", {"agent_result": {"n_input_tokens": 5.0}}),
    ("large_cost", {"agent_result": {"cost_usd": 10 ** 17 + 1}}),
    ("no_counts_of_a_model", {"agent_result": {"model_usage": {"m": {}}}}),
    ("text_reward", {"verifier_result": {"rewards": {"reward": "1"}}}),
    ("no_day", {"started_at": "2026-02-30T00:00:00"}),
    ("unix_moment", {"started_at": 5}),
    ("no_moment_of_an_exception", {"exception_info": dict(MISTAKE, occurred_at=None)}),
    ("policy", {"exception_info": dict(MISTAKE, policy_override={})}),
    ("null_id", {"id": None}),
    ("version", {"schema_version": True}),
    ("mode", {"verifier_environment_mode": "none"}),
    ("task_of_nothing", {"task_id": {}}),
    ("escape", {"source": "\x01"}),
]


@pytest.mark.parametrize("changes", [row[1] for row in UNUSUAL], ids=[row[0] for row in UNUSUAL])
def test_what_is_left_to_the_model(changes: Dict[str, Any]) -> None:
    assert digest_document(_dump(_make(**changes))) is None


@pytest.mark.parametrize("data", [
    b"", b"[]", b"null", b"{", b"\xff", b"{}", b'{"agent_info": 5}', b"[" * 1000,
    _dump(_make()).replace(b'{"reward": 1,', b'{"reward": "x", "reward": 1,'),
    EXAMPLE.read_bytes(),
], ids=["empty", "list", "null", "cut_off", "no_text", "no_keys", "number", "deep", "repeated_key", "rollouts"])
def test_documents_that_are_left_to_the_model(data: bytes) -> None:
    assert digest_document(data) is None


JUNK: List[Any] = [
    None, True, 0, 1, -1, 1.0, 0.5, float("nan"), 10 ** 30, "", "x", "1", "2026-01-01T00:00:00", [], {}, [None], [{}],
    {"a": 1}, {"path": "x"}, {"rewards": {"a": True}}, {"rewards": None}, {"started_at": "x"}, "\U0001f600",
]


def _list_places(value: Any) -> List[Tuple[Any, Any]]:
    """List every container and key in a tree."""
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    places = []
    for key, part in items:
        places += [(value, key), *_list_places(part)]
    return places


@pytest.mark.parametrize("seed", range(8))
def test_changed_documents_are_never_judged_otherwise_than_by_the_model(seed: int, documents: List[bytes]) -> None:
    random_ = random.Random(seed)
    trees = [json.loads(data) for data in documents] + [_make(exception_info=MISTAKE)]
    n_digested = 0
    for _ in range(400):
        tree = copy.deepcopy(random_.choice(trees))
        for _ in range(random_.randrange(1, 3)):
            holder, key = random_.choice([place for place in _list_places(tree) if place[1] != "kwargs"])
            if random_.random() < 0.25:
                del holder[key]
            else:
                holder[key] = random_.choice(JUNK)
        n_digested += _assert_same(_dump(tree)) + _assert_same(json.dumps(tree, indent=4, ensure_ascii=False).encode())
    assert n_digested > 80


@pytest.mark.parametrize("seed", range(4))
def test_what_a_trial_lacks_or_has_wrong_is_named_as_by_the_model(
    seed: int, documents: List[bytes], tmp_path: pathlib.Path
) -> None:
    random_ = random.Random(seed)
    trees = [json.loads(data) for data in documents] + [_make(exception_info=MISTAKE)] * 20
    path = tmp_path / "result.json"
    n_named = 0
    for _ in range(150):
        tree = copy.deepcopy(random_.choice(trees))
        for _ in range(random_.randrange(1, 4)):
            inner = [part for part in (tree.get("agent_info"), tree.get("exception_info")) if isinstance(part, dict)]
            holder = random_.choice([tree, tree, *inner])
            if not holder:
                continue
            key = random_.choice(list(holder))
            if random_.random() < 0.4:
                del holder[key]
            elif random_.random() < 0.6:
                holder[key] = random_.choice(JUNK)
        data = _dump(tree)
        found = find_failure(str(path), data)
        if found is not None:
            n_named += 1
            path.write_bytes(data)
            error = try_trial(path).error
            assert error is not None
            assert (type(found), found.reason, found.faults) == (type(error), error.reason, error.faults)
    assert n_named > 60


def test_what_is_no_trial_in_another_way_is_left_to_the_model() -> None:
    changed: List[Dict[str, Any]] = [{"task_name": None, "id": "x"}, {"task_id": 5}, {"config": []}]
    for changes in changed:
        assert find_failure("result.json", _dump(_make(**changes))) is None
    escaped = _make(task_name=None, source="\u00e9")
    assert find_failure("result.json", _dump(escaped)) is not None
    assert find_failure("result.json", json.dumps(escaped).encode()) is None


# Configs -------------------------------------------------------------------------------------------------------------


def _indent(**changes: Any) -> bytes:
    return json.dumps(_make(trial_name="some-task__0000001", **changes), indent=4, ensure_ascii=False).encode()


CONFIG = {"trial_name": "some-task__0000001", "task": {"path": "tasks/some-task"}, "names": ["a", 1.5, None, True]}


def test_a_config_that_differs_in_names_alone_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: List[bytes] = []

    def parse_and_note(data: bytes) -> Any:
        read.append(data)
        return parse_ordinary(data)

    monkeypatch.setattr(digests, "_configs", {})
    monkeypatch.setattr(digests, "parse_ordinary", parse_and_note)
    text = _indent(config=CONFIG)
    others = [text.replace(b"0000001", b"000000%d" % number) for number in range(2, 5)]
    others += [text.replace(b"some-task", b"another")]
    for data in (text, *others):
        assert _assert_same(data)
    configs = [data for data in read if b'"config"' not in data]
    assert len(configs) == 1 and len(read) == 6
    assert all(b'"config": {}' in data for data in read if data not in configs)


@pytest.mark.parametrize("old, new", [
    (b'"some-task__0000001",\n        "task"', b'some-task__0000001,\n        "task"'),
    (b'"a",', b'"a\0",'),
    (b"1.5", b"\0"),
    (b"1.5", b"some-task__0000001"),
    (b"1.5", b"some-task"),
    (b'"a"', b'"\\some-task__0000001"'),
    (b"null", b"nul"),
    (b'"a",', b'"a"'),
    (b"        ],\n", b"        ]\n    },\n"),
], ids=["no_quotes", "zero", "a_bare_zero", "a_bare_name", "a_bare_task", "escape", "word", "comma", "cut_off"])
def test_a_config_that_is_no_json_is_not_passed_over(old: bytes, new: bytes) -> None:
    text = _indent(config=CONFIG)
    assert _assert_same(text)
    changed = text.replace(old, new, 1)
    if changed == text:
        changed = text[:text.index(b'"config"')] + text[text.index(b'"config"'):].replace(old, new, 1)
    assert changed != text
    assert digest_document(changed) is None


def test_shapes_of_configs_are_kept_by_what_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "_configs", {})
    text = _indent(config=CONFIG, agent_info={"name": "a" * 5000, "version": "1", "model_info": None})
    assert _assert_same(text)
    assert _assert_same(text.replace(b"\n    },\n    \"agent_result", b"},\n    \"agent_result"))
    assert digests._configs == {}
    monkeypatch.setattr(digests, "_MOST_AGENTS", 2)
    for agent in "abc":
        for ref in "xyz":
            assert _assert_same(_indent(config=dict(CONFIG, ref=ref), agent_info={
                "name": agent, "version": "1", "model_info": None}))
    assert [len(shapes) for shapes in digests._configs.values()] == [3, 3]


def test_what_else_is_called_config_is_looked_at() -> None:
    usage = {"n_input_tokens": 1, "n_cache_tokens": 0, "n_output_tokens": 2}
    assert _assert_same(_indent(config=CONFIG, agent_result={"metadata": {"config": CONFIG}}))
    assert _assert_same(_indent(config=CONFIG, source="config"))
    # Two keys of the same name, as far as counting them tells.
    assert digest_document(_indent(config=CONFIG, agent_result={"model_usage": {"config": usage}})) is None
    assert digest_document(_indent(config=CONFIG, verifier_result={"rewards": {"config": 1}})) is None
    twice = _indent(config=CONFIG).replace(b'    "config": {', b'    "config": 5,\n    "config": {')
    assert _assert_same(twice)
    assert digest_document(_indent(config=5)) is None
    assert _assert_same(_indent(config={}))


@pytest.mark.parametrize("name", [
    "1__2", "true__1", "e__5", "null", "__1", "-__0", "a", "", "NaN__1", "N__1", "I__1", "Infinity__1", "-__1"])
def test_names_that_look_like_json(name: str) -> None:
    for config in ({"a": [1, True, None, 1e5, name]}, {name: name}, {"a": "x" + name + "y"}):
        text = json.dumps(_make(trial_name=name, config=config), indent=4, ensure_ascii=False).encode()
        assert _assert_same(text)
        task = name.rpartition("__")[0] or name
        for bare in (name, task):
            changed = text.replace(b"true", b"true" + bare.encode()).replace(b"1,", b"1" + bare.encode() + b",")
            _assert_same(changed)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "true", "null", "1e5", "N", "I", "y"])
def test_a_word_that_one_task_is_called_by_is_no_word_for_another(word: str) -> None:
    def make(name: str, value: str) -> bytes:
        text = json.dumps(_make(trial_name=name, config={"x": "VALUE"}), indent=4, ensure_ascii=False)
        return text.replace('"VALUE"', value).encode()

    values = ("NaN", "-Infinity", "Infinity", "true", "null", "1e5")
    for value in values:
        _assert_same(make(word + "__1", value))
    for value in values:
        _assert_same(make("hello__1", value.replace(word, "hello")))


@pytest.mark.parametrize("seed", range(4))
def test_bytes_that_change_are_never_passed_over(seed: int, documents: List[bytes]) -> None:
    random_ = random.Random(seed)
    n_digested = 0
    for _ in range(1500):
        data = bytearray(random_.choice(documents))
        start, end = data.index(b'"trial_name"'), data.index(b'"agent_info"')
        for _ in range(random_.randrange(1, 3)):
            place = random_.randrange(start, end)
            if random_.random() < 0.4:
                del data[place:place + random_.randrange(1, 4)]
            else:
                data[place:place] = random_.choice(
                    (b'"', b"{", b"}", b"[", b"]", b",", b"\\", b"\0", b"1", b" ", b"_", b"\n"))
        n_digested += _assert_same(bytes(data))
    assert n_digested > 100
