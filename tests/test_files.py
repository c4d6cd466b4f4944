"""Files read and replaced as a whole; what becomes of failures is tested with `save`."""

import os
import pathlib
from typing import Any, List

import pytest

from harbor.files import read_file, replace_file


@pytest.mark.parametrize("size", [0, 1, 5, 6, 7])
def test_a_file_is_read_up_to_one_byte_more_than_the_limit(size: int, tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert read_file(str(tmp_path / "file"), 5) == b"x" * min(size, 6)


def test_a_file_that_grows_or_comes_in_pieces_is_read_to_its_end(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    real_read, real_stat = os.read, os.stat

    class Smaller:
        def __init__(self, info: Any) -> None:
            self.st_mode = info.st_mode
            self.st_size = 2

    monkeypatch.setattr(os, "stat", lambda name: Smaller(real_stat(name)))
    monkeypatch.setattr(os, "read", lambda handle, size: real_read(handle, min(size, 3)))
    whole, part = (read_file(str(tmp_path / "file"), limit) for limit in (100, 5))
    monkeypatch.undo()
    assert (whole, part) == (b"0123456789", b"012345")


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs a file that does not tell its size")
def test_a_file_that_does_not_tell_its_size_is_read_to_its_end() -> None:
    assert b"\nPid:\t%d\n" % os.getpid() in read_file("/proc/self/status", 1 << 20)


def test_a_folder_is_no_file(tmp_path: pathlib.Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_file(str(tmp_path), 5)
    with pytest.raises(IsADirectoryError):
        replace_file(str(tmp_path), b"", sync=False)


def test_data_is_written_in_as_many_pieces_as_it_takes(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_write = os.write
    sizes: List[int] = []

    def write_some(handle: int, data: Any) -> int:
        sizes.append(real_write(handle, data[:3]))
        return sizes[-1]

    monkeypatch.setattr(os, "write", write_some)
    replace_file(str(tmp_path / "file"), b"0123456789", sync=True)
    assert (tmp_path / "file").read_bytes() == b"0123456789"
    assert sizes == [3, 3, 3, 1]


@pytest.mark.parametrize("sync, n_synced", [(True, 2 if os.name == "posix" else 1), (False, 0)])
def test_file_and_folder_are_synced_on_request(
    sync: bool, n_synced: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: List[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    replace_file(str(tmp_path / "file"), b"x", sync)
    assert len(synced) == n_synced


def test_a_folder_that_cannot_be_synced_is_no_failure(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n_calls: List[int] = []

    def fail_for_the_folder(handle: int) -> None:
        n_calls.append(handle)
        if len(n_calls) == 2:
            raise OSError("not supported")

    monkeypatch.setattr(os, "fsync", fail_for_the_folder)
    replace_file(str(tmp_path / "file"), b"x", sync=True)
    assert (tmp_path / "file").read_bytes() == b"x"


@pytest.mark.skipif(os.name != "posix", reason="needs modes")
def test_what_the_old_file_hid_is_never_shown(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    modes: List[int] = []
    real_write = os.write

    def look(handle: int, data: Any) -> int:
        modes.append(os.fstat(handle).st_mode & 0o777)
        return real_write(handle, data)

    monkeypatch.setattr(os, "write", look)
    replace_file(str(path), b"new", sync=False)
    assert modes == [0o600]


def test_a_system_without_modes_is_no_failure(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"old")
    monkeypatch.delattr(os, "fchmod", raising=False)
    replace_file(str(tmp_path / "file"), b"new", sync=False)
    assert (tmp_path / "file").read_bytes() == b"new"
