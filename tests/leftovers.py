"""What a test leaves behind: processes and temporary folders."""

import contextlib
import os
import pathlib
import tempfile
import time
from typing import Iterator, List

import pytest

from harbor.environments.processes import find_processes

__all__ = ["list_processes", "watch"]


def list_processes(token: str) -> List[int]:
    """List the processes that have the token in their variables, after giving them a moment to go."""
    found: List[int] = []
    for _ in range(100):
        found = [process.pid for process in find_processes(set(), token.encode())]
        if not found:
            break
        time.sleep(0.02)
    return found


@contextlib.contextmanager
def watch(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let temporary folders stand in a folder, mark all children, and check that neither is left after the test."""
    temporary = folder / "temporary"
    temporary.mkdir()
    token = "HARBOR_TEST={}".format(os.urandom(8).hex())
    monkeypatch.setenv(*token.split("="))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield
    assert list_processes(token) == []
    assert list(temporary.iterdir()) == []
