"""Processes that share a work: what they give, and that nothing is left of them."""

import os
import signal
import threading
import time
from typing import Any, Dict, List, Tuple

import pytest

from harbor import cli_workers
from harbor.cli_workers import NoWorkers, WorkerDied, can_fork, count_processors, work_apart

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system copies no processes")


def _take(found: Dict[Any, int], portion: List[Any]) -> int:
    time.sleep(0.001)  # so that each of them is handed some
    for one in portion:
        found[one] = os.getpid()
    return len(portion)


def _share(
    portions: List[List[Any]], jobs: int, take: Any = _take
) -> Tuple[List[Dict[Any, int]], List[Tuple[Any, int]]]:
    notes: List[Tuple[Any, int]] = []
    return list(work_apart(portions, take, dict, dict, jobs, lambda *note: notes.append(note))), notes


@pytest.fixture(autouse=True)
def no_child_is_left() -> Any:
    yield
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("n_portions", [0, 1, 4, 100])
def test_each_portion_is_taken_once_by_one_of_them(jobs: int, n_portions: int) -> None:
    portions = [[(number, place) for place in range(number % 7)] for number in range(n_portions)]
    results, notes = _share(portions, jobs)
    assert len(results) == jobs
    taken = [one for result in results for one in result]
    assert sorted(taken) == sorted(one for portion in portions for one in portion)
    pids = {pid for result in results for pid in result.values()}
    if jobs == 1:
        assert pids <= {os.getpid()}
    elif n_portions == 100:
        assert len(pids) == jobs and os.getpid() in pids
    assert sorted(notes) == sorted((portion, len(portion)) for portion in portions)


def test_portions_and_results_may_be_larger_than_a_pipe() -> None:
    portions = [["%d" % number + "x" * 300000] for number in range(12)]
    results, _ = _share(portions, 2)
    assert sorted(one for result in results for one in result) == sorted(portion[0] for portion in portions)


def test_one_that_is_slow_does_not_keep_the_others() -> None:
    def take(found: Dict[Any, int], portion: List[int]) -> int:
        if portion == [0]:
            time.sleep(1)
        return _take(found, portion)

    results, _ = _share([[number] for number in range(200)], 2, take)
    (slow,) = [result for result in results if 0 in result]
    assert len(slow) <= 2 * cli_workers._AHEAD


def test_one_that_is_killed_is_an_error() -> None:
    first = os.getpid()

    def die(found: Dict[Any, int], portion: List[int]) -> int:
        if os.getpid() != first and len(found) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return _take(found, portion)

    for n_portions in (20, 500):
        with pytest.raises(WorkerDied):
            _share([[number] for number in range(n_portions)], 2, die)


def test_one_that_fails_says_why(capfd: "pytest.CaptureFixture[str]") -> None:
    first = os.getpid()

    def fail(found: Dict[Any, int], portion: List[int]) -> int:
        if os.getpid() != first:
            raise KeyError("the reason")
        return 0

    with pytest.raises(WorkerDied):
        _share([[1]], 2, fail)
    assert "KeyError: 'the reason'" in capfd.readouterr().err


def test_none_is_left_where_nobody_waits_for_the_end() -> None:
    parts = work_apart([[number] for number in range(100)], _take, dict, dict, 3, lambda portion, answer: None)
    next(parts)
    parts.close()


def test_the_interrupt_key_ends_them() -> None:
    def interrupt(portion: Any, answer: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(work_apart([[number] for number in range(100)], _take, dict, dict, 2, interrupt))


def test_one_that_is_killed_while_it_writes_its_result_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def write_half(file: Any, data: Any) -> int:
        written: int = os.write(file, bytes(data)[:len(data) // 2 + 1])
        if len(data) > 100:
            os.kill(os.getpid(), signal.SIGKILL)
        return written

    class Slow:
        def __init__(self, handle: int, *rest: Any, **options: Any) -> None:
            self.handle = handle

        def write(self, data: Any) -> int:
            return write_half(self.handle, data)

    def open_slowly(handle: Any, mode: str, *rest: Any, **options: Any) -> Any:
        return Slow(handle) if mode == "wb" and options.get("buffering") == 0 else open(handle, mode, *rest, **options)

    monkeypatch.setattr(cli_workers, "open", open_slowly, raising=False)
    with pytest.raises(WorkerDied):
        _share([["x" * 1000]], 2)


def test_a_system_that_forgets_children_by_itself() -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        results, _ = _share([[number] for number in range(50)], 3)
        parts = work_apart([[number] for number in range(50)], _take, dict, dict, 2, lambda portion, answer: None)
        next(parts)
        parts.close()
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert sorted(one for result in results for one in result) == list(range(50))


def test_an_interrupt_in_between_reaches_the_first_process_alone(tmp_path: Any) -> None:
    import implementation

    program = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1])\n"
        "from harbor import cli_workers\n"
        "fork = os.fork\n"
        "def fork_and_interrupt():\n"
        "    pid = fork()\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return pid\n"
        "os.fork = fork_and_interrupt\n"
        "try:\n"
        "    list(cli_workers.work_apart([[1], [2]], lambda *_: 0, list, list, 2, print))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', end=';')\n"
        "finally:\n"
        "    print('once')\n")
    assert implementation.run_python("-c", program, str(implementation.ROOT)) == "interrupted;once\n"


def test_too_many_processes_take_no_portion(monkeypatch: pytest.MonkeyPatch) -> None:
    fork, left = os.fork, [2]

    def fork_twice() -> int:
        left[0] -= 1
        if left[0] < 0:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return fork()

    monkeypatch.setattr(os, "fork", fork_twice)
    portions = iter([[1], [2]])
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(NoWorkers):
        list(work_apart(portions, _take, dict, dict, 4, lambda portion, answer: None))
    assert list(portions) == [[1], [2]]
    assert (len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0) == before


def test_a_system_that_copies_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert not can_fork()
    with pytest.raises(NoWorkers):
        _share([[1]], 2)


def test_a_process_with_threads_is_not_copied() -> None:
    assert can_fork()
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        assert not can_fork()
    finally:
        end.set()
        thread.join()


def test_there_is_a_processor() -> None:
    assert 1 <= count_processors() <= (os.cpu_count() or 1)
