"""``LocalEnvironment``: a folder and child processes on this machine in the place of a sandbox.

In: commands and files. Out: what the commands print, and files. How a child is run and ended is the business of
``processes``, how a tree is copied that of ``transfer``.
"""

import contextlib
import os
import shutil
import tempfile
import weakref
from typing import Any, Dict, Generator, Optional

from .base import BaseEnvironment, ExecResult, LocalPath, UserName
from .processes import Children, yield_to_others
from .transfer import copy_file, copy_tree, remove_tree, resolve_inside

__all__ = ["LocalEnvironment"]

# What the command `timeout` and shells say in these cases.
_TIMED_OUT = 124
_CANNOT_START = 126


class LocalEnvironment(BaseEnvironment):
    """An environment that is a folder of this machine and runs commands as bash child processes.

    It isolates nothing: a command can read, change and remove whatever the user of this process can. It is for agents
    that are trusted, or inside of a sandbox.

    ``workdir`` is where commands start and paths are looked up; it is made if it is not there, and is never removed.
    Without it a temporary folder is made by ``start`` and removed by ``stop``. ``env`` holds variables for every
    command, over those of this process. Of what a command prints on stdout and on stderr, ``output_limit`` bytes each
    are kept: beyond it the first and the last half, with a line between them that says how much was left out.
    ``grace_sec`` is the time between SIGTERM and SIGKILL.

    Processes that a command leaves running go on until ``stop``. What still runs, and the temporary folder, are also
    cleared away when the object is collected or the interpreter exits; a SIGKILL of the interpreter leaves them.
    """

    def __init__(
        self,
        workdir: Optional[LocalPath] = None,
        *args: Any,
        env: Optional[Dict[str, str]] = None,
        output_limit: int = 16 << 20,
        grace_sec: float = 2.0,
        **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if output_limit < 2 or not grace_sec >= 0:
            raise ValueError("Expected an output_limit of at least 2 and a grace_sec of at least 0")
        self._persistent_env.update(env or {})
        self._given = None if workdir is None else os.path.abspath(os.fspath(workdir))
        self._output_limit = output_limit
        self._grace_sec = grace_sec
        self._folder: Optional[str] = None
        self._shell = ""
        self._children = Children(output_limit, grace_sec)
        self._last_resort: Any = None

    @staticmethod
    def type() -> str:
        """Give ``"local"``."""
        return "local"

    @property
    def workdir(self) -> str:
        """The folder where commands start; raises ``RuntimeError`` before ``start`` and after ``stop``."""
        if self._folder is None:
            raise RuntimeError("The environment is not running; await start() first")
        return self._folder

    async def __aenter__(self) -> "LocalEnvironment":
        await self.start()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self.stop()

    async def start(self, force_build: bool = False) -> None:
        """Make the folder; a second call changes nothing. Raises ``FileNotFoundError`` where there is no bash."""
        if self._folder is not None:
            return
        if os.name != "posix":
            raise NotImplementedError("LocalEnvironment needs a POSIX system")
        shell = shutil.which("bash")
        if shell is None:
            raise FileNotFoundError("LocalEnvironment needs bash, and there is none on PATH")
        self._shell = shell
        if self._given is None:
            folder = os.path.realpath(tempfile.mkdtemp(prefix="harbor-"))
        else:
            os.makedirs(self._given, exist_ok=True)
            folder = self._given
        self._folder = folder
        self._children = Children(self._output_limit, self._grace_sec)
        self._last_resort = weakref.finalize(
            self, _clear_away, self._children, folder if self._given is None else None)

    async def stop(self, delete: bool = True) -> None:
        """End every process that is left and, with ``delete``, remove the folder if it is a temporary one."""
        folder, self._folder = self._folder, None
        if folder is None:
            return
        try:
            await self._children.end_all()
        finally:
            self._last_resort.detach()
            _clear_away(self._children, folder if delete and self._given is None else None)

    async def exec(
        self,
        command: str,
        cwd: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        timeout_sec: Optional[float] = None,
        user: Optional[UserName] = None,
    ) -> ExecResult:
        """Run a command with ``bash -c``, in ``cwd`` (relative to the folder), with nothing to read on stdin.

        After ``timeout_sec`` everything that it started is ended; what was printed is given, with a return code of
        124 and a last line on stderr that says so. None and 0 set no limit. A death by a signal is 128 and its
        number; a command that cannot be started, for example because there is no ``cwd``, gives 126. stdout and
        stderr are "" where nothing was printed, and what is not UTF-8 becomes U+FFFD. ``user`` can only be the user
        of this process: another one raises ``PermissionError``.
        """
        folder = os.path.join(self.workdir, cwd) if cwd else self.workdir
        _expect_own_user(self._resolve_user(user))
        if timeout_sec is not None and not timeout_sec >= 0:
            raise ValueError("Expected a timeout_sec of at least 0, got %r" % (timeout_sec,))
        variables = {**os.environ, **(self._merge_env(env) or {})}
        try:
            outcome = await self._children.run([self._shell, "-c", command], folder, variables, timeout_sec or None)
        except OSError as error:
            reason = "Cannot run the command in %r: %s\n" % (folder, error.strerror)
            return ExecResult(stdout="", stderr=reason, return_code=_CANNOT_START)
        if not outcome.timed_out:
            return ExecResult(stdout=outcome.stdout, stderr=outcome.stderr, return_code=outcome.status)
        gap = "\n" if outcome.stderr and not outcome.stderr.endswith("\n") else ""
        note = "%s%sCommand timed out after %g seconds\n" % (outcome.stderr, gap, timeout_sec or 0)
        return ExecResult(stdout=outcome.stdout, stderr=note, return_code=_TIMED_OUT)

    async def upload_file(self, source_path: LocalPath, target_path: str) -> None:
        """Copy a file to a path in the folder, or into it where the path is a folder; makes the folders on the way.

        Raises ``PathEscapeError`` for a path that leads out of the folder, with all links on its way.
        """
        place = resolve_inside(self.workdir, target_path, follow=False)
        if os.path.isdir(place):
            place = os.path.join(resolve_inside(self.workdir, target_path), os.path.basename(os.fspath(source_path)))
        await _copy_to(source_path, place)

    async def upload_dir(self, source_dir: LocalPath, target_dir: str) -> None:
        """Copy what a folder holds to a path in the folder; a path or link that leads out is a ``PathEscapeError``."""
        target = resolve_inside(self.workdir, target_dir)
        await _drive(copy_tree(os.fspath(source_dir), target, self._report_skipped))

    async def download_file(self, source_path: str, target_path: LocalPath) -> None:
        """Copy a file of the folder out of it; a path or link that leads out is a ``PathEscapeError``."""
        source = resolve_inside(self.workdir, source_path)
        place = os.fspath(target_path)
        if os.path.isdir(place):
            place = os.path.join(place, os.path.basename(source_path))
        await _copy_to(source, place)

    async def download_dir(self, source_dir: str, target_dir: LocalPath) -> None:
        """Copy what a folder in the folder holds; a path or link that leads out is a ``PathEscapeError``."""
        source = resolve_inside(self.workdir, source_dir)
        await _drive(copy_tree(source, os.fspath(target_dir), self._report_skipped))

    async def is_dir(self, path: str, user: Optional[UserName] = None) -> bool:
        """Tell whether there is a folder of this path, which may lie anywhere."""
        return os.path.isdir(os.path.join(self.workdir, path))

    async def is_file(self, path: str, user: Optional[UserName] = None) -> bool:
        """Tell whether there is a regular file of this path, which may lie anywhere."""
        return os.path.isfile(os.path.join(self.workdir, path))

    def _report_skipped(self, path: str) -> None:
        self.logger.warning("Left out %s: no file, folder or link", path)


def _clear_away(children: Children, folder: Optional[str]) -> None:
    """Do at once what is left of ``stop``; takes no environment, whose collection calls it."""
    children.kill_all()
    if folder is not None:
        remove_tree(folder)


async def _copy_to(source: LocalPath, place: str) -> None:
    os.makedirs(os.path.dirname(place) or os.curdir, exist_ok=True)
    await _drive(copy_file(source, place))


async def _drive(steps: Generator[None, None, None]) -> None:
    # Closed also where it is given up, so that it removes what it began.
    with contextlib.closing(steps):
        for _ in steps:
            await yield_to_others()


def _expect_own_user(user: Optional[UserName]) -> None:
    own = os.geteuid()
    if user is None or str(user) == str(own):
        return
    import pwd  # nowhere but on POSIX

    try:
        name = pwd.getpwuid(own).pw_name
    except KeyError:
        name = str(own)
    if user != name:
        raise PermissionError("LocalEnvironment runs commands as %r alone, and was asked for %r" % (name, user))
