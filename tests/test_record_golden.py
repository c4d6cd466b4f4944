"""The recorder of golden data, with this package in the place of the real models."""

import pathlib
from typing import List

import pytest

import golden
import record_golden

#: Ids of dump.jsonl.gz: a text, a dict, an error.
CHOSEN = ("any/000-None/json", "any/001-True/python", "any/000-None/indent")


def _choose_lines() -> List[str]:
    lines = [line for line, case in golden.read_cases(golden.FOLDER / "dump.jsonl.gz") if case["id"] in CHOSEN]
    assert len(lines) == len(CHOSEN)
    return lines


def _read_lines(folder: pathlib.Path) -> List[str]:
    return [line for line, _ in golden.read_cases(folder / "dump.jsonl.gz")]


def test_unchanged_outcomes_are_recorded_unchanged(tmp_path: pathlib.Path) -> None:
    source, output = tmp_path / "source", tmp_path / "output"
    source.mkdir()
    golden.write_lines(source / "dump.jsonl.gz", _choose_lines())
    recording = record_golden.record(source, output)
    assert recording == ({"dump": 3}, [], [], [])
    assert (output / "dump.jsonl.gz").read_bytes() == (source / "dump.jsonl.gz").read_bytes()


def test_a_changed_outcome_is_named_and_recorded_anew(tmp_path: pathlib.Path) -> None:
    lines = _choose_lines()
    assert '"ok": "{\\"n_input_tokens\\":null' in lines[0]
    stale = lines[0].replace('\\"n_input_tokens\\":null', '\\"n_input_tokens\\":0')
    golden.write_lines(tmp_path / "dump.jsonl.gz", [stale] + lines[1:])
    recording = record_golden.record(tmp_path, tmp_path)
    assert recording == ({"dump": 3}, ["dump: " + CHOSEN[0]], [], [])
    ((_, before), *_), ((_, after), *_) = (
        list(golden.read_cases(folder / "dump.jsonl.gz")) for folder in (golden.FOLDER, tmp_path)
    )
    assert golden.find_differences(before, after) == []
    assert _read_lines(tmp_path)[1:] == lines[1:]


def test_a_case_this_python_is_too_old_for_is_kept(tmp_path: pathlib.Path) -> None:
    line = _choose_lines()[0].replace('"ok": "', '"min_python": [9, 0], "ok": "stale ')
    golden.write_lines(tmp_path / "dump.jsonl.gz", [line])
    assert record_golden.record(tmp_path, tmp_path) == ({"dump": 1}, [], ["dump: " + CHOSEN[0]], [])
    assert _read_lines(tmp_path) == [line]


def test_a_case_that_cannot_be_set_up_is_reported_and_kept(tmp_path: pathlib.Path) -> None:
    line = _choose_lines()[0].replace('"kwargs_repr": "', '"kwargs_repr": "{\'$nothing\': 1}, ')
    golden.write_lines(tmp_path / "dump.jsonl.gz", [line])
    recording = record_golden.record(tmp_path, tmp_path)
    assert (recording.changed, recording.kept) == ([], [])
    assert recording.broken == ["dump: {} (KeyError: '$nothing')".format(CHOSEN[0])]
    assert _read_lines(tmp_path) == [line]


def test_models_without_pydantic_are_refused_as_a_source() -> None:
    with pytest.raises(SystemExit, match="is not built on pydantic"):
        record_golden.amend_models()


def test_a_run_is_read_and_written_beside_itself(tmp_path: pathlib.Path) -> None:
    record_golden.record_run(golden.FOLDER, tmp_path)
    text = (golden.FOLDER / "run.json").read_text(encoding="utf-8")
    # These models take the configuration as it is, and write what they read.
    assert (tmp_path / "run.json").read_text(encoding="utf-8") == text
    assert (tmp_path / "run_harbor.json").read_text(encoding="utf-8").strip() == text.strip()


def test_trial_files_are_read_and_what_becomes_of_them_is_written(tmp_path: pathlib.Path) -> None:
    assert record_golden.record_trials(record_golden.TRIALS, tmp_path) == 50
    stored, made = (folder / record_golden.TRIALS_READ for folder in (record_golden.TRIALS, tmp_path))
    assert list(golden.read_cases(made)) == list(golden.read_cases(stored))
    before = made.stat()
    record_golden.record_trials(record_golden.TRIALS, tmp_path)
    assert made.stat() == before
