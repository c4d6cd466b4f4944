"""Processes that share what one would do alone: portions go out, and one result comes back from each.

In: portions, and the function that takes one in. Out: the results, in no order that means anything. Processes are
forked, which takes a millisecond or two where starting Python and importing the models again takes fifty.
"""

import marshal
import os
import sys
from typing import IO, Any, Callable, Generator, Iterable, List, Tuple

__all__ = ["NoWorkers", "WorkerDied", "can_fork", "count_processors", "work_apart"]

# How many portions a process is handed ahead of what it says it has done: enough to keep it busy while the first one
# takes a portion itself, and not so many that all would wait for a slow one at the end.
_AHEAD = 4
# What stands before a result, in place of an answer.
_RESULT_FOLLOWS = 255
# More than that, and their pipes are more than a system gives a process.
_MOST_WORKERS = 250


class NoWorkers(Exception):
    """Processes cannot be had here, or not so many."""


class WorkerDied(Exception):
    """A process ended without a result."""


def can_fork() -> bool:
    """Tell whether this process can be copied: threads would be missing from the copy, and what they hold is lost."""
    return hasattr(os, "fork") and len(sys._current_frames()) == 1


def count_processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def work_apart(
    portions: Iterable[Any],
    take: Callable[[Any, Any], int],
    make_result: Callable[[], Any],
    pack: Callable[[Any], Any],
    jobs: int,
    note: Callable[[Any, int], None]
) -> Generator[Any, None, None]:
    """Share portions among so many processes, this one too, and give the result of each, packed, when all are taken.

    In each process ``take(result, portion)`` adds a portion to what ``make_result()`` gave there; the number that it
    gives, up to 254, goes to ``note`` here, with the portion. Portions and what ``pack(result)`` gives are plain
    values, which marshal takes: importing pickle takes as long as forking. Raises ``NoWorkers`` before any portion is
    taken, ``WorkerDied`` if a process is killed; none outlives the generator.
    """
    import signal

    workers: List[_Worker] = []
    try:
        try:
            # The interrupt key waits until a process is known here, and minds itself there.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            try:
                for _ in range(min(jobs, _MOST_WORKERS) - 1):
                    workers.append(_Worker(workers, take, make_result, pack))
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except (AttributeError, OSError):  # no way to fork, or no more processes, memory, files
            raise NoWorkers from None
        own = make_result()
        # This process takes what the others have no room for.
        for portion in portions:
            for worker in workers:
                for done in worker.read_answers():
                    note(*done)
            least = min(workers, key=lambda worker: len(worker.handed), default=None)
            if least is not None and len(least.handed) < _AHEAD:
                least.hand(portion)
            else:
                note(portion, take(own, portion))
        for worker in workers:
            worker.tasks.close()
        for worker in workers:
            os.set_blocking(worker.found.fileno(), True)
            while worker.handed:
                for done in worker.read_answers():
                    note(*done)
            yield worker.read_result()
        yield pack(own)
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process: ``tasks`` is what portions are written to, ``found`` where answers and the result are read."""

    def __init__(
        self,
        others: List["_Worker"],
        take: Callable[[Any, Any], int],
        make_result: Callable[[], Any],
        pack: Callable[[Any], Any]
    ) -> None:
        #: What it has not yet said to be done.
        self.handed: List[Any] = []
        pipes = [*os.pipe()]
        try:
            pipes += os.pipe()
            tasks_read, tasks_written, found_read, found_written = pipes
            # The ends of the others' pipes come along, and would keep them open.
            foreign = [tasks_written, found_read]
            foreign += [file.fileno() for one in others for file in (one.tasks, one.found)]
            self.pid = os.fork()
        except (AttributeError, OSError):
            for handle in pipes:
                os.close(handle)
            raise
        if not self.pid:
            _serve(tasks_read, found_written, foreign, take, make_result, pack)
        os.close(tasks_read)
        os.close(found_written)
        self.tasks: IO[bytes] = open(tasks_written, "wb")
        # Until there are no more portions to hand out nobody waits for an answer.
        os.set_blocking(found_read, False)
        self.found: Any = open(found_read, "rb", buffering=0)

    def hand(self, portion: Any) -> None:
        """Write a portion."""
        self.handed.append(portion)
        try:
            self.tasks.write(marshal.dumps(portion))
            self.tasks.flush()
        except BrokenPipeError:
            raise WorkerDied from None

    def read_answers(self) -> List[Tuple[Any, int]]:
        """Give the portions that it says are done, each with the answer."""
        if not self.handed:
            return []
        answers = self.found.read(len(self.handed))
        if answers is None:  # nothing yet
            return []
        if not answers or _RESULT_FOLLOWS in answers:
            raise WorkerDied
        done = list(zip(self.handed, answers))
        del self.handed[:len(answers)]
        return done

    def read_result(self) -> Any:
        """Wait for the result."""
        data = self.found.readall()
        if data[:1] != bytes([_RESULT_FOLLOWS]):
            raise WorkerDied
        try:
            return marshal.loads(data[1:])
        except (EOFError, TypeError, ValueError):  # killed while it wrote
            raise WorkerDied from None

    def end(self) -> None:
        """End the process, if it has not ended, and close what leads to it."""
        import signal

        try:
            self.tasks.close()
        except OSError:  # a portion that was on its way
            pass
        self.found.close()
        try:
            ended, _ = os.waitpid(self.pid, os.WNOHANG)
            if not ended:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        except (ChildProcessError, ProcessLookupError):  # where the system is told to forget children by itself
            pass


def _serve(
    tasks: int,
    found: int,
    foreign: List[int],
    take: Callable[[Any, Any], int],
    make_result: Callable[[], Any],
    pack: Callable[[Any], Any]
) -> None:
    """Take portions in until there are no more, write what came of them, and end the process."""
    status = 1
    try:
        import signal

        # The interrupt key is for the first process, which ends the others.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for handle in foreign:
            os.close(handle)
        portions, written = open(tasks, "rb"), open(found, "wb", buffering=0)
        result = make_result()
        while True:
            try:
                portion = marshal.load(portions)
            except EOFError:
                break
            written.write(bytes([take(result, portion)]))
        for piece in (bytes([_RESULT_FOLLOWS]), marshal.dumps(pack(result))):
            rest = memoryview(piece)
            while rest:
                rest = rest[written.write(rest):]
        status = 0
    except BrokenPipeError:  # nobody waits any more
        pass
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    finally:
        # Closes the pipes, which says that there is no more to come.
        os._exit(status)
