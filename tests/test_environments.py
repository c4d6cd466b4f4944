"""Environments: commands as real processes, files and trees, and nothing left behind."""

import asyncio
import gc
import logging
import os
import pathlib
import signal
import stat
import subprocess
import sys
import threading
import time
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Optional, Tuple

import pytest

import leftovers
from harbor.codec import ValidationError
from harbor.environments.base import BaseEnvironment, ExecResult, LocalPath, UserName
from harbor.environments.local import LocalEnvironment
from harbor.environments.processes import PrintedStream
from harbor.environments.transfer import PathEscapeError, resolve_inside

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX processes")

ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with leftovers.watch(tmp_path_factory.mktemp("watched"), monkeypatch):
        yield


def _use(use: Callable[[LocalEnvironment], Awaitable[Any]], *arguments: Any, **options: Any) -> Any:
    """Await something with an environment that is started and stopped."""

    async def run() -> Any:
        async with LocalEnvironment(*arguments, **{"grace_sec": 0.3, **options}) as environment:
            return await use(environment)

    return asyncio.run(run())


def _exec(command: str, options: Optional[Dict[str, Any]] = None, **exec_options: Any) -> ExecResult:
    result: ExecResult = _use(lambda environment: environment.exec(command, **exec_options), **(options or {}))
    return result


def _result(stdout: str = "", stderr: str = "", return_code: int = 0) -> ExecResult:
    return ExecResult(stdout=stdout, stderr=stderr, return_code=return_code)


# ExecResult and BaseEnvironment -----------------------------------------------


def test_a_result_needs_its_return_code_alone() -> None:
    assert ExecResult(return_code=1).model_dump() == {"stdout": None, "stderr": None, "return_code": 1}
    with pytest.raises(ValidationError):
        ExecResult.model_validate({"stdout": "x"})


class RecordingEnvironment(BaseEnvironment):
    """Runs nothing; remembers commands with the variables and the user that they would have."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.seen: List[Tuple[str, Optional[Dict[str, str]], Optional[UserName]]] = []

    async def start(self, force_build: bool) -> None:
        pass

    async def stop(self, delete: bool) -> None:
        pass

    async def exec(
        self,
        command: str,
        cwd: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        timeout_sec: Optional[int] = None,
        user: Optional[UserName] = None,
    ) -> ExecResult:
        self.seen.append((command, self._merge_env(env), self._resolve_user(user)))
        return ExecResult(return_code=0 if "there" in command else 1)

    async def upload_file(self, source_path: LocalPath, target_path: str) -> None:
        pass

    async def upload_dir(self, source_dir: LocalPath, target_dir: str) -> None:
        pass

    async def download_file(self, source_path: str, target_path: LocalPath) -> None:
        pass

    async def download_dir(self, source_dir: str, target_dir: LocalPath) -> None:
        pass


def test_an_environment_takes_what_harbor_passes() -> None:
    environment = RecordingEnvironment(
        environment_dir=pathlib.Path("e"), environment_name="n", session_id="n__env", trial_paths=object(),
        task_env_config=object(), logger=logging.getLogger("trial"), override_cpus=1, network_policy=None)
    assert (environment.environment_name, environment.session_id) == ("n", "n__env")
    assert (environment.default_user, environment.type()) == (None, "custom")
    assert environment.logger.name == "trial.harbor.environments.base"


def test_an_environment_without_a_method_cannot_be_made() -> None:
    partial: Any = type("Partial", (BaseEnvironment,), {})
    with pytest.raises(TypeError, match="download_dir, download_file, exec|'download_dir'"):
        partial()


def test_paths_are_asked_for_by_command() -> None:
    async def ask() -> None:
        assert await environment.is_dir("it's there")
        assert not await environment.is_file("nowhere", user="me")

    environment = RecordingEnvironment()
    asyncio.run(ask())
    assert environment.seen == [("test -d 'it'\"'\"'s there'", None, None), ("test -f nowhere", None, "me")]


def test_variables_of_a_block_win_and_reach_no_other_task() -> None:
    async def run(entered: Any) -> None:
        with environment.scoped_exec_env({"B": "block", "C": "block"}):
            entered.set()
            await environment.exec("inside", env={"A": "own", "B": "own"})
            await asyncio.sleep(0.01)
        await environment.exec("after")

    async def watch(entered: Any) -> None:
        await entered.wait()
        await environment.exec("beside")

    async def run_both() -> None:
        entered = asyncio.Event()
        await asyncio.gather(run(entered), watch(entered))

    environment = RecordingEnvironment(persistent_env={"A": "all"})
    asyncio.run(run_both())
    assert [(command, env) for command, env, _ in environment.seen] == [
        ("inside", {"A": "own", "B": "block", "C": "block"}), ("beside", {"A": "all"}), ("after", {"A": "all"})]


def test_a_default_user_holds_for_a_block() -> None:
    async def run() -> None:
        with environment.with_default_user("agent"):
            await environment.exec("a")
            await environment.exec("b", user="root")
        await environment.exec("c")

    environment = RecordingEnvironment()
    asyncio.run(run())
    assert [user for _, _, user in environment.seen] == ["agent", "root", None]


# Commands ----------------------------------------------------------------------

RESULTS: List[Tuple[str, str, ExecResult]] = [
    ("both_streams_apart", "echo out; echo err >&2", _result("out\n", "err\n")),
    ("nothing_printed", "true", _result()),
    ("exit_status", "echo x; exit 3", _result("x\n", "", 3)),
    ("death_by_a_signal", "kill -KILL $$", _result("", "", 137)),
    ("nothing_to_read", "cat; read line || echo end", _result("end\n")),
    ("a_bash", "[[ a == a ]] && echo ${BASH_VERSION:+bash}", _result("bash\n")),
    ("binary", r"printf 'a\377\0b\303'", _result("a\ufffd\0b\ufffd")),
    ("not_ascii", "printf 'caf\u00e9 \U0001f600'", _result("caf\u00e9 \U0001f600")),
    ("several_lines", "echo a\necho b", _result("a\nb\n")),
]


@pytest.mark.parametrize("command, expected", [row[1:] for row in RESULTS], ids=[row[0] for row in RESULTS])
def test_a_command_gives(command: str, expected: ExecResult) -> None:
    assert _exec(command) == expected


def test_a_command_that_is_not_found_is_127() -> None:
    result = _exec("no_such_command_anywhere")
    assert (result.stdout, result.return_code) == ("", 127)
    assert "command not found" in (result.stderr or "")


def test_a_folder_that_is_not_there_is_126() -> None:
    result = _exec("true", cwd="nowhere")
    assert (result.stdout, result.return_code) == ("", 126)
    assert (result.stderr or "").endswith("/nowhere': No such file or directory\n")


def test_a_command_that_is_too_long_is_126() -> None:
    result = _exec("#" * 3000000)
    assert (result.return_code, (result.stderr or "").endswith(": Argument list too long\n")) == (126, True)


def test_a_command_starts_in_the_folder_or_below(tmp_path: pathlib.Path) -> None:
    (tmp_path / "sub").mkdir()

    async def run(environment: LocalEnvironment) -> List[Optional[str]]:
        return [(await environment.exec("pwd -P", cwd=cwd)).stdout for cwd in (None, "sub", "/")]

    real = os.path.realpath(str(tmp_path))
    assert _use(run, tmp_path) == [real + "\n", real + "/sub\n", "/\n"]
    assert (tmp_path / "sub").is_dir()


def test_variables_come_from_process_environment_and_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("A", "B", "C"):
        monkeypatch.setenv(name, "process")
    command = "echo $A $B $C $D"
    result = _exec(command, {"env": {"B": "environment", "C": "environment"}}, env={"C": "command", "D": "command"})
    assert result.stdout == "process environment command command\n"


def test_a_path_of_ones_own_does_not_hide_the_shell() -> None:
    assert _exec("echo $PATH", env={"PATH": "/nowhere"}).stdout == "/nowhere\n"


def test_another_user_is_refused_and_ones_own_is_not() -> None:
    import pwd

    own = pwd.getpwuid(os.geteuid()).pw_name
    assert _exec("echo x", user=own).stdout == "x\n"
    assert _exec("echo x", user=os.geteuid()).stdout == "x\n"
    with pytest.raises(PermissionError) as caught:
        _exec("echo x", user="somebody-else")
    assert str(caught.value) == (
        "LocalEnvironment runs commands as {!r} alone, and was asked for 'somebody-else'".format(own))


def test_output_beyond_the_limit_keeps_head_and_tail() -> None:
    result = _exec("printf 'abcdefghij'; printf '0123456789' >&2", {"output_limit": 6})
    assert result == _result(
        "abc\n[... 4 bytes left out ...]\nhij", "012\n[... 4 bytes left out ...]\n789")


@pytest.mark.parametrize("size", [1, 7, 4096, 200000])
def test_the_pieces_of_output_do_not_matter(size: int) -> None:
    data = bytes(range(48, 58)) * 50000
    stream = PrintedStream(1001)
    for start in range(0, len(data), size):
        stream.add(data[start:start + size])
    note = "\n[... {} bytes left out ...]\n".format(len(data) - 1001)
    assert stream.decode() == data[:501].decode() + note + data[-500:].decode()


def test_two_hundred_megabytes_are_read_and_most_of_it_left_out() -> None:
    command = "head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2; printf end"
    result = _exec(command, {"output_limit": 2000000}, timeout_sec=60)
    assert result.return_code == 0
    out, err = result.stdout or "", result.stderr or ""
    assert out[:1000000] == err[:1000000] == "\0" * 1000000
    assert out[1000000:1000040] == "\n[... 98000003 bytes left out ...]\n" + "\0" * 5
    assert out[-4:] == "\0end"


def test_fifty_commands_at_once() -> None:
    async def run(environment: LocalEnvironment) -> List[Optional[str]]:
        calls = [environment.exec("sleep 0.1; echo {}".format(number)) for number in range(50)]
        return [result.stdout for result in await asyncio.gather(*calls)]

    assert _use(run) == ["{}\n".format(number) for number in range(50)]


def test_commands_run_outside_of_the_main_thread() -> None:
    found: List[ExecResult] = []
    thread = threading.Thread(target=lambda: found.append(_exec("echo x")))
    thread.start()
    thread.join()
    assert found == [_result("x\n")]


def test_an_environment_that_is_not_running_runs_nothing() -> None:
    async def run() -> None:
        environment = LocalEnvironment()
        with pytest.raises(RuntimeError, match="await start"):
            await environment.exec("true")
        await environment.start()
        await environment.start()
        await environment.stop()
        await environment.stop()
        with pytest.raises(RuntimeError, match="await start"):
            await environment.exec("true")

    asyncio.run(run())


def test_an_environment_without_bash_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FileNotFoundError, match="needs bash"):
        _exec("true")


@pytest.mark.parametrize("options", [{"output_limit": 1}, {"grace_sec": -1}, {"grace_sec": float("nan")}])
def test_senseless_settings_are_refused(options: Dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        LocalEnvironment(**options)


@pytest.mark.parametrize("limit", [-1, float("nan")])
def test_a_senseless_limit_is_refused(limit: float) -> None:
    with pytest.raises(ValueError, match="timeout_sec"):
        _exec("true", timeout_sec=limit)


# Limits and leftovers -----------------------------------------------------------

STUBBORN = "trap '' TERM; echo {}; while true; do sleep 0.1; done"


def _time(call: Callable[[], Any]) -> Tuple[float, Any]:
    start = time.monotonic()
    value = call()
    return time.monotonic() - start, value


TIMEOUTS: List[Tuple[str, str, str]] = [
    ("a_sleeper", "echo before; sleep 100", "before\n"),
    ("a_shell_that_ignores_it", STUBBORN.format("a"), "a\n"),
    ("a_child_that_ignores_it", "bash -c \"{}\" & echo parent; wait".format(STUBBORN.format("a")), ""),
    ("a_child_without_pipes", "echo x; bash -c \"{}\" >/dev/null 2>&1 & sleep 100".format(STUBBORN.format("a")), "x\n"),
    ("a_pipeline", "yes | (trap '' TERM; cat > /dev/null)", ""),
    ("endless_output", "yes", "y\n"),
    ("a_stopped_child", "echo x; sleep 100 & kill -STOP $!; wait", "x\n"),
]


@pytest.mark.parametrize("command, start", [row[1:] for row in TIMEOUTS], ids=[row[0] for row in TIMEOUTS])
def test_a_limit_ends_the_whole_group_and_keeps_the_output(command: str, start: str) -> None:
    spent, result = _time(lambda: _exec(command, timeout_sec=0.4))
    assert (result.return_code, result.stderr) == (124, "Command timed out after 0.4 seconds\n")
    assert (result.stdout or "").startswith(start)
    assert 0.4 <= spent < 5


def test_a_command_may_clean_up_at_its_limit() -> None:
    result = _exec("trap 'echo cleaned; exit 0' TERM; sleep 100 & wait", timeout_sec=0.3)
    assert (result.stdout, result.return_code) == ("cleaned\n", 124)


@ON_LINUX
def test_a_child_in_a_session_of_its_own_is_ended_too() -> None:
    result = _exec("setsid bash -c \"{}\" & sleep 100".format(STUBBORN.format("a")), timeout_sec=0.4)
    assert result.return_code == 124  # and the fixture finds nothing left


def test_the_limit_of_zero_is_none() -> None:
    assert _exec("sleep 0.1; echo x", timeout_sec=0) == _result("x\n")


def test_a_background_process_does_not_hold_up_its_command_and_goes_on() -> None:
    async def run(environment: LocalEnvironment) -> str:
        start = time.monotonic()
        first = await environment.exec("(sleep 0.5; echo late; echo done > mark) & echo early")
        assert time.monotonic() - start < 0.45
        assert first == _result("early\n")
        assert not await environment.is_file("mark")
        await asyncio.sleep(0.6)
        return (await environment.exec("cat mark")).stdout or ""

    assert _use(run) == "done\n"


def test_stopping_ends_what_was_left_running() -> None:
    spent, _ = _time(lambda: _use(lambda environment: environment.exec(
        "sleep 100 & nohup bash -c \"{}\" >/dev/null 2>&1 &".format(STUBBORN.format("a")))))
    assert spent < 5


def test_stopping_ends_a_command_that_still_runs() -> None:
    async def run() -> ExecResult:
        environment = LocalEnvironment(grace_sec=0.3)
        await environment.start()
        task = asyncio.ensure_future(environment.exec("sleep 100"))
        await asyncio.sleep(0.2)
        await environment.stop()
        return await task

    assert asyncio.run(run()) == _result("", "", 143)


def test_a_process_that_has_the_number_of_an_ended_command_is_left_alone() -> None:
    stranger = subprocess.Popen(["sleep", "100"], start_new_session=True)

    async def run(environment: LocalEnvironment) -> None:
        await environment.exec("true")
        environment._children._left.add(stranger.pid)

    try:
        _use(run)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.02, 0.3])
def test_a_cancelled_command_is_ended(delay: float) -> None:
    async def run(environment: LocalEnvironment) -> None:
        task = asyncio.ensure_future(environment.exec("echo x; {} & sleep 100".format(STUBBORN.format("y"))))
        await asyncio.sleep(delay)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # Ended by now, and not only when the environment stops.
        assert leftovers.list_processes("HARBOR_TEST=" + os.environ["HARBOR_TEST"]) == []

    _use(run)


def test_a_command_that_is_cancelled_twice_is_killed_at_once() -> None:
    async def run(environment: LocalEnvironment) -> float:
        task = asyncio.ensure_future(environment.exec(STUBBORN.format("x")))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.sleep(0.1)
        start = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - start

    assert _use(run, grace_sec=30.0) < 5


def test_a_wait_for_ends_its_command() -> None:
    async def run(environment: LocalEnvironment) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(environment.exec("sleep 100"), 0.2)

    assert _time(lambda: _use(run))[0] < 5


def test_a_given_folder_stays_and_a_temporary_one_can(tmp_path: pathlib.Path) -> None:
    async def run() -> str:
        given = LocalEnvironment(tmp_path / "new")
        await given.start()
        await given.exec("echo x > file")
        await given.stop()
        kept = LocalEnvironment()
        await kept.start()
        folder = kept.workdir
        await kept.stop(delete=False)
        return folder

    folder = asyncio.run(run())
    assert (tmp_path / "new" / "file").read_text() == "x\n"
    os.rmdir(folder)


def test_a_folder_that_its_modes_protect_is_removed_all_the_same() -> None:
    _exec("mkdir -p a/b && touch a/b/c && chmod 000 a/b && chmod 555 a .")


def test_an_environment_that_is_forgotten_is_cleared_away() -> None:
    async def run() -> None:
        environment = LocalEnvironment()
        await environment.start()
        await environment.exec("nohup sleep 100 >/dev/null 2>&1 &")

    asyncio.run(run())
    gc.collect()


def test_an_exit_in_the_middle_leaves_nothing() -> None:
    source = (
        "import asyncio, sys\n"
        "from harbor.environments.local import LocalEnvironment\n"
        "async def run():\n"
        "    environment = LocalEnvironment()\n"
        "    await environment.start()\n"
        "    await environment.exec('nohup sleep 100 >/dev/null 2>&1 &')\n"
        "    task = asyncio.ensure_future(environment.exec('sleep 100'))\n"
        "    await asyncio.sleep(0.2)\n"
        "    {}\n"
        "asyncio.run(run())\n"
    )
    for ending in ("sys.exit(3)", "raise KeyboardInterrupt", "1 / 0"):
        done = subprocess.run(
            [sys.executable, "-c", source.format(ending)], env=dict(os.environ, PYTHONPATH=str(ROOT)),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode in (3, 1, 130, -signal.SIGINT), done.stderr.decode()


# Files and trees ----------------------------------------------------------------


def _make_tree(folder: pathlib.Path) -> pathlib.Path:
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "file").write_bytes(b"\0\xff" * 1000000)
    (folder / "sub" / "script").write_text("#!/bin/sh\n")
    (folder / "sub" / "script").chmod(0o755)
    (folder / "sub" / "deep" / "secret").write_text("x")
    (folder / "sub" / "deep" / "secret").chmod(0o400)
    (folder / "link").symlink_to("sub/script")
    (folder / "sub" / "up").symlink_to("../file")
    (folder / "to-folder").symlink_to("sub/deep")
    (folder / "dangling").symlink_to("nowhere")
    os.utime(str(folder / "file"), (1000000000, 1000000000))
    (folder / "sub").chmod(0o550)
    return folder


def _list_tree(folder: pathlib.Path) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            found[name] = os.readlink(str(path))
        elif stat.S_ISDIR(info.st_mode):
            found[name] = stat.S_IMODE(info.st_mode)
        else:
            found[name] = (stat.S_IMODE(info.st_mode), int(info.st_mtime), path.read_bytes())
    return found


def test_a_tree_comes_back_as_it_went(tmp_path: pathlib.Path) -> None:
    source = _make_tree(tmp_path / "source")

    async def run(environment: LocalEnvironment) -> None:
        await environment.upload_dir(source, "a/b")
        await environment.upload_dir(str(source), environment.workdir + "/a/b")  # over what is there
        assert await environment.is_dir("a/b/sub") and await environment.is_file("a/b/file")
        await environment.download_dir("a/b", tmp_path / "target")

    _use(run)
    tree = _list_tree(source)
    assert sorted(tree) == [
        "dangling", "empty", "file", "link", "sub", "sub/deep", "sub/deep/secret", "sub/script", "sub/up", "to-folder"]
    assert _list_tree(tmp_path / "target") == tree


def test_a_file_comes_back_as_it_went(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "script"
    source.write_bytes(b"\0\xff" * 2000000)
    source.chmod(0o751)

    async def run(environment: LocalEnvironment) -> None:
        await environment.upload_file(source, "a/b/copy")
        await environment.upload_file(str(source), "a")
        await environment.upload_file(source, environment.workdir + "/absolute")
        await environment.download_file("a/b/copy", tmp_path / "new" / "copy")
        await environment.download_file("a/script", str(tmp_path / "new"))
        await environment.download_file("absolute", tmp_path / "new" / "third")

    _use(run)
    for name in ("copy", "script", "third"):
        copied = tmp_path / "new" / name
        assert (copied.read_bytes(), stat.S_IMODE(copied.stat().st_mode)) == (source.read_bytes(), 0o751)


def test_what_is_no_file_folder_or_link_is_left_out(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    os.mkfifo(str(source / "pipe"))
    (source / "file").write_text("x")
    _use(lambda environment: environment.upload_dir(source, "."), tmp_path / "work")
    assert os.listdir(str(tmp_path / "work")) == ["file"]
    assert caplog.messages == ["Left out {}: no file, folder or link".format(source / "pipe")]


ESCAPES = ["../out", "..", "a/../../out", "/tmp/out", "/", "out-link/file", "out-link", "up-link/../../out"]


def _make_work(folder: pathlib.Path) -> pathlib.Path:
    """Make a folder to work in, with links that lead out of it, beside a folder that must stay as it is."""
    (folder / "outside").mkdir()
    (folder / "outside" / "file").write_text("untouched")
    work = folder / "work"
    (work / "in").mkdir(parents=True)
    (work / "in" / "file").write_text("inside")
    (work / "out-link").symlink_to("../outside")
    (work / "up-link").symlink_to("in/..")
    (work / "file-link").symlink_to("../outside/file")
    return work


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize("way", ["upload_file", "upload_dir", "download_file", "download_dir"])
def test_a_path_that_leads_out_is_refused(way: str, path: str, tmp_path: pathlib.Path) -> None:
    work = _make_work(tmp_path)
    before = _list_tree(tmp_path)
    own = tmp_path / "outside" / ("file" if way == "upload_file" else "")
    arguments = [str(own), path] if way.startswith("upload") else [path, str(tmp_path / "target")]
    with pytest.raises(PathEscapeError) as caught:
        _use(lambda environment: getattr(environment, way)(*arguments), work)
    assert str(caught.value) == "{!r} leads out of {!r}".format(path, str(work))
    assert _list_tree(tmp_path) == before


def test_a_link_in_a_files_place_is_replaced_and_not_followed(tmp_path: pathlib.Path) -> None:
    work = _make_work(tmp_path)
    _use(lambda environment: environment.upload_file(work / "in" / "file", "file-link"), work)
    assert (tmp_path / "outside" / "file").read_text() == "untouched"
    assert not (work / "file-link").is_symlink() and (work / "file-link").read_text() == "inside"


def test_a_file_behind_a_link_that_leads_out_is_not_given(tmp_path: pathlib.Path) -> None:
    work = _make_work(tmp_path)
    with pytest.raises(PathEscapeError):
        _use(lambda environment: environment.download_file("file-link", tmp_path / "target"), work)


LINKS = [
    ("absolute", {"a": "/etc"}),
    ("absolute_within", {"a": "SOURCE/file"}),
    ("up", {"a": "../x"}),
    ("up_and_back", {"a": "../source/file"}),
    ("up_from_below", {"sub/a": "../../x"}),
    ("to_the_folder_above", {"a": ".."}),
    ("over_another_link", {"sub/top": "..", "a": "sub/top/.."}),
    ("in_a_chain", {"sub/deep/top": "../..", "b": "sub/deep/top", "a": "b/../x"}),
]


@pytest.mark.parametrize("links", [row[1] for row in LINKS], ids=[row[0] for row in LINKS])
@pytest.mark.parametrize("way", ["upload", "download"])
def test_a_tree_with_a_link_that_leads_out_is_refused(
    way: str, links: Dict[str, str], tmp_path: pathlib.Path
) -> None:
    source = tmp_path / "source"
    (source / "sub" / "deep").mkdir(parents=True)
    (source / "file").write_text("x")
    for name, goal in links.items():
        (source / name).symlink_to(goal.replace("SOURCE", str(source)))

    async def run(environment: LocalEnvironment) -> None:
        if way == "upload":
            await environment.upload_dir(source, "target")
        else:
            await environment.download_dir("source", tmp_path / "copy")

    with pytest.raises(PathEscapeError):
        _use(run, tmp_path / "work" if way == "upload" else tmp_path)
    # Found before anything was written.
    assert not (tmp_path / "copy").exists() and not (tmp_path / "work" / "target").exists()


def test_a_link_in_the_target_is_not_followed_out_of_it(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "file").write_text("new")
    outside = tmp_path / "outside"
    outside.mkdir()
    target = tmp_path / "target"
    target.mkdir()
    (target / "sub").symlink_to("../outside")
    with pytest.raises(PathEscapeError):
        _use(lambda environment: environment.download_dir(str(source), target), tmp_path)
    assert os.listdir(str(outside)) == []


def test_what_is_not_there_cannot_be_copied(tmp_path: pathlib.Path) -> None:
    for call in (
        lambda environment: environment.upload_file(tmp_path / "nowhere", "x"),
        lambda environment: environment.upload_dir(tmp_path / "nowhere", "x"),
        lambda environment: environment.download_file("nowhere", tmp_path / "x"),
        lambda environment: environment.download_dir("nowhere", tmp_path / "x"),
    ):
        with pytest.raises(FileNotFoundError):
            _use(call)


def test_a_folder_is_no_file(tmp_path: pathlib.Path) -> None:
    with pytest.raises(IsADirectoryError):
        _use(lambda environment: environment.upload_file(tmp_path, "x"))


def test_a_copy_can_be_cancelled(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "large"
    source.write_bytes(b"x" * (30 << 20))

    async def run(environment: LocalEnvironment) -> None:
        task = asyncio.ensure_future(environment.upload_file(source, "copy"))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert os.listdir(environment.workdir) == []

    _use(run)


def test_a_place_in_the_root_folder_is_inside() -> None:
    assert resolve_inside("/", "/x/../y") == "/y"
