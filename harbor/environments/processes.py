"""Child processes: run one, keep what it prints, and end everything that it started.

In: a command with its folder, variables and time limit. Out: exit status and output. The event loop that children
are watched in, and the waiting and stopping of whole coroutines that goes with it, stand here too, so that this is
the one module which imports asyncio and subprocess: whoever imports an agent or a record pays for neither.
POSIX only; on Linux a child is also found after it has left its session.
"""

import asyncio
import os
import signal
import subprocess
import threading
import time
from typing import Any, Awaitable, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

__all__ = ["Attempt", "Children", "CommandOutcome", "attempt", "finish", "run_until_signal", "yield_to_others"]

#: The variable by which the children of an environment are known, also those that left their session.
MARK_VARIABLE = "HARBOR_EXEC"

_POLL_SEC = (0.01, 0.1)
# How long a pipe is waited for after its command has ended: a background process may hold it open for ever.
_LINGER_SEC = 0.25
# How long the system may take to remove what it was told to kill.
_REAP_SEC = 2.0
_KILL_ROUNDS = 50
# How long a coroutine may take to clean up after it was cancelled, and for the second time.
_PATIENCE_SEC = (8.0, 2.0)


# Output --------------------------------------------------------------------------------------------------------------


class PrintedStream:
    """What one stream of a command printed: all of it up to ``limit`` bytes, else its first and its last half."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit - limit // 2
        self._tail_limit = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        self._total += len(data)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        # Cut seldom: each cut moves what stays.
        if len(self._tail) > 2 * self._tail_limit + 65536:
            del self._tail[:len(self._tail) - self._tail_limit]

    def decode(self) -> str:
        """Give the text, read as UTF-8; what is none becomes U+FFFD, and a line says how much was left out."""
        tail = self._tail[max(0, len(self._tail) - self._tail_limit):]
        left_out = self._total - len(self._head) - len(tail)
        if not left_out:
            return (self._head + tail).decode("utf-8", "replace")
        note = "\n[... %d bytes left out ...]\n" % left_out
        return self._head.decode("utf-8", "replace") + note + tail.decode("utf-8", "replace")


class _Capture(asyncio.SubprocessProtocol):
    """Listens to one child; the futures are done when it has exited, when its pipes are shut, when all is over."""

    def __init__(self, loop: asyncio.AbstractEventLoop, output_limit: int) -> None:
        self.printed = {1: PrintedStream(output_limit), 2: PrintedStream(output_limit)}
        self.is_listening = True
        self.exited: "asyncio.Future[None]" = loop.create_future()
        self.drained: "asyncio.Future[None]" = loop.create_future()
        self.over: "asyncio.Future[None]" = loop.create_future()
        self._pipes = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        # Afterwards it is read all the same: a background process must not stop at a full pipe.
        if self.is_listening:
            self.printed[fd].add(data)

    def pipe_connection_lost(self, fd: int, exc: Optional[Exception]) -> None:
        self._pipes.discard(fd)
        if not self._pipes:
            _settle(self.drained)

    def process_exited(self) -> None:
        _settle(self.exited)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        for future in (self.exited, self.drained, self.over):
            _settle(future)


def _settle(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


# Children ------------------------------------------------------------------------------------------------------------


class CommandOutcome(NamedTuple):
    """What came of a command; its status is that of a shell, so that 128 and a signal's number is a death by it."""

    status: int
    stdout: str
    stderr: str
    timed_out: bool


class Children:
    """The commands of one environment, and whatever they leave running."""

    def __init__(self, output_limit: int, grace_sec: float) -> None:
        self._output_limit = output_limit
        self._grace_sec = grace_sec
        self._mark = os.urandom(8).hex()
        self._count = 0
        self._running: Set[int] = set()
        # Sessions whose command has ended and left something.
        self._left: Set[int] = set()
        # Pipes that background processes hold open.
        self._open: Dict[asyncio.SubprocessTransport, _Capture] = {}

    async def run(
        self, arguments: Sequence[str], folder: str, variables: Mapping[str, str], limit_sec: Optional[float]
    ) -> CommandOutcome:
        """Run a command in a session of its own, with nothing to read; raises ``OSError`` where it cannot start.

        At the limit, or when the caller is cancelled, everything that it started gets SIGTERM and, after the grace
        time, SIGKILL. What it left running when it ended goes on.
        """
        self._count += 1
        token = "%s-%d " % (self._mark, self._count)
        marked = dict(variables, **{MARK_VARIABLE: variables.get(MARK_VARIABLE, "") + token})
        transport, capture = await self._spawn(arguments, folder, marked, token)
        session = transport.get_pid()
        self._running.add(session)
        self._open[transport] = capture
        try:
            await asyncio.wait({capture.exited}, timeout=limit_sec)
            timed_out = not capture.exited.done()
            if timed_out:
                await end_processes({session}, token.encode(), self._grace_sec)
                await asyncio.wait({capture.exited}, timeout=_REAP_SEC)
            await asyncio.wait({capture.drained}, timeout=_LINGER_SEC)
        except GeneratorExit:  # the loop is gone, and nothing can be awaited
            kill_processes({session}, token.encode())
            raise
        except BaseException:
            capture.is_listening = False
            await end_processes({session}, token.encode(), self._grace_sec)
            await self._close(transport, capture)
            raise
        finally:
            self._running.discard(session)
        capture.is_listening = False
        if has_group(session):
            self._left.add(session)
        if timed_out or capture.drained.done():
            await self._close(transport, capture)
        status = transport.get_returncode()
        if status is None:
            status = -signal.SIGKILL
        printed = capture.printed
        return CommandOutcome(
            128 - status if status < 0 else status, printed[1].decode(), printed[2].decode(), timed_out)

    async def _spawn(
        self, arguments: Sequence[str], folder: str, variables: Mapping[str, str], token: str
    ) -> Tuple[asyncio.SubprocessTransport, _Capture]:
        loop = asyncio.get_running_loop()
        # Never cancelled half-way: the loop would kill the shell alone, and not what it may have started by then.
        starting = asyncio.ensure_future(loop.subprocess_exec(
            lambda: _Capture(loop, self._output_limit), *arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=folder, env=variables, start_new_session=True))
        try:
            transport, capture = await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait({starting})
            if starting.exception() is None:
                transport, capture = starting.result()
                await end_processes({transport.get_pid()}, token.encode(), self._grace_sec)
                await self._close(transport, capture)
            raise
        return transport, capture

    async def _close(self, transport: asyncio.SubprocessTransport, capture: _Capture) -> None:
        self._open.pop(transport, None)
        # To close it earlier would take the exit status away from the loop.
        await asyncio.wait({capture.exited}, timeout=_REAP_SEC)
        transport.close()
        await asyncio.wait({capture.over}, timeout=_REAP_SEC)

    async def end_all(self) -> None:
        """End every process that is left, with SIGTERM and then SIGKILL, and close their pipes."""
        if not self._count:
            return
        try:
            await end_processes(self._list_sessions(), self._own_token(), self._grace_sec)
        finally:
            for transport, capture in list(self._open.items()):
                await self._close(transport, capture)
            self._left.clear()

    def kill_all(self) -> None:
        """Kill every process that is left, at once and without an event loop."""
        if self._count:
            kill_processes(self._list_sessions(), self._own_token())

    def _list_sessions(self) -> Set[int]:
        # A number stays taken as long as its session has members. A process that has the number of one whose command
        # has ended is somebody else's, and all in the session with it.
        return self._running | {session for session in self._left if not has_process(session)}

    def _own_token(self) -> bytes:
        return self._mark.encode() + b"-"


# Processes -----------------------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A process; ``group`` is its process group if that may be signalled as a whole, else 0."""

    pid: int
    group: int


def find_processes(sessions: Set[int], token: bytes) -> List[_Found]:
    """Find the live processes of some sessions, and on Linux those whose variables hold the token."""
    own = os.getpid()
    if not os.path.exists("/proc/self/stat"):
        return [_Found(session, session) for session in sessions if has_group(session)]
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != own:
            process = _look_at(name, sessions, token)
            if process is not None:
                found.append(process)
    return found


def _look_at(name: str, sessions: Set[int], token: bytes) -> Optional[_Found]:
    try:
        with open("/proc/%s/stat" % name, "rb") as file:
            # The name of the program, in parentheses, may hold anything.
            state, _, group, session = file.read().rpartition(b")")[2].split()[:4]
        if state in (b"Z", b"X"):
            return None
        if int(session) in sessions:
            return _Found(int(name), int(group))
        with open("/proc/%s/environ" % name, "rb") as file:
            return _Found(int(name), 0) if token in file.read() else None
    except (OSError, ValueError):  # gone meanwhile, or somebody else's
        return None


def has_group(group: int) -> bool:
    """Tell whether a process group has members."""
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def has_process(pid: int) -> bool:
    """Tell whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def _send_signal(found: Sequence[_Found], number: int) -> None:
    calls = [(os.killpg, group) for group in {process.group for process in found if process.group}]
    calls += [(os.kill, process.pid) for process in found if not process.group]
    for send, target in calls:
        try:
            send(target, number)
        except OSError:  # gone meanwhile
            pass


async def end_processes(sessions: Set[int], token: bytes, grace_sec: float) -> None:
    """Send SIGTERM to the processes that ``find_processes`` finds, and SIGKILL to those left after the grace time.

    Cancelled meanwhile, it kills at once.
    """
    try:
        _send_signal(find_processes(sessions, token), signal.SIGTERM)
        end = time.monotonic() + grace_sec
        pause = _POLL_SEC[0]
        while find_processes(sessions, token) and time.monotonic() < end:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _POLL_SEC[1])
    finally:
        kill_processes(sessions, token)


def kill_processes(sessions: Set[int], token: bytes) -> None:
    """Send SIGKILL until ``find_processes`` finds nothing, or only what the system cannot end."""
    for _ in range(_KILL_ROUNDS):
        found = find_processes(sessions, token)
        if not found:
            break
        _send_signal(found, signal.SIGKILL)
        time.sleep(0.002)


# Coroutines ----------------------------------------------------------------------------------------------------------


class Attempt(NamedTuple):
    """What became of a coroutine: its value or its error, whether it was stopped at its limit, and if it goes on."""

    value: Any
    error: Optional[BaseException]
    timed_out: bool
    goes_on: bool


async def attempt(call: Callable[[], Awaitable[Any]], limit_sec: Optional[float] = None) -> Attempt:
    """Await what a call gives, for so long at most, and give its error instead of raising it.

    At the limit, or when the caller is cancelled, it is cancelled and waited for; one that will not stop is left to
    itself. A cancellation of the caller is raised, with the error that it led to as its cause.
    """
    task = asyncio.ensure_future(_hold(call))
    try:
        await asyncio.wait({task}, timeout=limit_sec)
        timed_out = not task.done()
        if timed_out:
            await _cancel(task)
    except asyncio.CancelledError as error:
        await _cancel(task)
        raise error from (task.result()[1] if task.done() else None)
    value, failure = task.result() if task.done() else (None, None)
    return Attempt(value, failure, timed_out, not task.done())


async def finish(call: Callable[[], Awaitable[Any]]) -> Optional[BaseException]:
    """Await what a call gives to its end, and give its error or None; a cancellation waits and is raised then."""
    task = asyncio.ensure_future(_hold(call))
    cancellation = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation
    failure: Optional[BaseException] = task.result()[1]
    return failure


async def _hold(call: Callable[[], Awaitable[Any]]) -> Tuple[Any, Optional[BaseException]]:
    try:
        return await call(), None
    except GeneratorExit:
        raise
    except BaseException as error:  # an exit or an interrupt would break the loop around the task
        return None, error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)


async def _cancel(task: "asyncio.Task[Any]") -> None:
    for patience in _PATIENCE_SEC:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=patience)


async def yield_to_others() -> None:
    """Let everything else that is ready in the event loop run once."""
    await asyncio.sleep(0)


def run_until_signal(call: Callable[[], Awaitable[Any]]) -> Optional[int]:
    """Run a coroutine in an event loop of its own, cancelled by SIGINT and SIGTERM; give the signal that came, if any.

    A second signal raises ``KeyboardInterrupt`` wherever the program is, also where it never comes back to the loop.
    What the coroutine raises is raised, apart from the cancellation.
    """
    loop = asyncio.new_event_loop()
    came: List[int] = []
    try:
        task = loop.create_task(_hold(call))

        def stop(number: int, frame: Any) -> None:
            came.append(number)
            if len(came) > 1:
                raise KeyboardInterrupt
            loop.call_soon_threadsafe(task.cancel)

        previous = _set_handlers({signal.SIGINT: stop, signal.SIGTERM: stop})
        try:
            _, error = loop.run_until_complete(task)
        finally:
            _set_handlers(previous)
            _cancel_rest(loop)
    finally:
        loop.close()
    if error is not None and not (came and isinstance(error, asyncio.CancelledError)):
        raise error
    return came[0] if came else None


def _set_handlers(handlers: Mapping[Any, Any]) -> Dict[Any, Any]:
    """Set the handlers of signals that are not ignored, where that is allowed, and give those they replace."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    heeded = {number: handler for number, handler in handlers.items() if signal.getsignal(number) != signal.SIG_IGN}
    return {number: signal.signal(number, handler) for number, handler in heeded.items()}


def _cancel_rest(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the tasks that are left, and give them a moment: one that will not stop must not hold up the program."""
    rest = asyncio.all_tasks(loop)
    for task in rest:
        task.cancel()
    if rest:
        loop.run_until_complete(asyncio.wait(rest, timeout=_PATIENCE_SEC[1]))
    loop.run_until_complete(loop.shutdown_asyncgens())
