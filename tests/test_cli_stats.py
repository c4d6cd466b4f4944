"""The command that sums up a directory of trials."""

import csv
import functools
import io
import json
import os
import pathlib
import subprocess
import sys
from typing import Any, Dict, List, Optional, Tuple

import pytest

from harbor import cli_stats
from harbor.cli import main
from harbor.cli_workers import NoWorkers
from harbor.trials import iter_trials
from harbor.usage import UsageTotals
from make_trials import CORRUPT, make_trials

ROOT = pathlib.Path(__file__).resolve().parent.parent

Capture = pytest.CaptureFixture[str]


def _write_trial(folder: pathlib.Path, name: str, **values: Any) -> None:
    trial: Dict[str, Any] = {
        "task_name": "task", "trial_name": name, "trial_uri": "file:///" + name, "task_id": {"path": "t"},
        "task_checksum": "0", "config": {}, "agent_info": {"name": "agent", "version": "1"}, "agent_result": None,
    }
    path = folder / name / "result.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(dict(trial, **values)), encoding="utf-8")


def _agent(name: str, model: Optional[str] = None, provider: Optional[str] = None) -> Dict[str, Any]:
    info = None if model is None else {"name": model, "provider": provider}
    return {"name": name, "version": "1", "model_info": info}


def _mistake(name: str) -> Dict[str, Any]:
    return {
        "exception_type": name, "exception_message": "", "exception_traceback": "",
        "occurred_at": "2026-01-01T00:00:00",
    }


def _rewards(**rewards: Any) -> Dict[str, Any]:
    return {"rewards": rewards}


@pytest.fixture
def few(tmp_path: pathlib.Path) -> str:
    """Make four trials of two agents and models, and a file that is cut off."""
    known = {"n_input_tokens": 1000, "n_cache_tokens": 800, "n_output_tokens": 10, "cost_usd": 0.1}
    _write_trial(
        tmp_path, "a", agent_info=_agent("one", "m", "p"), agent_result=known, verifier_result=_rewards(reward=1),
        source="set")
    _write_trial(
        tmp_path, "b", agent_info=_agent("one", "m"), agent_result={"n_input_tokens": 234, "cost_usd": 0.2},
        verifier_result=_rewards(reward=0, style=1), exception_info=_mistake("RuntimeError"))
    _write_trial(tmp_path, "c", agent_info=_agent("two"), exception_info=_mistake("AgentTimeoutError"))
    _write_trial(
        tmp_path, "d", agent_info=_agent("two"), task_name="other", step_results=[
            {"step_name": "x", "agent_result": known}, {"step_name": "y", "agent_result": known}])
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "result.json").write_text("{", encoding="utf-8")
    return str(tmp_path)


def _failure_lines(folder: str) -> str:
    path = os.path.join(folder, "e", "result.json")
    return (
        "harbor: 1 unreadable: truncated 1\n"
        "harbor: {}: Ends too early: EOF while parsing an object at line 1 column 1\n".format(path))


# Rows ------------------------------------------------------------------------


def test_text_shows_what_is_unknown(few: str, capsys: Capture) -> None:
    assert main(["stats", few]) == 0
    assert capsys.readouterr() == (
        """\
  agent  trials  failed  timed out      mean reward                input               cached            output                   cost
  one         2       1          0              0.5                1,234    >=800 (1 unknown)  >=10 (1 unknown)                $0.3000
  two         2       1          1          unknown  >=2,000 (1 unknown)  >=1,600 (1 unknown)  >=20 (1 unknown)  >=$0.2000 (1 unknown)
  total       4       2          1  0.5 (2 unknown)  >=3,234 (1 unknown)  >=2,400 (2 unknown)  >=30 (2 unknown)  >=$0.5000 (1 unknown)
""",
        _failure_lines(few),
    )


GROUPS: List[Tuple[str, List[Tuple[Optional[str], int, int, int]]]] = [
    ("agent", [("one", 2, 1, 0), ("two", 2, 1, 1)]),
    ("model", [("m", 1, 1, 0), ("p/m", 1, 0, 0), (None, 2, 1, 1)]),
    ("task", [("other", 1, 0, 0), ("task", 3, 2, 1)]),
    ("dataset", [("set", 1, 0, 0), (None, 3, 2, 1)]),
    ("none", [("all", 4, 2, 1)]),
]


@pytest.mark.parametrize("by, expected", GROUPS, ids=[row[0] for row in GROUPS])
def test_groups(by: str, expected: Any, few: str, capsys: Capture) -> None:
    assert main(["stats", few, "--json", "--by", by]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["by"] == by
    assert [(row["group"], row["trials"], row["failed"], row["timed_out"]) for row in shown["groups"]] == expected
    assert main(["stats", few, "--csv", "--by", by]) == 0
    header, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert header[:4] == [by, "trials", "failed", "timed_out"]
    assert [tuple(row[:4]) for row in rows] == [
        ("" if group is None else group, *map(str, counts)) for group, *counts in expected]


def test_json_tells_unknown_from_zero(few: str, capsys: Capture) -> None:
    assert main(["stats", few, "--json", "--by", "none"]) == 0
    captured = capsys.readouterr()
    shown = json.loads(captured.out)
    assert captured.err == ""
    assert shown["total"]["reward"] == {"mean": 0.5, "known": 2, "unknown": 2}
    usage = shown["total"]["usage"]
    assert usage["n_input_tokens"] == {"total": 3234, "known": 4, "unknown": 1, "is_lower_bound": True}
    assert usage == UsageTotals.of_trials(
        outcome.trial for outcome in iter_trials(few) if outcome.trial is not None).as_dict()
    assert shown["unreadable"] == {
        "count": 1,
        "by_kind": {"truncated": 1},
        "files": [{
            "path": os.path.join(few, "e", "result.json"),
            "kind": "truncated",
            "reason": "Ends too early: EOF while parsing an object at line 1 column 1",
        }],
    }


def test_csv_leaves_unknown_fields_empty(few: str, capsys: Capture) -> None:
    assert main(["stats", few, "--csv"]) == 0
    captured = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(captured.out)))
    assert captured.err == _failure_lines(few)
    assert (rows[1]["mean_reward"], rows[1]["mean_reward_unknown"]) == ("", "2")
    assert (rows[0]["n_cache_tokens"], rows[0]["n_cache_tokens_unknown"]) == ("800", "1")
    assert rows[0]["cost_usd"] == repr(0.1 + 0.2)


def test_the_reward_by_its_name(few: str, capsys: Capture) -> None:
    assert main(["stats", few, "--json", "--by", "none", "--reward", "style"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["reward"] == {"mean": 1.0, "known": 1, "unknown": 3}


def test_rewards_that_have_no_mean_are_unknown(tmp_path: pathlib.Path, capsys: Capture) -> None:
    for number, rewards in enumerate([{"reward": "nan"}, {"reward": "inf"}, {"a": 1, "b": 2}, {"a": -3}, {}]):
        _write_trial(tmp_path, str(number), verifier_result={"rewards": rewards})
    assert main(["stats", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["reward"] == {"mean": -3.0, "known": 1, "unknown": 4}


def test_numbers_that_cannot_be_summed_are_reported(tmp_path: pathlib.Path, capsys: Capture) -> None:
    _write_trial(tmp_path, "a", agent_result={"n_input_tokens": -5, "cost_usd": "nan"})
    _write_trial(tmp_path, "b", agent_result={"n_input_tokens": 5, "n_cache_tokens": 6})
    assert main(["stats", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "  1 times cost_usd was not as it should be: nan",
        "  1 times n_cache_tokens was not as it should be: above n_input_tokens",
        "  1 times n_input_tokens was not as it should be: negative",
    ]


def test_names_that_harm_a_terminal_are_escaped(tmp_path: pathlib.Path, capsys: Capture) -> None:
    _write_trial(tmp_path, "a", agent_info=_agent("\x1b[1m"))
    assert main(["stats", str(tmp_path)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_tolerant_takes_what_can_be_mended(tmp_path: pathlib.Path, capsys: Capture) -> None:
    _write_trial(tmp_path, "a", task_checksum=None)
    assert main(["stats", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unreadable"]["by_kind"] == {"wrong shape": 1}
    assert main(["stats", str(tmp_path), "--json", "--tolerant", "--strict"]) == 0
    assert json.loads(capsys.readouterr().out)["unreadable"]["count"] == 0


# Failures --------------------------------------------------------------------


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Tuple[str, Dict[str, int]]:
    folder = tmp_path_factory.mktemp("jobs")
    return str(folder), make_trials(folder, 300, seed=7, corrupt=0.1, rollouts=0.02)


def test_every_one_of_a_generated_set_is_counted(generated: Tuple[str, Dict[str, int]], capsys: Capture) -> None:
    folder, made = generated
    assert sorted(made) == sorted(("good", *CORRUPT))
    assert main(["stats", folder, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["total"]["trials"] == sum(row["trials"] for row in shown["groups"]) == made.pop("good")
    assert shown["unreadable"]["by_kind"] == made
    assert len(shown["unreadable"]["files"]) == shown["unreadable"]["count"] == sum(made.values())


def test_no_model_is_loaded_for_files_that_show_what_they_are(tmp_path: pathlib.Path) -> None:
    made = make_trials(tmp_path, 100, seed=2, corrupt=0.2)
    assert sorted(made) == sorted(("good", *CORRUPT))
    source = (
        "import argparse, sys; sys.path.insert(0, sys.argv[1])\n"
        # From 3.14 on it imports dataclasses for the colours of its help.
        "argparse.ArgumentParser().format_usage()\n"
        "before = set(sys.modules)\n"
        "from harbor.cli import main\n"
        "status = main(['stats', sys.argv[2], '--jobs', '1'])\n"
        "loaded = {'dataclasses', 'harbor.codec.model', 'harbor.trials', 'harbor.usage', 'inspect'}.intersection(\n"
        "    set(sys.modules) - before)\n"
        "print(status, sorted(loaded))\n")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", source, str(ROOT), str(tmp_path)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=True)
    assert done.stdout.decode().splitlines()[-1] == "0 []"


def test_the_same_seed_makes_the_same_files(tmp_path: pathlib.Path) -> None:
    made = []
    for name in ("first", "second"):
        make_trials(tmp_path / name, 30, seed=3, corrupt=0.2, rollouts=0.1)
        made.append({
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*") if path.is_file()})
    assert made[0] == made[1]
    assert len(made[0]) == 31


@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]], ids=["text", "csv", "json"])
def test_failures_are_listed_and_only_strict_minds_them(
    form: List[str], generated: Tuple[str, Dict[str, int]], capsys: Capture
) -> None:
    folder, made = generated
    assert main(["stats", folder, *form]) == 0
    lenient = capsys.readouterr()
    assert main(["stats", folder, "--strict", *form]) == 1
    assert capsys.readouterr() == lenient
    if "--json" not in form:
        first, *lines = lenient.err.splitlines()
        kinds = ", ".join("%s %d" % (kind, made[kind]) for kind in sorted(CORRUPT))
        assert first == "harbor: 30 unreadable: " + kinds
        assert len(lines) == 30


def test_strict_is_content_where_everything_could_be_read(tmp_path: pathlib.Path, capsys: Capture) -> None:
    _write_trial(tmp_path, "a")
    assert main(["stats", str(tmp_path), "--strict"]) == 0
    assert capsys.readouterr().err == ""


def test_of_many_failures_the_first_are_listed_and_all_are_counted(
    generated: Tuple[str, Dict[str, int]], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(cli_stats, "_FAILURES_LISTED", 3)
    assert main(["stats", generated[0]]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert lines[-1] == "harbor: and 27 more"
    assert main(["stats", generated[0], "--json"]) == 0
    unreadable = json.loads(capsys.readouterr().out)["unreadable"]
    assert (unreadable["count"], len(unreadable["files"])) == (30, 3)


def test_no_directory(tmp_path: pathlib.Path, capsys: Capture) -> None:
    absent, file = str(tmp_path / "absent"), tmp_path / "file"
    file.write_text("{}", encoding="utf-8")
    assert main(["stats", absent]) == 2
    assert capsys.readouterr() == ("", "harbor: {}: No such directory\n".format(absent))
    assert main(["stats", str(file)]) == 2
    assert capsys.readouterr() == ("", "harbor: {}: Not a directory\n".format(file))


def test_a_directory_without_trials(tmp_path: pathlib.Path, capsys: Capture) -> None:
    assert main(["stats", str(tmp_path), "--by", "none", "--strict"]) == 0
    header, total = capsys.readouterr().out.splitlines()
    assert total.split() == ["total", "0", "0", "0", *["unknown"] * 5]
    assert main(["stats", str(tmp_path), "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links")
def test_links_that_lead_back_are_not_followed(few: str, capsys: Capture) -> None:
    folder = pathlib.Path(few)
    os.symlink(few, str(folder / "loop"))
    os.symlink(str(folder.parent), str(folder / "up"))
    os.symlink("self", str(folder / "self"))
    os.symlink(str(folder / "a"), str(folder / "twin"))
    assert main(["stats", few, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["trials"] == 4


# Processes -------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def _run(*arguments: str) -> Tuple[int, bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "harbor", "stats", *arguments], cwd=str(ROOT), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system copies no processes")
@pytest.mark.parametrize("jobs", ["2", "0"])
@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]], ids=["text", "csv", "json"])
def test_processes_give_the_same_answer(
    jobs: str, form: List[str], generated: Tuple[str, Dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = _run(generated[0], "--by", "task", "--jobs", "1", *form)
    assert alone[0] == 0 and alone[1]
    assert _run(generated[0], "--by", "task", "--jobs", jobs, *form) == alone


def test_unless_told_otherwise_as_many_processes_as_pay(
    generated: Tuple[str, Dict[str, int]], few: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    asked: List[int] = []

    def refuse(portions: Any, take: Any, make_result: Any, pack: Any, jobs: int, note: Any) -> Any:
        asked.append(jobs)
        raise NoWorkers

    monkeypatch.setattr(cli_stats, "work_apart", refuse)
    monkeypatch.setattr(cli_stats, "can_fork", lambda: True)
    monkeypatch.setattr(cli_stats, "count_processors", lambda: 3)
    # Where they cannot be had, this one does it all.
    assert main(["stats", generated[0], "--by", "task"]) == 0
    assert capsys.readouterr().out.encode() == _run(generated[0], "--by", "task", "--jobs", "1")[1]
    assert asked == [3]
    alone: List[Tuple[bool, str, List[str]]] = [
        (True, few, []), (False, generated[0], []), (True, generated[0], ["--jobs", "1"])]
    for threads, directory, options in alone:
        monkeypatch.setattr(cli_stats, "can_fork", lambda threads=threads: threads)
        assert main(["stats", directory, *options]) == 0
    assert asked == [3]
    capsys.readouterr()
    assert main(["stats", few, "--jobs", "5"]) == 2
    assert capsys.readouterr() == ("", "harbor: {}: 5 processes cannot be had here; try --jobs 1\n".format(few))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system copies no processes")
def test_a_killed_process_is_an_error_and_no_wait(
    few: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(cli_stats, "_digest_file", lambda path, tolerant: os._exit(9))
    assert main(["stats", few, "--jobs", "2"]) == 2
    assert capsys.readouterr() == (
        "", "harbor: {}: A process that read trials ended early; try --jobs 1\n".format(few))


@pytest.mark.parametrize("jobs", ["-1", "two", "1.5"])
def test_a_wrong_number_of_processes(jobs: str, few: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["stats", few, "--jobs", jobs])
    assert caught.value.code == 2
    assert "argument --jobs: invalid number of processes value: '{}'".format(jobs) in capsys.readouterr().err


# Progress --------------------------------------------------------------------


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_progress_and_is_cleared(
    few: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(cli_stats, "_PORTION", 2)
    monkeypatch.setattr(cli_stats, "_PROGRESS_SECONDS", 0.0)
    assert main(["stats", few, "--json"]) == 0
    shown = terminal.getvalue().split("\r")
    assert shown[1:4] == ["2 trials, 0 unreadable", "4 trials, 0 unreadable", "5 trials, 1 unreadable"]
    assert shown[4:] == [" " * 22, ""]


def test_what_is_no_terminal_shows_none(few: str, capsys: Capture) -> None:
    assert main(["stats", few, "--json"]) == 0
    assert capsys.readouterr().err == ""
