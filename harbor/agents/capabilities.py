"""What an agent says it can do."""

from typing import Any

from ..codec import Model

__all__ = ["AgentCapabilities"]


class AgentCapabilities(Model):
    """What an agent can do, as its class states it; the names are Harbor 0.26's.

    ``run_agent`` asks for none of it. It is here so that an agent which states it for Harbor is imported unchanged.
    """

    model_config = {"extra": "forbid", "frozen": True}

    base_url: bool = False
    atif: bool = False
    resume: bool = False
    load_native_trajectory: bool = False
    load_atif_trajectory: bool = False
    handoff: bool = False
    native_config: bool = False
    native_web_tools: bool = False
    reasoning_effort: bool = False
    windows: bool = False
    skills: bool = False
    mcp_servers: bool = False
    mcp_http_headers: bool = False
    # A frozenset of words, a type the codec does not know.
    bridges: Any = frozenset()
