"""``BaseEnvironment``: where an agent runs commands and puts files, and ``ExecResult``, what a command gives.

Names, parameters and their meaning are Harbor 0.26's. Nothing here starts a process.
"""

import abc
import contextlib
import contextvars
import logging
import pathlib
import shlex
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional, Tuple, Union

from ..codec import Model

if TYPE_CHECKING:
    import uuid

__all__ = ["BaseEnvironment", "ExecResult", "LocalPath", "UserName"]

#: A path on this side, outside of the environment.
LocalPath = Union[str, pathlib.Path]

#: A user's name or number.
UserName = Union[str, int]

# What `scoped_exec_env` lays over the variables of an environment. A context variable, so that it reaches everything
# that is awaited in its block and no other task.
_overlays: "contextvars.ContextVar[Tuple[Tuple[Any, Dict[str, str]], ...]]" = contextvars.ContextVar(
    "harbor_exec_overlays", default=())


# No docstring: Harbor's class has none, and its JSON schema would show it. None in stdout or stderr means that it was
# not captured, or, in some of Harbor's environments, that it is empty.
class ExecResult(Model):
    stdout: Optional[str] = None
    stderr: Optional[str] = None
    return_code: int


class BaseEnvironment(abc.ABC):
    """The base of environments; a subclass defines how they start, stop, run commands and transfer files."""

    environment_name: str = ""
    session_id: str = ""
    context_id: Optional["uuid.UUID"] = None

    #: Who runs the commands that name no user.
    default_user: Optional[UserName] = None

    logger: logging.Logger = logging.getLogger("harbor").getChild(__name__)

    def __init__(
        self,
        environment_dir: Optional[LocalPath] = None,
        environment_name: str = "",
        session_id: str = "",
        trial_paths: Any = None,
        task_env_config: Any = None,
        logger: Optional[logging.Logger] = None,
        *args: Any,
        persistent_env: Optional[Dict[str, str]] = None,
        **kwargs: Any
    ) -> None:
        """Keep what Harbor tells its environments; all of it may be left out, and what nobody knows is ignored.

        ``persistent_env`` holds variables for every command.
        """
        self.environment_dir = environment_dir
        self.environment_name = environment_name
        self.session_id = session_id
        self.trial_paths = trial_paths
        self.task_env_config = task_env_config
        self._persistent_env: Dict[str, str] = dict(persistent_env or {})
        if logger is not None:
            self.logger = logger.getChild(__name__)

    @staticmethod
    def type() -> str:
        """Give the kind of environment in a word; Harbor demands that a subclass says it."""
        return "custom"

    # What a subclass defines -------------------------------------------------

    @abc.abstractmethod
    async def start(self, force_build: bool) -> None:
        """Start the environment; ``force_build`` makes anew what could be taken from a cache."""

    @abc.abstractmethod
    async def stop(self, delete: bool) -> None:
        """Stop the environment and, with ``delete``, remove what it kept."""

    @abc.abstractmethod
    async def exec(
        self,
        command: str,
        cwd: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        timeout_sec: Optional[int] = None,
        user: Optional[UserName] = None,
    ) -> ExecResult:
        """Run a shell command and give what it printed, whatever its exit status is."""

    @abc.abstractmethod
    async def upload_file(self, source_path: LocalPath, target_path: str) -> None:
        """Copy a file into the environment."""

    @abc.abstractmethod
    async def upload_dir(self, source_dir: LocalPath, target_dir: str) -> None:
        """Copy what a folder holds into a folder of the environment."""

    @abc.abstractmethod
    async def download_file(self, source_path: str, target_path: LocalPath) -> None:
        """Copy a file out of the environment."""

    @abc.abstractmethod
    async def download_dir(self, source_dir: str, target_dir: LocalPath) -> None:
        """Copy what a folder of the environment holds into a folder, over what is there."""

    # What comes with it ------------------------------------------------------

    async def is_dir(self, path: str, user: Optional[UserName] = None) -> bool:
        """Tell whether there is a folder of this path."""
        return (await self.exec("test -d " + shlex.quote(path), timeout_sec=10, user=user)).return_code == 0

    async def is_file(self, path: str, user: Optional[UserName] = None) -> bool:
        """Tell whether there is a regular file of this path."""
        return (await self.exec("test -f " + shlex.quote(path), timeout_sec=10, user=user)).return_code == 0

    @contextlib.contextmanager
    def with_default_user(self, user: Optional[UserName]) -> Iterator[None]:
        """Let commands that name no user run as this one, in a ``with`` block."""
        previous, self.default_user = self.default_user, user
        try:
            yield
        finally:
            self.default_user = previous

    @contextlib.contextmanager
    def scoped_exec_env(self, env: Dict[str, str]) -> Iterator[None]:
        """Add variables to the commands that this task runs in a ``with`` block; they win over those of a command."""
        token = _overlays.set((*_overlays.get(), (self, dict(env))))
        try:
            yield
        finally:
            _overlays.reset(token)

    def _resolve_user(self, user: Optional[UserName]) -> Optional[UserName]:
        """Give the user that a command runs as: the one it names, or else the default."""
        return self.default_user if user is None else user

    def _merge_env(self, env: Optional[Dict[str, str]]) -> Optional[Dict[str, str]]:
        """Give the variables of a command: the environment's, then its own, then those of the block around it."""
        merged = {**getattr(self, "_persistent_env", {}), **(env or {})}
        for owner, overlay in _overlays.get():
            if owner is self:
                merged.update(overlay)
        return merged or None
