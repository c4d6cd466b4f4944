"""The examples of the specification, word for word."""

from typing import Any, Dict

import pytest

BASIC = '''
from harbor.models.agent.context import AgentContext

context = AgentContext()

# Populate during agent execution
context.n_input_tokens = 1500
context.n_cache_tokens = 800
context.n_output_tokens = 600
context.cost_usd = 0.025

print(f"Total cost: ${context.cost_usd}")
print(f"Cache hit rate: {context.n_cache_tokens / context.n_input_tokens:.1%}")
'''

METADATA = '''
context = AgentContext()

context.metadata = {
    "model_version": "claude-opus-4-1",
    "n_tool_calls": 15,
    "execution_phases": ["planning", "coding", "testing"],
    "custom_metric": 0.85
}
'''

ROLLOUTS = '''
from harbor.models.agent.context import AgentContext
from harbor.models.agent.rollout_detail import RolloutDetail

context = AgentContext()

# For agents with linear chat history
rollout: RolloutDetail = {
    "prompt_token_ids": [
        [101, 2023, 2003],  # Turn 1 prompt
        [101, 2023, 2003, 2009],  # Turn 2 prompt (includes history)
    ],
    "completion_token_ids": [
        [2009, 2003, 102],  # Turn 1 completion
        [2025, 2026, 102],  # Turn 2 completion
    ],
    "logprobs": [
        [-0.5, -0.3, -0.1],  # Turn 1 logprobs
        [-0.4, -0.2, -0.15],  # Turn 2 logprobs
    ]
}

context.rollout_details = [rollout]
'''

TRAJECTORIES = '''
# For agents with multiple trajectories (e.g., tree search, subagents)
context.rollout_details = [
    main_trajectory,
    subagent_trajectory_1,
    subagent_trajectory_2,
]
'''

STATE = '''
if context.is_empty():
    print("No execution data collected")
else:
    print(f"Context has data: {context.model_dump(exclude_none=True)}")
'''

SERIALIZATION = '''
context = AgentContext(
    n_input_tokens=1000,
    n_output_tokens=500,
    cost_usd=0.02,
    metadata={"agent": "claude-code", "version": "1.0"}
)

# Serialize to JSON
json_str = context.model_dump_json()

# Deserialize from JSON
loaded_context = AgentContext.model_validate_json(json_str)

# Export only non-None fields
data = context.model_dump(exclude_none=True)
'''


def _run(source: str, **names: Any) -> Dict[str, Any]:
    """Run an example as a reader would, with the import that some of them leave out."""
    scope: Dict[str, Any] = dict(names)
    exec("from harbor.models.agent.context import AgentContext", scope)
    exec(source, scope)
    return scope


def test_basic_token_tracking(capsys: pytest.CaptureFixture[str]) -> None:
    context = _run(BASIC)["context"]
    assert capsys.readouterr().out == "Total cost: $0.025\nCache hit rate: 53.3%\n"
    assert context.model_dump_json() == (
        '{"n_input_tokens":1500,"n_cache_tokens":800,"n_output_tokens":600,"cost_usd":0.025,'
        '"rollout_details":null,"metadata":null}'
    )


def test_adding_custom_metadata() -> None:
    context = _run(METADATA)["context"]
    assert context.model_dump_json(exclude_none=True) == (
        '{"metadata":{"model_version":"claude-opus-4-1","n_tool_calls":15,'
        '"execution_phases":["planning","coding","testing"],"custom_metric":0.85}}'
    )


def test_rollout_details_of_a_linear_history() -> None:
    context = _run(ROLLOUTS)["context"]
    assert context.model_dump_json(exclude_none=True) == (
        '{"rollout_details":[{'
        '"prompt_token_ids":[[101,2023,2003],[101,2023,2003,2009]],'
        '"completion_token_ids":[[2009,2003,102],[2025,2026,102]],'
        '"logprobs":[[-0.5,-0.3,-0.1],[-0.4,-0.2,-0.15]]}]}'
    )


def test_rollout_details_of_several_trajectories() -> None:
    main: Dict[str, Any] = {"logprobs": [[-0.5]]}
    one: Dict[str, Any] = {"completion_token_ids": [[1]]}
    two: Dict[str, Any] = {}
    context = _run(
        "context = AgentContext()\n" + TRAJECTORIES,
        main_trajectory=main,
        subagent_trajectory_1=one,
        subagent_trajectory_2=two,
    )["context"]
    assert context.rollout_details == [main, one, two]
    assert context.model_dump(exclude_none=True) == {"rollout_details": [main, one, two]}


def test_an_untouched_context_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    _run("context = AgentContext()\n" + STATE)
    assert capsys.readouterr().out == "No execution data collected\n"


def test_a_context_with_a_value_is_not_empty(capsys: pytest.CaptureFixture[str]) -> None:
    _run("context = AgentContext(n_input_tokens=0)\n" + STATE)
    assert capsys.readouterr().out == "Context has data: {'n_input_tokens': 0}\n"


@pytest.mark.parametrize("source", ["rollout_details=[]", "metadata={}", "n_input_tokens=0", "cost_usd=0.0"])
def test_only_none_is_empty(source: str) -> None:
    assert _run("empty = AgentContext({}).is_empty()".format(source))["empty"] is False


def test_json_round_trip() -> None:
    scope = _run(SERIALIZATION)
    assert scope["json_str"] == (
        '{"n_input_tokens":1000,"n_cache_tokens":null,"n_output_tokens":500,"cost_usd":0.02,'
        '"rollout_details":null,"metadata":{"agent":"claude-code","version":"1.0"}}'
    )
    assert scope["loaded_context"] == scope["context"]
    assert scope["data"] == {
        "n_input_tokens": 1000,
        "n_output_tokens": 500,
        "cost_usd": 0.02,
        "metadata": {"agent": "claude-code", "version": "1.0"},
    }


def test_a_mistyped_attribute_is_refused() -> None:
    with pytest.raises(ValueError) as caught:
        _run("AgentContext().output = 1")
    assert str(caught.value) == '"AgentContext" object has no field "output"'


def test_an_unknown_keyword_is_ignored() -> None:
    assert _run("context = AgentContext(output=1)")["context"].is_empty()
