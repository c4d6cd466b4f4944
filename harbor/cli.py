"""The command line: look at records of agent runs, check them, sum them up.

    python -m harbor show FILE
    python -m harbor validate FILE...
    python -m harbor stats DIR
    python -m harbor rollouts PATH...
    python -m harbor run AGENT --instruction TEXT

FILE is an AgentContext or a trial's `result.json`; `-` is standard input. DIR
holds trials, at any depth. Text, JSON or CSV goes to standard output; what keeps
a document from being read goes to standard error, one line each. A file is
written only where an option names one.

Exit status: 0 all is well, 1 a document has faults, 2 it could not be read.
`stats` lists what it cannot read and exits with 0, or with 1 if told to be strict.
"""

import sys
from typing import TYPE_CHECKING, Optional, Sequence

from . import __version__
from .cli_output import describe_os_error, drop_output, print_error

if TYPE_CHECKING:
    import argparse

__all__ = ["main"]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run one command and give its exit status.

    Without arguments those of the process are used. Wrong usage and `--help`
    raise SystemExit, as argparse does.
    """
    try:
        try:
            return _run(_make_parser().parse_args(arguments))
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # only writing to standard output is left to fail here
        drop_output()
        if not isinstance(error, BrokenPipeError):
            print_error("standard output", describe_os_error(error))
        return 2
    except KeyboardInterrupt:
        return 130


def _make_parser() -> "argparse.ArgumentParser":
    import argparse  # costs more than all of the models together

    from .cli_rollouts import add_rollouts_command
    from .cli_run import add_command

    parser = argparse.ArgumentParser(prog="python -m harbor", description="Look at records of agent runs.")
    parser.add_argument("--version", action="version", version="harbor-context " + __version__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    as_json = "print JSON instead of text"
    show = commands.add_parser("show", help="print a trial, or tokens, cost, rollouts and metadata keys of a context")
    show.add_argument("file", metavar="FILE", help="an AgentContext or a trial's result.json; - is standard input")
    show.add_argument("--json", action="store_true", help=as_json)
    validate = commands.add_parser("validate", help="print the faults of records, with their location")
    validate.add_argument("files", metavar="FILE", nargs="+", help="as for show")
    validate.add_argument("--json", action="store_true", help=as_json + ", one object for each file")
    stats = commands.add_parser("stats", help="sum up the trials in a directory")
    stats.add_argument("directory", metavar="DIR", help="a jobs directory, a job's, or any that holds trials")
    stats.add_argument(
        "--by", choices=("agent", "model", "task", "dataset", "none"), default="agent",
        help="what makes a row (default: agent)")
    stats.add_argument("--reward", metavar="NAME", help="the reward to take; else \"reward\", else the only one")
    form = stats.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=as_json)
    form.add_argument("--csv", action="store_true", help="print CSV instead of text")
    stats.add_argument(
        "--jobs", metavar="N", type=_read_jobs,
        help="read with N processes, 0 for one per processor (default: as many as pay)")
    stats.add_argument("--tolerant", action="store_true", help="also take what can be mended")
    stats.add_argument("--strict", action="store_true", help="exit with 1 if a file could not be read")
    add_command(commands)
    add_rollouts_command(commands)
    return parser


def _read_jobs(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    from .cli_workers import count_processors

    return number or count_processors()


# What argparse calls it where the text is no number.
_read_jobs.__name__ = "number of processes"


def _run(options: "argparse.Namespace") -> int:
    # Each command imports only what it needs: the models cost more than a small directory.
    if options.command in ("run", "rollouts"):
        status: int = options.run(options)
        return status
    if options.command == "stats":
        from .cli_stats import print_stats

        form = "json" if options.json else "csv" if options.csv else "text"
        return print_stats(
            options.directory, by=options.by, reward=options.reward, form=form, jobs=options.jobs,
            tolerant=options.tolerant, strict=options.strict)
    from .cli_documents import show_file, validate_file

    if options.command == "show":
        return show_file(options.file, options.json)
    return max([validate_file(name, options.json) for name in options.files])
