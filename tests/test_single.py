"""The one file: how it is made, and how it acts as the package."""

import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import pytest

import amalgamate
from implementation import ROOT, run_python

SINGLE = ROOT / "single"
FILE = SINGLE / "harbor.py"

#: Where the documents say that each name is.
DOCUMENTED = [
    ("harbor.models.agent.context", "AgentContext"),
    ("harbor.models.agent.context", "ModelUsage"),
    ("harbor.models.agent.rollout_detail", "RolloutDetail"),
    ("harbor.models.task.id", "LocalTaskId"),
    ("harbor.models.verifier.result", "VerifierResult"),
    ("harbor.models.trial.result", "TrialResult"),
    ("harbor.agents.base", "BaseAgent"),
    ("harbor.environments.base", "BaseEnvironment"),
    ("harbor.environments.local", "LocalEnvironment"),
    ("harbor.codec", "Model"),
    ("harbor.codec", "TypeAdapter"),
    ("harbor.codec.errors", "ValidationError"),
    ("harbor.trials", "load_trial"),
    ("harbor.usage", "UsageTotals"),
    ("harbor.rollouts", None),
    ("harbor.runner", None),
]

START = "import sys; sys.path.insert(0, sys.argv[1])\n"


def run(source: str, *arguments: str, folder: pathlib.Path = SINGLE, options: Sequence[str] = ("-W", "error")) -> str:
    """Run a program with the one file on `sys.path`; gives what it prints."""
    return run_python(*options, "-c", START + source, str(folder), *arguments)


# As the package ------------------------------------------------------------------


@pytest.mark.parametrize("module, name", DOCUMENTED, ids=["%s.%s" % row for row in DOCUMENTED])
def test_a_documented_path_is_the_first_import(module: str, name: str) -> None:
    if name is None:
        assert run("import %s as m; print(m.__name__)" % module) == module + "\n"
    else:
        source = "from {0} import {1}; import {0}; print({0}.{1} is {1}, {1}.__module__)".format(module, name)
        home = {"codec.Model": "harbor.codec.model", "codec.TypeAdapter": "harbor.codec.adapter"}
        assert run(source) == "True %s\n" % home.get("codec." + name, module)


def test_every_module_is_there_with_the_same_public_names() -> None:
    source = (
        "import importlib\n"
        "for name in sys.argv[2].split():\n"
        "    module = importlib.import_module(name)\n"
        "    print(name, sorted(getattr(module, '__all__', [])), hasattr(module, '__path__'), module.__package__,\n"
        "          module.__spec__.name, module.__name__, sys.modules[name] is module, module.__spec__.parent)\n")
    package = amalgamate.Package(ROOT / "harbor")
    names = " ".join(sorted("harbor." + name for name in package.parts if name))
    assert run(source, names) == run(source, names, folder=ROOT)


MISTAKES = [
    ("no module", "import harbor.nope"),
    ("no module of a package", "import harbor.models.agent.nope"),
    ("no module of a module", "import harbor.models.agent.context.nope"),
    ("no name", "from harbor.models.agent.context import nope"),
    ("a name of another module", "from harbor.models.agent.context import ValidationError"),
    ("no attribute", "import harbor.codec; harbor.codec.nope"),
    ("a name where there is none", "from harbor.models import AgentContext"),
]


@pytest.mark.parametrize("source", [row[1] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_a_mistake_is_the_same_error(source: str) -> None:
    program = "try:\n    %s\nexcept Exception as exc:\n    print(repr(exc).split(' (')[0].replace(sys.argv[1], ''))" % source
    found = run(program)
    assert found and found == run(program, folder=ROOT)


CROSSING = """
import pickle
from harbor.models.agent.context import AgentContext, ModelUsage
from harbor.models.trial.result import AgentInfo, ExceptionInfo, TimingInfo
from harbor.models.task.config import VerifierEnvironmentMode
from harbor.codec import ValidationError
from harbor.usage import UsageTotals
made = [
    AgentContext(n_input_tokens=1, metadata={"a": [1]}, model_usage={"m": ModelUsage()}), AgentInfo(name="a", version="1"),
    VerifierEnvironmentMode.SHARED, AgentContext.is_empty, AgentContext,
    TimingInfo.model_validate_json('{"started_at": "2026-01-02T03:04:05+02:00"}'),
]
try:
    AgentContext(n_input_tokens="x")
except ValidationError as exc:
    made.append(exc)
if len(sys.argv) > 2:
    with open(sys.argv[2], "rb") as file:
        print([repr(one) for one in pickle.load(file)] == [repr(one) for one in made], "single" in made[3].__code__.co_filename)
else:
    sys.stdout.buffer.write(pickle.dumps(made))
"""


@pytest.mark.parametrize("source, target", [(ROOT, SINGLE), (SINGLE, ROOT)], ids=["to_single", "to_package"])
def test_pickles_cross(tmp_path: pathlib.Path, source: pathlib.Path, target: pathlib.Path) -> None:
    program = CROSSING
    done = subprocess.run([sys.executable, "-c", START + program, str(source)], stdout=subprocess.PIPE, check=True)
    (tmp_path / "pickled").write_bytes(done.stdout)
    # The function's repr holds its address.
    program = program.replace("[repr(one) for", "[str(one).split(' at 0x')[0] for")
    assert run(program, str(tmp_path / "pickled"), folder=target) == "True %s\n" % (target == SINGLE)


def test_it_imports_nothing_that_the_package_does_not() -> None:
    for module in ("harbor.models.agent.context", "harbor.models.trial.result", "harbor.environments.local"):
        source = (
            "before = set(sys.modules); import %s\n"
            "print(sorted(name for name in set(sys.modules) - before if not name.startswith('harbor')))" % module)
        assert run(source) == run(source, folder=ROOT), module
        # Without a site the interpreter itself has imported less.
        assert run(source, options=("-I", "-S")) == run(source, folder=ROOT, options=("-I", "-S")), module


def test_byte_code_of_what_runs_later_is_kept_beside_the_files_own(tmp_path: pathlib.Path) -> None:
    file, kept = tmp_path / "harbor.py", tmp_path / "__pycache__"
    shutil.copyfile(str(FILE), str(file))
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def use(before: str = "", *options: str) -> str:
        return run_python(*options, "-c", START + before + (
            "from harbor.models.agent import numbers\n"
            "print(numbers.read_count(3), numbers.__doc__[:12], numbers.read_count.__code__.co_filename == sys.argv[2])"
        ), str(tmp_path), str(file), env=around)

    expected = "(3, '') Which values True\n"
    assert use("", "-B") == expected and not kept.exists()
    assert use() == expected
    (made,) = kept.glob("harbor.models.agent.numbers.*")
    assert made.name == "harbor.models.agent.numbers.%s.pyc" % sys.implementation.cache_tag
    whole = made.read_bytes()
    # Who cannot compile can only run what is kept.
    cannot = "import builtins, harbor.codec\ncompile, builtins.compile = builtins.compile, None\n"
    assert use(cannot) == expected
    for damaged in (b"", whole[:40], whole[:-9], b"x" + whole):
        made.write_bytes(damaged)
        assert use() == expected
        assert made.read_bytes() == whole and use(cannot) == expected
    # What is kept of another text is not taken for this one's.
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('\n"""Which values can', '\n"""What values can'), encoding="utf-8")
    assert use() == expected.replace("Which values", "What values ")
    assert [path.name for path in kept.iterdir() if "numbers" in path.name] == [made.name]


def test_parts_run_when_they_are_first_used() -> None:
    assert run(
        "import harbor\n"
        "print('harbor.trials' in sys.modules, 'load_trial' in vars(harbor), 'load_trial' in dir(harbor))\n"
        "print(harbor.load_trial is harbor.trials.load_trial, 'harbor.trials' in sys.modules)\n"
    ) == "False False True\nTrue True\n"


def test_setting_an_attribute_of_a_part_takes_effect() -> None:
    assert run(
        "from harbor.codec import calls, errors\n"
        "from harbor.models.agent.context import AgentContext\n"
        "kept, calls.parse = calls.parse, lambda document, *more: {'n_input_tokens': 7}\n"
        "print(AgentContext.model_validate_json('nonsense').n_input_tokens)\n"
        "calls.parse = kept\n"
        "print(AgentContext.model_validate_json('{}').n_input_tokens, vars(calls)['parse'] is calls.parse)\n"
        "calls.more = 1; print(calls.more, hasattr(errors, 'more'), 'more' in dir(calls)); del calls.more\n"
        "print(hasattr(calls, 'more'))"
    ) == "7\nNone True\n1 False True\nFalse\n"


def test_find_spec() -> None:
    assert run(
        "from importlib.util import find_spec\n"
        "print(find_spec('harbor').name, find_spec('harbor.nope'))\n"
        "for name in ('harbor.codec', 'harbor.codec.calls', 'harbor.trials', 'harbor.models.trial'):\n"
        "    spec = find_spec(name); print(spec.name, spec.parent, spec.origin == sys.modules['harbor'].__file__)\n"
        "print('harbor.trials' in sys.modules)"
    ) == (
        "harbor None\nharbor.codec harbor.codec True\nharbor.codec.calls harbor.codec True\nharbor.trials harbor True\n"
        "harbor.models.trial harbor.models.trial True\nFalse\n")


def test_a_loader_may_name_the_file_by_a_path() -> None:
    assert run(
        "import pathlib\n"
        "from importlib import abc, machinery, util\n"
        "path = pathlib.Path(sys.argv[1], 'harbor.py')\n"
        "class Loader(abc.Loader):\n"
        "    def create_module(self, spec): return None\n"
        "    def exec_module(self, module): exec(path.read_text(encoding='utf-8'), vars(module))\n"
        "spec = machinery.ModuleSpec('harbor', Loader(), origin=path)\n"
        "module = sys.modules['harbor'] = util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "import harbor.trials\n"
        "print(harbor.trials.load_trial.__module__)"
    ) == "harbor.trials\n"


def test_a_relative_place_is_found_from_another_folder(tmp_path: pathlib.Path) -> None:
    assert run(
        "import importlib, os\n"
        "os.chdir(os.path.dirname(sys.argv[1])); sys.path[0] = os.path.basename(sys.argv[1])\n"
        "from harbor.models.agent.context import AgentContext\n"
        "os.chdir(sys.argv[2]); importlib.invalidate_caches()\n"
        "import harbor.codec.text.reading, harbor.trials\n"
        "print(os.path.isabs(harbor.__path__[0]), harbor.trials.load_trial.__module__)", str(tmp_path)
    ) == "True harbor.trials\n"


def test_reload() -> None:
    assert run(
        "import importlib, harbor, harbor.trials, pickle\n"
        "from harbor.models.agent.context import AgentContext as before\n"
        "trials = harbor.trials\n"
        "print(importlib.reload(trials) is trials)\n"
        "print(importlib.reload(harbor) is harbor)\n"
        "from harbor.models.agent.context import AgentContext as after\n"
        "print(before is after, type(pickle.loads(pickle.dumps(after()))) is after)\n"
        "from harbor.models.trial.result import TrialResult\n"
        "print(TrialResult.__dataclass_fields__['agent_result'].type.__args__[0] is after)\n"
        "try:\n    importlib.reload(harbor.codec.model)\n"
        "except ImportError as exc:\n    print(str(exc).replace(sys.argv[1], ''))"
    ) == "True\nTrue\nFalse True\nTrue\nharbor.codec.model is a part of /harbor.py; reload harbor itself\n"


def test_modules_taken_out_of_sys_modules_come_back() -> None:
    assert run(
        "from harbor.models.agent.context import AgentContext as one\n"
        "from harbor.models.trial.result import TrialResult as other\n"
        "del sys.modules['harbor.models.agent.context'], sys.modules['harbor.models.trial.result']\n"
        "from harbor.models.agent.context import AgentContext\n"
        "from harbor.models.trial.result import TrialResult\n"
        "print(AgentContext is one, TrialResult is other)\n"
        "for name in [name for name in sys.modules if name.startswith('harbor')]: del sys.modules[name]\n"
        "from harbor.models.trial.result import TrialResult\n"
        "from harbor.models.agent.context import AgentContext\n"
        "print(AgentContext is one, TrialResult(**{name: {'path': 'a'} if name == 'task_id' else {'name': 'a', 'version': "
        "'1'} if name == 'agent_info' else {} if name in ('config', 'agent_result') else 'a' for name in ('task_name', "
        "'trial_name', 'trial_uri', 'task_id', 'task_checksum', 'config', 'agent_info', 'agent_result')}"
        ").agent_result.__class__ is AgentContext)"
    ) == "True False\nFalse True\n"


def test_a_traceback_shows_the_lines_of_the_file() -> None:
    shown = run(
        "import traceback, harbor.usage, harbor.models.agent.context as context\n"
        "for call in (lambda: harbor.usage.Total().value, lambda: context._expect_cost('cost', -1)):\n"
        "    try:\n        call()\n"
        "    except Exception as exc:\n"
        "        last = traceback.extract_tb(exc.__traceback__)[-1]\n"
        "        print(last.filename == harbor.__file__, last.line)\n")
    assert shown == 'True raise NotImplementedError\nTrue raise _refuse_number("finite cost", name, value, fault)\n'


# Under other names ---------------------------------------------------------------


def test_a_copy_under_another_name_has_the_names_on_top(tmp_path: pathlib.Path) -> None:
    shutil.copyfile(str(FILE), str(tmp_path / "agent_context.py"))
    assert run(
        "from agent_context import AgentContext, TrialResult, ValidationError\n"
        "import agent_context, pickle\n"
        "print(AgentContext.__module__, TrialResult.__module__, agent_context.__version__ != '')\n"
        "print(AgentContext.model_validate_json('{\"n_input_tokens\": 1}').model_dump_json(exclude_none=True))\n"
        "print(type(pickle.loads(pickle.dumps(AgentContext()))) is AgentContext)\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'harbor'])\n"
        "from agent_context import *\n"
        "print(Model.__name__, ModelUsage.__name__)\n"
        "from agent_context.usage import UsageTotals\n",
        folder=tmp_path,
    ) == (
        "agent_context.models.agent.context agent_context.models.trial.result True\n"
        '{"n_input_tokens":1}\nTrue\n[]\nModel ModelUsage\n')


EXECUTED = """
import importlib.util, pathlib, runpy
text = pathlib.Path(sys.argv[1], "harbor.py").read_text(encoding="utf-8")

def use(found):
    made = found["AgentContext"](n_input_tokens=1, cost_usd=2)
    assert found["AgentContext"].model_validate_json(made.model_dump_json()) == made
    assert found["TrialResult"].model_fields and found["UsageTotals"]
    assert not [name for name in sys.modules if name.split(".")[0] == "harbor"]
    print(found["AgentContext"].__module__)

for scope in ({}, {"__name__": "made_up"}, {"__name__": "__main__", "mine": 1}):
    kept = dict(scope)
    exec(text, scope)
    use(scope)
    assert {name: scope.get(name) for name in kept} == kept and ("__name__" in scope) == ("__name__" in kept)
    assert not {"__path__", "__getattr__", "__dir__"} & set(scope)

use(runpy.run_path(sys.argv[1] + "/harbor.py"))
spec = importlib.util.spec_from_file_location("harbor", sys.argv[1] + "/harbor.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
use({name: getattr(module, name) for name in ("AgentContext", "TrialResult", "UsageTotals")})
exec(text)
print(__name__, AgentContext is not module.AgentContext, "__path__" in globals())
"""


def test_executed_without_being_a_module_it_works() -> None:
    assert run(EXECUTED) == "builtins\nmade_up\n__main__\n<run_path>\nharbor\n__main__ True False\n"


def test_what_this_python_lacks_stops_no_more_than_what_needs_it() -> None:
    assert run(
        "sys.modules['uuid'] = None\n"
        "from harbor.models.agent.context import AgentContext\n"
        "try:\n    import harbor.models.trial.result\n"
        "except ImportError as exc:\n    print(exc.name)\n"
        "del sys.modules['uuid']\n"
        "import harbor.models.trial.result\n"
        "sys.modules['uuid'] = None\n"
        "import pathlib; scope = {}; exec(pathlib.Path(harbor.__file__).read_text(encoding='utf-8'), scope)\n"
        "print('AgentContext' in scope, 'TrialResult' in scope, 'UsageTotals' in scope)"
    ) == "uuid\nTrue False True\n"


# How it is made ------------------------------------------------------------------


def test_the_file_is_what_its_sources_make(capsys: pytest.CaptureFixture[str]) -> None:
    assert amalgamate.main(["--check"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_file_that_differs_is_noticed(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = tmp_path / "harbor.py"
    changed.write_bytes(FILE.read_bytes() + b"\n")
    assert amalgamate.main(["--check", "--output", str(changed)]) == 1
    expected = "%s is not what its sources make; run `make single`\n" % changed
    assert capsys.readouterr() == ("", expected)
    assert amalgamate.main(["--output", str(changed)]) == 0
    assert changed.read_bytes() == FILE.read_bytes()


def test_all_but_the_command_line_is_in_it() -> None:
    head = FILE.read_text(encoding="utf-8").partition("\n\n\n")[0]
    named = sorted(line[2:].strip() for line in head.splitlines() if line.startswith("#     "))
    expected = sorted(
        path.relative_to(ROOT).as_posix() for path in (ROOT / "harbor").rglob("*.py")
        if not path.name.startswith("cli") and path.name != "__main__.py")
    assert named == expected


def test_the_codec_alone(tmp_path: pathlib.Path) -> None:
    assert amalgamate.main(["--only", "codec", "--name", "my_codec", "--output", str(tmp_path / "my_codec.py")]) == 0
    assert run(
        "import dataclasses, typing\n"
        "from my_codec import ValidationError, model_dump_json, model_validate_json\n"
        "from my_codec.errors import ValidationError as same\n"
        "@dataclasses.dataclass\n"
        "class Point:\n    x: int\n    tags: typing.List[str] = dataclasses.field(default_factory=list)\n"
        "print(model_dump_json(model_validate_json(Point, '{\"x\": \"1\"}')), same is ValidationError)\n"
        "try:\n    model_validate_json(Point, '{}')\n"
        "except ValidationError as exc:\n    print(exc.errors()[0]['type'])\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'harbor'])",
        folder=tmp_path,
    ) == '{"x":1,"tags":[]} True\nmissing\n[]\n'
    assert "AgentContext" not in (tmp_path / "my_codec.py").read_text(encoding="utf-8")


def test_a_name_gives_the_same_file_under_another_name(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert amalgamate.main(["--name", "agent_context"]) == 0
    made = (tmp_path / "agent_context.py").read_text(encoding="utf-8")
    whole = FILE.read_text(encoding="utf-8")
    assert [(one, other) for one, other in zip(made.splitlines(), whole.splitlines()) if one != other] == [
        ("One file for Python 3.8 or later that needs nothing else: put it next to your code as agent_context.py, or under a",
         "One file for Python 3.8 or later that needs nothing else: put it next to your code as harbor.py, or under a"),
        ("# Generated: do not edit it, but change the files below and run `python tools/amalgamate.py --name agent_context`.",
         "# Generated: do not edit it, but change the files below and run `make single`."),
    ]


#: Files of a toy package, and what is said of them.
REFUSALS: List[Tuple[str, Dict[str, str], List[str]]] = [
    ("two definitions", {"a.py": "def act():\n    pass\n", "b.py": "\nact = 1\n"},
     ["toy/b.py:2: act clashes with act of toy/a.py at toy/a.py:1"]),
    ("a definition and an import", {"__init__.py": "from . import a, b\n", "a.py": "path = 1\n", "b.py": "from os import path\n"},
     ["toy/b.py:1: path clashes with path of toy/a.py at toy/a.py:1"]),
    ("two imports", {"__init__.py": "from . import a, b\n", "a.py": "from os import path\n", "b.py": "from sys import path\n"},
     ["toy/b.py:1: path clashes with from os import path at toy/a.py:1"]),
    ("a global of a function", {"a.py": "def act():\n    global kept\n    kept = 1\n", "b.py": "kept = 2\n"},
     ["toy/b.py:1: kept clashes with kept of toy/a.py at toy/a.py:2"]),
    ("a loop", {"a.py": "for one in ():\n    pass\n", "b.py": "one = 2\n"},
     ["toy/b.py:1: one clashes with one of toy/a.py at toy/a.py:1"]),
    ("a builtin", {"a.py": "def open():\n    pass\n"}, ["toy/a.py:1: open hides the builtin from every part"]),
    ("a module", {"a.py": "b = 1\n", "b.py": ""}, ["toy/a.py:1: b is a module of the package as well"]),
    ("a name of the file", {"a.py": "\n\n_take = 1\n"}, ["toy/a.py:3: _take clashes with _take of tools/one_file.py at"]),
    ("a dunder", {"a.py": "__path__ = []\n"}, ["toy/a.py:1: __path__ has a meaning of its own in a module"]),
    ("an alias", {"a.py": "act = 1\n", "b.py": "from .a import act as other\n"},
     ["toy/b.py:1: a relative import as other; in one namespace act has one name"]),
    ("an alias of a module", {"a.py": "", "b.py": "from . import a as other\n"},
     ["toy/b.py:1: a relative import as other; in one namespace a has one name"]),
    ("nested in a function", {"a.py": "act = 1\n", "b.py": "def use():\n    from .a import act\n"},
     ["toy/b.py:2: a relative import inside a block; move it to the top of the file, or mark it `# late` on its one line if "
      "its names come from a part that runs on first use"]),
    ("nested in a try", {"a.py": "act = 1\n", "b.py": "try:\n    from .a import act\nexcept ImportError:\n    pass\n"},
     ["toy/b.py:2: a relative import inside a block; move it to the top of the file, or mark it `# late` on its one line if "
      "its names come from a part that runs on first use"]),
    ("late and there", {"__init__.py": "from .a import act\nfrom .b import use\n", "a.py": "act = 1\n",
                        "b.py": "def use():\n    from .a import act  # late\n"},
     ["toy/b.py:2: act is there from the start; import it at the top of the file"]),
    ("a star", {"a.py": "act = 1\n", "b.py": "from .a import *\n"}, ["toy/b.py:1: nobody can tell what `import *` binds"]),
    ("a star from elsewhere", {"a.py": "from os import *\n"}, ["toy/a.py:1: nobody can tell what `import *` binds"]),
    ("an absolute import", {"a.py": "import toy.b\n", "b.py": ""},
     ["toy/a.py:1: an absolute import of toy; parts import each other relatively"]),
    ("a future", {"a.py": "from __future__ import annotations\n"},
     ["toy/a.py:1: a __future__ import would be in force for every part, or for none"]),
    ("nothing there", {"a.py": "from .b import act\n", "b.py": ""}, ["toy/a.py:1: there is no act in b"]),
    ("from above", {"a.py": "from ..b import act\n"}, ["toy/a.py:1: a relative import from above the package"]),
    ("a circle", {"a.py": "from .b import two\none = 1\n", "b.py": "from .a import one\ntwo = 2\n"},
     ["toy/b.py:1: toy/a.py imports this part, so one cannot come first"]),
    ("a shared line", {"a.py": "act = 1\n", "b.py": "from .a import act; more = 1\n"},
     ["toy/b.py:1: a statement that shares its line with an import"]),
    ("quotes", {"a.py": "'''Text.'''\n"}, ["toy/a.py:1: ''' ends the text that parts are kept as"]),
]


def write_toy(folder: pathlib.Path, files: Mapping[str, str], at_once: str = "") -> amalgamate.Plan:
    for name, text in dict({"__init__.py": ""}, **files).items():
        path = folder / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return amalgamate.Plan(folder / "toy", at_once, "toy", "A toy.", "make toy")


@pytest.mark.parametrize("files, faults", [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_what_one_namespace_would_change_is_refused(tmp_path: pathlib.Path, files: Any, faults: List[str]) -> None:
    with pytest.raises(amalgamate.Refused) as caught:
        amalgamate.amalgamate(write_toy(tmp_path, files))
    assert [fault[:len(wanted)] for fault, wanted in zip(caught.value.faults, faults)] == faults
    assert len(caught.value.faults) == len(faults)


def test_a_toy_acts_as_its_package(tmp_path: pathlib.Path) -> None:
    plan = write_toy(tmp_path, {
        "__init__.py": '"""A toy."""\n__version__ = "1"\n',
        "first/__init__.py": (
            "from typing import TYPE_CHECKING\n\nfrom .one import act\n\n__all__ = ['act', 'end']\n\n"
            "if TYPE_CHECKING:\n    from ..very_last import end\nelse:\n\n    def __getattr__(name):\n"
            "        from .. import very_last\n\n        return getattr(very_last, name)\n"),
        "first/one.py": (
            "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from ..last import give\nelse:\n    kind = 1\n\n"
            "__all__ = ['act']\n_count = 0\n\n\ndef act():\n    global _count\n    _count += 1\n    return _count\n"),
        "modules.py": "from . import first\nfrom .first import one\n\ndef call():\n    return first.act(), one._count\n",
        "last.py": (
            '"""The last."""\nfrom . import __version__, first\nfrom .first.one import (\n    act,\n    kind,\n)\n\n\n'
            "def give():\n    from . import very_last  # late\n    from .very_last import end  # late\n\n"
            "    return __name__, __version__, act(), kind, end(), first.act(), very_last.end is end is first.end\n"),
        "very_last.py": "def end():\n    return __name__\n",
    }, "modules")
    program = (
        "import toy.last, toy.modules, toy.first.one as one\n"
        "print(toy.modules.call(), toy.last.give(), one._count, toy.last.__doc__, sorted(n for n in dir(one) if n[:2] != '__'))")
    expected = run(program, folder=tmp_path)
    assert expected == (
        "(1, 1) ('toy.last', '1', 2, 1, 'toy.very_last', 3, True) 3 The last. "
        "['TYPE_CHECKING', '_count', 'act', 'kind']\n")
    (tmp_path / "single").mkdir()
    (tmp_path / "single" / "toy.py").write_text(amalgamate.amalgamate(plan), encoding="utf-8")
    assert run(program, folder=tmp_path / "single") == expected
