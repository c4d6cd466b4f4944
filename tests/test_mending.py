"""The tolerant reading: what it takes, what it reads in its place, and that it touches nothing else."""

import copy
import json
import math
import pathlib
from typing import Any, Callable, List, Tuple

import pytest

import golden
from harbor.mending import mend_trial
from harbor.models.trial.result import TrialResult
from harbor.trials import load_trial, read_trial, save

DATA = golden.FOLDER.parent / "trials"
FULL = json.loads((DATA / "0.26.0-full.json").read_bytes())
TIMEOUT = json.loads((DATA / "0.26.0-timeout.json").read_bytes())
STEPS = json.loads((DATA / "0.26.0-steps.json").read_bytes())
ABSENT = object()


def _change(document: Any, place: str, value: Any) -> Any:
    """Copy a document and set, or with ABSENT remove, what stands in a place."""
    document = copy.deepcopy(document)
    around = document
    *steps, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    for step in steps:
        around = around[step]
    if value is ABSENT:
        del around[last]
    else:
        around[last] = value
    return document


def _rollout(trial: TrialResult) -> Any:
    assert trial.agent_result is not None and trial.agent_result.rollout_details is not None
    return trial.agent_result.rollout_details[0]


def _logprobs(trial: TrialResult) -> Any:
    return _rollout(trial)["logprobs"]


# (document, place, what stands there, what to look at in the trial, what is there, the note without its place)
MENDED: List[Tuple[Any, str, Any, Callable[[TrialResult], Any], Any, str]] = [
    (FULL, "trial_uri", ABSENT, lambda t: (t.trial_uri, t.trial_dir), ("", None), 'missing, read as ""'),
    (FULL, "trial_uri", None, lambda t: t.trial_uri, "", 'null, read as ""'),
    (FULL, "task_checksum", ABSENT, lambda t: t.task_checksum, "", 'missing, read as ""'),
    (FULL, "task_checksum", 12, lambda t: t.task_checksum, "12", '12, read as "12"'),
    (FULL, "config", ABSENT, lambda t: t.config, {}, "missing, read as {}"),
    (FULL, "config", None, lambda t: t.config, {}, "null, read as {}"),
    (FULL, "schema_version", None, lambda t: t.schema_version, 1, "null, left out"),
    (FULL, "source", 2026, lambda t: t.source, "2026", '2026, read as "2026"'),
    (FULL, "task_name", 7, lambda t: t.task_name, "7", '7, read as "7"'),
    (FULL, "task_id", "tasks/hello", lambda t: t.task_id.label, "tasks/hello",
     '"tasks/hello", read as {"path":"tasks/hello"}'),
    (FULL, "task_id", ABSENT, lambda t: t.task_id.label, "example/hello", 'missing, read as {"path":"example/hello"}'),
    (FULL, "verifier_environment_mode", "remote", lambda t: t.verifier_environment_mode, None,
     '"remote", read as null'),
    (FULL, "agent_info", None, lambda t: (t.agent_info.name, t.agent_info.version), ("", ""),
     'null, read as {"name":"","version":""}'),
    (FULL, "agent_info.version", None, lambda t: t.agent_info.version, "", 'null, read as ""'),
    (FULL, "agent_info.version", 2.5, lambda t: t.agent_info.version, "2.5", '2.5, read as "2.5"'),
    (FULL, "agent_info.model_info", "gpt", lambda t: repr(t.agent_info.model_info),
     "ModelInfo(name='gpt', provider=None)", '"gpt", read as {"name":"gpt"}'),
    (FULL, "agent_info.model_info", "", lambda t: t.agent_info.model_info, None, '"", read as null'),
    (FULL, "started_at", "", lambda t: (t.started_at, t.duration), (None, None), '"", read as null'),
    (FULL, "finished_at", "yesterday", lambda t: t.finished_at, None, '"yesterday", read as null'),
    (FULL, "agent_setup.finished_at", "", lambda t: t.agent_setup is not None and t.agent_setup.finished_at, None,
     '"", read as null'),
    (FULL, "verifier", "", lambda t: t.verifier, None, '"", read as null'),
    (TIMEOUT, "exception_info.exception_traceback", None, lambda t: t.exceptions[0].exception_traceback, "",
     'null, read as ""'),
    (TIMEOUT, "exception_info.exception_traceback", ABSENT, lambda t: t.exceptions[0].exception_traceback, "",
     'missing, read as ""'),
    (TIMEOUT, "exception_info.exception_message", None, lambda t: t.exceptions[0].exception_message, "",
     'null, read as ""'),
    (TIMEOUT, "exception_info.exception_message", ["a", 1], lambda t: t.exceptions[0].exception_message, '["a",1]',
     '["a",1], read as "[\\"a\\",1]"'),
    (TIMEOUT, "exception_info.exception_type", None, lambda t: (t.exceptions[0].exception_type, t.timed_out),
     ("", False), 'null, read as ""'),
    (TIMEOUT, "exception_info.occurred_at", None, lambda t: t.exceptions[0].occurred_at.year, 1970,
     'null, read as "1970-01-01T00:00:00Z"'),
    (TIMEOUT, "exception_info.policy_override", {"x": 1}, lambda t: t.exceptions[0].policy_override, None,
     '{"x":1}, read as null'),
    (FULL, "verifier_result.rewards.style", None, lambda t: t.verifier_result and t.verifier_result.rewards,
     {"reward": 1}, "null, left out"),
    (FULL, "verifier_result.rewards", 0.5, lambda t: t.reward(), 0.5, '0.5, read as {"reward":0.5}'),
    (FULL, "agent_result.n_input_tokens", "12,345", lambda t: t.agent_result and t.agent_result.n_input_tokens, None,
     '"12,345", read as null'),
    (FULL, "agent_result.n_output_tokens", math.nan, lambda t: t.agent_result and t.agent_result.n_output_tokens, None,
     "NaN, read as null"),
    (FULL, "agent_result.cost_usd", "unknown", lambda t: t.agent_result and t.agent_result.cost_usd, None,
     '"unknown", read as null'),
    (FULL, "agent_result.metadata", ["a"], lambda t: t.agent_result and t.agent_result.metadata, {"metadata": ["a"]},
     '["a"], read as {"metadata":["a"]}'),
    (FULL, "agent_result.rollout_details.0.logprobs.0.1", None, lambda t: repr(_logprobs(t)),
     "[[-0.5, nan], [-2.25]]", "null, read as NaN"),
    (FULL, "agent_result.rollout_details.0.logprobs.1", None, lambda t: _logprobs(t),
     [[-0.5, -1.1920928955078125e-07], []], "null, read as []"),
    (FULL, "agent_result.rollout_details.0.logprobs", None, lambda t: "logprobs" in _rollout(t), False,
     "null, left out"),
    (FULL, "agent_result.rollout_details.0", None, lambda t: _rollout(t), {}, "null, read as {}"),
    (STEPS, "step_results.1.exception_info.exception_traceback", None,
     lambda t: t.exceptions[0].exception_traceback, "", 'null, read as ""'),
    (STEPS, "step_results.0.step_name", None, lambda t: t.step_results and t.step_results[0].step_name, "",
     'null, read as ""'),
    (STEPS, "step_results.0.verifier_result.rewards.reward", None,
     lambda t: t.step_results and t.step_results[0].verifier_result and t.step_results[0].verifier_result.rewards, {},
     "null, left out"),
]


@pytest.mark.parametrize(
    "document, place, value, look, expected, note", MENDED,
    ids=["%s=%s" % (row[1], "absent" if row[2] is ABSENT else row[2]) for row in MENDED])
def test_what_writers_in_the_wild_produce_is_mended_and_noted(
    document: Any, place: str, value: Any, look: Callable[[TrialResult], Any], expected: Any, note: str,
    tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(_change(document, place, value)), encoding="utf-8")
    with pytest.raises(ValueError):
        load_trial(path)
    reading = read_trial(path, tolerant=True)
    assert reading.mended == ["%s: %s" % (place, note)]
    assert look(reading.trial) == expected
    # Everything else is as the plain reading has it, and what was mended stays so when it is saved.
    before = TrialResult.model_validate_json(json.dumps(document)).model_dump()
    after = reading.trial.model_dump()
    top = place.split(".")[0]
    assert {name: part for name, part in after.items() if name not in (top, "reward_valid")} == {
        name: part for name, part in before.items() if name not in (top, "reward_valid")}
    save(reading.trial, path)
    assert repr(load_trial(path)) == repr(reading.trial)


def _mend(document: Any) -> Any:
    return mend_trial(json.dumps(document).encode("utf-8"))


def test_several_faults_are_noted_in_the_order_of_the_fields() -> None:
    document = _change(_change(_change(FULL, "trial_uri", ABSENT), "agent_info.version", None), "config", None)
    trial, notes = _mend(document)
    assert notes == [
        'trial_uri: missing, read as ""', "config: null, read as {}", 'agent_info.version: null, read as ""']
    assert trial.agent_info.name == "terminus-2"


def test_a_mend_may_bring_up_the_next() -> None:
    trial, notes = _mend(_change(TIMEOUT, "exception_info", "AgentTimeoutError: too slow"))
    assert notes == [
        'exception_info: "AgentTimeoutError: too slow", read as {"exception_message":"AgentTimeoutError: too slow"}',
        'exception_info.exception_type: missing, read as ""',
        'exception_info.exception_traceback: missing, read as ""',
        'exception_info.occurred_at: missing, read as "1970-01-01T00:00:00Z"',
    ]
    assert trial.exception_info.exception_message == "AgentTimeoutError: too slow"
    _, notes = _mend(_change(FULL, "agent_info", "codex"))
    assert notes == ['agent_info: "codex", read as {"name":"codex"}', 'agent_info.version: missing, read as ""']


def test_an_id_that_is_none_gives_way_to_a_new_one() -> None:
    trial, notes = _mend(_change(FULL, "id", "run-7"))
    assert notes == ['id: "run-7", left out']
    assert trial.id.version == 4


def test_a_model_without_a_name_is_none() -> None:
    trial, notes = _mend(_change(FULL, "agent_info.model_info.name", None))
    assert notes == ['agent_info.model_info: {"name":null,"provider":"some-provider"}, read as null']
    assert trial.agent_info.model_info is None


def test_usage_of_a_model_with_an_unknown_count_is_left_out_and_not_zero() -> None:
    usage = {"good": {"n_input_tokens": 1}, "bad": {"n_input_tokens": None, "n_output_tokens": 5}}
    trial, notes = _mend(_change(FULL, "agent_result.model_usage", usage))
    assert notes == ['agent_result.model_usage.bad: {"n_input_tokens":null,"n_output_tokens":5}, left out']
    assert list(trial.agent_result.model_usage) == ["good"]


def test_names_with_dots_and_digits_find_their_place() -> None:
    trial, notes = _mend(_change(FULL, "verifier_result.rewards", {"a.b": None, "0": None, "reward": 1}))
    assert notes == ["verifier_result.rewards.a.b: null, left out", "verifier_result.rewards.0: null, left out"]
    assert trial.verifier_result.rewards == {"reward": 1}


def test_a_long_value_is_cut_in_its_note() -> None:
    _, notes = _mend(_change(FULL, "finished_at", "x" * 100))
    assert notes == ['finished_at: "%s...%s", read as null' % ("x" * 39, "x" * 16)]


def test_a_byte_order_mark_is_skipped() -> None:
    trial, notes = mend_trial(b"\xef\xbb\xbf" + json.dumps(FULL).encode("utf-8")) or (None, [])
    assert notes == ["the file: a byte order mark, skipped"]
    assert trial == TrialResult.model_validate_json(json.dumps(FULL))


def test_lone_surrogates_that_json_escapes_hide_become_visible() -> None:
    document = _change(FULL, "agent_result.metadata", {"cut": "caf\ud83d", "list": [{"k\ud83d": "ok"}], "n": [1, 2.5]})
    trial, notes = _mend(document)
    assert notes == ["agent_result.metadata.cut: lone surrogates, read as their escapes"]
    assert trial.agent_result.metadata == {"cut": "caf\\ud83d", "list": [{"k\\ud83d": "ok"}], "n": [1, 2.5]}


UNMENDABLE: List[Tuple[str, Any]] = [
    ("task_name", ABSENT), ("task_name", None), ("trial_name", None), ("task_id", {"path": None}), ("task_id", 5),
    ("schema_version", 2), ("agent_result", []), ("agent_result.rollout_details", {}), ("verifier_result", "x"),
    ("verifier_result.rewards.style", "good"), ("agent_result.rollout_details.0.prompt_token_ids.0.0", None),
    ("config", []),
]


@pytest.mark.parametrize("place, value", UNMENDABLE, ids=[row[0] for row in UNMENDABLE])
def test_what_nobody_can_tell_is_not_mended(place: str, value: Any) -> None:
    assert _mend(_change(FULL, place, value)) is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"1", b"{}", b"null", b"[" * 100000])
def test_what_is_no_trial_is_not_mended(data: bytes) -> None:
    assert mend_trial(data) is None


def test_a_good_file_is_read_plainly() -> None:
    trial, notes = _mend(FULL)
    assert notes == []
    assert trial == TrialResult.model_validate_json(json.dumps(FULL))


def test_unknown_keys_are_kept_on_request() -> None:
    document = dict(_change(FULL, "config", None), mine=1)
    trial, _ = mend_trial(json.dumps(document).encode("utf-8"), "allow") or (None, [])
    assert trial is not None
    assert trial.model_extra is not None
    assert trial.model_extra["mine"] == 1
