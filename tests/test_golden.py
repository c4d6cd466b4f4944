"""The package against the golden data recorded from the real models."""

import collections
import functools
import json
import pathlib
from typing import Any, Dict, List, Tuple

import pytest

import golden
import record_golden

#: How many failing cases a message shows.
SHOWN = 5

Group = Tuple[str, str]


@functools.lru_cache(maxsize=None)
def _group_cases() -> Dict[Group, List[golden.Case]]:
    """Sort all cases by file and by the first part of their id."""
    groups: Dict[Group, List[golden.Case]] = collections.defaultdict(list)
    for path in golden.list_files(golden.FOLDER):
        for _, case in golden.read_cases(path):
            groups[path.name.split(".")[0], case["id"].split("/")[0]].append(case)
    return groups


def _format_failure(case: golden.Case, found: List[Tuple[str, Any, Any]]) -> str:
    inputs = {key: value for key, value in case.items() if key not in golden.OUTCOME}
    lines = [case["id"], "    input: " + ascii(inputs)[:600]]
    for key, stored, observed in found:
        lines.append("    {} expected: {}".format(key, ascii(stored)[:600]))
        lines.append("    {} observed: {}".format(key, ascii(observed)[:600]))
    return "\n".join(lines)


def _list_failures(cases: List[golden.Case]) -> List[str]:
    failures = []
    for case in cases:
        try:
            found = golden.find_differences(case, golden.run_case(case))
        except Exception as error:
            found = [("set-up", None, repr(error))]
        if found:
            failures.append(_format_failure(case, found))
    return failures


def _runnable_groups() -> List[Group]:
    return [group for group, cases in _group_cases().items() if not all(map(golden.skip_reason, cases))]


@pytest.mark.parametrize("group", _runnable_groups(), ids="/".join)
def test_outcomes_are_those_of_the_real_models(group: Group) -> None:
    cases = [case for case in _group_cases()[group] if golden.skip_reason(case) is None]
    assert cases
    failures = _list_failures(cases)
    report = "{} of {} cases failed\n{}".format(len(failures), len(cases), "\n".join(failures[:SHOWN]))
    assert not failures, report


def test_every_case_is_run_or_left_out_for_a_known_reason() -> None:
    counts: Dict[str, int] = collections.Counter()
    reasons: Dict[str, Dict[Any, int]] = collections.defaultdict(collections.Counter)
    for (name, _), cases in _group_cases().items():
        counts[name] += len(cases)
        for case in cases:
            reasons[name][golden.skip_reason(case)] += 1
    manifest = json.loads((golden.FOLDER / record_golden.MANIFEST).read_text(encoding="utf-8"))
    assert counts == manifest["cases"]
    for name, counted in reasons.items():
        assert counted.pop(None) > 0, name
        assert set(counted) <= {"exempt", "python too old", "of CPython alone", "worded anew"}
        # A handful of cases, or the reading of the notes is broken.
        assert sum(counted.values()) < counts[name] / 10, (name, counted)


def test_a_folder_without_golden_files_is_an_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="No golden files in "):
        golden.list_files(tmp_path)


@pytest.mark.parametrize(
    "stored, observed",
    [(1, True), (1, 1.0), (0.0, -0.0), (None, False), ("1", 1), ([1], [1, 1])],
    ids=repr,
)
def test_unequal_values_differ(stored: Any, observed: Any) -> None:
    assert golden.find_differences({"ok": stored}, {"ok": observed}) == [("ok", stored, observed)]


def test_an_absent_outcome_is_the_same_as_null_and_no_warnings() -> None:
    assert golden.find_differences({"ok": "1"}, {"ok": "1", "error": None, "warnings": []}) == []
