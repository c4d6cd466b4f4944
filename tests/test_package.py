"""The package as a whole: one version, few imports, names that stay apart."""

import ast
import configparser
import pathlib
import subprocess
import sys
from typing import Dict, Iterator, List, Tuple

import pytest

import harbor
import implementation

ROOT = pathlib.Path(__file__).resolve().parent.parent

SOURCES = sorted((ROOT / "harbor").rglob("*.py"))


def _parse(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _list_top_level(body: List[ast.stmt]) -> Iterator[str]:
    """List the names that statements define, also those under an `if` or `try`, but no imported ones."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _list_top_level(node.body + node.orelse)


def test_the_version_stands_in_one_place() -> None:
    config = configparser.ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    assert config["metadata"]["version"] == "attr: harbor.__version__"
    assert harbor.__version__
    holders = [
        path.relative_to(ROOT).as_posix()
        for path in [*SOURCES, ROOT / "setup.cfg", ROOT / "pyproject.toml", ROOT / "Makefile"]
        if '"{}"'.format(harbor.__version__) in path.read_text(encoding="utf-8")
    ]
    assert holders == ["harbor/__init__.py"]


def test_the_changelog_has_an_unreleased_section_on_top() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert next(line for line in lines if line.startswith("## ")) == "## Unreleased"


def test_there_is_no_dependency() -> None:
    config = configparser.ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    assert "install_requires" not in config["options"]


def test_every_folder_of_the_package_is_a_package() -> None:
    folders = {path.parent for path in SOURCES}
    assert folders
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_the_models_import_nothing_slow_or_absent_from_small_pythons() -> None:
    unwanted = ["argparse", "asyncio", "datetime", "decimal", "json", "pathlib", "uuid"]
    source = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "sys.path.insert(0, {!r})\n"
        "import harbor.models.agent.context\n"
        "print(sorted((set(sys.modules) - before).intersection({!r})))\n"
    ).format(str(implementation.PATH), unwanted)
    # -S: a site-packages folder may import what it likes.
    done = subprocess.run([sys.executable, "-I", "-S", "-c", source], stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode().strip() == "[]"


def test_the_models_bring_nothing_of_weight_beside_typing() -> None:
    # What that brings differs between Pythons.
    source = (
        "import sys, typing\n"
        "before = set(sys.modules)\n"
        "sys.path.insert(0, {!r})\n"
        "import harbor.models.agent.context\n"
        "added = set(sys.modules) - before\n"
        "print(sorted(added.intersection(['copy', 'dataclasses', 'inspect', 're', 'warnings'])))\n"
        "print(sorted(name[7:] for name in added if name.startswith('harbor.')))\n"
    ).format(str(implementation.PATH))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", source], stdout=subprocess.PIPE, check=True)
    foreign, own = done.stdout.decode().splitlines()
    assert foreign == "[]"
    # What checks and dumps values is not among them.
    assert own == str([
        "codec", "codec.declared", "codec.legacy", "codec.model", "models", "models.agent",
        "models.agent.context", "models.agent.rollout_detail"])


def test_records_are_used_without_loading_dataclasses() -> None:
    source = (
        "import sys\n"
        "sys.path.insert(0, {!r})\n"
        "from harbor.models.agent.context import AgentContext\n"
        "context = AgentContext.model_validate_json('{{\"n_input_tokens\": 1, \"model_usage\": {{\"a\": {{}}}}}}')\n"
        "context.metadata = {{'a': [1]}}\n"
        "assert AgentContext(**context.model_dump()) == context and str(context)\n"
        "context.model_dump_json(indent=2)\n"
        "print('dataclasses' in sys.modules)\n"
        "import dataclasses\n"
        "print([field.name for field in dataclasses.fields(context)] == list(AgentContext.model_fields))\n"
    ).format(str(implementation.PATH))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", source], stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode().split() == ["False", "True"]


def test_what_the_codec_hands_on_is_there_without_an_import_of_its_own() -> None:
    source = (
        "import harbor.codec as codec\n"
        "print(codec.errors.ValidationError is codec.ValidationError, codec.plan.plan_of(int).title)\n"
        "names = [name for name in dir(codec) if name[:1] != '_']\n"
        "print([name for name in codec.__all__ if not hasattr(codec, name)], set(codec.__all__) - set(names))\n"
        "print([name for name in names if not hasattr(codec, name)], hasattr(codec, 'nothing'))\n")
    assert implementation.run_python("-c", "import sys; sys.path.insert(0, sys.argv[1])\n" + source, str(
        implementation.PATH)) == "True int\n[] set()\n[] False\n"


def test_threads_may_use_different_ends_of_the_codec_first() -> None:
    source = (
        "import sys, threading; sys.path.insert(0, sys.argv[1]); sys.setswitchinterval(1e-6)\n"
        "from harbor.models.agent.context import AgentContext\n"
        "import harbor.codec\n"
        "faults = []\n"
        "acts = [AgentContext, AgentContext.model_json_schema, lambda: harbor.codec.TypeAdapter(int).json_schema(),\n"
        "    lambda: AgentContext.model_validate_json('{}'), lambda: harbor.codec.ValidationError]\n"
        "start = threading.Barrier(len(acts))\n"
        "def run(act):\n"
        "    start.wait()\n"
        "    try:\n        act()\n"
        "    except BaseException as exc:\n        faults.append(repr(exc))\n"
        "threads = [threading.Thread(target=run, args=(act,)) for act in acts]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "print(faults)\n")
    for _ in range(5):
        assert implementation.run_python("-c", source, str(implementation.PATH)) == "[]\n"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_survives_vendoring(path: pathlib.Path) -> None:
    """No absolute import of the package, and no annotations kept as strings."""
    for node in ast.walk(_parse(path)):
        if isinstance(node, ast.ImportFrom):
            assert node.module != "__future__"
            assert node.level or (node.module or "").split(".")[0] != "harbor"
        elif isinstance(node, ast.Import):
            assert [alias.name for alias in node.names if alias.name.split(".")[0] == "harbor"] == []


def test_top_level_names_are_unique_over_the_package() -> None:
    owners: Dict[str, List[str]] = {}
    for path in SOURCES:
        for name in set(_list_top_level(_parse(path).body)):
            owners.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    dunders = [name for name in owners if name.startswith("__") and name.endswith("__")]
    for name in dunders:
        del owners[name]
    shared: List[Tuple[str, List[str]]] = [(name, found) for name, found in owners.items() if len(found) > 1]
    assert shared == []
