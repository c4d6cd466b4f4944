"""Make a jobs directory of invented trials, in the layout and the words of Harbor 0.26.

    python benchmarks/make_trials.py FOLDER [--count 2000] [--seed 1] [--corrupt 0.03] [--rollouts 0.0]

The same arguments make the same files. Of them a part is corrupt, in each of the ways in which files are in practice:
missing, truncated, not UTF-8, not JSON, of the wrong shape, or a job's roll-up in a trial's place. `--rollouts` is
the part of trials with token ids and logprobs, which make a file some fifty times as long. How many there are of each
kind is printed, and returned by `make_trials`.
"""

import argparse
import json
import pathlib
import random
import uuid
from typing import Any, Dict, List, Optional, Tuple

CORRUPT = ("missing", "truncated", "not UTF-8", "not JSON", "wrong shape", "job roll-up")

AGENTS = (("terminus-2", "2.0.0"), ("claude-code", "2.1.3"), ("codex", "0.98.0"))
MODELS: Tuple[Optional[Dict[str, Optional[str]]], ...] = (
    {"name": "large", "provider": "first"}, {"name": "small", "provider": "first"},
    {"name": "local", "provider": None}, None)
DATASETS = ("bench@1.0", "bench@2.0", None)
MISTAKES = ("AgentTimeoutError", "VerifierTimeoutError", "RuntimeError")
TRIALS_PER_JOB = 250


def make_trials(
    folder: pathlib.Path, count: int, seed: int = 1, corrupt: float = 0.03, rollouts: float = 0.0
) -> Dict[str, int]:
    """Write so many trials below a folder, and say how many are of each kind; "good" are those that can be read.

    From 6 corrupt ones on there is one of each kind at least.
    """
    random_ = random.Random(seed)
    n_corrupt = round(count * corrupt)
    kinds = [CORRUPT[number % len(CORRUPT)] for number in range(n_corrupt)] + ["good"] * (count - n_corrupt)
    random_.shuffle(kinds)
    for start in range(0, count, TRIALS_PER_JOB):
        job = folder / ("2026-01-%02d__00-00-00" % (1 + start // TRIALS_PER_JOB))
        job.mkdir(parents=True)
        own = kinds[start:start + TRIALS_PER_JOB]
        _write(job / "result.json", _make_rollup(random_, len(own)))
        for number, kind in enumerate(own, start):
            _make_trial_folder(job, number, kind, random_, rollouts)
    return {kind: kinds.count(kind) for kind in ("good", *CORRUPT) if kind in kinds}


def _make_trial_folder(job: pathlib.Path, number: int, kind: str, random_: random.Random, rollouts: float) -> None:
    trial = _make_trial(job.name, number, random_, rollouts)
    folder = job / trial["trial_name"]
    folder.mkdir()
    path = folder / "result.json"
    if kind == "missing":
        _write(folder / "config.json", trial["config"])
    elif kind == "job roll-up":
        _write(path, _make_rollup(random_, 1))
    elif kind == "wrong shape":
        trial[random_.choice(["task_checksum", "agent_info", "trial_uri"])] = None
        _write(path, trial)
    else:
        data = _dump(trial)
        if kind == "truncated":
            data = data[:random_.randrange(len(data) - 1)]
        elif kind == "not UTF-8":
            data = data.replace(b'"example/', b'"ex\xe4mple/', 1)
        elif kind == "not JSON":
            data = data.replace(b'"config": {', b"'config': {", 1)
        path.write_bytes(data)


def _make_trial(job: str, number: int, random_: random.Random, rollouts: float) -> Dict[str, Any]:
    task = "task-%02d" % random_.randrange(40)
    name = "%s__%07d" % (task, number)
    agent, version = random_.choice(AGENTS)
    model = random_.choice(MODELS)
    fate = random_.choices(["solved", "failed", "mistake", "unmeasured", "steps"], [50, 25, 12, 5, 8])[0]
    trial: Dict[str, Any] = {
        "schema_version": 1,
        "id": str(uuid.UUID(int=random_.getrandbits(128), version=4)),
        "task_name": "example/" + task,
        "trial_name": name,
        "trial_uri": "file:///jobs/%s/%s" % (job, name),
        "task_id": {"path": "tasks/" + task},
        "source": random_.choice(DATASETS),
        "task_checksum": "%064x" % random_.getrandbits(256),
        "config": _make_config(task, name, agent, model),
        "agent_info": {"name": agent, "version": version, "model_info": model},
        "agent_result": None,
        "verifier_result": None,
        "verifier_environment_mode": None,
        "exception_info": None,
        **_make_times(random_),
        "step_results": None,
        "reward_valid": False,
    }
    if fate == "steps":
        trial["step_results"] = [
            {
                "step_name": step,
                "agent_result": _make_context(random_, random_.random() < rollouts),
                "verifier_result": {"rewards": {"reward": random_.choice([0, 1])}},
                "exception_info": None,
                "agent_execution": None,
                "verifier": None,
            }
            for step in ("first", "second")]
    elif fate != "unmeasured":
        trial["agent_result"] = _make_context(random_, random_.random() < rollouts)
    if fate in ("solved", "failed"):
        trial["verifier_result"] = {"rewards": {"reward": float(fate == "solved")}}
        trial["reward_valid"] = True
    elif fate == "mistake":
        trial["exception_info"] = _make_mistake(random_)
    return trial


def _make_context(random_: random.Random, has_rollouts: bool) -> Dict[str, Any]:
    turns = random_.randrange(3, 20)
    n_input = turns * random_.randrange(800, 9000)
    return {
        "n_input_tokens": n_input,
        "n_cache_tokens": random_.choice([None, 0, n_input * 4 // 5]),
        "n_output_tokens": turns * random_.randrange(50, 900),
        "cost_usd": None if random_.random() < 0.2 else round(n_input * 3e-06, 6),
        "model_usage": None,
        "rollout_details": [_make_rollout(random_, turns)] if has_rollouts else None,
        "metadata": {
            "n_episodes": turns,
            "api_request_times_msec": [round(random_.uniform(500, 9000), 3) for _ in range(turns)],
            "summarization_count": 0,
        },
    }


def _make_rollout(random_: random.Random, turns: int) -> Dict[str, Any]:
    """Make a linear chat: each prompt starts with the one before and its completion."""
    prompt = _make_ids(random_, 300)
    prompts: List[List[int]] = []
    completions: List[List[int]] = []
    for _ in range(turns):
        prompts.append(prompt)
        completions.append(_make_ids(random_, 60))
        prompt = prompt + completions[-1] + _make_ids(random_, 80)
    logprobs = [[-random_.expovariate(3) for _ in completion] for completion in completions]
    return {"prompt_token_ids": prompts, "completion_token_ids": completions, "logprobs": logprobs}


def _make_ids(random_: random.Random, count: int) -> List[int]:
    return [random_.randrange(150000) for _ in range(count)]


def _make_mistake(random_: random.Random) -> Dict[str, Any]:
    name = random_.choice(MISTAKES)
    frame = '  File "/app/agent.py", line %d, in run\n    await self.call(step)\n'
    frames = "".join(frame % random_.randrange(1000) for _ in range(random_.randrange(4, 16)))
    return {
        "exception_type": name,
        "exception_message": "It took too long" if "Timeout" in name else "It broke",
        "exception_traceback": "Traceback (most recent call last):\n%s%s\n" % (frames, name),
        "occurred_at": "2026-01-01T00:04:40.000001",
        "policy": {"has_valid_reward": "Timeout" in name, "retryable": False},
    }


def _make_times(random_: random.Random) -> Dict[str, Any]:
    times = ["2026-01-01T%02d:%02d:%02d.%06d" % (
        hour, random_.randrange(60), random_.randrange(60), random_.randrange(1000000)) for hour in range(10)]
    phases = ("environment_setup", "agent_setup", "agent_execution", "verifier")
    out: Dict[str, Any] = {"started_at": times[0], "finished_at": times[9]}
    for number, phase in enumerate(phases):
        out[phase] = {"started_at": times[2 * number + 1], "finished_at": times[2 * number + 2]}
    return out


def _make_config(task: str, name: str, agent: str, model: Optional[Dict[str, Optional[str]]]) -> Dict[str, Any]:
    return {
        "schema_version": 1,
        "task": {
            "path": "tasks/" + task, "git_url": None, "git_commit_id": None, "name": None, "ref": None,
            "overwrite": False, "download_dir": None, "source": None,
        },
        "trial_name": name,
        "trials_dir": "trials",
        "install_only": False,
        "timeout_multiplier": 1.0,
        "agent_timeout_multiplier": None,
        "verifier_timeout_multiplier": None,
        "agent_setup_timeout_multiplier": None,
        "environment_build_timeout_multiplier": None,
        "agent": {
            "name": agent, "import_path": None, "model_name": None if model is None else model["name"],
            "base_url": None, "model_api_key_name": None, "model_api_format": None, "skip_model_parsing": False,
            "n_concurrent": None, "concurrency_group": None, "skills": [], "override_timeout_sec": None,
            "override_setup_timeout_sec": None, "max_timeout_sec": None, "resume_trajectory": False,
            "load_trajectory": None, "extra_allowed_hosts": [], "kwargs": {}, "mcp_servers": [],
        },
        "user_agent": None,
        "environment": {
            "type": "docker", "import_path": None, "force_build": False, "delete": True, "stream": False,
            "cpu_enforcement_policy": "auto", "memory_enforcement_policy": "auto", "override_cpus": None,
            "override_memory_mb": None, "override_storage_mb": None, "override_gpus": None, "override_tpu": None,
            "mounts": None, "extra_docker_compose": [], "kwargs": {}, "extra_allowed_hosts": [],
        },
        "verifier": {"override_timeout_sec": None, "max_timeout_sec": None, "disable": False},
        "override_error_policy": {},
        "artifacts": [],
        "extra_instruction_paths": [],
        "extra_instructions": [],
        "job_id": None,
        "source_trial": None,
    }


def _make_rollup(random_: random.Random, n_trials: int) -> Dict[str, Any]:
    return {
        "id": str(uuid.UUID(int=random_.getrandbits(128), version=4)),
        "started_at": "2026-01-01T00:00:00",
        "finished_at": "2026-01-01T10:00:00",
        "n_total_trials": n_trials,
        "stats": {"n_completed_trials": n_trials, "n_errored_trials": 0, "evals": {}},
    }


def _write(path: pathlib.Path, value: Any) -> None:
    path.write_bytes(_dump(value))


def _dump(value: Any) -> bytes:
    return json.dumps(value, indent=4, ensure_ascii=False).encode("utf-8")


def main() -> None:
    """Make the directory that the arguments describe, and print what is in it."""
    parser = argparse.ArgumentParser(description="Make a jobs directory of invented trials.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corrupt", type=float, default=0.03, metavar="PART")
    parser.add_argument("--rollouts", type=float, default=0.0, metavar="PART")
    options = parser.parse_args()
    made = make_trials(options.folder, options.count, options.seed, options.corrupt, options.rollouts)
    for kind, count in made.items():
        print("%-12s %6d" % (kind, count))


if __name__ == "__main__":
    main()
