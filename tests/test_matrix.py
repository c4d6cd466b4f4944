"""The matrix tells what ran from what did not."""

import pathlib
import sys
from typing import Any, List

import pytest

import matrix

HERE = "%s %d.%d" % ((sys.implementation.name,) + sys.version_info[:2])
#: A Python of its own kind, such as one without the lock, has a longer version.
HERE += "t" if matrix.ask_version([sys.executable]).endswith("t") else ""


def make_row(**changes: Any) -> matrix.Row:
    row = matrix.Row("one", HERE, True, "probe", [sys.executable], "fetch it")
    return row._replace(**changes)


ROWS = [
    ("right", make_row(), "RAN ok", False),
    ("any version", make_row(version=sys.implementation.name), "RAN ok", False),
    ("another version", make_row(version="cpython 3.7"), "RAN FAIL", True),
    ("another version of an optional one", make_row(version="cpython 3.7", required=False), "RAN FAIL", True),
    ("required and absent", make_row(places=["/nowhere/python"]), "ABSENT", True),
    ("optional and absent", make_row(places=["/nowhere/python"], required=False), "ABSENT", False),
    ("no Python", make_row(places=["/bin/false"]), "RAN FAIL", True),
]


@pytest.mark.parametrize("row, word, failure", [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_outcome(
    row: matrix.Row, word: str, failure: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "LOGS", tmp_path)
    outcome = matrix.run_row(row, tmp_path)
    assert (outcome.word, matrix.is_failure(outcome)) == (word, failure), outcome
    if word == "ABSENT":
        assert outcome.remark == "fetch it"


def test_a_failing_run_is_a_failure_with_its_last_line(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "LOGS", tmp_path)
    monkeypatch.setattr(matrix, "ROOT", tmp_path)  # where there is no probe
    outcome = matrix.run_row(make_row(), tmp_path)
    assert outcome.word == "RAN FAIL"
    assert "No such file or directory (one-package.log)" in outcome.remark


def test_the_newest_release_of_a_version_is_taken(tmp_path: pathlib.Path) -> None:
    for name in ("3.8.2", "3.8.18", "3.8.9", "3.80.1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "python").write_text("", encoding="utf-8")
    found = matrix.find_interpreter(make_row(places=["@/nowhere", "@/3.8.*/python"]), tmp_path)
    assert found == tmp_path / "3.8.18" / "python"


def test_the_required_rows() -> None:
    required: List[str] = [row.name for row in matrix.ROWS if row.required]
    assert required == ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "system"]
    assert [row.name for row in matrix.ROWS if not row.required and not row.how_to_get] == []
    assert len({row.name for row in matrix.ROWS}) == len(matrix.ROWS)
