"""What a type checker says to users of the models."""

import os
import pathlib
import shutil
import subprocess
import sys
from typing import List

ROOT = pathlib.Path(__file__).resolve().parent.parent

RIGHT = """
from typing import Dict, List, Optional, Union
from harbor.codec import TypeAdapter
from harbor.models.agent.context import AgentContext
from harbor.models.agent.rollout_detail import RolloutDetail

rollout: RolloutDetail = {"prompt_token_ids": [[1]], "logprobs": [[-0.5]]}
context = AgentContext(n_input_tokens=1, cost_usd=0.5, rollout_details=[rollout], metadata={"a": 1})
context.n_cache_tokens = 2
tokens: Optional[int] = context.n_output_tokens
text: str = context.model_dump_json()
loaded: AgentContext = AgentContext.model_validate_json(text)
named: Dict[str, List[int]] = TypeAdapter(Dict[str, List[int]]).validate_python({"a": [1]})
either = TypeAdapter(Union[int, str])
"""

WRONG = """
from harbor.codec import TypeAdapter
from harbor.models.agent.context import AgentContext

context = AgentContext(n_input_token=1)
context.n_output_token = 1
print(context.output)
AgentContext(n_input_tokens="many")
context.cost_usd = "much"
text: str = TypeAdapter(int).validate_python(1)
"""


def _check_types(tmp_path: pathlib.Path, source: str) -> List[str]:
    """Give mypy's error codes for a module, by line, as `LINE CODE`."""
    module = tmp_path / "snippet.py"
    module.write_text(source, encoding="utf-8")
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nstrict = True\nfollow_imports = silent\nshow_error_codes = True\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", config.name, "--cache-dir", "cache", module.name]
    environment = dict(os.environ, MYPYPATH=str(ROOT))
    done = subprocess.run(
        command, cwd=str(tmp_path), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert done.stderr.decode() == ""  # also says so when there is no mypy
    found = [line for line in done.stdout.decode().splitlines() if ": error: " in line]
    assert done.returncode == (1 if found else 0), done.stdout.decode()
    return ["{} {}".format(line.split(":")[1], line.rsplit("[", 1)[1][:-1]) for line in found]


def test_right_use_passes(tmp_path: pathlib.Path) -> None:
    assert _check_types(tmp_path, RIGHT) == []


def test_mistyped_names_and_wrong_types_are_found(tmp_path: pathlib.Path) -> None:
    assert _check_types(tmp_path, WRONG) == [
        "5 call-arg",
        "6 attr-defined",
        "7 attr-defined",
        "8 arg-type",
        "9 assignment",
        "10 assignment",
    ]


def test_the_one_file_under_a_name_of_its_own_is_checked_too(tmp_path: pathlib.Path) -> None:
    shutil.copyfile(str(ROOT / "single" / "harbor.py"), str(tmp_path / "agent_context.py"))
    assert _check_types(tmp_path, WRONG.replace("harbor.models.agent.context", "agent_context")) == [
        "5 call-arg",
        "6 attr-defined",
        "7 attr-defined",
        "8 arg-type",
        "9 assignment",
        "10 assignment",
    ]
    right = RIGHT.replace("harbor.models.agent.context", "agent_context")
    assert _check_types(tmp_path, right.replace("harbor.models.agent.rollout_detail", "agent_context")) == []
