"""Harbor's records of agent runs, read and written with the standard library alone.

Import what you need from where it lives, for example
`from harbor.models.agent.context import AgentContext`; nothing is re-exported
here, so that a small import stays small.
"""

__version__ = "0.1.0"
