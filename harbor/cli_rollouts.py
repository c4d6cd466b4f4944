"""The command `rollouts`: check rollouts, turn them into training sequences, draw them.

    python -m harbor rollouts PATH... [--check] [--output FILE.jsonl[.gz]] [--plot FILE.svg]

PATH is a directory with trials, a trial's `result.json` or an AgentContext. Here is what can be asked for; the work
is done by `cli_sequences`.
"""

from typing import TYPE_CHECKING, List

if TYPE_CHECKING:
    import argparse

__all__ = ["add_rollouts_options"]

_EPILOG = """Without --check, --output and --plot, a summary is printed. Segments, turns and tokens are counted from
0. The exit status is 0, or 1 if there was a finding or a rollout was refused, or 2 if a file could not be read or
written."""


def add_rollouts_options(parser: "argparse.ArgumentParser") -> None:
    """Add the options of `rollouts` to its parser; its ``run`` takes them and gives the exit status."""
    parser.description = "Check the rollouts of trials, turn them into training sequences, draw them."
    parser.epilog = _EPILOG
    parser.set_defaults(run=_run_rollouts)
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="a directory with trials, a trial's result.json, or an AgentContext")
    parser.add_argument("--check", action="store_true", help="print what is wrong; exit with 1 if anything is")
    parser.add_argument(
        "--ignore", metavar="KIND", action="append", default=[],
        help="with --check: leave out findings of this kind, as it stands in brackets; may be repeated")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text, one object a line")
    parser.add_argument("--output", metavar="FILE", help="write the sequences as JSON lines; compressed if *.gz")
    parser.add_argument("--append", action="store_true", help="add to FILE; refused where its last line is cut")
    parser.add_argument("--plot", metavar="FILE.svg", help="draw tokens per turn and the distribution of logprobs")
    parser.add_argument("--per-turn", action="store_true", help="one sequence for each turn")
    parser.add_argument(
        "--mask-turns", metavar="N,N", type=_read_turns, default=(),
        help="turns that keep loss mask 0; negative ones count from the end, as in --mask-turns=-1")
    parser.add_argument("--max-length", metavar="N", type=_read_length, help="of a sequence, in tokens")
    parser.add_argument(
        "--truncation", choices=("left", "right"), help="the side that is cut off; else what is longer is refused")
    parser.add_argument("--no-logprobs", action="store_true", help="leave logprobs out, and what is wrong with them")
    parser.add_argument("--reward", metavar="NAME", help="the reward to take; else \"reward\", else the only one")
    parser.add_argument("--tolerant", action="store_true", help="also take trials that can be mended")


def _read_turns(text: str) -> List[int]:
    return [int(part) for part in text.split(",")]


def _read_length(text: str) -> int:
    length = int(text)
    if length < 1:
        raise ValueError(text)
    return length


# What argparse calls them where the text is no number.
_read_turns.__name__ = "turn numbers"
_read_length.__name__ = "length"


def _run_rollouts(options: "argparse.Namespace") -> int:
    from .cli_sequences import process_rollouts

    return process_rollouts(options)
