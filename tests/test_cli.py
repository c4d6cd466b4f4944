"""The command line, as a process and in this one."""

import io
import json
import os
import pathlib
import subprocess
import sys
from typing import Any, List, NamedTuple, Optional, Tuple

import pytest

import harbor
from harbor.cli import main

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "examples"

TRIAL = {
    "task_name": "example/hello",
    "trial_name": "hello__1",
    "trial_uri": "file:///jobs/hello__1",
    "task_id": {"path": "tasks/hello"},
    "task_checksum": "0",
    "config": {},
    "agent_info": {"name": "terminus-2", "version": "2.0.0"},
}

ON_POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files and descriptors")


class Finished(NamedTuple):
    status: int
    out: bytes
    err: bytes


def _run(*arguments: Any, stdin: bytes = b"", stdout: Optional[int] = None, encoding: str = "utf-8") -> Finished:
    """Run the command as a process; its output goes to a given descriptor, or is read."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment.update(PYTHONPATH=str(ROOT), PYTHONIOENCODING=encoding)
    done = subprocess.run(
        [sys.executable, "-m", "harbor", *arguments],
        input=stdin,
        stdout=subprocess.PIPE if stdout is None else stdout,
        stderr=subprocess.PIPE,
        env=environment,
    )
    out = b"" if done.stdout is None else done.stdout.replace(b"\r\n", b"\n")
    return Finished(done.returncode, out, done.stderr.replace(b"\r\n", b"\n"))


def _write(folder: pathlib.Path, value: Any, name: str = "file.json") -> str:
    path = folder / name
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode("utf-8"))
    return str(path)


@pytest.fixture
def in_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Work in an empty folder, so that file names are short and known."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# show ------------------------------------------------------------------------

SHOWN: List[Tuple[str, Any, str]] = [
    (
        "nothing_is_known",
        {},
        """\
file.json: context
  input tokens    unknown
  cached tokens   unknown
  output tokens   unknown
  cost            unknown
  cache-hit rate  unknown
  rollouts: unknown
  metadata keys: unknown
""",
    ),
    (
        "zero_is_not_unknown",
        {"n_input_tokens": 0, "n_cache_tokens": 0, "cost_usd": 0, "rollout_details": [], "metadata": {}},
        """\
file.json: context
  input tokens          0
  cached tokens         0
  output tokens   unknown
  cost               $0.0
  cache-hit rate  unknown
  rollouts: none
  metadata keys: none
""",
    ),
    (
        "every_part_of_a_trial",
        {
            **TRIAL,
            "source": "bench",
            "agent_info": {"name": "a", "version": "1", "model_info": {"name": "small", "provider": "p"}},
            "verifier_result": {"rewards": {"reward": 1, "style": 0.5}},
            "exception_info": {
                "exception_type": "AgentTimeoutError",
                "exception_message": "Too late\nby far",
                "exception_traceback": "",
                "occurred_at": "2026-01-01T00:05:00",
            },
            "started_at": "2026-01-01T00:00:00Z",
            "finished_at": "2026-01-01T00:20:34.56Z",
            "agent_setup": {"started_at": "2026-01-01T00:00:01Z"},
            "verifier": {"started_at": "2026-01-01T00:00:01", "finished_at": "2026-01-01T00:00:03"},
            "agent_result": {
                "n_input_tokens": 12345,
                "n_cache_tokens": 8000,
                "n_output_tokens": 678,
                "cost_usd": 1e-05,
                "model_usage": {"small": {"n_input_tokens": 12345, "cost_usd": 1e-05}, "other": {}},
                "rollout_details": [
                    {"prompt_token_ids": [[1], [1, 2]], "completion_token_ids": [[3], [4]], "logprobs": [[0], [0]]},
                    {"prompt_token_ids": [[1], [1, 2]], "completion_token_ids": [[3]]},
                    {},
                ],
                "metadata": {"a": 1, "two words": 2},
            },
        },
        """\
file.json: trial
  task           example/hello (tasks/hello)
  trial          hello__1
  dataset        bench
  agent          a 1
  model          p/small
  time           1,234.6 s, from 2026-01-01T00:00:00+00:00
    agent setup  unknown, from 2026-01-01T00:00:01+00:00
    verifier     2.0 s, from 2026-01-01T00:00:01
  rewards        reward 1, style 0.5
  exception      AgentTimeoutError: Too late
  input tokens    12,345
  cached tokens    8,000
  output tokens      678
  cost            $1e-05
  cache-hit rate   64.8%
  model usage   input  cached  output     cost
    small      12,345       0       0   $1e-05
    other           0       0       0  unknown
  rollouts           turns  prompt tokens  completion tokens  logprobs
    segment 1            2              3                  2         2
    segment 2  differ: 2/1              3                  1    absent
    segment 3      unknown         absent             absent    absent
  metadata keys: a, two words
""",
    ),
    (
        "a_trial_without_agent_result",
        TRIAL,
        """\
file.json: trial
  task       example/hello (tasks/hello)
  trial      hello__1
  dataset    none
  agent      terminus-2 2.0.0
  model      none named
  time       unknown
  rewards    unknown
  exception  none
  no agent result recorded
""",
    ),
    (
        "steps_of_a_trial",
        {
            **TRIAL,
            "step_results": [
                {"step_name": "one", "agent_result": {"n_input_tokens": 5}, "verifier_result": {"rewards": {}}},
                {
                    "step_name": "two\x1b",
                    "exception_info": {
                        "exception_type": "ValueError",
                        "exception_message": "",
                        "exception_traceback": "",
                        "occurred_at": "2026-01-01T00:05:00",
                    },
                },
            ],
        },
        """\
file.json: trial
  task       example/hello (tasks/hello)
  trial      hello__1
  dataset    none
  agent      terminus-2 2.0.0
  model      none named
  time       unknown
  rewards    unknown
  exception  ValueError:
step one: rewards none
  input tokens          5
  cached tokens   unknown
  output tokens   unknown
  cost            unknown
  cache-hit rate  unknown
  rollouts: unknown
  metadata keys: unknown
step 'two\\x1b': rewards unknown, ValueError
  no agent result recorded
""",
    ),
    (
        "figures_beyond_any_float",
        {"n_input_tokens": 1, "n_cache_tokens": 10 ** 400, "n_output_tokens": -1000, "cost_usd": "nan"},
        """\
file.json: context
  input tokens    {pad}1
  cached tokens   {huge}
  output tokens   {pad6}-1,000
  cost            {pad4}$nan
  cache-hit rate  {pad7}unknown
  rollouts: unknown
  metadata keys: unknown
""".format(
            pad=" " * 533, huge="{:,}".format(10 ** 400), pad6=" " * 528, pad4=" " * 530, pad7=" " * 527
        ),
    ),
]


@pytest.mark.parametrize("value, text", [row[1:] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_show(value: Any, text: str, in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(in_folder, value)
    assert main(["show", "file.json"]) == 0
    assert capsys.readouterr() == (text, "")


def test_show_json_of_a_context(in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    rollout = {"prompt_token_ids": [[1], [1, 2]], "completion_token_ids": [[3], [4]], "extra": {"routed": [0, 1]}}
    value = {
        "n_input_tokens": 4,
        "n_cache_tokens": 1,
        "cost_usd": "-inf",
        "model_usage": {"m": {}},
        "rollout_details": [rollout],
        "metadata": {"k\u00e9y": 0},
    }
    _write(in_folder, value)
    assert main(["show", "--json", "file.json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": "file.json",
        "kind": "context",
        "context": {
            "n_input_tokens": 4,
            "n_cache_tokens": 1,
            "n_output_tokens": None,
            "cost_usd": "-Infinity",
            "cache_hit_rate": 0.25,
            "model_usage": {
                "m": {"n_input_tokens": 0, "n_cache_tokens": 0, "n_output_tokens": 0, "cost_usd": None}
            },
            "rollouts": [
                {
                    "turns": 2,
                    "prompt": {"turns": 2, "tokens": 3},
                    "completion": {"turns": 2, "tokens": 2},
                    "logprobs": None,
                    "extra_keys": ["routed"],
                }
            ],
            "metadata_keys": ["k\u00e9y"],
        },
    }


def test_show_json_of_a_trial(in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [{"step_name": "one", "verifier_result": {"rewards": {"reward": "nan"}}}]
    phase = {"started_at": "2026-01-01T00:00:00", "finished_at": "2026-01-01T00:00:01.5"}
    _write(in_folder, {**TRIAL, "step_results": steps, "verifier": phase})
    assert main(["show", "--json", "file.json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": "file.json",
        "kind": "trial",
        "trial": {
            "task": "example/hello",
            "task_id": "tasks/hello",
            "trial": "hello__1",
            "dataset": None,
            "agent": "terminus-2",
            "agent_version": "2.0.0",
            "model": None,
            "model_provider": None,
            "rewards": None,
            "reward_valid": False,
            "timed_out": False,
            "exceptions": [],
            "timing": {"started_at": None, "finished_at": None, "seconds": None},
            "phases": {
                "verifier": {
                    "started_at": "2026-01-01T00:00:00",
                    "finished_at": "2026-01-01T00:00:01.500000",
                    "seconds": 1.5,
                }
            },
        },
        "context": None,
        "steps": [{"name": "one", "rewards": {"reward": "NaN"}, "exception": None, "context": None}],
    }


def test_show_of_a_faulty_document(in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(in_folder, {**TRIAL, "agent_result": {"n_input_tokens": [], "metadata": 0}})
    assert main(["show", "file.json"]) == 1
    assert capsys.readouterr() == (
        "",
        "harbor: file.json: agent_result.n_input_tokens: Input should be a valid integer\n"
        "harbor: file.json: agent_result.metadata: Input should be an object\n",
    )


@pytest.mark.parametrize("name", ["context.json", "result.json"])
def test_examples_are_shown_in_a_process(name: str) -> None:
    finished = _run("show", EXAMPLES / name)
    assert (finished.status, finished.err) == (0, b"")
    assert b"cache-hit rate" in finished.out


# validate --------------------------------------------------------------------


def test_validate_names_file_location_and_message(
    in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(in_folder, {"rollout_details": [{"logprobs": [[0.0], [None, "x"]]}], "cost_usd": []}, "a.json")
    _write(in_folder, {"n_input_tokens": 1}, "b.json")
    _write(in_folder, [], "c.json")
    _write(in_folder, {**TRIAL, "agent_result": {"n_output_tokens": 0.5}, "config": []}, "d.json")
    _write(in_folder, {"agent_result": None, "task_name": "t", "trial_name": 1}, "e.json")
    assert main(["validate", "a.json", "b.json", "c.json", "d.json", "e.json"]) == 1
    assert capsys.readouterr() == (
        "a.json: cost_usd: Input should be a valid number\n"
        "a.json: rollout_details.0.logprobs.1.0: Input should be a valid number\n"
        "a.json: rollout_details.0.logprobs.1.1: Input should be a valid number, unable to parse string as a number\n"
        "b.json: valid\n"
        "c.json: Input should be an object\n"
        "d.json: config: Input should be an object\n"
        "d.json: agent_result.n_output_tokens:"
        " Input should be a valid integer, got a number with a fractional part\n"
        "e.json: trial_name: Input should be a valid string\n"
        "e.json: trial_uri: Field required\n"
        "e.json: task_id: Field required\n"
        "e.json: task_checksum: Field required\n"
        "e.json: config: Field required\n"
        "e.json: agent_info: Field required\n",
        "",
    )


def test_validate_all_valid(in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(in_folder, {}, "a.json")
    _write(in_folder, TRIAL, "b.json")
    assert main(["validate", "a.json", "b.json"]) == 0
    assert capsys.readouterr() == ("a.json: valid\nb.json: valid\n", "")


def test_validate_json_prints_one_object_for_each_file(
    in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(in_folder, {}, "a.json")
    _write(in_folder, {"metadata": 1}, "b.json")
    assert main(["validate", "--json", "a.json", "b.json", "absent.json"]) == 2
    captured = capsys.readouterr()
    assert [json.loads(line) for line in captured.out.splitlines()] == [
        {"file": "a.json", "valid": True, "faults": []},
        {
            "file": "b.json",
            "valid": False,
            "faults": [{"type": "dict_type", "loc": ["metadata"], "msg": "Input should be an object"}],
        },
        {"file": "absent.json", "valid": None, "reason": "No such file or directory"},
    ]
    assert captured.err == "harbor: absent.json: No such file or directory\n"


def test_an_unreadable_file_weighs_more_than_a_fault_and_stops_nothing(
    in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(in_folder, [], "bad.json")
    assert main(["validate", "absent.json", "bad.json"]) == 2
    assert capsys.readouterr() == (
        "bad.json: Input should be an object\n",
        "harbor: absent.json: No such file or directory\n",
    )


# Documents that cannot be read -----------------------------------------------

@pytest.mark.parametrize("command", ["show", "validate"])
def test_a_roll_up_of_a_job_is_neither(
    command: str, in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(in_folder, {"id": "1", "n_total_trials": 2, "stats": {}})
    assert main([command, "file.json"]) == 2
    assert capsys.readouterr() == ("", "harbor: file.json: A job's roll-up, neither a trial nor a context\n")


UNREADABLE: List[Tuple[str, bytes, str]] = [
    ("empty", b"", "The file is empty"),
    ("blank", b" \n", "The file is empty"),
    ("latin_1", b'{"metadata": {"a": "\xe9"}}', "Not UTF-8: byte 0xe9 at offset 20"),
    ("utf_16", "{}".encode("utf-16"), "Not UTF-8: byte 0xff at offset 0"),
    ("byte_order_mark", b"\xef\xbb\xbf{}", "Invalid JSON: expected value at line 1 column 1"),
    ("no_json", b"nothing", "Invalid JSON: expected ident at line 1 column 2"),
    ("cut_off", b'{"metadata": {', "Invalid JSON: EOF while parsing an object at line 1 column 14"),
    ("cut_off_trial", b'{"agent_result": {', "Invalid JSON: EOF while parsing an object at line 1 column 18"),
    ("deep", b"[" * 100000, "Invalid JSON: recursion limit exceeded at line 1 column 202"),
    ("long_number", b'{"a": ' + b"1" * 5000 + b"}", "Invalid JSON: number out of range at line 1 column 4308"),
    ("lone_surrogate", b'{"a": "\\ud800"}', "Invalid JSON: unexpected end of hex escape at line 1 column 14"),
]


@pytest.mark.parametrize("command", ["show", "validate"])
@pytest.mark.parametrize("data, reason", [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_what_cannot_be_read_is_one_line_and_status_2(
    command: str, data: bytes, reason: str, in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(in_folder, data)
    assert main([command, "file.json"]) == 2
    assert capsys.readouterr() == ("", "harbor: file.json: {}\n".format(reason))


@pytest.mark.parametrize("command", ["show", "validate"])
@pytest.mark.parametrize(
    "name, reason",
    [("absent", "No such file or directory"), ("", "No such file or directory"), ("a\0b", "Embedded null byte")],
    ids=["absent", "empty_name", "null_in_name"],
)
def test_names_without_a_file(
    command: str, name: str, reason: str, in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, name]) == 2
    shown = ascii(name) if "\0" in name else name
    assert capsys.readouterr() == ("", "harbor: {}: {}\n".format(shown, reason))


@ON_POSIX
def test_a_directory_is_no_file(in_folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "."]) == 2
    assert capsys.readouterr() == ("", "harbor: .: Is a directory\n")


def test_a_file_without_permission(
    in_folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: Any, **__: Any) -> None:  # the superuser may read everything: chmod would not do
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    assert main(["show", "file.json"]) == 2
    assert capsys.readouterr() == ("", "harbor: file.json: Permission denied\n")


@ON_POSIX
def test_a_file_name_that_is_no_text(tmp_path: pathlib.Path) -> None:
    name = os.path.join(os.fsencode(str(tmp_path)), b"a\xff\nb")
    finished = _run("show", name)
    assert finished.status == 2
    assert finished.err.count(b"\n") == 1
    assert finished.err.endswith(b"a\\udcff\\nb': No such file or directory" + b"\n")
    with open(name, "wb") as file:
        file.write(b"{}")
    finished = _run("validate", name)
    assert (finished.status, finished.err) == (0, b"")
    assert finished.out.endswith(b"a\\udcff\\nb': valid\n")


# Standard streams ------------------------------------------------------------


def test_a_hyphen_is_standard_input() -> None:
    assert _run("validate", "-", stdin=b'{"n_input_tokens": 1}') == (0, b"-: valid\n", b"")
    assert _run("validate", "-", stdin=b"[]") == (1, b"-: Input should be an object\n", b"")
    assert _run("validate", "-") == (2, b"", b"harbor: -: The file is empty\n")


def test_a_hyphen_is_standard_input_in_this_process_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    assert main(["validate", "-"]) == 0
    assert capsys.readouterr() == ("-: valid\n", "")


def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["show", "-"]) == 2
    assert capsys.readouterr() == ("", "harbor: -: Standard input is closed\n")


def test_output_that_ascii_cannot_say_is_escaped(tmp_path: pathlib.Path) -> None:
    name = _write(tmp_path, {"metadata": {"caf\u00e9 \U0001f600": 1, "a\u001b[1m": 2}})
    finished = _run("show", name, encoding="ascii")
    assert (finished.status, finished.err) == (0, b"")
    assert finished.out.endswith(b"  metadata keys: caf\\xe9 \\U0001f600, 'a\\x1b[1m'\n")


@ON_POSIX
@pytest.mark.parametrize("arguments", [("show", EXAMPLES / "context.json"), ("--help",)], ids=["show", "help"])
def test_a_reader_that_went_away(arguments: Tuple[Any, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    finished = _run(*arguments, stdout=writer)
    os.close(writer)
    assert finished == (2, b"", b"")


@ON_POSIX
def test_standard_output_is_closed() -> None:
    script = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    command = [sys.executable, "-c", script, "-m", "harbor", "show", str(EXAMPLES / "context.json")]
    done = subprocess.run(command, cwd=str(ROOT), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_standard_output_is_full() -> None:
    with open("/dev/full", "wb") as full:
        finished = _run("show", EXAMPLES / "context.json", stdout=full.fileno())
    assert finished == (2, b"", b"harbor: standard output: No space left on device\n")


# Usage -----------------------------------------------------------------------


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == "harbor-context {}\n".format(harbor.__version__)


@pytest.mark.parametrize("arguments", [[], ["show"], ["validate"], ["show", "a", "b"], ["other"], ["stats"]], ids=" ".join)
def test_wrong_usage(arguments: List[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: python -m harbor")
