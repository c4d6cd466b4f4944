"""An agent: it asks a model for a command, runs it in the environment, and records what that took.

    python3 -m harbor run docs/examples/my_agent.py:MyAgent --instruction "Count the lines" --output result.json

There is no model behind it: `_ask_model` makes up an answer, with tokens, so that the example runs anywhere. Put a
call of yours in its place. The file runs in Harbor as it stands.
"""

from typing import Any, Dict, List, NamedTuple, Optional

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from harbor.models.agent.rollout_detail import RolloutDetail

# US dollars for each input token, cached input token and output token.
PRICES = (3e-06, 3e-07, 1.5e-05)


class Answer(NamedTuple):
    """What a model gives for a turn: a command, and the tokens that went in and came out."""

    command: str
    prompt_token_ids: List[int]
    completion_token_ids: List[int]
    logprobs: List[float]
    cached_tokens: int


class MyAgent(BaseAgent):
    @staticmethod
    def name() -> str:
        return "my-agent"

    def version(self) -> Optional[str]:
        return "1.0"

    async def setup(self, environment: BaseEnvironment) -> None:
        await environment.exec("echo 'one line' > notes.txt")

    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        history: List[int] = [ord(letter) for letter in instruction]
        rollout: RolloutDetail = {"prompt_token_ids": [], "completion_token_ids": [], "logprobs": []}
        steps: List[Dict[str, Any]] = []
        # Everything is in the context from the first turn on: after a timeout or a crash, what is there is kept.
        context.n_input_tokens = context.n_cache_tokens = context.n_output_tokens = 0
        context.rollout_details = [rollout]
        context.metadata = {"success": False, "steps": steps}
        for command in ("wc -l notes.txt", "echo 'another line' >> notes.txt", "wc -l notes.txt"):
            answer = self._ask_model(command, history)
            result = await environment.exec(answer.command, timeout_sec=30)

            rollout["prompt_token_ids"].append(answer.prompt_token_ids)
            rollout["completion_token_ids"].append(answer.completion_token_ids)
            rollout["logprobs"].append(answer.logprobs)
            # Input counts include the cached tokens.
            context.n_input_tokens += len(answer.prompt_token_ids)
            context.n_cache_tokens += answer.cached_tokens
            context.n_output_tokens += len(answer.completion_token_ids)
            context.cost_usd = self._calculate_cost(context)
            # In some environments stdout is None where nothing was printed.
            steps.append({"command": command, "return_code": result.return_code, "stdout": result.stdout or ""})
            history = answer.prompt_token_ids + answer.completion_token_ids
            history += [ord(letter) for letter in result.stdout or ""]
        context.metadata["success"] = all(step["return_code"] == 0 for step in steps)

    def _ask_model(self, command: str, history: List[int]) -> Answer:
        tokens = [ord(letter) for letter in command]
        # All of the history but its newest part was seen before.
        return Answer(command, history, tokens, [-0.25] * len(tokens), len(history) // 2)

    def _calculate_cost(self, context: AgentContext) -> float:
        cached = context.n_cache_tokens or 0
        counts = ((context.n_input_tokens or 0) - cached, cached, context.n_output_tokens or 0)
        return sum(price * count for price, count in zip(PRICES, counts))
