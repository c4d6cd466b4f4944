"""The command `run`: run an agent on this machine and write the trial's result.

    python -m harbor run MODULE:CLASS --instruction TEXT [--output FILE]

In: where the agent's class is, and what it is told. Out: the result, as JSON in the file or on standard output, and
a few lines on standard error that say how it went. The first signal (Ctrl-C) stops the agent and keeps what it has.

Exit status: 0 the agent ran to its end, 1 an exception stands in the result, 2 there is no result, 128 and a
signal's number where one came.
"""

import os
import sys
from typing import TYPE_CHECKING, Any, Iterator, Type

from .cli_output import describe_os_error, make_plain, print_error, write_line

if TYPE_CHECKING:
    import argparse

    from .agents.base import BaseAgent
    from .models.trial.result import TrialResult

__all__ = ["add_run_options"]


class _CannotRun(Exception):
    """Something is wrong with what was given; the text says what in a line."""


def add_run_options(parser: "argparse.ArgumentParser") -> None:
    """Add the options of `run` to its parser; its `run` default takes them and gives the exit status."""
    parser.description = (
        "Run an agent in a folder of this machine, with nothing isolated, and write the trial's result.")
    parser.add_argument("agent", metavar="AGENT", help="the agent's class, as MODULE:CLASS or FILE.py:CLASS")
    parser.add_argument(
        "--instruction", required=True, metavar="TEXT", help="what the agent is told; @FILE reads it from a file, - "
        "as the file is standard input, and @@ stands for an @ at the start")
    parser.add_argument("--model", metavar="NAME", help="the model's name, as PROVIDER/NAME")
    parser.add_argument("--workdir", metavar="DIR", help="the folder to work in; without it a temporary one is made")
    parser.add_argument("--logs", metavar="DIR", help="the folder for the agent's logs; the same")
    parser.add_argument("--timeout", type=_read_seconds, metavar="SEC", help="how long the agent may run")
    parser.add_argument("--verify", metavar="COMMAND", help="run it afterwards; its exit status gives the reward")
    parser.add_argument("--verify-timeout", type=_read_seconds, metavar="SEC", help="how long that may take")
    parser.add_argument("--reward-file", metavar="PATH", help="take the reward from this file of the verifier instead")
    parser.add_argument("--name", default="local", metavar="NAME", help="the task's name (default: local)")
    parser.add_argument("--output", metavar="FILE", help="write the result here; without it, to standard output")
    parser.add_argument(
        "--snapshot", type=_read_seconds, default=5.0, metavar="SEC", help="how often the file is written meanwhile "
        "(default: 5)")
    parser.set_defaults(run=_run_command)


def _read_seconds(text: str) -> float:
    seconds = float(text)
    if not seconds > 0:
        raise ValueError
    return seconds


_read_seconds.__name__ = "number of seconds"  # argparse says: invalid ... value


def _run_command(options: Any) -> int:
    import tempfile

    try:
        if options.reward_file is not None and options.verify is None:
            raise _CannotRun("--reward-file needs --verify")
        with tempfile.TemporaryDirectory(prefix="harbor-run-") as folder:
            status = _run_agent(options, folder)
    except _CannotRun as error:
        return print_error("run", make_plain(str(error)))
    _leave_threads(status)
    return status


def _run_agent(options: Any, spare: str) -> int:
    """Run the agent; what no folder was named for goes to a spare one."""
    from .environments.local import LocalEnvironment
    from .environments.processes import run_until_signal
    from .runner import AgentRun

    instruction = _read_instruction(options.instruction)
    logs = os.path.abspath(options.logs or os.path.join(spare, "agent"))
    path = options.output or os.path.join(spare, "result.json")
    agent = _make_agent(_find_class(options.agent), options.agent, logs, options.model)
    try:
        os.makedirs(logs, exist_ok=True)
        run = AgentRun(
            agent, LocalEnvironment(options.workdir), instruction, timeout_sec=options.timeout, verify=options.verify,
            verify_timeout_sec=options.verify_timeout, reward_file=options.reward_file, task_name=options.name,
            path=path, snapshot_sec=options.snapshot)
        number = run_until_signal(run.run)
    except OSError as error:
        raise _CannotRun("%s: %s" % (error.filename or path, describe_os_error(error))) from None
    if options.output is None:
        with open(path, encoding="utf-8") as file:
            write_line(file.read(), sys.stdout)
    for line in _describe_result(run.result, options.output):
        write_line(line, sys.stderr)
    return 128 + number if number else 0 if run.result.exception_info is None else 1


# The agent -----------------------------------------------------------------------------------------------------------


def _read_instruction(text: str) -> str:
    if text[:1] != "@":
        return text
    if text[:2] == "@@":
        return text[1:]
    try:
        if text == "@-":
            return sys.stdin.read()
        with open(text[1:], encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise _CannotRun("%s: %s" % (text[1:], error.strerror)) from None
    except ValueError:
        raise _CannotRun("%s: Not UTF-8" % text[1:]) from None


def _find_class(place: str) -> "Type[BaseAgent]":
    from .agents.base import BaseAgent

    module_name, colon, class_name = place.rpartition(":")
    if not colon or not module_name or not class_name:
        raise _CannotRun("Expected an agent as MODULE:CLASS or FILE.py:CLASS, got %r" % place)
    try:
        found = _import_module(module_name)
    except _CannotRun:
        raise
    except (Exception, SystemExit) as error:
        raise _CannotRun("Cannot import %s: %s" % (module_name, _name_error(error))) from None
    for part in class_name.split("."):
        if not hasattr(found, part):
            raise _CannotRun("There is no %s in %s" % (class_name, module_name))
        found = getattr(found, part)
    if not isinstance(found, type) or not issubclass(found, BaseAgent):
        raise _CannotRun("%s is no subclass of %s.BaseAgent" % (place, BaseAgent.__module__))
    return found


def _import_module(name: str) -> Any:
    import importlib
    import importlib.util

    if not name.endswith(".py") and os.sep not in name:
        # Where the command itself stands is what Python puts first when it is a script.
        if os.getcwd() not in sys.path and "" not in sys.path:
            sys.path.insert(0, os.getcwd())
        return importlib.import_module(name)
    if not os.path.isfile(name):
        raise _CannotRun("There is no file %s" % name)
    folder, file_name = os.path.split(os.path.abspath(name))
    spec = importlib.util.spec_from_file_location(os.path.splitext(file_name)[0], os.path.join(folder, file_name))
    if spec is None or spec.loader is None:
        raise _CannotRun("%s is no Python file" % name)
    module = importlib.util.module_from_spec(spec)
    # Its neighbours are imported by name, and so may it be.
    sys.path.insert(0, folder)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _make_agent(kind: "Type[BaseAgent]", place: str, logs: str, model: Any) -> "BaseAgent":
    import pathlib

    try:
        agent = kind(logs_dir=pathlib.Path(logs), model_name=model)
        # Its commands and this process see the same files.
        agent.environment_logs_dir = pathlib.PurePosixPath(logs)
    except Exception as error:
        raise _CannotRun("Cannot make the agent %s: %s" % (place, _name_error(error))) from None
    return agent


# What is printed -----------------------------------------------------------------------------------------------------


def _describe_result(result: "TrialResult", path: Any) -> Iterator[str]:
    exception = result.exception_info
    duration = result.durations.get("agent_execution")
    spent = "" if duration is None else " after %.1f s" % duration.total_seconds()
    name = make_plain(result.trial_name)
    if exception is None:
        yield "%s: the agent ended%s" % (name, spent)
    else:
        text = make_plain(exception.exception_message.split("\n")[0])
        yield "%s: %s%s" % (name, exception.exception_type + (": " + text if text else ""), spent)
    rewards = None if result.verifier_result is None else result.verifier_result.rewards
    for reward, value in (rewards or {}).items():
        yield "%s: %s is %r" % (name, make_plain(reward), value)
    if path is not None:
        yield "%s: see %s" % (name, make_plain(path))


def _name_error(error: BaseException) -> str:
    return ("%s: %s" % (type(error).__name__, error)).split("\n")[0].rstrip(": ")


def _leave_threads(status: int) -> None:
    """End the process where an agent that was stopped left threads, which Python would wait for without end."""
    import threading

    # Daemons count: on Python 3.8 those of an executor are, and are waited for all the same.
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    # Only where the command line is all there is: a program that calls it has business of its own.
    if status and others and getattr(spec, "name", "") == "%s.__main__" % __package__:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
