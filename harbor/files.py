"""Files read and replaced as a whole: bytes in, bytes out, and nothing but ``OSError`` when it cannot be done.

Reading never waits for a pipe or a device; replacing leaves the old file or the new one, and nothing in between.
"""

import errno
import os
import stat
from typing import Optional

__all__ = ["discard_file", "name_temporary", "read_file", "replace_file"]

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _BINARY | _CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _CLOEXEC
_PIECE = 1 << 20


def read_file(name: str, limit: int) -> bytes:
    """Read a regular file, up to one byte more than ``limit``."""
    # Looked at before it is opened: opening a device can do things. If a pipe takes its place meanwhile, reading it
    # does not wait either.
    info = os.stat(name)
    _demand_regular(info.st_mode, name)
    handle = os.open(name, _READ)
    try:
        size = min(info.st_size, limit) + 1
        data = os.read(handle, size)
        if len(data) < size:
            return data
        # It grew meanwhile, or the system gives it piece by piece.
        pieces, length = [data], len(data)
        while data and length <= limit:
            data = os.read(handle, min(_PIECE, limit + 1 - length))
            pieces.append(data)
            length += len(data)
        return b"".join(pieces)
    finally:
        os.close(handle)


def replace_file(name: str, data: bytes, sync: bool) -> None:
    """Write a file anew under a name of its own and let it take the old one's place, and mode.

    With ``sync`` it is on the disk before that. No failure leaves anything behind; a kill may leave the new file
    under its own name, ``.harbor-*.tmp`` in the same folder.
    """
    mode = _find_mode(name)
    folder = os.path.dirname(name) or os.curdir
    temporary = name_temporary(name)
    handle = os.open(temporary, _WRITE, 0o666)
    try:
        try:
            if mode is not None:
                _set_mode(handle, mode)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest[:_PIECE]):]
            if sync:
                os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, name)
    except BaseException:
        discard_file(temporary)
        raise
    if sync and os.name != "nt":
        _sync_folder(folder)


def name_temporary(name: str) -> str:
    """Give the name of a new file that is to take the place of another: in its folder, and no other writer's."""
    # Random, because another writer may be a fork of this process.
    return os.path.join(os.path.dirname(name) or os.curdir, ".harbor-%s.tmp" % os.urandom(12).hex())


def discard_file(name: str) -> None:
    """Remove a file that is of no use any more, if that can be done."""
    try:
        os.unlink(name)
    except OSError:
        pass


def _demand_regular(mode: int, name: str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Not a regular file", name)


def _find_mode(name: str) -> Optional[int]:
    """Give the mode of an existing file; what is no regular file must not be replaced by one."""
    try:
        mode = os.stat(name).st_mode
    except FileNotFoundError:
        return None
    _demand_regular(mode, name)
    return stat.S_IMODE(mode)


def _set_mode(handle: int, mode: int) -> None:
    try:
        # Before the data: what the old file hid is never shown.
        os.fchmod(handle, mode)
    except (AttributeError, OSError):
        pass  # Windows before 3.13, or a file system without modes


def _sync_folder(folder: str) -> None:
    """Make the new name outlive a crash, where the system can; the file itself is whole without it."""
    try:
        handle = os.open(folder, os.O_RDONLY | _CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
