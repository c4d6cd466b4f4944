"""The tests run on the implementation that they claim to run on."""

import importlib
import pathlib

import pytest

import harbor
import implementation
from harbor.models.agent.context import AgentContext

#: A function of each layer, by its module.
FUNCTIONS = [
    ("harbor.codec.errors", "clip_repr"), ("harbor.codec.calls", "check_value"), ("harbor.codec.text.reading", "parse"),
    ("harbor.models.agent.numbers", "read_count"), ("harbor.models.trial.error_policy", "policy_for"),
]


def test_the_one_asked_for_was_loaded() -> None:
    assert harbor.__file__ is not None
    assert pathlib.Path(harbor.__file__).resolve() == implementation.FILE


def test_its_classes_come_from_there() -> None:
    file = pathlib.Path(AgentContext.is_empty.__code__.co_filename).resolve()
    expected = "harbor.py" if implementation.NAME == "single" else "harbor/models/agent/context.py"
    assert file == implementation.PATH / expected


@pytest.mark.parametrize("module, name", FUNCTIONS, ids=[row[0] for row in FUNCTIONS])
def test_its_functions_come_from_there(module: str, name: str) -> None:
    file = pathlib.Path(getattr(importlib.import_module(module), name).__code__.co_filename).resolve()
    expected = "harbor.py" if implementation.NAME == "single" else module.replace(".", "/") + ".py"
    assert file == implementation.PATH / expected


def test_both_have_the_same_version() -> None:
    source = (implementation.ROOT / "harbor" / "__init__.py").read_text(encoding="utf-8")
    assert '__version__ = "%s"' % harbor.__version__ in source
