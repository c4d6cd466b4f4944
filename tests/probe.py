"""A program that uses the models a little, on any Python, without pytest; `OK` is the last thing it prints.

    python probe.py FOLDER [--package NAME] [--block MODULE,...] [--trial] [--memory MB] [--depth N] [--threads N]

FOLDER goes on `sys.path`; NAME is the package that is found there, `harbor` if nothing else is said.
"""

import sys
from typing import Any, Callable, Dict, List, Tuple


def read_options(arguments: List[str]) -> Tuple[str, Dict[str, Any]]:
    """Give the folder and the options; argparse is more than a small Python has."""
    folder, rest = arguments[0], arguments[1:]
    options: Dict[str, Any] = {
        "--package": "harbor", "--block": "", "--trial": False, "--memory": 0, "--depth": 0, "--threads": 0}
    while rest:
        name = rest.pop(0)
        options[name] = True if name == "--trial" else type(options[name])(rest.pop(0))
    return folder, options


def prepare(folder: str, options: Dict[str, Any]) -> None:
    """Make the surroundings as small as they are to be."""
    sys.path.insert(0, folder)
    if options["--threads"]:
        __import__("threading")  # before it may be blocked
    blocked: str = options["--block"]
    for name in filter(None, blocked.split(",")):
        sys.modules[name] = None  # type: ignore[assignment]  # that is how an import is made to fail
    if options["--memory"]:
        import resource

        limit = options["--memory"] << 20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if options["--depth"]:
        sys.setrecursionlimit(options["--depth"])


def find(package: str, module: str, name: str) -> Any:
    """Import a name as `from PACKAGE.MODULE import NAME` does."""
    return getattr(__import__("%s.%s" % (package, module), fromlist=[name]), name)


def use_context(package: str) -> None:
    """Fill, write, read, copy and pickle a context, and read a wrong one."""
    import copy
    import pickle

    context_class = find(package, "models.agent.context", "AgentContext")
    error_class = find(package, "codec", "ValidationError")
    made = context_class(n_input_tokens="12", cost_usd=1, metadata={"a": [1, None, "\u00e9"]})
    made.rollout_details = [{"prompt_token_ids": [[1, 2], [1, 2, 3]], "logprobs": [[-0.5], [-0.25]]}]
    made.model_usage = {"m": find(package, "models.agent.context", "ModelUsage")(n_output_tokens=3)}
    text = made.model_dump_json(exclude_none=True)
    expected = (
        '{"n_input_tokens":12,"cost_usd":1.0,"model_usage":{"m":{"n_input_tokens":0,"n_cache_tokens":0,'
        '"n_output_tokens":3}},"rollout_details":[{"prompt_token_ids":[[1,2],[1,2,3]],"logprobs":[[-0.5],[-0.25]]}],'
        '"metadata":{"a":[1,null,"\u00e9"]}}')
    assert text == expected, ascii(text)
    assert context_class.model_validate_json(text) == made
    assert context_class.model_validate_json(text.encode("utf-8")) == made
    assert context_class.model_validate(made.model_dump()) == made
    assert copy.deepcopy(made) == made
    assert pickle.loads(pickle.dumps(made)) == made
    try:
        context_class.model_validate_json('{"n_input_tokens": "many", "cost_usd": []}')
    except error_class as exc:
        found = [(one["type"], one["loc"]) for one in exc.errors()]
        assert found == [("int_parsing", ("n_input_tokens",)), ("float_type", ("cost_usd",))], found
        assert str(exc).startswith("2 validation errors for AgentContext\nn_input_tokens\n"), str(exc)
    else:
        raise AssertionError("a wrong document was taken")


def use_trial(package: str) -> None:
    """Read and write a trial's parts that are more than numbers and text."""
    result = "models.trial.result"
    timing = find(package, result, "TimingInfo").model_validate_json(
        '{"started_at": "2026-01-02T03:04:05Z", "finished_at": "2026-01-02T03:04:06.5Z"}')
    assert timing.duration.total_seconds() == 1.5
    assert timing.model_dump_json() == (
        '{"started_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:04:06.500000Z"}')
    info = find(package, result, "AgentInfo")(name="a", version="1")
    made = find(package, result, "TrialResult")(
        task_name="t", trial_name="n", trial_uri="file:///tmp/n", task_checksum="c", config={}, agent_info=info,
        task_id={"path": "a/b"})
    text = made.model_dump_json()
    assert find(package, result, "TrialResult").model_validate_json(text).model_dump_json() == text


def race(count: int, act: Callable[[], None]) -> None:
    """Run an act in many threads at the same time; every one of them has to get through."""
    import threading

    start = threading.Barrier(count)
    done: List[int] = []

    def run() -> None:
        start.wait()
        act()
        done.append(1)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == count, "%d of %d threads got through" % (len(done), count)


def main() -> None:
    folder, options = read_options(sys.argv[1:])
    prepare(folder, options)
    package = options["--package"]

    def act() -> None:
        use_context(package)
        if options["--trial"]:
            use_trial(package)

    if options["--threads"]:
        race(options["--threads"], act)
    else:
        act()
    print("OK %s %s" % (sys.implementation.name, ".".join(map(str, sys.version_info[:3]))))


if __name__ == "__main__":
    main()
