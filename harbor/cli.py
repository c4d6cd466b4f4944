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

_COMMANDS = {
    "show": "print a trial, or tokens, cost, rollouts and metadata keys of a context",
    "validate": "print the faults of records, with their location",
    "stats": "sum up the trials in a directory",
    "run": "run an agent on this machine and write the trial's result",
    "rollouts": "check rollouts, or turn them into training sequences",
}
_AS_JSON = "print JSON instead of text"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run one command and give its exit status.

    Without arguments those of the process are used. Wrong usage and `--help`
    raise SystemExit, as argparse does.
    """
    try:
        try:
            given = sys.argv[1:] if arguments is None else list(arguments)
            return _run(_make_parser(given).parse_args(given))
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


def _make_parser(arguments: Sequence[str]) -> "argparse.ArgumentParser":
    """Make the parser for these arguments: only a command that stands among them gets its options."""
    import argparse  # costs more than all of the models together

    def make_formatter(prog: str) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(prog, width=80)

    # Options are tried on a formatter as they are added, and one that is told no width imports six modules to ask for
    # that of the terminal. What is printed is as wide as ever.
    parsers = [argparse.ArgumentParser(
        prog="python -m harbor", description="Look at records of agent runs.", formatter_class=make_formatter)]
    parsers[0].add_argument("--version", action="version", version="harbor-context " + __version__)
    commands = parsers[0].add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in _COMMANDS.items():
        parser = commands.add_parser(name, help=text, formatter_class=make_formatter)
        parsers.append(parser)
        if name in arguments:
            _add_options(name, parser)
    for parser in parsers:
        parser.formatter_class = argparse.HelpFormatter
    return parsers[0]


def _add_options(command: str, parser: "argparse.ArgumentParser") -> None:
    if command == "show":
        parser.add_argument(
            "file", metavar="FILE", help="an AgentContext or a trial's result.json; - is standard input")
        parser.add_argument("--json", action="store_true", help=_AS_JSON)
    elif command == "validate":
        parser.add_argument("files", metavar="FILE", nargs="+", help="as for show")
        parser.add_argument("--json", action="store_true", help=_AS_JSON + ", one object for each file")
    elif command == "stats":
        _add_stats_options(parser)
    elif command == "rollouts":
        from .cli_rollouts import add_rollouts_options

        add_rollouts_options(parser)
    elif command == "run":
        from .cli_run import add_run_options

        add_run_options(parser)


def _add_stats_options(stats: "argparse.ArgumentParser") -> None:
    stats.add_argument("directory", metavar="DIR", help="a jobs directory, a job's, or any that holds trials")
    stats.add_argument(
        "--by", choices=("agent", "model", "task", "dataset", "none"), default="agent",
        help="what makes a row (default: agent)")
    stats.add_argument("--reward", metavar="NAME", help="the reward to take; else \"reward\", else the only one")
    form = stats.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=_AS_JSON)
    form.add_argument("--csv", action="store_true", help="print CSV instead of text")
    stats.add_argument(
        "--jobs", metavar="N", type=_read_jobs,
        help="read with N processes, 0 for one per processor (default: as many as pay)")
    stats.add_argument("--tolerant", action="store_true", help="also take what can be mended")
    stats.add_argument("--strict", action="store_true", help="exit with 1 if a file could not be read")


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
