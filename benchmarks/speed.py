"""Time this package against Harbor, other libraries and the standard library, and write the tables.

    python benchmarks/speed.py [--quick] [--rounds 21] [--clock process] [--only NAME...] [--output FILE]
        [--update DOCUMENT] [--plot FILE]

Whatever of requirements.txt is installed is compared with; Harbor needs Python 3.12. All contenders of a workload take
turns, in one process; imports, first calls and peak memory have processes of their own. Before anything is timed, its
results are compared with Harbor's, byte for byte, and with every other contender's values: a wrong one ends the run.
`--quick` does everything once on small records, whose marks mean nothing. `--update` puts the tables between the two
markers of a Markdown document. The exit status is 0 also where a mark is missed, for a busy machine misses some.
"""

import argparse
import datetime
import pathlib
import platform
import sys
import time
from typing import List, Sequence, Tuple

from groups import GROUPS, Run, WrongResult, make_run
from tables import Group, write_marks, write_table
from timing import CLOCKS

BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"


def make_document(run: Run, absent: Sequence[str], names: Sequence[str]) -> Tuple[str, str]:
    """Run groups by their names; give the Markdown document and the growth plot, if it was drawn."""
    groups: List[Group] = []
    plot = ""
    start = time.perf_counter()
    for name in names:
        print("%6.1f s  %s" % (time.perf_counter() - start, name), file=sys.stderr)
        found = GROUPS[name](run)
        if not isinstance(found, Group):
            found, plot = found
        groups.append(found)
    print("%6.1f s  done" % (time.perf_counter() - start), file=sys.stderr)
    parts = [_describe(run, absent), "### Marks"]
    if run.is_quick:
        parts.append("A quick run on small records: its marks mean nothing.")
    parts.append(write_marks(groups))
    parts += [write_table(group) for group in groups]
    return "\n\n".join(parts) + "\n", plot


def _describe(run: Run, absent: Sequence[str]) -> str:
    versions = ["%s %s" % (peer.name, peer.version) for peer in run.peers]
    lines = [
        "- %s %s, %s %s" % (
            platform.python_implementation(), platform.python_version(), platform.system(), platform.machine()),
        "- " + _describe_processor(),
        "- this package %s; %s" % (run.own.version, ", ".join(versions) or "no other library"),
        "- absent: %s" % (", ".join(absent) or "none"),
        "- %s UTC; %d rounds, %s time, garbage collector on; medians, with quartiles in brackets" % (
            datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"), run.rounds, run.clock.name),
    ]
    return "\n".join(lines)


def _describe_processor() -> str:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    models = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    if not models:
        return platform.processor() or "unknown processor"
    return "%d × %s" % (len(models), models[0])


def update_document(path: pathlib.Path, tables: str) -> None:
    """Put tables between the markers of a document; raises ``ValueError`` where they are missing."""
    text = path.read_text(encoding="utf-8")
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not end:
        raise ValueError("Expected the lines %r and %r in %s" % (BEGIN, END, path))
    path.write_text("%s%s\n\n%s\n%s%s" % (head, begin, tables, end, tail), encoding="utf-8")


def main() -> int:
    """Run the benchmarks and write the document; give 1 where a result is wrong."""
    parser = argparse.ArgumentParser(description="Time this package against Harbor, other libraries and json.")
    parser.add_argument("--quick", action="store_true", help="small records, few rounds")
    parser.add_argument("--rounds", type=int, help="samples of each figure; 21, or 3 with --quick")
    parser.add_argument("--budget", type=float, default=30.0, metavar="SECONDS",
                        help="what a contender may take for one figure; it then sits out after three rounds")
    parser.add_argument("--clock", choices=sorted(CLOCKS), default="process")
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), default=list(GROUPS), metavar="NAME",
                        help="some of: " + ", ".join(GROUPS))
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--update", type=pathlib.Path, metavar="DOCUMENT")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    if options.update and (options.quick or options.only != list(GROUPS)):
        parser.error("--update puts in all tables of a full run: leave out --quick and --only")
    run, absent = make_run(
        options.quick, options.rounds or (3 if options.quick else 21), options.clock, budget=options.budget)
    try:
        document, plot = make_document(run, absent, options.only)
    except WrongResult as error:
        print("wrong result: %s" % error, file=sys.stderr)
        return 1
    if options.plot and plot:
        options.plot.write_text(plot, encoding="utf-8")
    if options.update:
        update_document(options.update, document)
    if options.output:
        options.output.write_text(document, encoding="utf-8")
    elif not options.update:
        print(document, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
