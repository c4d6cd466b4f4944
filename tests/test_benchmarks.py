"""The benchmarks: they run where no other library is installed, name every workload, and refuse wrong results.

No time is looked at here.
"""

import dataclasses
import json
import pathlib
import platform
import re
from typing import Any, Callable, Dict, List, Tuple
from xml.etree import ElementTree

import pytest

import groups
import implementation
import peers
import speed
import tables
import timing
import workloads

pytestmark = pytest.mark.skipif(implementation.NAME == "single", reason="the benchmarks are about the package")

LISTS = ["prompt_token_ids", "completion_token_ids", "logprobs"]


@pytest.fixture(scope="module")
def run() -> groups.Run:
    """Make a quick run that compares with the standard library alone."""
    found, absent = groups.make_run(True, rounds=1, names=[], budget=0.0)
    assert (found.peers, absent) == ([], [])
    return found


# What is run, and the workloads that its rows must name -------------------------------

CHAT = ["validate_json", "dump_json, parsed", "dump_json, built, shared ints", "dump_json, built, ints apart"]

GROUPS: List[Tuple[str, str, List[str]]] = [
    ("import", "Import", ["import", "import of the single file"]),
    ("small", "Small record", ["construct", "validate_json", "model_dump", "model_dump_json"]),
    ("chat", "Chat of 40 turns", [
        "%s: %s" % (lists, act) for lists in ("prompts", "prompts, completions, logprobs") for act in CHAT]),
    ("values", "Chat of 40 turns, Python values", ["model_dump"]),
    ("turn", "One long completion", ["validate_json", "dump_json"]),
    ("large", "Chat of 40 turns on disk", ["validate_json, str", "dump_json(indent=4), parsed"]),
    ("first", "First call of a process", ["validate_json, 40 turns", "validate_json, 40 turns on disk"]),
    ("adverse", "Adverse records", [
        "%s: %s" % (name, act) for name, _, _ in workloads.ADVERSE for act in ("validate_json", "dump_json")]),
]


def test_every_group_is_looked_at_here() -> None:
    assert sorted([name for name, _, _ in GROUPS] + ["memory", "growth"]) == sorted(groups.GROUPS)


@pytest.mark.parametrize("name, title, expected", GROUPS, ids=[name for name, _, _ in GROUPS])
def test_a_group_names_its_workloads(run: groups.Run, name: str, title: str, expected: List[str]) -> None:
    group = groups.GROUPS[name](run)
    assert group.title == title
    found: List[str] = []
    for row in group.rows:
        assert row.ours.median > 0 and row.theirs.median > 0
        if row.workload not in found:
            found.append(row.workload)
    assert found == expected
    text = tables.write_table(group)
    lines = text.splitlines()
    assert lines[0] == "### " + title
    assert {line.count("|") for line in lines if line.startswith("|")} == {8}


def test_memory_is_measured_or_said_not_to_be(run: groups.Run) -> None:
    group = groups.measure_memory(run)
    if group.rows:
        assert [row.workload for row in group.rows] == [
            "validate_json, peak above the text", "dump_json(indent=4), peak above the record",
            "the same, less the new text itself"]
    else:
        assert group.note == "Not measured: this needs Linux."


def test_growth_has_a_table_and_a_plot(run: groups.Run) -> None:
    group, plot = groups.time_growth(run)
    lines = group.more.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["5", "10", "20", "40", "80", "*power*"]
    assert len({line.count("|") for line in lines}) == 1
    assert len(group.findings) == 3
    root = ElementTree.fromstring(plot)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 4


def test_a_document_has_the_machine_the_marks_and_the_tables(run: groups.Run) -> None:
    text, plot = speed.make_document(run, ["Harbor", "msgspec"], ["turn"])
    assert plot == ""
    assert re.findall("^### .*", text, re.MULTILINE) == ["### Marks", "### One long completion"]
    assert text.startswith("- %s" % platform.python_implementation())
    assert "- absent: Harbor, msgspec\n" in text
    assert text.count("at most 1.15 × slower") == 4  # two rows, each in its table and among the marks


# Results -------------------------------------------------------------------------------


def test_a_contender_that_reads_wrong_values_ends_the_run(run: groups.Run) -> None:
    record = workloads.make_chat(4, 6, 4)
    floor = peers.make_floor()
    expected = groups.verify(run, record, [floor])
    assert expected == run.own.dump(run.own.load(workloads.write_text(record)))

    def misread(text: Any) -> Any:
        made = floor.load(text)
        return dataclasses.replace(made, n_input_tokens=made.n_input_tokens + 1)

    with pytest.raises(groups.WrongResult) as caught:
        groups.verify(run, record, [floor._replace(load=misread)])
    assert str(caught.value) == "json + dataclass: other values of the text"


def test_a_reference_that_writes_other_bytes_ends_the_run(run: groups.Run) -> None:
    record = workloads.make_small()
    near = run.own._replace(name="Harbor", dump=lambda made: run.own.dump(made) + " ")
    with pytest.raises(groups.WrongResult) as caught:
        groups.verify(run, record, [near])
    assert str(caught.value) == "Harbor: other text"


def test_the_plain_path_shuts_the_quick_one(run: groups.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from harbor.codec.text import reading, writing

    used: List[str] = []

    def spy(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any) -> Any:
            used.append(name)
            return act(*values)

        return call

    for owner, name in ((reading, "_parse_growing"), (writing, "write_lists")):
        monkeypatch.setattr(owner, name, spy(name, getattr(owner, name)))
    record = workloads.make_chat(40, 30, 20)
    text = workloads.write_text(record)
    quick = run.own.dump(run.own.load(text))
    assert used == ["_parse_growing", "write_lists"]
    with groups.shut_quick_way():
        assert run.own.dump(run.own.load(text)) == quick
    assert used == ["_parse_growing", "write_lists"]
    run.own.load(text)
    assert used == ["_parse_growing", "write_lists", "_parse_growing"]


# The parts -----------------------------------------------------------------------------


def test_the_same_arguments_make_the_same_records() -> None:
    record = workloads.make_chat(3, 5, 4, is_trained=True)
    assert record == workloads.make_chat(3, 5, 4, is_trained=True)
    (rollout,) = record["rollout_details"]
    assert list(rollout) == LISTS
    prompts = rollout["prompt_token_ids"]
    assert [len(prompt) for prompt in prompts] == [5, 9, 13]
    assert prompts[2][:9] == prompts[1] and prompts[1][5:7] == rollout["completion_token_ids"][0]
    assert record == workloads.rebuild_ints(record)


@pytest.mark.parametrize("name, make, is_spacious", workloads.ADVERSE, ids=[name for name, _, _ in workloads.ADVERSE])
def test_an_adverse_record_survives_its_text(name: str, make: Any, is_spacious: bool) -> None:
    record = make(0.01)
    text = workloads.write_text(record)
    if is_spacious:
        text = workloads.scatter_space(text)
        assert {"  ", "\n", "\t ", "\r\n"} <= set(re.findall(r"(?<=,)\s+", text))
    assert workloads.rebuild_ints(record) == json.loads(text)


def test_a_contender_out_of_time_takes_part_in_three_rounds() -> None:
    ticks = iter(range(10**6))
    clock = timing.Clock("ticks", lambda: float(next(ticks)))
    figures = timing.measure({"a": int, "b": int}, 5, clock, budget=2.0)
    assert figures == {"a": timing.Figure(1.0, 1.0, 1.0, 3), "b": timing.Figure(1.0, 1.0, 1.0, 3)}
    assert timing.summarize([1.0, 2.0, 3.0, 4.0, 5.0]) == timing.Figure(3.0, 2.0, 4.0, 5)


MARKS: List[Tuple[str, tables.Mark, float, bool]] = [
    ("twice as fast", tables.at_least(2), 2.0, True),
    ("not twice as fast", tables.at_least(2), 1.9, False),
    ("not much slower", tables.at_most(2), 0.5, True),
    ("too slow", tables.at_most(2), 0.49, False),
]


@pytest.mark.parametrize("name, mark, theirs, is_met", MARKS, ids=[row[0] for row in MARKS])
def test_a_mark_is_met_or_missed(name: str, mark: tables.Mark, theirs: float, is_met: bool) -> None:
    row = tables.Row("w", "p", timing.summarize([1.0]), timing.summarize([theirs]), mark)
    assert row.is_met is is_met
    text = tables.write_marks([tables.Group("T", "", [row])])
    assert ("**met**" in text, "**missed**" in text) == (is_met, not is_met)


SECONDS: Dict[float, str] = {
    1.0: "1.00 s", 12.345: "12.3 s", 0.9996: "1.00 s", 9.999: "10.0 s", 99.99: "100 s", 1234.0: "1234 s",
    0.5: "500 ms", 0.00123: "1.23 ms", 12.3e-6: "12.3 µs", 5e-9: "5.00 ns"}


@pytest.mark.parametrize("seconds", SECONDS)
def test_a_time_has_three_digits(seconds: float) -> None:
    assert tables.format_seconds(seconds) == SECONDS[seconds]


def test_tables_go_between_the_markers(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "performance.md"
    path.write_text("# Speed\n\n%s\nold\n%s\n\nMore.\n" % (speed.BEGIN, speed.END), encoding="utf-8")
    for _ in range(2):
        speed.update_document(path, "### New\n")
    assert path.read_text(encoding="utf-8") == "# Speed\n\n%s\n\n### New\n\n%s\n\nMore.\n" % (speed.BEGIN, speed.END)
    path.write_text("# Speed\n", encoding="utf-8")
    with pytest.raises(ValueError):
        speed.update_document(path, "### New\n")


def test_every_requirement_is_a_peer_and_has_one_version() -> None:
    lines = (peers.ROOT / "benchmarks" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    names = [re.split("==[0-9.]+(?:; |$)", line)[0] for line in lines if not line.startswith("#")]
    assert names == sorted(names)
    assert [name.lower() for name in peers.PEERS] == sorted(
        names, key=lambda name: [peer.lower() for peer in peers.PEERS].index(name))
    assert 'harbor==0.26.0; python_version >= "3.12"' in lines
