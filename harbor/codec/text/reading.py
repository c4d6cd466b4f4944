"""JSON text to plain Python values.

In comes a JSON document (``str``, ``bytes`` or ``bytearray``); out go ``None``,
``bool``, ``int``, ``float``, ``str``, ``list`` and ``dict``, or a `JsonError`
that says what is wrong and where.  Values, messages and columns are those of
pydantic 2.14.4.

This module knows nothing of fields, types or models, and it reads no files.  The
standard ``json`` does the work wherever it is sure to give the same result; the
rest is done here, without recursion.  ``json`` and the patterns are loaded on
first use, so that importing the models does not cost them.
"""

import functools
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Tuple, Union

if TYPE_CHECKING:
    from re import Pattern

    from .growing import Cuts

__all__ = [
    "JsonError",
    "NotText",
    "parse",
    "parse_exact",
    "parse_ordinary",
    "parse_repeats",
    "repeats_keys",
]

# A value may stand inside at most this many containers.
_DEPTH_LIMIT = 200
# No run of digits in it is too long.
_SHORT = 4096
# An integer (also the whole part of a float) has at most this many digits.
_DIGITS_LIMIT = 4300
# A run of more than _DIGITS_LIMIT digits fills one aligned block of this size.
_DIGITS_BLOCK = 2000
# No interpreter setting makes int() refuse this many digits.
_DIGITS_SURE = 640
# Bounds the memory that looking for depth takes; the processor's cache likes it.
_DEPTH_PIECE = 1 << 17

_NOT_FOUND: Any = object()
# What a reader raises for what it cannot read.
_READ_FAULTS = (ValueError, StopIteration, RecursionError, MemoryError)

_Document = Union[str, bytes, bytearray]


class JsonError(ValueError):
    """A document that is not JSON; `message` names the fault, line and column."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotText(ValueError):
    """A `str` document with a lone surrogate, which no UTF-8 text can hold."""


# ---------------------------------------------------------------- reading


def parse(document: _Document, growing: FrozenSet[str] = frozenset(), cuts: Optional["Cuts"] = None) -> Any:
    """Return the value of a JSON document.

    Raises `JsonError` for bad JSON and `NotText` for a `str` with a lone
    surrogate.  The result and the errors are those of `parse_exact`.  Lists that
    grow, under a name in ``growing``, are read without reading anything twice;
    what becomes known of the document by that is kept in ``cuts``.
    """
    if growing:
        found = _parse_growing(document, growing, cuts)
        if found is not _NOT_FOUND:
            return found
    elif type(document) is str and len(document) <= _SHORT and document.isascii() and _scan is not None:
        # A record of a few numbers: each look at it counts.
        if "\\" not in document and not _may_be_deep(document, _DEPTH_LIMIT):
            try:
                value, end = _scan(document, 0)
                if end == len(document):
                    return value
            except _READ_FAULTS:
                pass
    try:
        if isinstance(document, str):
            raw: Union[bytes, bytearray] = document.encode("utf-8")
            text = document
        else:
            raw = document
            text = raw.decode("utf-8")
    except UnicodeEncodeError:
        raise NotText("Lone surrogate in the document") from None
    except UnicodeDecodeError:
        return parse_exact(document)
    if _is_ordinary(raw):
        loads = _loads_cache or _load_loads()
        try:
            return loads(text)
        except _READ_FAULTS:
            # A fault, an int above a lowered interpreter limit, or a caller
            # that left too little stack: all settled below.
            pass
    return parse_exact(raw)


def parse_ordinary(raw: bytes) -> Any:
    """Return the value of a document that needs no second look to be read as by `parse`; `ValueError` for any other.

    A fault costs little here, with the standard reader: it is not looked for.
    """
    if not _is_ordinary(raw):
        raise ValueError
    try:
        return (_loads_cache or _load_loads())(raw.decode("utf-8"))
    except (StopIteration, RecursionError, MemoryError):
        raise ValueError from None


def _parse_growing(document: _Document, growing: FrozenSet[str], cuts: Optional["Cuts"]) -> Any:
    """Return the value of a document whose lists grow, or `_NOT_FOUND` for any doubt."""
    from .growing import Cuts, cut_lists  # late

    cuts = cuts or Cuts()
    if _loads_cache is None:
        _load_loads()
    if _make_scanner is None:
        return _NOT_FOUND
    try:
        # Where a character may take two bytes or four, those of UTF-8 are fewer to look at.
        is_wide = isinstance(document, str) and not document.isascii()
        pieces, lists = cut_lists(
            document.encode("utf-8") if is_wide else document,  # type: ignore[union-attr]
            growing, _read_list_text, cuts.proven)
        around = [piece if isinstance(piece, str) else piece.decode("utf-8") for piece in pieces]
        # In each gap stands a word that the reader hands to us, and that is nowhere else.
        # One letter is found far faster than a word, and most often is not there.
        word = next((w for w in ("NaN", "-Infinity") if not any(
            w.lstrip("-")[0] in part and w.lstrip("-") in part for part in around)), None)
        if not lists or word is None:
            return _NOT_FOUND
        text = word.join(around)
        if not _is_ordinary(text.encode("utf-8"), _DEPTH_LIMIT - 1):
            return _NOT_FOUND
        gaps = iter(lists)
        words: Dict[str, Callable[[], Any]] = {word: gaps.__next__}

        def read_constant(name: str) -> Any:
            make = words.get(name)
            return float(name) if make is None else make()

        value = _scan_all(_make_scanner(_decoder_with(read_constant)), text)
        if next(gaps, None) is not None:
            return _NOT_FOUND  # what looked like a name stood in a text
        cuts.text = text
    except (UnicodeError,) + _READ_FAULTS:
        return _NOT_FOUND
    return value


def _read_list_text(text: str) -> Any:
    """Return the value of a list's text, which a longer document was not asked about."""
    if len(text) > _DIGITS_LIMIT and _has_long_digits(text.encode("ascii")):
        raise ValueError
    return (_loads_cache or _load_loads())(text)


def repeats_keys(document: _Document) -> bool:
    """Say whether a key stands twice in an object of a document that `parse` has read; True also where unsure."""
    import json

    def count(pairs: List[Tuple[str, Any]]) -> None:
        if len(dict(pairs)) < len(pairs):
            raise ValueError

    try:
        json.loads(document if isinstance(document, str) else document.decode("utf-8"), object_pairs_hook=count)
    except (ValueError, RecursionError, MemoryError):
        return True
    return False


def parse_repeats(document: _Document, make: Callable[[List[Tuple[str, Any]]], Any]) -> Any:
    """Return the value of a document that `parse` has read, its objects with repeated keys made by ``make(pairs)``."""
    import json

    def keep(pairs: List[Tuple[str, Any]]) -> Any:
        plain = dict(pairs)
        return plain if len(plain) == len(pairs) else make(pairs)

    try:
        text = document if isinstance(document, str) else document.decode("utf-8")
        return json.loads(text, object_pairs_hook=keep)
    except (ValueError, RecursionError, MemoryError):
        # What only the exact reader can read has its keys looked at once.
        return parse(document)


_loads_cache: Optional[Callable[[str], Any]] = None
_make_scanner: Any = None
_scan: Any = None


def _load_loads() -> Callable[[str], Any]:
    """Return the standard reader if its grammar is exact, else our own."""
    global _loads_cache, _make_scanner, _scan
    import json
    import json.scanner

    # Without its C scanner CPython's reader lets non-ASCII digits and odd
    # \u escapes through.  PyPy has a strict one of its own behind json.loads.
    _make_scanner = getattr(json.scanner, "c_make_scanner", None)
    if _make_scanner is None:
        _loads_cache = json.loads if sys.implementation.name == "pypy" else parse_exact
        return _loads_cache
    # json.loads spends on a small document more than its scanner does.
    _scan = _make_scanner(json.JSONDecoder())
    _loads_cache = functools.partial(_scan_all, _scan)
    return _loads_cache


def _decoder_with(read_constant: Callable[[str], Any]) -> Any:
    import json

    return json.JSONDecoder(parse_constant=read_constant)


def _scan_all(scan: Callable[[str, int], Tuple[Any, int]], text: str) -> Any:
    """Return the value of a whole text; raises `StopIteration` or `ValueError` if it is not one value."""
    start = 0 if text[:1] in "{[" else len(text) - len(text.lstrip(" \t\n\r"))
    value, end = scan(text, start)
    if end != len(text) and text[end:].strip(" \t\n\r"):
        raise ValueError
    return value


def _is_ordinary(raw: Union[bytes, bytearray], depth: int = _DEPTH_LIMIT) -> bool:
    """Say whether ``json`` is sure to read this UTF-8 text as we must.

    The text may still be bad JSON.  False means "unsure", never "bad".
    """
    size = len(raw)
    if size > _DIGITS_LIMIT and _has_long_digits(raw):
        return False
    if _may_be_deep(raw, depth) and not _is_shallow(raw, depth):
        return False
    # One byte is found far faster than two, and most often is not there.
    return b"\\" not in raw or b"\\u" not in raw or not _has_lone_escape(raw)


def _may_be_deep(text: Any, depth: int) -> bool:
    """Say whether a text, or its bytes, has enough brackets to nest deeper, in strings or not, if it is JSON."""
    # JSON takes two characters for a level.
    if len(text) <= 2 * depth:
        return False
    n_left = depth
    for bracket in ("[", "{") if isinstance(text, str) else (b"[", b"{"):
        # Going from one to the next costs less than counting, up to the few that count.
        place = text.find(bracket)
        while place >= 0:
            n_left -= 1
            if n_left < 0:
                return True
            place = text.find(bracket, place + 1)
    return False


def _has_long_digits(raw: Union[bytes, bytearray]) -> bool:
    """Say whether there may be a run of more than `_DIGITS_LIMIT` digits."""
    for start in range(0, len(raw) - _DIGITS_BLOCK + 1, _DIGITS_BLOCK):
        if raw[start : start + _DIGITS_BLOCK].isdigit():
            return True
    return False


_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _is_shallow(raw: Union[bytes, bytearray], depth: int = _DEPTH_LIMIT) -> bool:
    """Say whether the brackets balance and nest at most `depth` deep.

    What this accepts, a recursive reader can be given, even if the text turns
    out to be bad: up to its first fault a reader sees the same strings.
    """
    too_deep = b"[" * (depth + 1)
    # The brackets still open and whether a string is, where a piece starts.
    still_open = b""
    in_string = 0
    start = 0
    while start < len(raw):
        piece = raw[start : start + _DEPTH_PIECE]
        if (len(piece) - len(piece.rstrip(b"\\"))) % 2 and len(piece) == _DEPTH_PIECE:
            piece = piece[:-1]  # an escape is not cut in two
        start += len(piece)
        if b"\\" in piece:
            piece = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
        # Every second part between quotes lies outside the strings.
        if in_string or b'"' in piece:
            parts = piece.split(b'"')
            piece = b"".join(parts[in_string::2])
            in_string = (in_string + len(parts) - 1) % 2
        brackets = still_open + piece.translate(_BRACKETS, _NOT_BRACKETS)
        # Each round takes the innermost containers away.
        rounds = 0
        while b"[]" in brackets:
            if rounds == depth or too_deep in brackets:
                return False
            brackets = brackets.replace(b"[]", b"")
            rounds += 1
        if rounds + len(brackets) > depth or b"]" in brackets:
            return False
        still_open = brackets
    return not still_open


_lone_escape: Optional["Pattern[bytes]"] = None


def _has_lone_escape(raw: Union[bytes, bytearray]) -> bool:
    r"""Say whether a ``\ud800`` to ``\udfff`` escape lacks its other half."""
    global _lone_escape
    if _lone_escape is None:
        import re

        high = rb"[89abAB][0-9a-fA-F]{2}"
        low = rb"[c-fC-F]"
        start = rb"\\u[dD]"
        # One literal start for both, so that the search can jump to it.
        _lone_escape = re.compile(
            rb"%s(?:%s(?!%s%s)|%s(?<!%s%s%s.))"
            % (start, high, start, low, low, start, high, start)
        )
    if b"\\\\" in raw:
        raw = raw.replace(b"\\\\", b"..")
    return _lone_escape.search(raw) is not None


# ---------------------------------------------------------------- exact reading


def parse_exact(document: _Document) -> Any:
    """Return the value of a JSON document, by the long way that is always right."""
    if isinstance(document, str):
        try:
            raw = document.encode("utf-8")
        except UnicodeEncodeError:
            raise NotText("Lone surrogate in the document") from None
    else:
        raw = bytes(document)
    grammar = _grammar_cache or _load_grammar()
    # The containers around the current place, and the key to fill in each dict.
    around: List[Tuple[Any, str]] = []
    place = _after(grammar.space, raw, 0)
    while True:
        if around and type(around[-1][0]) is list and len(around) <= _DEPTH_LIMIT:
            place = _read_numbers(grammar, raw, place, around[-1][0])
        value, place = _read_start(grammar, raw, place, len(around))
        if type(value) is _Opened:
            around.append((value.container, value.key))
            continue
        # The value is whole: put it where it belongs, close what ends here.
        while around:
            container, key = around[-1]
            if type(container) is list:
                container.append(value)
            else:
                container[key] = value
            place = _after(grammar.space, raw, place)
            more, place, key = _read_separator(grammar, raw, place, type(container) is list)
            if more:
                around[-1] = (container, key)
                break
            value = container
            around.pop()
        else:
            place = _after(grammar.space, raw, place)
            if place < len(raw):
                raise _fault("trailing characters", raw, place)
            return value


class _Opened:
    """A container whose first member is still to be read."""

    __slots__ = ("container", "key")

    def __init__(self, container: Any, key: str) -> None:
        self.container = container
        self.key = key


class _Grammar:
    """The compiled patterns of the exact reader."""

    def __init__(self) -> None:
        import re

        self.space = re.compile(rb"[ \t\n\r]*")
        self.number = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
        # Numbers with the comma and the start of another number behind them;
        # bounded, as the pattern engine keeps a record of every repetition.
        self.numbers = re.compile(
            rb"(?:-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?[ \t\n\r]*,[ \t\n\r]*){1,5000}"
            rb"(?=[-0-9])"
        )
        self.plain = re.compile(rb'[^"\\\x00-\x1f]*')
        self.hex = re.compile(rb"[0-9a-fA-F]*")


_grammar_cache: Optional[_Grammar] = None


def _load_grammar() -> _Grammar:
    global _grammar_cache
    _grammar_cache = _Grammar()
    return _grammar_cache


def _fault(problem: str, raw: bytes, index: int) -> JsonError:
    """Make the error for the byte at `index`; at the end, for what came before."""
    end = min(index + 1, len(raw))
    line = raw.count(b"\n", 0, end) + 1
    column = end - (raw.rfind(b"\n", 0, end) + 1)
    return JsonError("%s at line %d column %d" % (problem, line, column))


def _after(space: "Pattern[bytes]", raw: bytes, place: int) -> int:
    """Return the place of the next byte that is no white space."""
    if raw[place : place + 1] > b" ":
        return place
    return space.match(raw, place).end()  # type: ignore[union-attr]  # matches ""


_NAMED_VALUES: Dict[bytes, Tuple[bytes, Any]] = {
    b"n": (b"null", None),
    b"t": (b"true", True),
    b"f": (b"false", False),
    b"N": (b"NaN", float("nan")),
    b"I": (b"Infinity", float("inf")),
}


def _read_start(grammar: _Grammar, raw: bytes, place: int, depth: int) -> Tuple[Any, int]:
    """Read a scalar or an empty container, or open one, at `place`."""
    first = raw[place : place + 1]
    if not first:
        raise _fault("EOF while parsing a value", raw, place)
    if depth > _DEPTH_LIMIT:
        raise _fault("recursion limit exceeded", raw, place)
    if first == b'"':
        return _read_string(grammar, raw, place + 1)
    if first in b"-0123456789":
        return _read_number(grammar, raw, place)
    if first == b"[":
        place = _after(grammar.space, raw, place + 1)
        if raw[place : place + 1] == b"]":
            return [], place + 1
        if place >= len(raw):
            raise _fault("EOF while parsing a list", raw, place)
        return _Opened([], ""), place
    if first == b"{":
        place = _after(grammar.space, raw, place + 1)
        if raw[place : place + 1] == b"}":
            return {}, place + 1
        if place >= len(raw):
            raise _fault("EOF while parsing an object", raw, place)
        key, place = _read_key(grammar, raw, place)
        return _Opened({}, key), place
    if first in _NAMED_VALUES:
        word, value = _NAMED_VALUES[first]
        return value, _read_word(word, raw, place)
    raise _fault("expected value", raw, place)


def _read_separator(
    grammar: _Grammar, raw: bytes, place: int, in_list: bool
) -> Tuple[bool, int, str]:
    """Read what follows a member: (more to come, place after it, next key)."""
    mark = raw[place : place + 1]
    if mark == b",":
        place = _after(grammar.space, raw, place + 1)
        after = raw[place : place + 1]
        if not after:
            raise _fault("EOF while parsing a value", raw, place)
        if after == (b"]" if in_list else b"}"):
            raise _fault("trailing comma", raw, place)
        if in_list:
            return True, place, ""
        key, place = _read_key(grammar, raw, place)
        return True, place, key
    if mark == (b"]" if in_list else b"}"):
        return False, place + 1, ""
    if not mark:
        raise _fault("EOF while parsing %s" % ("a list" if in_list else "an object"), raw, place)
    raise _fault("expected `,` or `%s`" % ("]" if in_list else "}"), raw, place)


def _read_key(grammar: _Grammar, raw: bytes, place: int) -> Tuple[str, int]:
    """Read a key and its colon; return the place of the value."""
    if raw[place : place + 1] != b'"':
        raise _fault("key must be a string", raw, place)
    key, place = _read_string(grammar, raw, place + 1)
    place = _after(grammar.space, raw, place)
    if place >= len(raw):
        raise _fault("EOF while parsing an object", raw, place)
    if raw[place : place + 1] != b":":
        raise _fault("expected `:`", raw, place)
    return key, _after(grammar.space, raw, place + 1)


def _read_word(word: bytes, raw: bytes, place: int) -> int:
    """Read `word`, of which the first byte is known; return the place after it."""
    if raw.startswith(word, place):
        return place + len(word)
    for offset, byte in enumerate(word):
        if place + offset >= len(raw):
            break
        if raw[place + offset] != byte:
            raise _fault("expected ident", raw, place + offset)
    raise _fault("EOF while parsing a value", raw, len(raw))


def _read_number(grammar: _Grammar, raw: bytes, place: int) -> Tuple[Any, int]:
    """Read an int or a float (or -Infinity)."""
    match = grammar.number.match(raw, place)
    if match is None:
        if raw[place + 1 : place + 2] == b"I":
            return float("-inf"), _read_word(b"Infinity", raw, place + 1)
        raise _bad_number(raw, place + 1)
    whole, fraction, exponent = match.groups()
    if len(whole) > _DIGITS_LIMIT:
        raise _fault("number out of range", raw, match.start(1) + _DIGITS_LIMIT + 1)
    end = match.end()
    after = raw[end : end + 1]
    if exponent is None and after and after in b".eE0123456789":
        if after in b"eE":
            sign = raw[end + 1 : end + 2]
            raise _bad_number(raw, end + (2 if sign and sign in b"+-" else 1))
        if fraction is None:
            raise _bad_number(raw, end + (after == b"."))
    if fraction is None and exponent is None:
        number = _to_int(whole)
        return (-number if match.start(1) > place else number), end
    return float(match.group()), end


def _read_numbers(grammar: _Grammar, raw: bytes, place: int, items: List[Any]) -> int:
    """Read a run of short numbers at once; only for speed, the last one stays."""
    while True:
        match = grammar.numbers.match(raw, place)
        if match is None:
            return place
        place = match.end()
        numbers = match.group().split(b",")
        del numbers[-1]
        if b"." in match.group():
            items += [float(number) if b"." in number else int(number) for number in numbers]
        else:
            items += map(int, numbers)


def _bad_number(raw: bytes, place: int) -> JsonError:
    """Make the error for a byte that should have been a digit."""
    if place >= len(raw):
        return _fault("EOF while parsing a value", raw, place)
    return _fault("invalid number", raw, place)


def _to_int(digits: bytes) -> int:
    """Return int(digits) whatever limit the interpreter has."""
    if len(digits) <= _DIGITS_SURE:
        return int(digits)
    half = len(digits) // 2
    low = digits[-half:]
    scale: int = 10**half
    return _to_int(digits[:-half]) * scale + _to_int(low)


_ESCAPES = {
    b'"': b'"',
    b"\\": b"\\",
    b"/": b"/",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
}


def _read_string(grammar: _Grammar, raw: bytes, start: int) -> Tuple[str, int]:
    """Read a string of which the first byte is at `start`; end after its quote."""
    parts: List[bytes] = []
    place = start
    while True:
        end = grammar.plain.match(raw, place).end()  # type: ignore[union-attr]  # matches ""
        parts.append(raw[place:end])
        stop = raw[end : end + 1]
        if stop == b'"':
            break
        if not stop:
            raise _fault("EOF while parsing a string", raw, end)
        if stop != b"\\":
            problem = "control character (\\u0000-\\u001F) found while parsing a string"
            raise _fault(problem, raw, end)
        letter = raw[end + 1 : end + 2]
        if letter == b"u":
            character, place = _read_hex(grammar, raw, end + 2)
            parts.append(character.encode("utf-8"))
        elif letter in _ESCAPES:
            parts.append(_ESCAPES[letter])
            place = end + 2
        elif letter:
            raise _fault("invalid escape", raw, end + 1)
        else:
            raise _fault("EOF while parsing a string", raw, end + 1)
    joined = b"".join(parts)
    try:
        return joined.decode("utf-8"), end + 1
    except UnicodeDecodeError as error:
        # The offset is the one in the decoded string: each escape before the
        # bad byte moves the column to the left.
        offset = error.start
    raise _fault("invalid unicode code point", raw, start + offset)


def _read_hex(grammar: _Grammar, raw: bytes, place: int) -> Tuple[str, int]:
    r"""Read the digits of a ``\u`` escape, and the second half of a pair."""
    code = _read_four(grammar, raw, place)
    place += 4
    if 0xDC00 <= code < 0xE000:
        raise _fault("lone leading surrogate in hex escape", raw, place - 1)
    if 0xD800 <= code < 0xDC00:
        for expected in (b"\\", b"u"):
            found = raw[place : place + 1]
            if not found:
                raise _fault("EOF while parsing a string", raw, place)
            if found != expected:
                raise _fault("unexpected end of hex escape", raw, place)
            place += 1
        low = _read_four(grammar, raw, place)
        place += 4
        if not 0xDC00 <= low < 0xE000:
            raise _fault("lone leading surrogate in hex escape", raw, place - 1)
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
    return chr(code), place


def _read_four(grammar: _Grammar, raw: bytes, place: int) -> int:
    """Read four hexadecimal digits."""
    if place + 4 > len(raw):
        raise _fault("EOF while parsing a string", raw, len(raw))
    good = grammar.hex.match(raw, place, place + 4).end()  # type: ignore[union-attr]  # matches ""
    if good < place + 4:
        raise _fault("invalid escape", raw, good)
    return int(raw[place : place + 4], 16)
