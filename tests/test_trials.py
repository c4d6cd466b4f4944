"""Trials on disk: reading a file, walking a directory, saving a record."""

import copy
import errno
import json
import os
import pathlib
import pickle
import random
import signal
import socket
import subprocess
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

import pytest

import golden
import implementation
from harbor import trials
from harbor.digests import find_failure
from harbor.models.agent.context import AgentContext
from harbor.models.trial.result import TrialResult
from harbor.trials import (
    TrialEncodingError, TrialMissingError, TrialReadError, TrialRollupError, TrialShapeError, TrialSyntaxError,
    TrialTruncatedError, TrialUnreadableError, find_trials, iter_trials, load_trial, read_trial, save, try_trial)

DATA = golden.FOLDER.parent / "trials"
EXPECTED = [case for _, case in golden.read_cases(DATA / "expected.jsonl.gz")]
FULL = (DATA / "0.26.0-full.json").read_bytes()
ROLLUP = json.dumps({
    "id": "11111111-2222-4333-8444-555555555555", "started_at": "2026-01-01T00:00:00", "finished_at": None,
    "n_total_trials": 2, "stats": {"n_trials": 2, "n_errors": 0, "evals": {}}}).encode()

ON_POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")


def _put(path: pathlib.Path, data: bytes = FULL) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# Reading -------------------------------------------------------------------------------------------------------------


def test_files_of_ten_versions_are_here() -> None:
    names = [case["file"] for case in EXPECTED]
    assert names == sorted(path.name for path in DATA.glob("*.json"))
    assert len(names) == 50
    assert len({name.split("-")[0] for name in names}) == 10


@pytest.mark.parametrize("case", EXPECTED, ids=[case["file"] for case in EXPECTED])
def test_a_file_of_any_version_reads_as_in_harbor(case: Dict[str, Any]) -> None:
    path = DATA / case["file"]
    assert load_trial(path).model_dump_json() == case["ignore"]
    assert load_trial(path, extra="allow").model_dump_json() == case["allow"]
    assert read_trial(path, tolerant=True) == (load_trial(path), [])


@pytest.mark.parametrize("case", EXPECTED, ids=[case["file"] for case in EXPECTED])
def test_a_saved_trial_is_what_harbor_would_write_of_it(case: Dict[str, Any], tmp_path: pathlib.Path) -> None:
    trial = load_trial(DATA / case["file"])
    save(trial, tmp_path / "result.json")
    assert load_trial(tmp_path / "result.json") == trial
    assert json.loads((tmp_path / "result.json").read_bytes()) == json.loads(case["ignore"])
    save(load_trial(DATA / case["file"], extra="allow"), tmp_path / "result.json")
    assert (tmp_path / "result.json").read_bytes() == load_trial(DATA / case["file"]).model_dump_json(indent=4).encode()


def test_a_file_of_the_newest_version_is_saved_byte_for_byte(tmp_path: pathlib.Path) -> None:
    save(load_trial(DATA / "0.26.0-usage.json"), tmp_path / "result.json")
    assert (tmp_path / "result.json").read_bytes() == (DATA / "0.26.0-usage.json").read_bytes()


def test_unknown_keys_are_kept_on_request(tmp_path: pathlib.Path) -> None:
    document = dict(json.loads(FULL), my_label="x")
    document["agent_info"]["my_digest"] = [1]
    path = _put(tmp_path / "result.json", json.dumps(document).encode())
    trial = load_trial(path, extra="allow")
    save(trial, path)
    saved = json.loads(path.read_bytes())
    assert (saved["my_label"], saved["agent_info"]["my_digest"]) == ("x", [1])
    assert "my_label" not in load_trial(path).model_dump()


@pytest.mark.parametrize("given", [str, os.fsencode, pathlib.Path], ids=["str", "bytes", "path"])
def test_a_path_may_be_text_bytes_or_a_path_of_the_file_or_its_folder(given: Any, tmp_path: pathlib.Path) -> None:
    path = _put(tmp_path / "result.json")
    assert load_trial(given(str(path))) == load_trial(given(str(tmp_path)))


UNREADABLE: List[Tuple[str, Optional[bytes], Type[TrialReadError], str, str]] = [
    ("missing", None, TrialMissingError, "missing", "No such file or directory"),
    ("empty", b"", TrialTruncatedError, "truncated", "The file is empty"),
    ("blank", b" \n", TrialTruncatedError, "truncated", "The file is empty"),
    ("zeros", b"\0\0\0", TrialTruncatedError, "truncated", "Holds nothing but zeros"),
    ("cut", b'{"id": "1', TrialTruncatedError, "truncated",
     "Ends too early: EOF while parsing a string at line 1 column 9"),
    ("cut_inside_a_character", b'{"id": "caf\xc3', TrialTruncatedError, "truncated", "Ends inside a character"),
    ("latin_1", b'{"id": "caf\xe9"}', TrialEncodingError, "not UTF-8", "Not UTF-8: byte 0xe9 at offset 11"),
    ("utf_16", '{"id": 1}'.encode("utf-16"), TrialEncodingError, "not UTF-8", "Not UTF-8: byte 0xff at offset 0"),
    ("no_json", b"Traceback", TrialSyntaxError, "not JSON", "Invalid JSON: expected value at line 1 column 1"),
    ("two_documents", b"{}{}", TrialSyntaxError, "not JSON",
     "Invalid JSON: trailing characters at line 1 column 3"),
    ("byte_order_mark", b"\xef\xbb\xbf{}", TrialSyntaxError, "not JSON",
     "Invalid JSON: expected value at line 1 column 1"),
    ("a_list", b"[]", TrialShapeError, "wrong shape", "Input should be an object"),
    ("an_empty_object", b"{}", TrialShapeError, "wrong shape", "task_name: Field required (and 6 more)"),
    ("one_fault", FULL.replace(b'"2.0.0"', b"2"), TrialShapeError, "wrong shape",
     "agent_info.version: Input should be a valid string"),
    ("a_later_format", FULL.replace(b'"schema_version": 1', b'"schema_version": 2', 1), TrialShapeError,
     "wrong shape", "schema_version: Input should be 1"),
    ("roll_up", ROLLUP, TrialRollupError, "job roll-up", "A job's roll-up and not a trial"),
]


@pytest.mark.parametrize("data, cls, kind, reason", [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_a_file_without_a_trial_has_a_typed_error(
    data: Optional[bytes], cls: Type[TrialReadError], kind: str, reason: str, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "result.json"
    if data is not None:
        _put(path, data)
    with pytest.raises(TrialReadError) as caught:
        load_trial(path)
    error = caught.value
    assert (type(error), error.kind, error.reason, error.path) == (cls, kind, reason, str(path))
    assert str(error) == "%s: %s" % (path, reason)
    assert isinstance(error, ValueError)
    assert error.__context__ is None or error.__suppress_context__
    for copied in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert (type(copied), str(copied), copied.faults) == (type(error), str(error), error.faults)
    outcome = try_trial(path)
    assert (outcome.path, outcome.trial, outcome.mended) == (path, None, [])
    assert (type(outcome.error), str(outcome.error)) == (cls, str(error))
    assert outcome.error is not None and outcome.error.__traceback__ is None
    assert pickle.loads(pickle.dumps(outcome)).path == path


@pytest.mark.parametrize("data, kind", [(row[1], row[3]) for row in UNREADABLE if row[1] is not None])
def test_what_needs_no_model_to_be_seen_is_named_as_with_one(data: bytes, kind: str, tmp_path: pathlib.Path) -> None:
    path = _put(tmp_path / "result.json", data)
    found, error = find_failure(str(path), data), try_trial(path).error
    assert error is not None and (found is not None or kind == "wrong shape")
    if found is not None:
        assert (type(found), str(found), found.faults) == (type(error), str(error), error.faults)


def test_a_tolerant_reading_refuses_all_of_these_but_the_byte_order_mark(tmp_path: pathlib.Path) -> None:
    for name, data, cls, _, reason in UNREADABLE:
        if data is not None and name not in ("byte_order_mark", "one_fault"):
            outcome = try_trial(_put(tmp_path / "result.json", data), tolerant=True)
            assert (name, type(outcome.error), getattr(outcome.error, "reason", "")) == (name, cls, reason)


def test_a_missing_trial_is_an_os_error_too(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        load_trial(tmp_path / "result.json")
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(tmp_path / "result.json"))


def test_the_faults_of_a_wrong_shape_are_listed_without_the_document(tmp_path: pathlib.Path) -> None:
    path = _put(tmp_path / "result.json", FULL.replace(b'"2.0.0"', b"null"))
    outcome = try_trial(path)
    assert outcome.error is not None
    assert outcome.error.faults == [
        {"type": "string_type", "loc": ("agent_info", "version"), "msg": "Input should be a valid string"}]
    many = json.dumps(dict(json.loads(FULL), agent_result={"rollout_details": [{"logprobs": [["x"] * 1000]}]}))
    error = try_trial(_put(path, many.encode())).error
    assert error is not None
    assert len(error.faults) == 20
    assert error.reason.endswith("(and 999 more)")


def test_an_error_is_one_line_whatever_the_path(tmp_path: pathlib.Path) -> None:
    name = str(tmp_path / "a\nb\udcff")
    error = try_trial(name).error
    assert str(error) == "%s: No such file or directory" % ascii(name)


def test_a_name_that_no_file_can_have_is_unreadable() -> None:
    error = try_trial("a\0b").error
    assert isinstance(error, TrialUnreadableError)
    assert "mbedded null" in error.reason


@ON_POSIX
def test_pipes_sockets_and_devices_are_refused_without_waiting(tmp_path: pathlib.Path) -> None:
    os.mkfifo(str(tmp_path / "fifo"))
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(str(tmp_path))  # the path of a socket must be short
        listener.bind("socket")
    for path in (tmp_path / "fifo", tmp_path / "socket", pathlib.Path("/dev/zero")):
        error = try_trial(path).error
        assert isinstance(error, TrialUnreadableError)
        assert (error.reason, error.errno) == ("Not a regular file", errno.EINVAL)


def test_a_file_too_large_to_be_a_trial_is_refused_unread(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _put(tmp_path / "result.json")
    monkeypatch.setattr(trials, "_SIZE_LIMIT", len(FULL))
    assert try_trial(path).error is None
    monkeypatch.setattr(trials, "_SIZE_LIMIT", len(FULL) - 1)
    error = try_trial(path).error
    assert isinstance(error, TrialUnreadableError)
    assert (error.reason, error.errno) == ("Larger than %d bytes" % (len(FULL) - 1), errno.EFBIG)


# Walking -------------------------------------------------------------------------------------------------------------


def _walk(directory: pathlib.Path, **options: Any) -> List[Tuple[str, str]]:
    """Walk a directory: each outcome's path below it, and "trial" or the kind of the failure."""
    found = []
    for outcome in iter_trials(directory, **options):
        assert (outcome.trial is None) != (outcome.error is None)
        where = os.path.relpath(str(outcome.path), str(directory)).replace(os.sep, "/")
        found.append((where, "trial" if outcome.error is None else outcome.error.kind))
    return found


def _make_job(folder: pathlib.Path, *names: str) -> None:
    _put(folder / "result.json", ROLLUP)
    for name in names:
        _put(folder / name / "result.json")


def test_a_jobs_directory_gives_its_trials_in_order_and_passes_roll_ups_over(tmp_path: pathlib.Path) -> None:
    _make_job(tmp_path / "job-2", "b", "a")
    _make_job(tmp_path / "job-1", "c")
    expected = [("job-1/c/result.json", "trial"), ("job-2/a/result.json", "trial"), ("job-2/b/result.json", "trial")]
    assert _walk(tmp_path) == expected
    assert _walk(tmp_path / "job-2") == [("a/result.json", "trial"), ("b/result.json", "trial")]
    assert _walk(tmp_path / "job-2" / "a") == [("result.json", "trial")]
    assert _walk(tmp_path / "job-2" / "a" / "result.json") == [(".", "trial")]
    assert [str(path.relative_to(tmp_path)) for path, error in find_trials(tmp_path)] == [
        os.path.join(*name.split("/")) for name, _ in expected]


def test_a_roll_up_that_holds_trials_is_one_all_the_same(tmp_path: pathlib.Path) -> None:
    _make_job(tmp_path / "job", "a")
    _put(tmp_path / "job" / "result.json", ROLLUP[:-1] + b', "trial_results": [' + FULL + b"]}")
    assert _walk(tmp_path) == [("job/a/result.json", "trial")]


def test_what_harbor_writes_around_a_trial_is_not_looked_at(tmp_path: pathlib.Path) -> None:
    job = tmp_path / "job"
    _make_job(job, "a")
    for name in ("config.json", "lock.json", "job.log"):
        _put(job / name, b"{}")
    for name in ("config.json", "lock.json", "trial.log", "agent/result.json", "agent/config.json",
                 "verifier/reward.txt", "artifacts/deep/result.json", "steps/one/agent/result.json"):
        _put(job / "a" / name, b"{}")
    assert _walk(tmp_path) == [("job/a/result.json", "trial")]


def test_each_kind_of_failure_is_met_at_its_place(tmp_path: pathlib.Path) -> None:
    job = tmp_path / "job"
    _make_job(job, "ok-1", "ok-2")
    for name, data, _, _, _ in UNREADABLE:
        if data is None:
            (job / name).mkdir()
        else:
            _put(job / name / "result.json", data)
        (job / name / "agent").mkdir()
    kinds = [("job/%s/result.json" % row[0], row[3]) for row in UNREADABLE]
    good = [("job/ok-1/result.json", "trial"), ("job/ok-2/result.json", "trial")]
    assert _walk(tmp_path) == sorted(kinds + good)


def test_a_trial_without_a_result_is_missing_where_a_job_says_so(tmp_path: pathlib.Path) -> None:
    (tmp_path / "loose" / "empty").mkdir(parents=True)
    assert _walk(tmp_path) == []
    _put(tmp_path / "running" / "config.json", b"{}")
    _put(tmp_path / "running" / "agent" / "log.txt", b"")
    (tmp_path / "job" / "killed").mkdir(parents=True)
    _put(tmp_path / "job" / "job.log", b"")
    (tmp_path / "loose" / "finished").mkdir()
    _put(tmp_path / "loose" / "finished" / "result.json")
    assert _walk(tmp_path) == [
        ("job/killed/result.json", "missing"), ("loose/empty/result.json", "missing"),
        ("loose/finished/result.json", "trial"), ("running/result.json", "missing")]


def test_a_folder_of_something_else_does_not_hide_the_trials_below(tmp_path: pathlib.Path) -> None:
    _put(tmp_path / "config.json", b"{}")
    _put(tmp_path / "result.json", b'{"accuracy": 1}')
    _make_job(tmp_path / "runs" / "jobs" / "job", "a")
    assert _walk(tmp_path) == [("result.json", "wrong shape"), ("runs/jobs/job/a/result.json", "trial")]


def test_a_broken_roll_up_does_not_hide_its_trials(tmp_path: pathlib.Path) -> None:
    _make_job(tmp_path / "job", "a")
    for data in (b"", ROLLUP[:-20], b"\xff"):
        _put(tmp_path / "job" / "result.json", data)
        assert _walk(tmp_path) == [("job/a/result.json", "trial")]


def test_a_job_without_trials_gives_nothing(tmp_path: pathlib.Path) -> None:
    _put(tmp_path / "job" / "job.log", b"")
    _put(tmp_path / "job" / "result.json", ROLLUP)
    assert _walk(tmp_path) == []


def test_temporary_files_and_hidden_folders_are_passed_over(tmp_path: pathlib.Path) -> None:
    _make_job(tmp_path / "job", "a")
    _put(tmp_path / "job" / ".cache" / "result.json")
    _put(tmp_path / "job" / "a" / ".harbor-0123.tmp")
    assert _walk(tmp_path) == [("job/a/result.json", "trial")]


@pytest.mark.parametrize("name", ["absent", "absent/result.json"])
def test_a_directory_that_is_not_there_is_one_failure(name: str, tmp_path: pathlib.Path) -> None:
    assert _walk(tmp_path / name) == [(".", "missing")]


@ON_POSIX
def test_links_are_followed_once_and_never_up(tmp_path: pathlib.Path) -> None:
    jobs, other = tmp_path / "jobs", tmp_path / "other"
    _make_job(jobs / "job", "a")
    _make_job(other, "x", "y")
    for name, target in (
        ("self", "."), ("up", ".."), ("root", "/"), ("inside", "job/a"), ("out", str(other)), ("out-again", str(other)),
        ("part", str(other / "x")), ("broken", "nowhere"), ("round", "round"),
    ):
        (jobs / name).symlink_to(target)
    (other / "back").symlink_to(str(jobs))
    (other / "x" / "loop").symlink_to("..")
    _put(tmp_path / "outside" / "result.json")
    (jobs / "job" / "linked").mkdir()
    (jobs / "job" / "linked" / "result.json").symlink_to(str(tmp_path / "outside" / "result.json"))
    (jobs / "job" / "dangling").mkdir()
    (jobs / "job" / "dangling" / "result.json").symlink_to("nowhere")
    (jobs / "job" / "looping").mkdir()
    (jobs / "job" / "looping" / "result.json").symlink_to("result.json")
    assert _walk(jobs) == [
        ("job/a/result.json", "trial"), ("job/dangling/result.json", "missing"), ("job/linked/result.json", "trial"),
        ("job/looping/result.json", "unreadable"), ("out/x/result.json", "trial"), ("out/y/result.json", "trial")]
    (tmp_path / "entry").symlink_to(str(jobs))
    assert len(_walk(tmp_path / "entry")) == 6


@ON_POSIX
def test_a_chain_of_links_between_folders_gives_each_trial_once(tmp_path: pathlib.Path) -> None:
    # Followed anew each time, this would be 2 ** 30 folders.
    for number in range(30):
        folder = tmp_path / "outside" / str(number)
        folder.mkdir(parents=True)
        for name in ("left", "right"):
            (folder / name).symlink_to(str(tmp_path / "outside" / str(number + 1)))
    _put(tmp_path / "outside" / "30" / "result.json")
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "first").symlink_to(str(tmp_path / "outside" / "0"))
    assert _walk(tmp_path / "jobs") == [("first/" + "left/" * 30 + "result.json", "trial")]


@ON_POSIX
def test_what_stands_in_the_place_of_a_result_is_named_and_does_not_stop_the_walk(tmp_path: pathlib.Path) -> None:
    _make_job(tmp_path / "job", "z")
    for name in ("device", "fifo", "folder"):
        (tmp_path / "job" / name).mkdir()
    os.mkfifo(str(tmp_path / "job" / "fifo" / "result.json"))
    (tmp_path / "job" / "folder" / "result.json").mkdir()
    (tmp_path / "job" / "device" / "result.json").symlink_to("/dev/zero")
    assert _walk(tmp_path) == [
        ("job/device/result.json", "unreadable"), ("job/fifo/result.json", "unreadable"),
        ("job/folder/result.json", "missing"), ("job/z/result.json", "trial")]


def test_a_folder_that_must_not_be_read_is_one_failure(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make_job(tmp_path / "job", "a", "b", "c")
    listdir, real_open = os.listdir, os.open

    def refuse(call: Callable[..., Any], name: str) -> Callable[..., Any]:
        def wrapped(path: Any, *rest: Any, **options: Any) -> Any:
            if os.fspath(path).rstrip(os.sep).endswith(name):
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return call(path, *rest, **options)

        return wrapped

    monkeypatch.setattr(os, "listdir", refuse(listdir, "a"))
    monkeypatch.setattr(os, "open", refuse(real_open, os.path.join("b", "result.json")))
    assert _walk(tmp_path) == [
        ("job/a", "unreadable"), ("job/b/result.json", "unreadable"), ("job/c/result.json", "trial")]
    error = next(iter(iter_trials(tmp_path))).error
    assert str(error) == "%s: Permission denied" % (tmp_path / "job" / "a")
    monkeypatch.setattr(os, "listdir", refuse(listdir, ""))
    assert _walk(tmp_path) == [(".", "unreadable")]


def test_folders_and_files_that_vanish_on_the_way_do_no_harm(tmp_path: pathlib.Path) -> None:
    _make_job(tmp_path / "job", "a", "b", "c", "d")
    found = []
    for outcome in iter_trials(tmp_path):
        found.append((outcome.path.parent.name, outcome.error))
        if len(found) == 1:
            for name in ("b/result.json", "c/result.json"):
                (tmp_path / "job" / name).unlink()
            (tmp_path / "job" / "c").rmdir()
    assert [name for name, _ in found] == ["a", "b", "d"]
    assert [type(error) for _, error in found] == [type(None), TrialMissingError, type(None)]


@ON_POSIX
def test_names_that_are_no_text_are_walked(tmp_path: pathlib.Path) -> None:
    folder = os.fsencode(str(tmp_path)) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/result.json", "wb") as file:
        file.write(b"x")
    (outcome,) = iter_trials(os.fsencode(str(tmp_path)))
    assert os.fsencode(str(outcome.path)) == folder + b"/result.json"
    assert str(outcome.error).isprintable()


def test_a_walk_hands_on_how_to_read(tmp_path: pathlib.Path) -> None:
    document = dict(json.loads(FULL), task_checksum=None, my_label="x")
    _put(tmp_path / "a" / "result.json", json.dumps(document).encode())
    (outcome,) = iter_trials(tmp_path, tolerant=True, extra="allow")
    assert outcome.mended == ['task_checksum: null, read as ""']
    assert outcome.trial is not None
    assert outcome.trial.model_extra is not None
    assert outcome.trial.model_extra["my_label"] == "x"
    assert _walk(tmp_path) == [("a/result.json", "wrong shape")]


def test_a_walk_holds_one_trial_at_a_time(tmp_path: pathlib.Path) -> None:
    import gc
    import weakref

    _make_job(tmp_path / "job", *map(str, range(20)))
    alive: List[Any] = []
    for outcome in iter_trials(tmp_path):
        alive.append(weakref.ref(outcome.trial))
        del outcome
        gc.collect()
        assert sum(reference() is not None for reference in alive) <= 1


# Saving --------------------------------------------------------------------------------------------------------------


def _list_names(folder: pathlib.Path) -> List[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_record_is_saved_as_harbor_writes_it(tmp_path: pathlib.Path) -> None:
    context = AgentContext(n_input_tokens=5, metadata={"note": "café"})
    assert save(context, tmp_path / "context.json") is None  # type: ignore[func-returns-value]  # that is the point
    assert (tmp_path / "context.json").read_bytes() == context.model_dump_json(indent=4).encode("utf-8")
    save(context, str(tmp_path / "context.json"), indent=None, sync=False)
    assert (tmp_path / "context.json").read_bytes() == context.model_dump_json().encode("utf-8")
    assert _list_names(tmp_path) == ["context.json"]


@pytest.mark.parametrize("inf_nan, expected", [
    ("strings", '{"a":["NaN","Infinity","-Infinity"]}'), ("null", '{"a":[null,null,null]}'),
    ("constants", '{"a":[NaN,Infinity,-Infinity]}')])
def test_floats_that_are_not_finite_are_written_as_asked(inf_nan: str, expected: str, tmp_path: pathlib.Path) -> None:
    floats = [float("nan"), float("inf"), -float("inf")]
    context = AgentContext(metadata={"a": floats}, rollout_details=[{"logprobs": [floats]}], cost_usd=float("inf"))
    save(context, tmp_path / "c", indent=None, inf_nan=inf_nan)
    assert '"metadata":' + expected in (tmp_path / "c").read_text()
    if inf_nan != "null":
        read = AgentContext.model_validate_json((tmp_path / "c").read_bytes())
        assert repr(read.rollout_details) == repr(context.rollout_details)
        assert read.cost_usd == float("inf")


WRONG: List[Tuple[str, Any]] = [
    ("n_input_tokens", "many"), ("cost_usd", object()), ("rollout_details", {1: {2}}), ("metadata", [b"\xff"]),
    ("metadata", iter(int, 1)), ("rollout_details", [{"logprobs": [iter(int, 1)]}]), ("model_usage", 10 ** 5000),
    ("rollout_details", [[[b"\xff"]]]),
]


@pytest.mark.parametrize("name, value", WRONG, ids=["%s-%d" % (row[0], n) for n, row in enumerate(WRONG)])
def test_a_value_of_the_wrong_type_does_not_lose_the_rest(name: str, value: Any, tmp_path: pathlib.Path) -> None:
    context = AgentContext(n_output_tokens=7)
    setattr(context, name, value)
    save(context, tmp_path / "c")
    saved = json.loads((tmp_path / "c").read_text(encoding="utf-8"))
    assert saved["n_output_tokens"] == 7
    assert saved[name] is not None


def test_a_wrong_value_that_breaks_a_computed_one_does_not_lose_the_rest(tmp_path: pathlib.Path) -> None:
    trial = TrialResult.model_validate_json(FULL)
    trial.exception_info = "TimeoutError"  # type: ignore[assignment]  # as happens
    save(trial, tmp_path / "result.json")
    saved = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert (saved["exception_info"], saved["trial_name"]) == ("TimeoutError", "hello__a1b2c3d")


def test_unknown_keys_take_their_forms_too(tmp_path: pathlib.Path) -> None:
    trial = TrialResult.model_validate_json(b'{"mine": 1, ' + FULL[1:], extra="allow")
    trial.__pydantic_extra__["mine"] = b"\xff"
    save(trial, tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["mine"] == "\\xff"
    assert trial.__pydantic_extra__["mine"] == b"\xff"


def test_saving_changes_nothing_in_the_record(tmp_path: pathlib.Path) -> None:
    metadata: Dict[str, Any] = {"bytes": b"\xff", "inner": {"set": {1}}, "stream": iter([1, 2])}
    context = AgentContext()
    context.metadata = metadata
    save(context, tmp_path / "c")
    save(context, tmp_path / "c")
    assert context.metadata is metadata
    assert metadata["inner"] == {"set": {1}}
    assert list(metadata["stream"]) == [1, 2]


@pytest.mark.parametrize("value", [{}, "x", None, AgentContext])
def test_what_is_no_model_is_refused(value: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError, match=r"^save\(\) takes a model such as TrialResult or AgentContext, not "):
        save(value, tmp_path / "c")


@pytest.mark.parametrize("options", [{"inf_nan": "text"}, {"indent": "x"}])
def test_wrong_options_are_a_type_error_and_touch_nothing(options: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError):
        save(AgentContext(), tmp_path / "c", **options)
    assert _list_names(tmp_path) == []


@ON_POSIX
def test_a_file_keeps_its_mode_and_a_new_one_has_that_of_the_umask(tmp_path: pathlib.Path) -> None:
    before = os.umask(0o027)
    try:
        save(AgentContext(), tmp_path / "new")
        assert (tmp_path / "new").stat().st_mode & 0o7777 == 0o640
        for mode in (0o600, 0o666, 0o444):
            (tmp_path / "new").chmod(mode)
            save(AgentContext(), tmp_path / "new")
            assert (tmp_path / "new").stat().st_mode & 0o7777 == mode
    finally:
        os.umask(before)


@ON_POSIX
def test_a_link_stays_and_its_file_is_replaced(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("middle")
    (tmp_path / "middle").symlink_to(os.path.join("real", "file"))
    for number in (1, 2):
        save(AgentContext(n_input_tokens=number), tmp_path / "link")
        assert (tmp_path / "link").is_symlink() and (tmp_path / "middle").is_symlink()
        assert json.loads((tmp_path / "real" / "file").read_text())["n_input_tokens"] == number
    assert _list_names(tmp_path) == ["link", "middle", "real"]


@ON_POSIX
def test_what_is_no_file_is_not_replaced_by_one(tmp_path: pathlib.Path) -> None:
    os.mkfifo(str(tmp_path / "fifo"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    expected = [
        (tmp_path / "fifo", OSError, "[Errno 22] Not a regular file: %r"),
        (tmp_path / "folder", IsADirectoryError, "[Errno 21] Is a directory: %r"),
        (pathlib.Path("/dev/null"), OSError, "[Errno 22] Not a regular file: %r"),
    ]
    for path, cls, text in expected:
        with pytest.raises(OSError) as caught:
            save(AgentContext(), path)
        assert (type(caught.value), str(caught.value)) == (cls, text % str(path))
    with pytest.raises(OSError):
        save(AgentContext(), tmp_path / "loop")
    assert _list_names(tmp_path) == ["fifo", "folder", "loop"]


FAILURES = [
    ("a_full_disk", "write", errno.ENOSPC, OSError),
    ("a_full_disk_noticed_late", "fsync", errno.ENOSPC, OSError),
    ("a_full_disk_noticed_at_the_end", "close", errno.EDQUOT if hasattr(errno, "EDQUOT") else errno.ENOSPC, OSError),
    ("a_read_only_folder", "open", errno.EACCES, PermissionError),
    ("a_read_only_file_system", "open", errno.EROFS, OSError),
    ("a_folder_that_became_read_only", "replace", errno.EPERM, PermissionError),
]


@pytest.mark.parametrize("call, number, cls", [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    call: str, number: int, cls: Type[OSError], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "result.json"
    save(AgentContext(n_input_tokens=1), path)
    real = getattr(os, call)
    n_calls = []

    def fail(*arguments: Any) -> Any:
        n_calls.append(arguments)
        if call == "close":
            real(*arguments)
        if call == "write" and len(n_calls) == 1:
            return real(arguments[0], arguments[1][:3])  # less than asked for, as happens
        raise OSError(number, os.strerror(number), "some temporary name")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(OSError) as caught:
            save(AgentContext(n_input_tokens=2), path)
    assert n_calls
    assert type(caught.value) is cls
    assert str(caught.value) == "[Errno %d] %s: %r" % (number, os.strerror(number), str(path))
    assert json.loads(path.read_text())["n_input_tokens"] == 1
    assert _list_names(tmp_path) == ["result.json"]


def test_an_interrupt_leaves_the_old_file_and_nothing_else(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(AgentContext(n_input_tokens=1), tmp_path / "c")

    def interrupt(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            save(AgentContext(n_input_tokens=2), tmp_path / "c")
    assert json.loads((tmp_path / "c").read_text())["n_input_tokens"] == 1
    assert _list_names(tmp_path) == ["c"]


def test_a_folder_that_is_not_there_is_named(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "absent" / "c"
    with pytest.raises(FileNotFoundError) as caught:
        save(AgentContext(), path)
    assert caught.value.filename == str(path)


def test_a_file_in_the_working_folder_needs_no_folder_in_its_name(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(AgentContext(), "c.json")
    assert _list_names(tmp_path) == ["c.json"]


@ON_POSIX
def test_a_limit_of_the_system_on_the_size_of_files_leaves_the_old_file(tmp_path: pathlib.Path) -> None:
    save(AgentContext(n_input_tokens=1), tmp_path / "c")
    source = (
        "import sys, resource\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from harbor.models.agent.context import AgentContext\n"
        "from harbor.trials import save\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n"
        "    save(AgentContext(metadata={'text': 'x' * 10000}), sys.argv[2])\n"
        "except OSError as error:\n"
        "    print(error)\n"
    )
    path = str(tmp_path / "c")
    printed = implementation.run_python("-c", source, str(implementation.PATH), path)
    assert printed == "[Errno %d] File too large: %r\n" % (errno.EFBIG, path)
    assert json.loads((tmp_path / "c").read_text())["n_input_tokens"] == 1
    assert _list_names(tmp_path) == ["c"]


def test_concurrent_savers_and_readers_see_whole_files(tmp_path: pathlib.Path) -> None:
    import threading

    path = tmp_path / "result.json"
    save(AgentContext(n_input_tokens=0, metadata={"n": 0}), path)
    problems: List[BaseException] = []
    done = threading.Event()

    def write(start: int) -> None:
        try:
            for number in range(start, start + 60):
                context = AgentContext(n_input_tokens=number, metadata={"n": number, "x": "x" * number * 50})
                save(context, path, sync=False)
        except BaseException as error:
            problems.append(error)

    def read() -> None:
        try:
            while not done.is_set():
                saved = json.loads(path.read_bytes())
                assert saved["n_input_tokens"] == saved["metadata"]["n"]
        except BaseException as error:
            problems.append(error)

    writers = [threading.Thread(target=write, args=(100 * number,)) for number in range(4)]
    reader = threading.Thread(target=read)
    for thread in [reader, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert problems == []
    assert _list_names(tmp_path) == ["result.json"]


def test_metadata_that_another_thread_changes_is_saved(tmp_path: pathlib.Path) -> None:
    import threading

    context = AgentContext(metadata={"items": {}})
    assert context.metadata is not None
    items = context.metadata["items"]
    done = threading.Event()

    def change() -> None:
        number = 0
        while not done.is_set():
            items[number % 1000] = number
            items.pop((number + 500) % 1000, None)
            number += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(100):
            save(context, tmp_path / "c", sync=False)
            json.loads((tmp_path / "c").read_bytes())
    finally:
        done.set()
        thread.join()


_SAVER = """
import sys
sys.path.insert(0, sys.argv[1])
from harbor.trials import load_trial, save
trial = load_trial(sys.argv[2])
number = 0
while True:
    number += 1
    trial.agent_result.n_input_tokens = number
    trial.agent_result.metadata = {"number": number, "text": "x" * (number * 977 % 70000)}
    save(trial, sys.argv[3], sync=number % 2 == 0)
"""


def _kill_savers(folder: pathlib.Path, n_kills: int) -> None:
    """Kill a saving process at random moments; each time its file must be that of one of its calls."""
    path = _put(folder / "job" / "trial" / "result.json")
    seed = random.randrange(1 << 32)
    print("seed", seed)
    moments = random.Random(seed)
    source = DATA / "0.26.0-full.json"
    numbers = []
    for _ in range(n_kills):
        _put(path)
        before = path.stat()
        command = [sys.executable, "-c", _SAVER, str(implementation.PATH), str(source), str(path)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        try:
            for _ in range(3000):
                now = path.stat()
                if (now.st_ino, now.st_mtime_ns) != (before.st_ino, before.st_mtime_ns) or process.poll() is not None:
                    break
                time.sleep(0.01)
            time.sleep(moments.random() * 0.05)
        finally:
            process.kill()
            _, errors = process.communicate()
        assert (process.returncode, errors) == (-signal.SIGKILL, b"")
        (outcome,) = iter_trials(folder)
        assert outcome.error is None
        assert outcome.path == path
        context = outcome.trial.agent_result if outcome.trial is not None else None
        assert context is not None and context.metadata is not None
        number = context.n_input_tokens
        assert number is not None
        assert context.metadata == {"number": number, "text": "x" * (number * 977 % 70000)}
        numbers.append(number)
        left = [name for name in _list_names(path.parent) if name != "result.json"]
        assert all(name.startswith(".harbor-") and name.endswith(".tmp") for name in left)
    assert len(set(numbers)) > 1


@ON_POSIX
def test_a_saver_killed_at_20_random_moments_leaves_a_whole_file(tmp_path: pathlib.Path) -> None:
    _kill_savers(tmp_path, 20)


@ON_POSIX
@pytest.mark.slow
def test_a_saver_killed_at_300_random_moments_leaves_a_whole_file(tmp_path: pathlib.Path) -> None:
    _kill_savers(tmp_path, 300)
