"""BaseAgent: what an agent is made of, and what importing it costs."""

import logging
import pathlib
import re
import subprocess
import sys
from typing import Any, Dict, List, Optional, Tuple, Type

import pytest

from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities
from harbor.codec import ValidationError
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from harbor.models.trial.result import AgentInfo, ModelInfo

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = pathlib.Path("logs")


class PlainAgent(BaseAgent):
    @staticmethod
    def name() -> str:
        return "plain"

    def version(self) -> Optional[str]:
        return "1"

    async def setup(self, environment: BaseEnvironment) -> None:
        pass

    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        pass


class Unversioned(PlainAgent):
    def version(self) -> Optional[str]:
        return None


def test_importing_an_agent_imports_neither_asyncio_nor_subprocess() -> None:
    source = (
        "import sys\n"
        "sys.path.insert(0, {!r})\n"
        "import harbor.agents.base\n"
        "print(sorted({{'asyncio', 'subprocess', 'selectors', 'concurrent'}}.intersection(sys.modules)))\n"
    ).format(str(ROOT))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", source], stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode().strip() == "[]"


def test_one_module_alone_imports_asyncio_and_subprocess() -> None:
    pattern = re.compile(r"^\s*(?:import|from) (?:asyncio|subprocess)\b", re.MULTILINE)
    found = [path for path in (ROOT / "harbor").rglob("*.py") if pattern.search(path.read_text(encoding="utf-8"))]
    assert [path.relative_to(ROOT).as_posix() for path in found] == ["harbor/environments/processes.py"]


@pytest.mark.parametrize("missing", ["name", "version", "setup", "run"])
def test_a_class_without_one_of_the_four_methods_cannot_be_made(missing: str) -> None:
    methods = {name: vars(PlainAgent)[name] for name in ("name", "version", "setup", "run") if name != missing}
    partial: Any = type("Partial", (BaseAgent,), methods)
    with pytest.raises(TypeError, match="abstract method.*{}".format(missing)):
        partial(LOGS)


def test_everything_that_harbor_passes_is_taken_and_the_unknown_ignored() -> None:
    logger = logging.getLogger("trial")
    agent = PlainAgent(
        logs_dir=LOGS, model_name="provider/model", logger=logger, mcp_servers=[{"name": "x"}], skills_dir="/skills",
        extra_env={"A": "1"}, base_url=None, model_api_key_name=None, model_api_format=None, load_trajectory="t.json",
        environment_logs_dir=pathlib.PurePosixPath("/logs/other"), skip_model_parsing=False,
        override_setup_timeout_sec=5, something_new=object())
    assert agent.logs_dir == LOGS
    assert agent.model_name == "provider/model"
    assert agent.logger.name == "trial.harbor.agents.base"
    assert (agent.mcp_servers, agent.skills_dir) == ([{"name": "x"}], "/skills")
    assert agent.extra_env == {"A": "1"}
    assert agent.load_trajectory == pathlib.Path("t.json")
    assert agent.environment_logs_dir == pathlib.PurePosixPath("/logs/other")


def test_what_is_not_passed_has_harbors_defaults() -> None:
    agent = PlainAgent(LOGS)
    assert (agent.model_name, agent.mcp_servers, agent.skills_dir, agent.load_trajectory) == (None, [], None, None)
    assert (agent.extra_env, agent.session_id, agent.context_id, agent.options) == ({}, None, None, None)
    assert agent.environment_logs_dir == pathlib.PurePosixPath("/logs/agent")
    assert agent.logger.name == "harbor.harbor.agents.base"
    assert PlainAgent.DEFAULT_SETUP_TIMEOUT_SEC == 360.0


@pytest.mark.parametrize("name", ["base_url", "model_api_key_name", "model_api_format"])
def test_an_override_that_nobody_heeds_is_refused(name: str) -> None:
    options: Dict[str, Any] = {name: "x"}
    with pytest.raises(ValueError) as caught:
        PlainAgent(LOGS, **options)
    assert str(caught.value) == "Agent 'plain' makes no use of " + name


MODELS: List[Tuple[str, Optional[ModelInfo]]] = [
    ("provider/name", ModelInfo(name="name", provider="provider")),
    ("router/provider/name", ModelInfo(name="provider/name", provider="router")),
    ("name", ModelInfo(name="name", provider=None)),
    ("/name", ModelInfo(name="/name", provider=None)),
    ("provider/", ModelInfo(name="provider/", provider=None)),
    ("", None),
]


@pytest.mark.parametrize("model_name, expected", MODELS, ids=[name or "none" for name, _ in MODELS])
def test_a_model_name_is_split_at_its_first_slash(model_name: str, expected: Optional[ModelInfo]) -> None:
    info = PlainAgent(LOGS, model_name).to_agent_info()
    assert info == AgentInfo(name="plain", version="1", model_info=expected)


def test_a_model_name_that_is_not_to_be_parsed_stays_whole() -> None:
    info = PlainAgent(LOGS, "provider/name", skip_model_parsing=True).to_agent_info()
    assert info.model_info == ModelInfo(name="provider/name", provider="harbor-skip-parsing")


def test_an_unknown_version_is_recorded_as_such() -> None:
    assert Unversioned(LOGS).to_agent_info().version == "unknown"


def test_the_import_path_names_module_and_class() -> None:
    assert PlainAgent.import_path() == "{}:PlainAgent".format(__name__)


def _make_class(**body: Any) -> Type[BaseAgent]:
    made: Type[BaseAgent] = type("Made", (PlainAgent,), body)
    return made


def test_a_flag_and_a_capability_are_the_same() -> None:
    by_flag = _make_class(SUPPORTS_ATIF=True)
    by_capability = _make_class(capabilities=AgentCapabilities(atif=True))
    assert (by_flag.capabilities.atif, by_flag.SUPPORTS_ATIF) == (True, True)
    assert (by_capability.capabilities.atif, by_capability.SUPPORTS_ATIF) == (True, True)
    assert (PlainAgent.capabilities.atif, PlainAgent.SUPPORTS_ATIF) == (False, False)


def test_a_flag_adds_to_inherited_capabilities() -> None:
    parent: Any = _make_class(capabilities=AgentCapabilities(atif=True, skills=True))
    child: Any = type("Child", (parent,), {"SUPPORTS_RESUME": True, "SUPPORTED_BRIDGES": frozenset(["acp"])})
    assert child.capabilities == AgentCapabilities(atif=True, skills=True, resume=True, bridges=frozenset(["acp"]))


def test_a_flag_against_a_capability_is_refused() -> None:
    with pytest.raises(TypeError) as caught:
        _make_class(SUPPORTS_ATIF=False, capabilities=AgentCapabilities(atif=True))
    assert str(caught.value) == "Made states SUPPORTS_ATIF otherwise in its capabilities"


def test_an_unknown_capability_is_refused() -> None:
    with pytest.raises(ValidationError):
        AgentCapabilities.model_validate({"flies": True})


def test_a_variable_is_looked_up_in_the_agents_own_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_A", "process")
    monkeypatch.setenv("KEY_B", "process")
    agent = PlainAgent(LOGS, extra_env={"KEY_B": "own"})
    assert [agent._get_env("KEY_A"), agent._get_env("KEY_A", "KEY_B"), agent._get_env("KEY_C")] == [
        "process", "own", None]
