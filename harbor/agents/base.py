"""``BaseAgent``: what an agent is, so that it runs here and in Harbor alike.

An agent gets an instruction, an environment to run commands in, and a context to fill. Names, parameters and their
meaning are Harbor 0.26's. Nothing here runs anything, and neither asyncio nor subprocess is imported.
"""

import abc
import logging
import os
import pathlib
from typing import TYPE_CHECKING, Any, ClassVar, Dict, FrozenSet, List, Mapping, Optional, Tuple, Union

from ..environments.base import BaseEnvironment
from ..models.agent.context import AgentContext
from .capabilities import AgentCapabilities

if TYPE_CHECKING:
    import uuid

    from ..models.trial.result import AgentInfo

__all__ = ["BaseAgent"]

# The older name of each capability, which agents may state and ask for as well.
_CAPABILITY_FLAGS = {
    "SUPPORTS_ATIF": "atif",
    "SUPPORTS_RESUME": "resume",
    "SUPPORTS_LOAD_NATIVE_TRAJECTORY": "load_native_trajectory",
    "SUPPORTS_LOAD_ATIF_TRAJECTORY": "load_atif_trajectory",
    "SUPPORTS_HANDOFF": "handoff",
    "SUPPORTS_CONFIG": "native_config",
    "SUPPORTS_WINDOWS": "windows",
    "SUPPORTED_BRIDGES": "bridges",
}

# Where Harbor's containers keep the logs of an agent.
_CONTAINER_LOGS = "/logs/agent"
# What Harbor calls the provider of a model name that is not to be taken apart.
_UNPARSED_PROVIDER = "harbor-skip-parsing"


class BaseAgent(abc.ABC):
    """The base of agents; a subclass defines ``name``, ``version``, ``setup`` and ``run``."""

    #: What the agent can do; the ``SUPPORTS_`` flags below say the same, and stating one of the two is enough.
    capabilities: ClassVar[AgentCapabilities] = AgentCapabilities()
    SUPPORTS_ATIF: ClassVar[bool] = False
    SUPPORTS_RESUME: ClassVar[bool] = False
    SUPPORTS_LOAD_NATIVE_TRAJECTORY: ClassVar[bool] = False
    SUPPORTS_LOAD_ATIF_TRAJECTORY: ClassVar[bool] = False
    SUPPORTS_HANDOFF: ClassVar[bool] = False
    SUPPORTS_CONFIG: ClassVar[bool] = False
    SUPPORTS_WINDOWS: ClassVar[bool] = False
    SUPPORTED_BRIDGES: ClassVar[FrozenSet[str]] = frozenset()

    #: How long ``setup`` may take where nobody says otherwise.
    DEFAULT_SETUP_TIMEOUT_SEC: ClassVar[float] = 360.0

    #: A handle for this agent in its trial, and the trial's id; set by whoever runs the agent.
    session_id: Optional[str] = None
    context_id: Optional["uuid.UUID"] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        stated = {field: own[flag] for flag, field in _CAPABILITY_FLAGS.items() if flag in own}
        if stated and "capabilities" in own:
            conflicts = [
                flag for flag, field in _CAPABILITY_FLAGS.items()
                if field in stated and stated[field] != getattr(cls.capabilities, field)
            ]
            if conflicts:
                raise TypeError("%s states %s otherwise in its capabilities" % (cls.__name__, ", ".join(conflicts)))
        elif stated:
            cls.capabilities = AgentCapabilities(**{**cls.capabilities.model_dump(), **stated})
        for flag, field in _CAPABILITY_FLAGS.items():
            setattr(cls, flag, getattr(cls.capabilities, field))

    def __init__(
        self,
        logs_dir: pathlib.Path,
        model_name: Optional[str] = None,
        logger: Optional[logging.Logger] = None,
        mcp_servers: Optional[List[Any]] = None,
        skills_dir: Optional[str] = None,
        *,
        extra_env: Optional[Mapping[str, str]] = None,
        base_url: Optional[str] = None,
        model_api_key_name: Optional[str] = None,
        model_api_format: Optional[str] = None,
        skip_model_parsing: bool = False,
        load_trajectory: Union[str, pathlib.Path, None] = None,
        environment_logs_dir: Optional[pathlib.PurePosixPath] = None,
        **kwargs: Any
    ) -> None:
        """Keep what the agent is told; ``logs_dir`` is a folder on this side for what the agent wants to keep.

        ``model_name`` is ``PROVIDER/NAME`` or ``NAME``. ``extra_env`` is added to the variables of every command of
        ``setup`` and ``run``. Keywords that nobody knows are ignored, as in Harbor. An agent that wants to be told
        ``base_url``, ``model_api_key_name`` or ``model_api_format`` takes it as a parameter of its own: here these
        three are a ``ValueError``, because nothing would come of them.
        """
        overrides = {
            "base_url": base_url, "model_api_key_name": model_api_key_name, "model_api_format": model_api_format}
        given = [name for name, value in overrides.items() if value is not None]
        if given:
            raise ValueError("Agent %r makes no use of %s" % (self.name(), ", ".join(given)))
        self.logs_dir = logs_dir
        self.environment_logs_dir = environment_logs_dir or pathlib.PurePosixPath(_CONTAINER_LOGS)
        self.model_name = model_name
        self.skip_model_parsing = skip_model_parsing
        self.logger = (logger or logging.getLogger("harbor")).getChild(__name__)
        self.mcp_servers = mcp_servers or []
        self.skills_dir = skills_dir
        self.load_trajectory = pathlib.Path(load_trajectory).expanduser() if load_trajectory else None
        self.options: Any = None
        self._extra_env: Dict[str, str] = dict(extra_env or {})
        self._init_model_info()

    # What an agent is --------------------------------------------------------

    @staticmethod
    @abc.abstractmethod
    def name() -> str:
        """Give the name of the agent."""

    @abc.abstractmethod
    def version(self) -> Optional[str]:
        """Give the version of the agent; None where it is not known."""

    @classmethod
    def import_path(cls) -> str:
        """Give where the class is found, as ``MODULE:CLASS``."""
        return "%s:%s" % (cls.__module__, cls.__name__)

    def to_agent_info(self) -> "AgentInfo":
        """Give the record of the agent that stands in a trial's result."""
        # On Python 3.8 this imports subprocess, by way of uuid and platform.
        from ..models.trial.result import AgentInfo, ModelInfo  # late

        model = None
        if self._parsed_model_name:
            model = ModelInfo(name=self._parsed_model_name, provider=self._parsed_model_provider)
        return AgentInfo(name=self.name(), version=self.version() or "unknown", model_info=model)

    # What an agent does ------------------------------------------------------

    @abc.abstractmethod
    async def setup(self, environment: BaseEnvironment) -> None:
        """Bring what the agent needs into the environment."""

    @abc.abstractmethod
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Do what the instruction says, and fill the context on the way.

        What stands in the context is kept whatever happens: a timeout, a cancellation, an exception, a kill.
        """

    async def resume(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Go on where an earlier ``run`` ended; an agent that can states ``SUPPORTS_RESUME``."""
        raise NotImplementedError("Agent %r cannot resume" % self.name())

    async def load(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Go on from the trajectory in ``load_trajectory``; an agent that can states so in its capabilities."""
        raise NotImplementedError("Agent %r cannot load a trajectory" % self.name())

    def populate_context_post_run(self, context: AgentContext) -> None:
        """Fill a context that is still empty after ``run``, for example from the logs of a program.

        Called also where ``run`` failed, and never where the context holds something.
        """

    # What an agent may ask for -----------------------------------------------

    @property
    def extra_env(self) -> Dict[str, str]:
        """The variables that are added to every command of ``setup`` and ``run``."""
        return dict(self._extra_env)

    def _get_env(self, key: str, *alternatives: str) -> Optional[str]:
        """Give the first of some variables that is set, in ``extra_env`` or else in this process."""
        for source in (self._extra_env, os.environ):
            for name in (key, *alternatives):
                if name in source:
                    return source[name]
        return None

    def _init_model_info(self) -> None:
        self._parsed_model_provider: Optional[str] = None
        self._parsed_model_name: Optional[str] = None
        if self.model_name:
            self._parsed_model_provider, self._parsed_model_name = self._parse_model_name(self.model_name)

    def _parse_model_name(self, model_name: str) -> Tuple[Optional[str], str]:
        """Split ``PROVIDER/NAME`` at the first slash; without one the provider is not known."""
        if self.skip_model_parsing:
            return _UNPARSED_PROVIDER, model_name
        provider, slash, name = model_name.partition("/")
        return (provider, name) if provider and slash and name else (None, model_name)
