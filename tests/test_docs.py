"""The documents: what they show runs, and what they link to is there."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
from typing import List, Tuple

import pytest

from harbor.cli import main

ROOT = pathlib.Path(__file__).resolve().parent.parent

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.json"))


def _list_blocks(path: pathlib.Path, language: str) -> List[str]:
    pattern = r"^```{}\n(.*?)^```$".format(language)
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def _list_commands(name: str = "README.md") -> List[Tuple[str, str]]:
    """List a document's commands with the output that it shows for them."""
    commands = []
    for block in _list_blocks(ROOT / name, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            commands.append((command, output))
    return commands


def _run_python(*arguments: str) -> Tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=str(ROOT),
        env=dict(os.environ, PYTHONIOENCODING="utf-8"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_python_of_the_readme_runs() -> None:
    (block,) = _list_blocks(ROOT / "README.md", "python")
    assert _run_python("-W", "error", "-c", block) == (0, "", "")


PYTHON_BLOCKS = [
    pytest.param(block, id="{}-{}".format(path.stem, number))
    for path in DOCUMENTS if path.parent.name == "docs"
    for number, block in enumerate(_list_blocks(path, "python"), 1)
]


@pytest.mark.parametrize("block", PYTHON_BLOCKS)
def test_the_python_of_a_document_runs(block: str) -> None:
    assert _run_python("-W", "error", "-c", block) == (0, "", "")


def test_the_two_commands_are_in_the_readme() -> None:
    commands = [command for command, _ in _list_commands()]
    assert commands[:2] == ["python3 -m harbor show docs/examples/context.json", "make test"]


@pytest.mark.parametrize("command, output", _list_commands(), ids=[command for command, _ in _list_commands()])
def test_a_command_of_the_readme_prints_what_it_shows(command: str, output: str) -> None:
    program, *arguments = shlex.split(command)
    if program == "python3":
        assert _run_python(*arguments) == (0, output, "")
    else:  # these tests are what it runs
        assert (program, output) == ("make", "")
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(r"^{}:".format(re.escape(arguments[0])), makefile, re.MULTILINE)


@pytest.mark.parametrize("command, output", _list_commands("docs/rollouts.md"))
def test_a_command_of_a_document_prints_what_it_shows(command: str, output: str) -> None:
    assert _run_python(*shlex.split(command)[1:]) == (0, output, "")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_valid(path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(path)]) == 0
    assert capsys.readouterr() == ("{}: valid\n".format(path), "")


def test_there_are_examples() -> None:
    assert [path.name for path in EXAMPLES] == ["context.json", "result.json"]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(path: pathlib.Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    broken = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert broken == []


def test_every_document_is_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS if path.name != "README.md"]
    assert names
    assert [name for name in names if "({})".format(name) not in readme] == []
