"""What the commands print, and how: lines of text, tables, JSON, errors.

Output that a stream's encoding lacks is escaped, and so is what could harm a terminal. Nothing is read here.
"""

import json
import math
import os
import sys
from typing import Any, Dict, List, Optional, Sequence, TextIO

__all__ = ["align_rows", "describe_os_error", "drop_output", "make_plain", "print_error", "print_json", "write_line"]


def write_line(text: str, stream: Optional[TextIO]) -> None:
    """Write a line; what the stream's encoding lacks is escaped, a closed stream swallows it."""
    if stream is not None:
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def print_error(name: str, reason: str) -> int:
    """Write a line about a file to standard error, and give the exit status of what could not be read."""
    write_line("harbor: {}: {}".format(make_plain(name), reason), sys.stderr)
    return 2


def print_json(value: Dict[str, Any], indent: Optional[int] = None) -> None:
    """Write a value as strict JSON."""
    write_line(json.dumps(_spell_non_finite(value), indent=indent, allow_nan=False), sys.stdout)


def align_rows(rows: Sequence[Sequence[str]]) -> List[str]:
    """Set names to the left and figures to the right of their columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(["", row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]


def make_plain(text: str) -> str:
    """Keep text on one line and harmless to a terminal."""
    return text if text.isprintable() else ascii(text)


def describe_os_error(error: OSError) -> str:
    """Give the system's words for an error."""
    return error.strerror or type(error).__name__


def drop_output() -> None:
    """Point standard output at nothing, or the interpreter would fail to flush it at exit."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
    except (OSError, ValueError):  # a stream without a file descriptor
        pass


def _spell_non_finite(value: Any) -> Any:
    """Replace nan and the infinities, which JSON cannot say, by their names."""
    if isinstance(value, dict):
        return {key: _spell_non_finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_spell_non_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value
