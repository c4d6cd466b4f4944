"""The workloads of speed.py, in groups: what is read, written and imported, by whom, and what it must show.

A group verifies results before it times anything, and gives the rows of its table. Its name is its key in `GROUPS`.
"""

import contextlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from peers import ROOT, Peer, find_harbor, find_peers, load_ours, make_floor, make_own
from tables import Group, Mark, Row, at_least, at_most, draw_growth, format_seconds
from timing import CLOCKS, Clock, Figure, measure, summarize
from workloads import ADVERSE, make_chat, make_small, make_turn, rebuild_ints, scatter_space, write_text

__all__ = ["GROUPS", "Run", "WrongResult", "make_run", "shut_quick_way", "verify"]

#: Harbor's models are pydantic's; either is what the marks are about.
REFERENCES = ("Harbor", "pydantic")
COMPILED = (*REFERENCES, "msgspec", "orjson + dataclass")


# Turns, tokens of the first prompt, and new ones in each turn, all in full and in a quick run.
CHAT = ((40, 40), (1500, 30), (1000, 20))
LARGE = ((200, 40), (1000, 100), (500, 20))


class WrongResult(Exception):
    """Contenders that must agree do not."""


class Run(NamedTuple):
    """What a run compares, and how."""

    own: Peer
    floor: Peer
    peers: List[Peer]
    rounds: int
    clock: Clock
    budget: float
    is_quick: bool

    @property
    def reference(self) -> List[Peer]:
        """Give Harbor, or else pydantic, or nothing."""
        return [peer for peer in self.peers if peer.name in REFERENCES][:1]

    def pick(self, *names: str) -> List[Peer]:
        """Give the installed ones of some peers."""
        return [peer for peer in self.peers if peer.name in names]

    def size(self, full: int, quick: int) -> int:
        """Give a size, which is smaller in a quick run."""
        return quick if self.is_quick else full

    def pick_sizes(self, sizes: Sequence[Tuple[int, int]]) -> List[int]:
        """Give some sizes, each by `size`."""
        return [self.size(*size) for size in sizes]

    def time(self, calls: Dict[str, Callable[[], Any]]) -> Dict[str, Figure]:
        """Time calls in turns."""
        return measure(calls, self.rounds, self.clock, self.budget, 0.001 if self.is_quick else 0.005)


def make_run(
    is_quick: bool, rounds: int = 21, clock: str = "process", names: Optional[List[str]] = None, budget: float = 30.0
) -> Tuple[Run, List[str]]:
    """Give a run with what is installed, or with the peers of some names, and the names of what is absent."""
    own = make_own()
    peers, absent = find_peers(names)
    return Run(own, make_floor(), peers, rounds, CLOCKS[clock], budget, is_quick), absent


# Results -------------------------------------------------------------------------


def verify(run: Run, record: Dict[str, Any], peers: Sequence[Peer], indent: bool = False) -> str:
    """Compare what contenders make of a record, and give its text; raises `WrongResult`.

    Ours and Harbor's must be the same text, whether the record was read or built; the others the same values.
    """
    source = write_text(record, 4 if indent else 0)
    expected: Optional[str] = None
    for peer in [run.own, *peers]:
        dump = peer.dump_indented if indent and peer.dump_indented else peer.dump
        is_exact = peer is run.own or peer.name in REFERENCES
        for made in (peer.load(source), peer.check(record), peer.build(record)):
            text = dump(made)
            if is_exact:
                text = text.replace('"model_usage":null,', "", 1).replace('    "model_usage": null,\n', "", 1)
            if expected is None:
                expected = text
                _demand(_drop_none(json.loads(text)) == record, peer, "text of the record")
            elif is_exact:
                _demand(text == expected, peer, "text")
            else:
                _demand(_drop_none(json.loads(text)) == record, peer, "values of the text")
            _demand(_drop_none(peer.dump_dict(made)) == record, peer, "values")
    assert expected is not None
    return expected


def _demand(is_equal: bool, peer: Peer, what: str) -> None:
    if not is_equal:
        raise WrongResult("%s: other %s" % (peer.name, what))


def _drop_none(values: Dict[str, Any]) -> Dict[str, Any]:
    """Copy the dict of a context without the keys that are None, there and in its rollouts."""
    kept = {key: value for key, value in values.items() if value is not None}
    if "rollout_details" in kept:
        kept["rollout_details"] = [
            {key: value for key, value in rollout.items() if value is not None} for rollout in kept["rollout_details"]]
    return kept


def _compare(
    run: Run, workload: str, ours: Callable[[], Any], theirs: Dict[str, Callable[[], Any]],
    marks: Optional[Dict[str, Mark]] = None
) -> List[Row]:
    figures = run.time({"ours": ours, **theirs})
    return [Row(workload, name, figures["ours"], figures[name], (marks or {}).get(name)) for name in theirs]


def _mark_all(peers: Sequence[Peer], mark: Mark) -> Dict[str, Mark]:
    return {peer.name: mark for peer in peers}


# The groups ----------------------------------------------------------------------


def time_imports(run: Run) -> Group:
    """Time imports in fresh interpreters, each from its compiled files and on the same path."""
    folder = find_harbor() if run.pick("Harbor") else None
    targets = {
        "ours": (str(ROOT), "import harbor.models.agent.context"),
        "import dataclasses, typing": (str(ROOT), "import dataclasses, typing"),
        "single file": (str(ROOT / "single"), "import harbor.models.agent.context"),
    }
    marks = {"import dataclasses, typing": at_most(1.2)}
    if folder is not None:
        targets["Harbor"] = (folder, "import harbor.models.agent.context")
        marks["Harbor"] = at_least(6)
    samples: Dict[str, List[float]] = {name: [] for name in targets}
    # A process is short, and what else the machine does shows in it: more rounds than elsewhere.
    for number in range(4 * run.rounds + 1):
        for name, (path, statement) in targets.items():
            seconds = _time_import(path, statement, run.clock)
            if number:  # the first round compiles
                samples[name].append(seconds)
    figures = {name: summarize(found) for name, found in samples.items()}
    rows = [Row("import", name, figures["ours"], figures[name], mark) for name, mark in marks.items()]
    rows.append(Row("import of the single file", "the package", figures["single file"], figures["ours"], at_most(1)))
    return Group(
        "Import", "`import harbor.models.agent.context` in an interpreter that has imported nothing (`-I -S`); four times as "
        "many rounds as elsewhere.", rows)


def _time_import(path: str, statement: str, clock: Clock) -> float:
    code = "import sys, time\nsys.path.insert(0, %r)\nread = time.%s\nstart = read()\n%s\nprint(read() - start)" % (
        path, clock.read.__name__, statement)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def time_small(run: Run) -> Group:
    """Time a record of a few numbers, which is what most agents leave."""
    record = make_small()
    text = verify(run, record, [run.floor, *run.peers])
    rows: List[Row] = []
    marks = {peer.name: at_least(1) for peer in run.peers if peer.is_pure}
    marks.update(_mark_all(run.pick(*REFERENCES), at_most(2.5)))
    acts: List[Tuple[str, Callable[[Peer], Callable[[], Any]]]] = [
        ("construct", lambda peer: lambda: peer.check(record)),
        ("validate_json", lambda peer: lambda: peer.load(text)),
        ("model_dump", lambda peer: _bind(peer.dump_dict, peer.build(record))),
        ("model_dump_json", lambda peer: _bind(peer.dump, peer.build(record))),
    ]
    for workload, bind in acts:
        # Where it is the same dataclass as the floor's, orjson's has nothing of its own.
        peers = [peer for peer in run.peers if "json" in workload or not peer.name.startswith("orjson")]
        rows += _compare(
            run, workload, bind(run.own), {peer.name: bind(peer) for peer in [run.floor, *peers]}, marks)
    note = (
        "Three counts, the cost and four metadata keys, %d characters. *construct* is the constructor that checks its "
        "values; of a library without one, its way from a dict to the model." % len(text))
    for about, judge in (
        (" A count of 1.5 tokens is let through, or cut to 1, by %s.", _takes_fractions),
        (" `model_dump` copies metadata; the dict of %s shares them with the model.", _shares_metadata),
    ):
        names = [peer.name for peer in [run.floor, *run.peers] if judge(peer, record)]
        if names:
            note += about % _enumerate(names)
    return Group("Small record", note, rows)


def _bind(act: Callable[[Any], Any], made: Any) -> Callable[[], Any]:
    return lambda: act(made)


def _takes_fractions(peer: Peer, record: Dict[str, Any]) -> bool:
    try:
        peer.load('{"n_input_tokens": 1.5}')
    except Exception:  # each library has its own, some none in particular
        return False
    return True


def _shares_metadata(peer: Peer, record: Dict[str, Any]) -> bool:
    dumped = peer.dump_dict(peer.build(record))
    return dumped["metadata"] is record["metadata"] or dumped["metadata"]["phases"] is record["metadata"]["phases"]


def _enumerate(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


def time_chat(run: Run) -> Group:
    """Time a linear chat of 40 turns, compact, with prompts alone and with what training needs."""
    rows: List[Row] = []
    sizes = []
    for is_trained in (False, True):
        record = make_chat(*run.pick_sizes(CHAT), is_trained=is_trained)
        text = verify(run, record, [run.floor, *run.pick(*COMPILED)])
        # Some of the others would take minutes.
        verify(run, make_chat(5, 30, 20, is_trained=is_trained), run.peers)
        sizes.append("%.1f MB" % (len(text) / 1e6))
        name = "prompts, completions, logprobs" if is_trained else "prompts"
        others = [run.floor, *(run.pick(*COMPILED) if is_trained else run.peers)]
        marks = _mark_all(run.pick(*REFERENCES), at_least(8))
        marks.update(_mark_all(run.pick("msgspec"), at_least(1)))
        loads = {peer.name: _bind(peer.load, text) for peer in others}
        rows += _compare(
            run, name + ": validate_json", _bind(run.own.load, text), loads, None if is_trained else marks)
        marks = {} if is_trained else _mark_all(run.pick(*REFERENCES), at_least(1.3))
        ways: List[Tuple[str, Callable[[Peer], Any]]] = [
            ("parsed", lambda peer: peer.load(text)),
            ("built, shared ints", lambda peer: peer.build(record)),
            ("built, ints apart", lambda peer: peer.build(rebuild_ints(record))),
        ]
        for way, make in ways:
            if way != "parsed":
                others = [run.floor, *run.pick(*COMPILED)]
            dumps = {peer.name: _bind(peer.dump, make(peer)) for peer in others}
            rows += _compare(
                run, "%s: dump_json, %s" % (name, way), _bind(run.own.dump, make(run.own)), dumps, marks)
    n_prompts = sum(map(len, record["rollout_details"][0]["prompt_token_ids"]))
    return Group(
        "Chat of 40 turns",
        "Each prompt begins with the one before it: {:,} prompt tokens, {} compact, and {} with completions and "
        "logprobs. *parsed*: written after it was read from text. *built*: an agent has set the attributes, with lists "
        "that are copies of one history (*shared ints*) or with an int object for every token (*ints apart*).".format(
            n_prompts, *sizes),
        rows)


def time_values(run: Run) -> Group:
    """Time the way from and to Python values for the same chat."""
    record = make_chat(*run.pick_sizes(CHAT))
    text = verify(run, record, run.reference)
    others = [run.floor, *run.pick(*REFERENCES, "msgspec")]
    marks = _mark_all(run.pick(*REFERENCES), at_most(2))
    apart = rebuild_ints(record)
    rows: List[Row] = []
    for way, values in (("shared ints", record), ("ints apart", apart)):
        calls = {peer.name: _bind(peer.check, values) for peer in others if peer is not run.floor}
        rows += _compare(run, "model_validate, " + way, _bind(run.own.check, values), calls, marks)
    calls = {peer.name: _bind(peer.dump_dict, peer.load(text)) for peer in others}
    rows += _compare(run, "model_dump", _bind(run.own.dump_dict, run.own.load(text)), calls, marks)
    return Group("Chat of 40 turns, Python values", "The prompts alone, from and to dicts and lists.", rows)


def time_turn(run: Run) -> Group:
    """Time one turn with a long completion, where the floats' digits are the work."""
    record = make_turn(run.size(32000, 1000))
    text = verify(run, record, run.reference)
    made = run.own.load(text)
    values = run.own.dump_dict(made)
    others = run.pick(*REFERENCES, "msgspec")
    marks = {"json.loads": at_most(1.15), "json.dumps": at_most(1.15)}
    loads: Dict[str, Callable[[], Any]] = {"json.loads": _bind(json.loads, text)}
    loads.update((peer.name, _bind(peer.load, text)) for peer in others)
    dumps: Dict[str, Callable[[], Any]] = {"json.dumps": _bind(json.dumps, values)}
    dumps.update((peer.name, _bind(peer.dump, peer.load(text))) for peer in others)
    n_floats = len(record["rollout_details"][0]["logprobs"][0])
    return Group(
        "One long completion",
        "One turn of {:,} completion tokens with their logprobs of 17 digits, {:.1f} MB. CPython's own conversion "
        "between floats and digits is nearly all of it.".format(n_floats, len(text) / 1e6),
        _compare(run, "validate_json", _bind(run.own.load, text), loads, marks)
        + _compare(run, "dump_json", _bind(run.own.dump, made), dumps, marks))


def time_large(run: Run) -> Group:
    """Time a long chat as Harbor writes it to disk."""
    sizes = run.pick_sizes(LARGE)
    record = make_chat(*sizes)
    text = verify(run, record, run.reference, indent=True)
    raw = text.encode()
    others = [run.floor, *run.pick(*REFERENCES, "msgspec")]
    marks = _mark_all(run.pick(*REFERENCES), at_least(8))
    rows = _compare(
        run, "validate_json, str", _bind(run.own.load, text),
        {peer.name: _bind(peer.load, text) for peer in others}, marks)
    rows += _compare(
        run, "validate_json, bytes", _bind(run.own.load, raw),
        {peer.name: _bind(peer.load, raw) for peer in run.reference}, marks)
    marks = _mark_all(run.pick(*REFERENCES), at_least(4))
    ways: List[Tuple[str, Callable[[Peer], Any]]] = [
        ("parsed", lambda peer: peer.load(text)), ("built", lambda peer: peer.build(record))]
    for way, make in ways:
        chosen = others if way == "parsed" else run.reference
        calls = {peer.name: _bind(peer.dump_indented, make(peer)) for peer in chosen if peer.dump_indented}
        own = run.own.dump_indented
        assert own is not None
        rows += _compare(run, "dump_json(indent=4), " + way, _bind(own, make(run.own)), calls, marks)
    n_prompts = sum(map(len, record["rollout_details"][0]["prompt_token_ids"]))
    return Group(
        "Chat of {} turns on disk".format(sizes[0]),
        "Written with `indent=4` as Harbor's files are: {:,} prompt tokens, {:.0f} MB.".format(
            n_prompts, len(text) / 1e6),
        rows)


class Alone(NamedTuple):
    """What an act took in a process of its own: peak memory and text in bytes, and seconds."""

    peak: Optional[int]
    size: int
    seconds: float


def _run_alone(run: Run, act: str, name: str, sizes: Sequence[int], indent: int, path: pathlib.Path) -> Alone:
    command = [
        sys.executable, str(ROOT / "benchmarks" / "alone.py"), act, name, *map(str, sizes), str(indent), str(path),
        run.clock.name]
    done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode:
        raise WrongResult("%s: exit status %d of %s" % (name, done.returncode, " ".join(command[1:4])))
    return Alone(*json.loads(done.stdout))


def _row_alone(workload: str, figures: Dict[str, Figure], mark: Optional[Mark]) -> List[Row]:
    """Give the rows of a workload that only Harbor takes part in, where it is installed."""
    ours = figures["ours"]
    rows = [Row(workload, name, ours, figure, mark) for name, figure in figures.items() if name != "ours"]
    return rows or [Row(workload, "(Harbor is absent)", ours, ours)]


def time_first(run: Run) -> Group:
    """Time the first record that a process reads."""
    names = ["ours"] + [peer.name for peer in run.pick("Harbor")]
    rows: List[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "record.json")
        for workload, indent, sizes in (
            ("validate_json, %d turns", 0, run.pick_sizes(CHAT)),
            ("validate_json, %d turns on disk", 4, run.pick_sizes(LARGE)),
        ):
            path.write_text(write_text(make_chat(*sizes), indent), encoding="utf-8")
            samples: Dict[str, List[float]] = {name: [] for name in names}
            for _ in range(run.rounds):
                for name in names:
                    samples[name].append(_run_alone(run, "read", name, sizes, indent, path).seconds)
            figures = {name: summarize(found) for name, found in samples.items()}
            rows += _row_alone(workload % sizes[0], figures, at_least(8))
    return Group(
        "First call of a process",
        "The two chats above, read by a process that has read no more than a small record before. All memory is asked "
        "of the system, as where a program reads one file; further up, a call finds what the one before it has freed.",
        rows)


def measure_memory(run: Run) -> Group:
    """Measure peak memory of the same chat, each in a process of its own."""
    sizes = run.pick_sizes(LARGE)
    names = ["ours"] + [peer.name for peer in run.pick("Harbor")]
    rows: List[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "record.json")
        path.write_text(write_text(make_chat(*sizes), 4), encoding="utf-8")
        for workload, act, indent, mark in (
            ("validate_json, peak above the text", "read", 4, at_least(4, "less")),
            ("dump_json(indent=4), peak above the record", "write", 4, None),
            ("the same, less the new text itself", "write less text", 4, None),
        ):
            found = {}
            for name in names:
                peak, size, _ = _run_alone(run, act.split()[0], name, sizes, indent, path)
                if peak is None:
                    return Group("Peak memory", "Not measured: this needs Linux.", [])
                found[name] = summarize([float(peak - size if "less" in act else peak)])
            rows += _row_alone(workload, found, mark)
    return Group(
        "Peak memory",
        "The same record. The new text is part of what writing must hold, whoever writes it, and is taken off in the "
        "last row.", rows, "bytes")


GROWTH_COLUMNS = (
    "turns", "new tokens", "all prompts", "text", "memcpy of the text", "copy of the text", "copy of the lists",
    "validate_json", "dump_json", "validate_json above the memcpy", "and above the lists",
    "dump_json above the copy of the text")


def time_growth(run: Run) -> Tuple[Group, str]:
    """Time chats of more and more turns; gives the plot beside the table."""
    turns = [n * run.size(25, 5) for n in (1, 2, 4, 8, 16)]
    per_turn = run.size(500, 20)
    lines = ["| %s |" % " | ".join(GROWTH_COLUMNS), "|---" * len(GROWTH_COLUMNS) + "|"]
    grown: Dict[str, List[float]] = {
        "new tokens": [], "all prompts": [], "reading": [], "reading, lists": [], "writing": []}
    for n_turns in turns:
        record = make_chat(n_turns, per_turn, per_turn)
        text = verify(run, record, run.reference)
        prompts = record["rollout_details"][0]["prompt_token_ids"]
        n_new, n_all = len(prompts[-1]), sum(map(len, prompts))
        raw = text.encode()
        figures = run.time({
            "memcpy": _bind_copy(raw), "copy": lambda: text[1:], "lists": lambda: [prompt[:] for prompt in prompts],
            "read": _bind(run.own.load, text), "write": _bind(run.own.dump, run.own.load(text))})
        memcpy, copy, lists, read, write = (figure.median for figure in figures.values())
        above = [max(time, 1e-9) for time in (read - memcpy, read - memcpy - lists, write - copy)]
        for values, value in zip(grown.values(), [float(n_new), float(n_all), *above]):
            values.append(value)
        cells = ["%d" % n_turns, "{:,}".format(n_new), "{:,}".format(n_all), "%.1f MB" % (len(text) / 1e6)]
        cells += map(format_seconds, [memcpy, copy, lists, read, write, *above])
        lines.append("| %s |" % " | ".join(cells))
    powers = {name: _find_power(grown["new tokens"], values) for name, values in grown.items()}
    cells = ["%.2f" % power for power in powers.values()]
    lines.append("| *power* | %s | %s | %s | %s |" % (*cells[:2], " | ".join([""] * 6), " | ".join(cells[2:])))
    worst = powers["all prompts"]
    findings = [
        (title, "new tokens ^ %.2f" % powers[name], "nearer to new tokens ^ 1 than to all prompts, ^ %.2f" % worst,
         powers[name] <= (1 + worst) / 2)
        for title, name in (
            ("reading, above the memcpy of the text", "reading"),
            ("reading, above that and the copy of the lists", "reading, lists"),
            ("writing, above the copy of the text", "writing"),
        )]
    plot = draw_growth(turns, {
        "reading, above the copies": grown["reading, lists"], "writing, above the copy": grown["writing"],
        "new tokens": grown["new tokens"], "all prompts": grown["all prompts"]})
    group = Group(
        "Growth",
        "The prompts of a chat with {} new tokens a turn, compact. The *memcpy* goes into memory that is there already: "
        "one pass over the text, which no reader can do without. A *copy*, `text[1:]` or `[ids[:] for ids in prompts]`, "
        "goes into memory that the system must hand out, as it must for any new text and any independent lists. "
        "*power*: of the new tokens, fitted to the logarithms of all rows.".format(per_turn),
        [], more="\n".join(lines), findings=findings)
    return group, plot


def _bind_copy(raw: bytes) -> Callable[[], Any]:
    target = memoryview(bytearray(len(raw)))

    def copy() -> None:
        target[:] = raw

    return copy


def _find_power(base: Sequence[float], values: Sequence[float]) -> float:
    """Give the slope of the line through the logarithms of values over those of another row, by least squares."""
    xs, ys = [math.log(x) for x in base], [math.log(y) for y in values]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys)) / sum((x - x_mean) ** 2 for x in xs)


def time_adverse(run: Run) -> Group:
    """Time records that gain nothing from what the prompts share, against the same code without that quick way."""
    rows: List[Row] = []
    for name, make, is_spacious in ADVERSE:
        record = make(0.01 if run.is_quick else 1)
        text = write_text(record)
        if is_spacious:
            text = scatter_space(text)
        own = run.own
        contenders = {"plain path": own, **{peer.name: peer for peer in run.reference}}
        expected = own.dump(own.load(text))
        for peer in contenders.values():
            with shut_quick_way(peer is own):
                found = peer.dump(peer.load(text)).replace('"model_usage":null,', "", 1)
            _demand(found == expected, peer, "text of a record with %s" % name)
        loads = {
            against: _bind(_shut_for(peer.load) if peer is own else peer.load, text)
            for against, peer in contenders.items()}
        marks = {"plain path": at_most(1.3)}
        rows += _compare(run, name + ": validate_json", _bind(own.load, text), loads, marks)
        write = _write_silently
        made = own.build(record)
        expected = write(made)
        for peer in contenders.values():
            with shut_quick_way(peer is own):
                found = write(peer.build(record)).replace('"model_usage":null,', "", 1)
            _demand(found == expected, peer, "text of a built record with %s" % name)
        dumps = {
            against: _bind(_shut_for(write) if peer is own else write, peer.build(record))
            for against, peer in contenders.items()}
        rows += _compare(run, name + ": dump_json", _bind(write, made), dumps, marks)
    return Group(
        "Adverse records",
        "The *plain path* is this package with the quick way for growing lists shut: the whole text goes to the "
        "scanner of `json`, all lists to its encoder. The records that are written were built, not read.", rows)


def _write_silently(made: Any) -> str:
    # A float where an int belongs is written, with a warning that is not what is timed here.
    text: str = made.model_dump_json(warnings=False)
    return text


@contextlib.contextmanager
def shut_quick_way(is_shut: bool = True) -> Iterator[None]:
    """Shut the quick way for growing lists in a ``with`` block, if it is to be shut."""
    if not is_shut:
        yield
        return
    load_ours()
    from harbor.codec.text import reading, writing

    kept = [(owner, name, getattr(owner, name)) for owner, name in (
        (reading, "_parse_growing"), (writing, "write_lists"))]
    not_found = getattr(reading, "_NOT_FOUND")
    setattr(reading, "_parse_growing", lambda *values: not_found)
    setattr(writing, "write_lists", _write_plainly)
    try:
        yield
    finally:
        for owner, name, value in kept:
            setattr(owner, name, value)


def _shut_for(act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        with shut_quick_way():
            return act(value)

    return call


def _write_plainly(
    lists: List[Any], out: List[str], encode: Callable[[Any], str], newline: str, inner_newline: str
) -> bool:
    """Write lists of ints in one go, in the place of ``write_lists``; compact text alone."""
    if newline or set(map(type, lists)) - {list} or {kind for ids in lists for kind in set(map(type, ids))} - {int}:
        return False
    out.append(encode(lists)[:-1])
    return True


# All of them ---------------------------------------------------------------------

GROUPS: Dict[str, Callable[[Run], Any]] = {
    "import": time_imports,
    "small": time_small,
    "chat": time_chat,
    "values": time_values,
    "turn": time_turn,
    "large": time_large,
    "first": time_first,
    "memory": measure_memory,
    "growth": time_growth,
    "adverse": time_adverse,
}
