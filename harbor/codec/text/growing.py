"""Lists of numbers that grow: each begins with all of the one before it.

The prompts of a chat are such lists.  Reading and writing them takes the part that
is known already by comparing it, at the speed of memory, and does the work for the
new part alone.  Values and text are those of `reading` and `writing`; wherever the
lists are of another kind, these do the work.
"""

import itertools
import marshal
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Tuple

__all__ = ["Cuts", "cut_lists", "write_lists"]

# What looking at a list costs, in characters or elements that comparing saves.
_LOOK_COST = 500
# Where so much was lost in looking, the lists are left to the plain way.
_LOOK_BUDGET = 50 * _LOOK_COST


class Cuts:
    """What is known of a document whose lists were cut out: ``proven`` holds those of ints alone, by their id.

    ``text`` is the document with a number in the place of each list; None if nothing was cut out.
    """

    __slots__ = ("proven", "text")

    def __init__(self) -> None:
        self.proven: Dict[int, List[Any]] = {}
        self.text: Optional[str] = None


class _Marks:
    """The characters that tell a list, as those of a text or of its UTF-8 bytes."""

    def __init__(self, convert: Callable[[str], Any]) -> None:
        self.opening, self.closing, self.comma, self.colon, self.quote, self.escape, self.space = map(
            convert, ("[", "]", ",", ":", '"', "\\", " \t\n\r"))


_TEXT_MARKS = _Marks(str)
_BYTE_MARKS = _Marks(str.encode)


def cut_lists(
    text: Any, names: Iterable[str], read: Callable[[str], Any], proven: Dict[int, List[Any]]
) -> Tuple[List[Any], List[List[Any]]]:
    """Cut the lists out of a JSON text, or of its bytes, that stand in a list under one of the names.

    Returns the text around them and the lists, one less.  ``read`` makes the value
    of a JSON text or raises ``ValueError``.  No list holds text or further lists.
    The lists share their elements and nothing else.  Those that hold ints alone are
    added to ``proven`` by their id.
    """
    around: List[Any] = []
    lists: List[List[Any]] = []
    is_int_list = False
    done = 0
    is_text = isinstance(text, str)
    marks = _TEXT_MARKS if is_text else _BYTE_MARKS
    keys: List[Any] = ['"%s"' % name if is_text else b'"%s"' % name.encode("utf-8") for name in names]
    start = _find_key(text, keys, 0, marks)
    while start >= 0:
        place = _skip_space(text, start, marks)
        if text[place : place + 1] == marks.colon:
            place = _skip_space(text, place + 1, marks)
        if text[place : place + 1] == marks.opening:
            for begin, end, found, shared in _read_growing(text, place + 1, read, marks):
                around.append(text[done:begin])
                lists.append(found)
                done = end
                new = found[shared:] if shared else found
                is_int_list = (is_int_list or not shared) and consist_of(new, _INT_ONLY)
                if is_int_list:
                    proven[id(found)] = found
        start = _find_key(text, keys, max(start, done), marks)
    around.append(text[done:])
    return around, lists


def _find_key(text: Any, keys: List[Any], start: int, marks: _Marks) -> int:
    """Return the place behind the first of some keys in quotes, or -1.

    In a longer string the quotes would be escaped.
    """
    found, stop = -1, len(text)
    for key in keys:
        # What lies behind another key is looked at in its turn, so no text is searched twice.
        place: int = text.find(key, start, stop)
        while place > 0 and text[place - 1 : place] == marks.escape:
            place = text.find(key, place + 1, stop)
        if place >= 0:
            found, stop = place + len(key), place
    return found


def _skip_space(text: Any, place: int, marks: _Marks) -> int:
    while text[place : place + 1] in marks.space and place < len(text):
        place += 1
    return place


def _read_growing(
    text: Any, place: int, read: Callable[[str], Any], marks: _Marks
) -> Iterable[Tuple[int, int, List[Any], int]]:
    """Yield begin, end and value of each list, and how much it shares, until one is of another kind."""
    last: List[Any] = []
    last_text = text[:0]
    is_first = True
    balance = _LOOK_BUDGET
    while balance > 0:
        begin = _skip_space(text, place, marks)
        if text[begin : begin + 1] != marks.opening:
            return
        shared = 0
        after = begin + 1
        if last_text and text.startswith(last_text, after):
            # No list ends in the part that is shared.
            shared = len(last_text)
            after = _skip_space(text, after + shared, marks)
        end = text.find(marks.closing, after)
        following = _skip_space(text, end + 1, marks)
        if end < 0 or is_first and text[following : following + 1] != marks.comma:
            return  # no list ends here, or a single list stands alone and shares nothing
        is_first = False
        has_more = bool(shared) and text[after : after + 1] == marks.comma
        if has_more:
            after += 1
        elif after < end:
            # The last number of the shared part may go on here.
            shared, after = 0, begin + 1
        new_text = text[after:end]
        if marks.quote in new_text or not new_text.isascii():
            return
        try:
            new = read("[%s]" % (new_text if marks is _TEXT_MARKS else new_text.decode("ascii")))
        except (ValueError, StopIteration, RecursionError, MemoryError):
            return
        if has_more and not new:
            return  # a comma with nothing behind it
        n_shared = len(last) if shared else 0
        last = last + new if shared else new
        yield begin, end + 1, last, n_shared
        balance += min(shared - _LOOK_COST, _LOOK_BUDGET)
        # The last list's text, without the space before its bracket.
        stop = end
        while text[stop - 1 : stop] in marks.space:
            stop -= 1
        last_text = text[begin + 1 : stop]
        if text[following : following + 1] != marks.comma:
            return
        place = following + 1


def consist_of(values: List[Any], kinds: FrozenSet[type]) -> bool:
    """Tell whether a list holds values of these exact types alone."""
    n_values = len(values)
    # marshal looks at numbers in half the time that their types take.
    stride, mark = _PACKED.get(type(values[0]), (0, b"")) if n_values > _LONG and type(values[0]) in kinds else (0, b"")
    if stride:
        try:
            packed = marshal.dumps(values, 2)
            if len(packed) == 5 + stride * n_values and packed[5::stride] == mark * n_values:
                return True
        except ValueError:
            pass
    return kinds.issuperset(map(type, values))


# How marshal writes a number: in how many bytes, and what the first is. Of an int below 2**31.
_PACKED: Dict[type, Tuple[int, bytes]] = {int: (5, b"i"), float: (9, b"g")}
_LONG = 64


def write_lists(
    lists: List[Any], out: List[str], encode: Callable[[Any], str], newline: str, inner_newline: str
) -> bool:
    """Write a list of lists of ints but for its last bracket; False if it is something else.

    ``newline`` parts the lists and ``inner_newline`` their elements, both are empty in compact text; ``encode`` writes
    a list of ints so parted.  After False, what was added to ``out`` is of no use.
    """
    segments: List[str] = []
    last = b""
    n_last = 0
    balance = _LOOK_BUDGET
    lead = "[" + newline
    for turn, ids in enumerate(lists):
        if type(ids) is not list:
            return False
        n_ids = len(ids)
        shared = 0
        try:
            packed: Optional[bytes] = marshal.dumps(ids, 2)
        except ValueError:
            packed = None
        if packed is not None and len(packed) == 5 + 5 * n_ids:
            if n_last and packed.startswith(last, 5):
                shared = n_last
            # Five bytes each that begin with an i: exact ints below 2**31.
            if packed[5 + 5 * shared :: 5] != b"i" * (n_ids - shared):
                packed = None
        else:
            packed = None
        if packed is None:
            if not _INT_ONLY.issuperset(map(type, ids)):
                return False
            shared = 0
        if not shared:
            segments = []
        if n_ids > shared:
            new = encode(ids[shared:] if shared else ids)[1:-1]
            segments.append("," + inner_newline + new if shared else new)
        out.append(lead + "[" + inner_newline if n_ids else lead + "[")
        out.extend(segments)
        out.append(newline + "]" if n_ids else "]")
        lead = "," + newline
        last = b"" if packed is None else packed[5:]
        n_last = 0 if packed is None else n_ids
        balance += min(shared - _LOOK_COST // 5, _LOOK_BUDGET)
        if balance <= 0:
            return _write_rest(lists[turn + 1 :], out, encode, lead, newline, inner_newline)
    return True


_INT_ONLY = frozenset((int,))


def _write_rest(
    lists: List[Any], out: List[str], encode: Callable[[Any], str], lead: str, newline: str, inner_newline: str
) -> bool:
    """Write lists that do not grow, looking at all of them at once."""
    if set(map(type, lists)) - {list} or not _INT_ONLY.issuperset(map(type, itertools.chain.from_iterable(lists))):
        return False
    if not inner_newline and lists:
        out.append("," + encode(lists)[1:-1])
        return True
    for ids in lists:
        out.append(lead + "[" + (inner_newline + encode(ids)[1:-1] + newline if ids else "") + "]")
    return True
