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
# As many zeros and ones may be looked at again in each list.
_MOST_UNITS = 1000
# So much text is searched for one key before another is looked for, and then twice as much each time.
_KEY_WIDTH = 4096


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
        self.opening, self.closing, self.brace, self.comma, self.colon, self.quote, self.escape, self.space = map(
            convert, ("[", "]", "{", ",", ":", '"', "\\", " \t\n\r"))
        # In every number that is no int, and in true, false, null, NaN and Infinity, stands one of these.
        self.no_ints = tuple(map(convert, ".eEnN"))


_TEXT_MARKS = _Marks(str)
_BYTE_MARKS = _Marks(str.encode)


def cut_lists(
    text: Any, names: Iterable[str], read: Callable[[str], Any], proven: Dict[int, List[Any]]
) -> Tuple[List[Any], List[List[Any]]]:
    """Cut the lists out of a JSON text, or of its bytes, that stand in a list under one of the names.

    Returns the text around them and the lists, one less.  ``read`` makes the value
    of a JSON text or raises ``ValueError``.  No list holds text, objects or further lists.
    The lists share their elements and nothing else.  Those that hold ints alone are
    added to ``proven`` by their id.
    """
    around: List[Any] = []
    lists: List[List[Any]] = []
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
            for begin, end, found, has_ints_alone in _read_growing(text, place + 1, read, marks):
                around.append(text[done:begin])
                lists.append(found)
                done = end
                if has_ints_alone:
                    proven[id(found)] = found
        start = _find_key(text, keys, max(start, done), marks)
    around.append(text[done:])
    return around, lists


def _find_key(text: Any, keys: List[Any], start: int, marks: _Marks) -> int:
    """Return the place behind the first of some keys in quotes, or -1.

    In a longer string the quotes would be escaped.
    """
    width = _KEY_WIDTH
    # Where one key stands near and another far or nowhere, the text in between is not searched for the other.
    while start < len(text):
        # A key begins before the stop.
        found, stop = -1, start + width
        for key in keys:
            place: int = text.find(key, start, stop + len(key) - 1)
            while place > 0 and text[place - 1 : place] == marks.escape:
                place = text.find(key, place + 1, stop + len(key) - 1)
            if place >= 0:
                found, stop = place + len(key), place
        if found >= 0:
            return found
        start += width
        width *= 2
    return -1


def _skip_space(text: Any, place: int, marks: _Marks) -> int:
    while text[place : place + 1] in marks.space and place < len(text):
        place += 1
    return place


def _read_growing(
    text: Any, place: int, read: Callable[[str], Any], marks: _Marks
) -> Iterable[Tuple[int, int, List[Any], bool]]:
    """Yield begin, end and value of each list, and whether it holds ints alone, until one is of another kind."""
    last: List[Any] = []
    has_ints_alone = False
    # The text of the last list, in pieces: no more than the new part of each is copied.
    pieces: List[Any] = []
    is_first = True
    balance = _LOOK_BUDGET
    while balance > 0:
        begin = _skip_space(text, place, marks)
        if text[begin : begin + 1] != marks.opening:
            return
        after = end_of_shared = _match_pieces(text, begin + 1, pieces)
        # No list ends in the part that is shared.
        shared = after - begin - 1
        if shared:
            after = _skip_space(text, after, marks)
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
        if marks.quote in new_text or marks.brace in new_text or not new_text.isascii():
            return
        try:
            new = read("[%s]" % (new_text if marks is _TEXT_MARKS else new_text.decode("ascii")))
        except (ValueError, StopIteration, RecursionError, MemoryError):
            return
        if has_more and not new:
            return  # a comma with nothing behind it
        last = last + new if shared else new
        has_ints_alone = (has_ints_alone or not shared) and not any([mark in new_text for mark in marks.no_ints])
        yield begin, end + 1, last, has_ints_alone
        balance += min(shared - _LOOK_COST, _LOOK_BUDGET)
        # The last list's text, without the space before its bracket.
        stop = end
        while text[stop - 1 : stop] in marks.space:
            stop -= 1
        if not shared:
            pieces = []
            end_of_shared = begin + 1
        _add_piece(pieces, text[end_of_shared:stop])
        if text[following : following + 1] != marks.comma:
            return
        place = following + 1


def _match_pieces(text: Any, start: int, pieces: List[Any]) -> int:
    """Return where some pieces end that stand one after the other from a place on; the place if they do not."""
    place = start
    for piece in pieces:
        if not text.startswith(piece, place):
            return start
        place += len(piece)
    return place


def _add_piece(pieces: List[Any], piece: Any) -> None:
    """Add a piece, and join some, so that they are few and each is copied few times."""
    while pieces and len(pieces[-1]) <= 2 * len(piece):
        piece = pieces.pop() + piece
    if piece:
        pieces.append(piece)


def consist_of(values: List[Any], kinds: FrozenSet[type]) -> bool:
    """Tell whether a list holds values of these exact types alone."""
    # marshal looks at numbers in half the time that their types take.
    kind = type(values[0]) if len(values) > _LONG else None
    if kind in kinds and kind in _PACKED and _pack_alone(values, kind) is not None:
        return True
    return kinds.issuperset(map(type, values))


# How marshal writes a number: in how many bytes, and what the first is. Of an int below 2**31.
_PACKED: Dict[type, Tuple[int, bytes]] = {int: (5, b"i"), float: (9, b"g")}
_LONG = 64


class _ListEnd:
    """What stands behind the last value of a list; where it is compared, all that stand before were equal."""

    def __lt__(self, other: Any) -> Any:
        return self


class _History:
    """The last of some lists of exact ints below 2**31, and what proves that the next begins with all of it."""

    def __init__(self) -> None:
        self._last: List[Any] = []
        self._size = 0
        #: The list as marshal writes it, five bytes for its head and for each int; None where nobody asked.
        self._packed: Optional[bytes] = b""
        #: The list and an end; empty where nobody asked.
        self._ended: List[Any] = []
        self._end = _ListEnd()
        self._total = 0
        #: The places of those that equal a bool; None, for good, where it does not help to compare objects.
        self._units: Optional[List[int]] = []

    def follow(self, ids: List[Any]) -> Optional[Tuple[int, List[Any]]]:
        """Go on to the next list; give how many of its values are the last one's, all of those or none, and the others.

        None if it holds anything but exact ints below 2**31, which leaves nothing known.
        """
        shared = self._size
        packed: Optional[bytes] = None
        # What is handed out is looked at itself: another thread may have changed the list since it was compared.
        if self._has_same_objects(ids):
            new = ids[shared:]
            packed_new = _pack_alone(new, int)
            if packed_new is None:
                return self._forget()
            self._ended[shared:] = [*new, self._end]
            self._total += sum(new)
            self._note_units(packed_new, shared)
        else:
            packed = self._pack_if_it_follows(ids) if shared else None
            shared = 0 if packed is None else shared
            new = ids[shared:]
            packed_new = _pack_alone(new, int)
            if packed_new is None or packed is not None and (
                len(packed) != 5 * shared + len(packed_new) or not packed.endswith(memoryview(packed_new)[5:])
            ):
                return self._forget()
            packed = packed or packed_new
            self._ended = []
        self._packed = packed
        self._last, self._size = ids, shared + len(new)
        return shared, new

    def _forget(self) -> Optional[Tuple[int, List[Any]]]:
        self._last, self._size, self._packed, self._ended = [], 0, b"", []
        return None

    def _pack_if_it_follows(self, ids: List[Any]) -> Optional[bytes]:
        """Pack a list; None if its bytes do not begin with those of the last one."""
        packed = _pack(ids)
        if self._packed is None:
            self._packed = _pack(self._ended[:-1])
        # What is looked at through a memoryview is not copied.
        if packed and self._packed and packed.startswith(memoryview(self._packed)[5:], 5):
            return packed
        return None

    def _has_same_objects(self, ids: List[Any]) -> bool:
        """Tell whether the next list begins with the last, if the objects are the same: faster than by their bytes."""
        last, size = self._last, self._size
        if not (
            0 < size == len(last) and size <= len(ids) and self._units is not None
            and ids[0] is last[0] and ids[size // 2] is last[size // 2] and ids[size - 1] is last[size - 1]
        ):
            return False
        if not self._ended:
            written = list(last)
            if self._packed is None or _pack(written) != self._packed:
                return False  # another thread has changed the last list since it was written
            self._ended = [*written, self._end]
            self._total = sum(written)
            self._units = []
            self._note_units(self._packed, 0)
        if self._units is not None and self._has_same_ints(ids):
            return True
        self._units = None
        return False

    def _has_same_ints(self, ids: List[Any]) -> bool:
        """Tell whether the next list begins with values that equal those of the last, and are ints.

        A float, a Decimal or a scalar of numpy would make the sum one of its kind, and a bool stands for a one or a
        zero. Only a class that is made to pass for an int, in comparing and in adding, is taken for one.
        """
        size = self._size
        try:
            compared: Any = self._ended < ids if len(ids) > size else self._ended[:-1] == ids
            if compared is not (self._end if len(ids) > size else True):
                return False
            total = sum(ids)
            return type(total) is int and total - sum(ids[size:]) == self._total and all(
                type(ids[place]) is int for place in self._units or ())
        except Exception:
            return False  # a value of somebody's, with an idea of its own of comparing and adding

    def _note_units(self, packed: bytes, start: int) -> None:
        """Note the places of zeros and ones among packed ints, counted from a place on."""
        found = self._units or []
        for unit in (b"i\0\0\0\0", b"i\1\0\0\0"):
            # No other ints, one behind the other, hold these bytes.
            place = packed.find(unit, 5)
            while place >= 0 and len(found) <= _MOST_UNITS:
                found.append(start + place // 5 - 1)
                place = packed.find(unit, place + 5)
        self._units = found if len(found) <= _MOST_UNITS else None


def _pack(values: List[Any], stride: int = 5) -> Optional[bytes]:
    """Write a list as marshal does; None if it cannot hold numbers of so many bytes alone, as ints below 2**31 are."""
    try:
        packed = marshal.dumps(values, 2)
    except ValueError:
        return None
    return packed if len(packed) == 5 + stride * len(values) else None


def _pack_alone(values: List[Any], kind: Any) -> Optional[bytes]:
    """Write a list as marshal does; None if it holds other than exact floats, or than exact ints below 2**31."""
    stride, mark = _PACKED[kind]
    packed = _pack(values, stride)
    return packed if packed is not None and packed[5::stride] == mark * len(values) else None


def write_lists(
    lists: List[Any], out: List[str], encode: Callable[[Any], str], newline: str, inner_newline: str
) -> bool:
    """Write a list of lists of ints but for its last bracket; False if it is something else.

    ``newline`` parts the lists and ``inner_newline`` their elements, both are empty in compact text; ``encode`` writes
    a list of ints so parted, of any size.  After False, what was added to ``out`` is of no use.
    """
    segments: List[str] = []
    history = _History()
    balance = _LOOK_BUDGET
    lead = "[" + newline
    comma = "," + inner_newline
    for turn, ids in enumerate(lists):
        if type(ids) is not list:
            return False
        found = history.follow(ids)
        if found is not None:
            shared, new = found
            text = _write_ints(new, comma)
        elif _INT_ONLY.issuperset(map(type, ids)):
            shared, text = 0, encode(ids)[1:-1]
        else:
            return False
        if not shared:
            segments = []
        if text:
            segments.append(comma + text if shared else text)
        out.append(lead + "[" + inner_newline if segments else lead + "[")
        out.extend(segments)
        out.append(newline + "]" if segments else "]")
        lead = "," + newline
        balance += min(shared - _LOOK_COST // 5, _LOOK_BUDGET)
        if balance <= 0:
            return _write_rest(lists[turn + 1 :], out, encode, lead, newline, inner_newline)
    return True


def _write_ints(ids: List[int], comma: str) -> str:
    """Write exact ints below 2**31, without the text of each that the standard encoder makes."""
    item = ("%d" + comma).encode("ascii")  # bytes take a format in less time than text
    pieces = []
    for start in range(0, len(ids), _INTS_AT_ONCE):
        piece = tuple(ids[start : start + _INTS_AT_ONCE])
        pieces.append(((item * len(piece))[: -len(comma)] % piece).decode("ascii"))
    return comma.join(pieces)


_INT_ONLY = frozenset((int,))
# So many ints fit into the processor's cache with the text they are written by.
_INTS_AT_ONCE = 1000


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
