"""The command `rollouts`."""

import gzip
import json
import os
import pathlib
from typing import Any, Dict, List, Optional

import pytest

from harbor.cli import main

LINEAR: Dict[str, Any] = {
    "prompt_token_ids": [[1, 2], [1, 2, 3, 4, 5]], "completion_token_ids": [[3, 4], [6]],
    "logprobs": [[-0.1, -0.2], [-0.3]],
}
SHIFTED: Dict[str, Any] = {
    "prompt_token_ids": [[1], [1, 2, 3, 4]], "completion_token_ids": [[2, 3], [5], [6]],
    "logprobs": [[-0.1, -0.2], [-0.3]],
}
SHIFT = (
    "Numbers of turns differ: prompt_token_ids has 2, completion_token_ids has 3, logprobs has 2; "
    "turns 1 to 2 may be shifted")


@pytest.fixture(autouse=True)
def in_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Work in an empty folder, so that file names are short and known."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write_context(name: str, *rollouts: Any) -> str:
    pathlib.Path(name).write_text(json.dumps({"rollout_details": list(rollouts)}), encoding="utf-8")
    return name


def _write_trial(name: str, text: Optional[str] = None, **parts: Any) -> str:
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    trial = {
        "task_name": "t", "trial_name": path.parent.name, "trial_uri": "file:///t", "task_id": {"path": "t"},
        "task_checksum": "c", "config": {}, "agent_info": {"name": "a", "version": "1"}, **parts}
    path.write_text(json.dumps(trial) if text is None else text, encoding="utf-8")
    return name


def _read_lines(name: str) -> List[Dict[str, Any]]:
    data = pathlib.Path(name).read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8")
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def _list_folder() -> List[str]:
    return sorted(os.listdir("."))


def test_a_summary_shows_counts_and_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    broken = dict(LINEAR, prompt_token_ids=[[1, 2], [1, 9]])
    assert main(["rollouts", _write_context("c.json", LINEAR, broken)]) == 0
    assert capsys.readouterr() == ("""\
c.json: 2 rollouts
  location           sequences  turns  tokens  trained tokens  missing logprobs
  rollout_details.0          1      2       6               3                 0
  rollout_details.1          2      2       7               3                 0
  rollout_details.1: The prompt of turn 1 does not continue turn 0, it differs from its prompt at token 1: 9, not 2
""", "")


def test_a_summary_says_what_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollouts", _write_context("c.json", SHIFTED)]) == 1
    assert capsys.readouterr() == ("""\
c.json: 1 rollout
  location           sequences  turns  tokens  trained tokens  missing logprobs
  rollout_details.0          -      -       -               -                 -
  rollout_details.0: Refused: %s
""" % SHIFT, "")


def test_a_summary_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollouts", "--json", _write_context("c.json", LINEAR)]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "location": "rollout_details.0", "sequences": 1, "turns": 2, "tokens": 6, "trained_tokens": 3,
        "missing_logprobs": 0, "file": "c.json"}


def test_check_prints_findings_with_their_place(capsys: pytest.CaptureFixture[str]) -> None:
    steps = [
        {"step_name": "one", "agent_result": {"rollout_details": [LINEAR]}},
        {"step_name": "two", "agent_result": {"rollout_details": [LINEAR, dict(LINEAR, logprobs=[[-0.1, 2], [-0.3]])]}},
    ]
    names = [
        _write_context("sound.json", LINEAR), _write_context("shifted.json", SHIFTED),
        _write_trial("steps/result.json", step_results=steps), _write_trial("none/result.json"),
        _write_trial("null/result.json", agent_result={}),
    ]
    assert main(["rollouts", "--check", *names]) == 1
    assert capsys.readouterr() == ("""\
sound.json: sound
shifted.json: rollout_details.0: %s [turn_counts_differ]
steps/result.json: step_results.1.agent_result.rollout_details.1.logprobs.0.1: \
Expected a logprob of at most 0, got 2.0 [logprob_positive]
none/result.json: agent_result: agent_result is None: no context was recorded [context_missing]
null/result.json: agent_result.rollout_details: rollout_details is None: no rollout was recorded [rollouts_missing]
""" % SHIFT, "")


def test_check_ignores_what_it_is_told_to(capsys: pytest.CaptureFixture[str]) -> None:
    name = _write_context("c.json", dict(LINEAR, logprobs=[[], [-0.3]]))
    assert main(["rollouts", "--check", "--ignore", "logprobs_missing", name]) == 0
    assert main(["rollouts", "--check", name]) == 1
    assert main(["rollouts", "--check", "--ignore", "x", name]) == 2
    out, err = capsys.readouterr()
    assert out == (
        "c.json: sound\n"
        "c.json: rollout_details.0.logprobs.0: logprobs[0] is [], completion_token_ids[0] has 2 tokens "
        "[logprobs_missing]\n")
    assert err.startswith("harbor: --ignore: Unknown kind 'x'; there are: context_missing, rollouts_missing, ")


def test_check_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollouts", "--check", "--json", _write_context("c.json", SHIFTED)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    shown = json.loads(line)
    assert (shown["kind"], shown["file"], shown["turns_in_doubt"]) == ("turn_counts_differ", "c.json", [1, 2])


@pytest.mark.parametrize("name", ["o.jsonl", "o.jsonl.gz"])
def test_output_holds_sequences_with_trial_and_reward(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    _write_trial(
        "jobs/a/result.json", agent_result={"rollout_details": [LINEAR, SHIFTED, LINEAR]},
        verifier_result={"rewards": {"reward": 1.0, "speed": float("nan")}})
    _write_trial("jobs/b/result.json", text="{")
    assert main(["rollouts", "jobs", "--output", name]) == 2
    assert [(line["trial_name"], line["segment"], line["reward"], line["rewards"]) for line in _read_lines(name)] == [
        ("a", 0, 1.0, {"reward": 1.0, "speed": "NaN"}), ("a", 2, 1.0, {"reward": 1.0, "speed": "NaN"})]
    line = _read_lines(name)[0]
    assert line["token_ids"] == [1, 2, 3, 4, 5, 6]
    assert line["loss_mask"] == [0, 0, 1, 1, 0, 1]
    assert line["logprobs"] == [None, None, -0.1, -0.2, None, -0.3]
    out, err = capsys.readouterr()
    assert out == ""
    assert [text.split(": ", 3)[1:3] for text in err.splitlines()] == [
        [os.path.join("jobs", "a", "result.json"), "Refused"],
        [os.path.join("jobs", "b", "result.json"), "Ends too early"]]


def test_options_reach_the_sequences() -> None:
    name = _write_context("c.json", LINEAR)
    options = ["--per-turn", "--mask-turns=-1", "--max-length", "4", "--truncation", "left", "--no-logprobs"]
    assert main(["rollouts", name, "--output", "o.jsonl", *options]) == 0
    assert [(line["token_ids"], line["loss_mask"], line["logprobs"]) for line in _read_lines("o.jsonl")] == [
        ([1, 2, 3, 4], [0, 0, 1, 1], None), ([3, 4, 5, 6], [0, 0, 0, 0], None)]


def test_the_same_input_gives_the_same_bytes() -> None:
    name = _write_context("c.json", LINEAR)
    for output in ("a.jsonl.gz", "b.jsonl.gz"):
        assert main(["rollouts", name, "--output", output]) == 0
    assert pathlib.Path("a.jsonl.gz").read_bytes() == pathlib.Path("b.jsonl.gz").read_bytes()


@pytest.mark.parametrize("name", ["o.jsonl", "o.jsonl.gz"])
def test_append_adds_lines(name: str) -> None:
    context = _write_context("c.json", LINEAR)
    for count in (1, 2, 3):
        assert main(["rollouts", context, "--output", name, "--append"]) == 0
        assert len(_read_lines(name)) == count
    assert main(["rollouts", context, "--output", name]) == 0
    assert len(_read_lines(name)) == 1


@pytest.mark.parametrize("data", [
    b'{"a":1}', b'{"a":1}\n{"a"', b'{"a":1}\n{"a"\n', b"{}\n\xff\n", b"{}\n\0\0\n", b"3\n"])
@pytest.mark.parametrize("name", ["o.jsonl", "o.jsonl.gz"])
def test_append_refuses_a_cut_last_line(name: str, data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    context = _write_context("c.json", LINEAR)
    whole = gzip.compress(data) if name.endswith(".gz") else data
    pathlib.Path(name).write_bytes(whole)
    assert main(["rollouts", context, "--output", name, "--append"]) == 2
    assert capsys.readouterr().err == "harbor: %s: The last line is cut; nothing was added\n" % name
    assert pathlib.Path(name).read_bytes() == whole
    assert _list_folder() == ["c.json", name]


@pytest.mark.parametrize("cut", [1, 5, 9, 20])
def test_append_refuses_a_cut_archive(cut: int, capsys: pytest.CaptureFixture[str]) -> None:
    context = _write_context("c.json", LINEAR)
    assert main(["rollouts", context, "--output", "o.jsonl.gz"]) == 0
    data = pathlib.Path("o.jsonl.gz").read_bytes()[:-cut]
    pathlib.Path("o.jsonl.gz").write_bytes(data)
    assert main(["rollouts", context, "--output", "o.jsonl.gz", "--append"]) == 2
    assert capsys.readouterr().err.startswith("harbor: o.jsonl.gz: Cut or damaged: ")
    assert pathlib.Path("o.jsonl.gz").read_bytes() == data


def test_append_takes_an_empty_or_a_new_file() -> None:
    context = _write_context("c.json", LINEAR)
    pathlib.Path("o.jsonl").write_bytes(b"")
    assert main(["rollouts", context, "--output", "o.jsonl", "--append"]) == 0
    assert len(_read_lines("o.jsonl")) == 1


def test_nothing_is_left_of_an_output_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    context = _write_context("c.json", LINEAR)
    pathlib.Path("o.jsonl").write_bytes(b"{}\n")

    def fail(self: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("harbor.rollouts.TrainingSequence.as_dict", fail)
    assert main(["rollouts", context, "--output", "o.jsonl"]) == 130
    assert pathlib.Path("o.jsonl").read_bytes() == b"{}\n"
    assert _list_folder() == ["c.json", "o.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX links and modes")
def test_a_link_and_a_mode_are_kept() -> None:
    context = _write_context("c.json", LINEAR)
    pathlib.Path("real.jsonl").write_bytes(b"")
    os.chmod("real.jsonl", 0o640)
    os.symlink("real.jsonl", "o.jsonl")
    assert main(["rollouts", context, "--output", "o.jsonl"]) == 0
    assert os.path.islink("o.jsonl")
    assert os.stat("real.jsonl").st_mode & 0o777 == 0o640
    assert len(_read_lines("real.jsonl")) == 1


@pytest.mark.parametrize("options, err", [
    (["--output", "."], "harbor: .: Not a regular file\n"),
    (["--output", "no/o.jsonl"], "harbor: no/o.jsonl: No such file or directory\n"),
    (["--plot", "no/o.svg"], "harbor: no/o.svg: No such file or directory\n"),
    (["--append"], "harbor: --append: Expected --output FILE\n"),
    (["--truncation", "left"], "harbor: --truncation: Expected --max-length N\n"),
])
def test_what_cannot_be_written_is_said(options: List[str], err: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollouts", _write_context("c.json", LINEAR), *options]) == 2
    assert capsys.readouterr() == ("", err)
    assert _list_folder() == ["c.json"]


def test_what_cannot_be_read_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    pathlib.Path("empty").mkdir()
    pathlib.Path("text.json").write_text("no", encoding="utf-8")
    pathlib.Path("part.json").write_text('{"agent_result": {}}', encoding="utf-8")
    pathlib.Path("wrong.json").write_text('{"rollout_details": [{"logprobs": [[null]]}]}', encoding="utf-8")
    pathlib.Path("job.json").write_text('{"n_total_trials": 1}', encoding="utf-8")
    assert main(["rollouts", "empty", "gone.json", "text.json", "part.json", "wrong.json", "job.json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "harbor: empty: No trials in it",
        "harbor: gone.json: No such file or directory",
        "harbor: text.json: Invalid JSON: expected ident at line 1 column 2",
        "harbor: part.json: task_name: Field required (and 6 more)",
        "harbor: wrong.json: rollout_details.0.logprobs.0.0: Input should be a valid number",
        "harbor: job.json: A job's roll-up and not a trial",
    ]


def test_a_picture_is_drawn() -> None:
    assert main(["rollouts", _write_context("c.json", LINEAR), "--plot", "o.svg"]) == 0
    svg = pathlib.Path("o.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg ") and "<title>Rollouts of c.json</title>" in svg
