"""Copying of files and trees that never writes outside of its target.

In: two places. Out: the copies, with modes, times and links. The functions are generators that stop after every file
and every mebibyte, so that whoever drives them can do something else, or give up, in between. Nothing here watches
for a tree that somebody else changes meanwhile.
"""

import errno
import os
import shutil
import stat
from typing import Callable, Generator, List, NamedTuple, Union

from ..files import discard_file, name_temporary

__all__ = ["PathEscapeError", "copy_file", "copy_tree", "remove_tree", "resolve_inside"]

TransferPath = Union[str, "os.PathLike[str]"]

_CHUNK_SIZE = 1 << 20
# No set-user-id and the like.
_MODE_BITS = 0o777


class PathEscapeError(ValueError):
    """A path or link that leads out of the folder it must stay in; ``path`` and ``folder`` say which."""

    def __init__(self, path: str, folder: str) -> None:
        super().__init__(path, folder)
        self.path = path
        self.folder = folder

    def __str__(self) -> str:
        return "%r leads out of %r" % (self.path, self.folder)


def resolve_inside(folder: str, path: TransferPath, *, follow: bool = True) -> str:
    """Give the real place of a path in a folder, which it may name as a whole or relative to it.

    Without ``follow``, a link that stands at its end is the place itself. Raises ``PathEscapeError`` where the path,
    with all links on its way, leads out of the folder.
    """
    root = os.path.realpath(folder)
    joined = os.path.join(root, os.fspath(path))
    parent, name = os.path.split(joined.rstrip(os.sep))
    if follow or name in ("", os.curdir, os.pardir):
        place = os.path.realpath(joined)
    else:
        place = os.path.join(os.path.realpath(parent), name)
    if not _is_inside(root, place):
        raise PathEscapeError(os.fspath(path), folder)
    return place


def _is_inside(root: str, place: str) -> bool:
    return place == root or place.startswith(root.rstrip(os.sep) + os.sep)


def copy_file(source: TransferPath, target: str) -> Generator[None, None, None]:
    """Copy a regular file over what has the target's name; a link there is replaced, and never followed."""
    info = os.stat(source)
    if not stat.S_ISREG(info.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(info.st_mode) else errno.EINVAL
        raise OSError(number, "Not a regular file", os.fspath(source))
    temporary = name_temporary(target)
    try:
        with open(source, "rb") as reader, open(temporary, "xb") as writer:
            chunk = reader.read(_CHUNK_SIZE)
            while chunk:
                writer.write(chunk)
                yield
                chunk = reader.read(_CHUNK_SIZE)
        os.chmod(temporary, info.st_mode & _MODE_BITS)
        os.utime(temporary, ns=(info.st_atime_ns, info.st_mtime_ns))
        os.replace(temporary, target)
    except BaseException:
        discard_file(temporary)
        raise


class _Tree(NamedTuple):
    """What a folder holds, by relative paths; folders stand before what is in them."""

    folders: List[str]
    files: List[str]
    links: List[str]


def copy_tree(source: str, target: str, skipped: Callable[[str], None]) -> Generator[None, None, None]:
    """Copy what a folder holds into another one, over what is there; links are kept as they are.

    A link that leads out of the tree raises ``PathEscapeError`` before anything is written; so does, when its turn
    comes, a link in the target that would be followed out of it. What is no file, folder or link is left out, and
    ``skipped`` is told its path.
    """
    root = os.path.realpath(source)
    tree = _list_tree(root, skipped)
    os.makedirs(target, exist_ok=True)
    place = os.path.realpath(target)
    for path in tree.folders:
        # Open to us until its files are there, whatever mode it gets in the end.
        os.makedirs(resolve_inside(place, path), mode=0o700, exist_ok=True)
        os.chmod(resolve_inside(place, path), 0o700)
    for path in tree.files:
        yield from copy_file(os.path.join(root, path), resolve_inside(place, path, follow=False))
        yield
    for path in tree.links:
        _make_link(os.readlink(os.path.join(root, path)), resolve_inside(place, path, follow=False), place)
    for path in reversed(tree.folders):
        os.chmod(resolve_inside(place, path), os.stat(os.path.join(root, path)).st_mode & _MODE_BITS)


def _list_tree(root: str, skipped: Callable[[str], None]) -> _Tree:
    tree = _Tree([], [], [])
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(os.path.join(root, folder)) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            path = os.path.join(folder, entry.name)
            if entry.is_symlink():
                _expect_link_inside(root, path)
                tree.links.append(path)
            elif entry.is_dir():
                tree.folders.append(path)
                waiting.append(path)
            elif entry.is_file():
                tree.files.append(path)
            else:
                skipped(entry.path)
    return tree


def _expect_link_inside(root: str, path: str) -> None:
    goal = os.readlink(os.path.join(root, path))
    # By its text, because links on its way may lead elsewhere in the copy; and as it is, because of those links.
    plain = os.path.normpath(os.path.join(os.path.dirname(path), goal))
    outside = os.path.isabs(goal) or plain == os.pardir or plain.startswith(os.pardir + os.sep)
    if outside or not _is_inside(root, os.path.realpath(os.path.join(root, path))):
        raise PathEscapeError(path, root)


def _make_link(goal: str, link: str, root: str) -> None:
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(goal, link)
    if not _is_inside(root, os.path.realpath(link)):
        os.unlink(link)
        raise PathEscapeError(link, root)


def remove_tree(path: str) -> None:
    """Remove a folder with everything in it, also what its modes protect; raises ``OSError`` if something stays."""
    if not os.path.lexists(path):
        return
    try:
        shutil.rmtree(path)
    except OSError:
        _open_folders(path)
        shutil.rmtree(path)


def _open_folders(path: str) -> None:
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        os.chmod(folder, 0o700)
        with os.scandir(folder) as entries:
            waiting += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
