"""The implementation works wherever it is put, whatever Python is told, and on little.

Each row runs `probe.py` in a process of its own.
"""

import os
import pathlib
import shutil
import sys
import tempfile
import zipapp
import zipfile
from typing import Iterator, List, Mapping

import pytest

import implementation
from implementation import NAME, PATH, install, run_python

PROBE = implementation.ROOT / "tests" / "probe.py"

IS_PYPY = sys.implementation.name == "pypy"
#: Threads without the interpreter's lock reserve an address space of their own, as PyPy does.
HAS_SMALL_ADDRESS_SPACE = not IS_PYPY and bool(getattr(sys, "_is_gil_enabled", lambda: True)())
NOBODY = 65534

#: What small Pythons lack, and what nothing needs that only fills a context.
NOT_NEEDED = "uuid,asyncio,decimal,shutil,tempfile,subprocess,contextvars,unittest,zoneinfo,numbers"


def expect_ok(output: str) -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    assert output == "OK %s %s\n" % (sys.implementation.name, version)


@pytest.mark.parametrize("flags", [
    ["-I"], ["-I", "-S"], ["-E", "-s"], ["-O"], ["-OO"], ["-B"], ["-W", "error"], ["-bb"], ["-X", "dev"],
    ["-W", "error", "-bb", "-X", "dev", "-OO"], ["-X", "utf8=0"],
], ids=" ".join)
def test_flags(flags: List[str]) -> None:
    # Without assert statements the probe still compares by using what it made.
    expect_ok(run_python(*flags, str(PROBE), str(PATH), "--trial"))


@pytest.mark.skipif(sys.version_info < (3, 10), reason="the flag came with Python 3.10")
def test_encodings_are_named() -> None:
    expect_ok(run_python("-X", "warn_default_encoding", "-W", "error", str(PROBE), str(PATH), "--trial"))


@pytest.mark.parametrize("env", [
    {},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Chatham"},
], ids=["empty", "ascii_locale", "ascii_output", "far_zone"])
def test_environments(env: Mapping[str, str]) -> None:
    expect_ok(run_python("-B", str(PROBE), str(PATH), "--trial", env=env))


@pytest.mark.parametrize("options", [
    ["--block", "_json", "--trial"],
    ["--block", "_datetime", "--trial"],
    ["--block", "_json,_datetime,_pickle,_decimal", "--trial"],
    ["--block", NOT_NEEDED],
    ["--depth", "150"],
    ["--depth", "150", "--trial"],
], ids=" ".join)
def test_little_is_enough(options: List[str]) -> None:
    if IS_PYPY and "_json" in options[1]:
        pytest.skip("PyPy's json is its own")
    if IS_PYPY and "_datetime" in options[1]:
        pytest.skip("PyPy's datetime has no second half")
    expect_ok(run_python(str(PROBE), str(PATH), *options))


@pytest.mark.skipif(not HAS_SMALL_ADDRESS_SPACE, reason="the interpreter alone takes more address space")
def test_64_megabytes_of_address_space_are_enough() -> None:
    expect_ok(run_python(str(PROBE), str(PATH), "--memory", "64"))


@pytest.mark.parametrize("flags", [[], ["-X", "dev"]], ids=" ".join)
def test_16_threads_race_the_first_import_and_the_first_use(flags: List[str]) -> None:
    expect_ok(run_python(*flags, str(PROBE), str(PATH), "--threads", "16", "--trial"))


SUBINTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
code = open(sys.argv[1], encoding="utf-8").read()
code = "import sys; sys.argv = %r\\n" % sys.argv[1:] + code.replace('if __name__ == "__main__":', 'if True:')
for _ in range(2):
    made = interpreters.create()
    failed = interpreters.run_string(made, code)
    assert failed is None, failed
    interpreters.destroy(made)
"""


@pytest.mark.skipif(IS_PYPY, reason="PyPy has no subinterpreters")
def test_a_subinterpreter_has_its_own() -> None:
    for line in run_python("-c", SUBINTERPRETER, str(PROBE), str(PATH)).splitlines():
        expect_ok(line + "\n")


# Places --------------------------------------------------------------------------


@pytest.fixture
def open_folder() -> Iterator[pathlib.Path]:
    """Give a folder that every user can read."""
    folder = pathlib.Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(str(folder))


_ASKS_FOR_BYTE_CODE = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def test_a_folder_that_cannot_be_written(open_folder: pathlib.Path) -> None:
    through: List[str] = []
    if _is_root():  # may write anywhere, unless these rights are dropped
        through = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
        if shutil.which("setpriv") is None:
            pytest.skip("root cannot drop its rights here")
    shutil.copy(str(PROBE), str(open_folder))
    install(open_folder)
    before = sorted(open_folder.rglob("*"))
    for path in [open_folder, *before]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try_to_write = "open(%r, 'w')" % str(open_folder / "new")
    with pytest.raises(AssertionError, match="Permission denied"):
        run_python("-c", try_to_write, through=through)
    expect_ok(run_python(str(open_folder / "probe.py"), str(open_folder), "--trial", env=_ASKS_FOR_BYTE_CODE, through=through))
    assert sorted(open_folder.rglob("*")) == before


def test_nobody_without_a_home(open_folder: pathlib.Path) -> None:
    if not _is_root():
        pytest.skip("only root can become another user")
    places = [pathlib.Path(sys.executable).resolve(), pathlib.Path(os.__file__).resolve()]
    if not all(folder.stat().st_mode & 0o001 for place in places for folder in place.parents):
        pytest.skip("nobody cannot read this interpreter")
    shutil.copy(str(PROBE), str(open_folder))
    install(open_folder)
    expect_ok(run_python("-I", "-B", str(open_folder / "probe.py"), str(open_folder), "--trial", env={}, user=NOBODY))


def test_no_byte_code_and_then_byte_code(tmp_path: pathlib.Path) -> None:
    install(tmp_path)
    expect_ok(run_python("-B", str(PROBE), str(tmp_path), "--trial"))
    assert list(tmp_path.rglob("*.pyc")) == []
    for _ in range(2):
        expect_ok(run_python(str(PROBE), str(tmp_path), "--trial", env={}))
    assert list(tmp_path.rglob("*.pyc")) != []


def _write_zip(folder: pathlib.Path, archive: pathlib.Path) -> None:
    with zipfile.ZipFile(str(archive), "w") as written:
        for path in sorted(folder.rglob("*.py")):
            written.write(str(path), path.relative_to(folder).as_posix())


def test_inside_a_zip(tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").mkdir()
    install(tmp_path / "in")
    _write_zip(tmp_path / "in", tmp_path / "all.zip")
    expect_ok(run_python(str(PROBE), str(tmp_path / "all.zip"), "--trial"))


def test_inside_a_zipapp(tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").mkdir()
    install(tmp_path / "in")
    shutil.copy(str(PROBE), str(tmp_path / "in" / "__main__.py"))
    zipapp.create_archive(str(tmp_path / "in"), str(tmp_path / "app.pyz"))
    expect_ok(run_python(str(tmp_path / "app.pyz"), str(tmp_path / "app.pyz"), "--trial"))


def _make_agent(folder: pathlib.Path, name: str) -> None:
    """Make an agent that carries the implementation unrenamed, as `NAME/_vendor/harbor`."""
    vendor = folder / name / "_vendor"
    vendor.mkdir(parents=True)
    (folder / name / "__init__.py").write_text("", encoding="utf-8")
    (vendor / "__init__.py").write_text("", encoding="utf-8")
    install(vendor)


def test_vendored_unrenamed(tmp_path: pathlib.Path) -> None:
    _make_agent(tmp_path, "agent")
    expect_ok(run_python(str(PROBE), str(tmp_path), "--package", "agent._vendor.harbor", "--trial"))


TWO_COPIES = """
import sys
sys.path[:0] = sys.argv[1:]
from a._vendor.harbor.models.agent.context import AgentContext as A
from b._vendor.harbor.models.agent.context import AgentContext as B
from b._vendor.harbor.codec import ValidationError as WrongB
import a._vendor.harbor.codec.errors, b._vendor.harbor.codec.errors, pickle

assert A is not B and A.__module__ == "a._vendor.harbor.models.agent.context"
assert not [name for name in sys.modules if name.split(".")[0] == "harbor"]
one = A(n_input_tokens=1, metadata={"a": [1]}, rollout_details=[{"prompt_token_ids": [[1]]}])
other = B.model_validate_json(one.model_dump_json())
assert type(other) is B and other.model_dump() == one.model_dump() and other != one
assert type(pickle.loads(pickle.dumps(one))) is A and type(pickle.loads(pickle.dumps(other))) is B
try:
    B.model_validate(one)
except WrongB as exc:
    assert [fault["type"] for fault in exc.errors()] == ["model_type"]
else:
    raise SystemExit("a class of another copy was taken")
a._vendor.harbor.codec.errors.clip_repr = None
assert b._vendor.harbor.codec.errors.clip_repr is not None
from a._vendor.harbor.models.trial.result import TimingInfo as TimingA
from b._vendor.harbor.models.trial.result import TimingInfo as TimingB
assert TimingA is not TimingB and TimingB.__module__ == "b._vendor.harbor.models.trial.result"
print("OK")
"""


def test_two_copies_leave_each_other_alone_and_exchange_json(tmp_path: pathlib.Path) -> None:
    _make_agent(tmp_path, "a")
    _make_agent(tmp_path, "b")
    assert run_python("-W", "error", "-c", TWO_COPIES, str(tmp_path)) == "OK\n"


def test_the_package_and_the_one_file_leave_each_other_alone(tmp_path: pathlib.Path) -> None:
    _make_agent(tmp_path, "a")
    vendor = tmp_path / "b" / "_vendor"
    vendor.mkdir(parents=True)
    if NAME == "single":
        shutil.copytree(str(implementation.ROOT / "harbor"), str(vendor / "harbor"))
    else:
        shutil.copyfile(str(implementation.ROOT / "single" / "harbor.py"), str(vendor / "harbor.py"))
    assert run_python("-W", "error", "-c", TWO_COPIES, str(tmp_path)) == "OK\n"


def test_a_program_beside_it_needs_no_path(tmp_path: pathlib.Path) -> None:
    install(tmp_path)
    (tmp_path / "program.py").write_text(
        "from harbor.models.agent.context import AgentContext\n"
        "print(AgentContext(n_input_tokens=1).model_dump_json(exclude_none=True))\n", encoding="utf-8")
    assert run_python(str(tmp_path / "program.py")) == '{"n_input_tokens":1}\n'
