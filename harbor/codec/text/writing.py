"""Plain Python values to JSON text.

In comes a tree of ``None``, ``bool``, ``int``, ``float``, ``str``, ``list``,
``dict`` and `Pairs`; out goes its text.  Float forms and escapes are those of
pydantic 2.14.4.

This module knows nothing of fields, types or models, and it writes no files.  The
standard ``json`` does the work wherever it is sure to give the same result; the
rest is done here, without recursion.  ``json`` and the patterns are loaded on
first use, so that importing the models does not cost them.
"""

import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

if TYPE_CHECKING:
    from re import Pattern

from .growing import consist_of, write_lists

__all__ = [
    "Pairs",
    "format_float",
    "is_plain",
    "Layout",
    "join_pieces",
    "make_layout",
    "quote",
    "write_members",
    "render",
    "write_float_list",
    "write_int_lists",
    "write_plain",
    "write_plain_at",
]

# No interpreter setting makes str() refuse this many digits.
_DIGITS_WRITTEN = 640
# The C encoder recurses, and how deep it may differs: deeper trees go without.
_PLAIN_DEPTH = 100


class Pairs(List[Tuple[str, Any]]):
    """A JSON object as (key, value) pairs, so that one key may stand twice."""

    __slots__ = ()


def render(
    tree: Any,
    *,
    indent: Optional[int] = None,
    ensure_ascii: bool = False,
    inf_nan: str = "null",
) -> str:
    """Return the JSON text of a tree of plain values.

    `tree` is made of exactly None, bool, int, float, str, list, dict with str
    keys and `Pairs`, without cycles.  Compact, or with `indent` spaces a level.
    `inf_nan` is "null", "constants" (NaN) or "strings" ("NaN").  Raises
    UnicodeEncodeError, as ``str.encode`` words it, for a lone surrogate.
    """
    text = None
    odd = _find_odd(tree) if type(tree) in _CONTAINERS else {id(tree)}
    if indent is None and not odd:
        try:
            text = _encode_plain(tree, ",")
        except (ValueError, RecursionError):
            pass  # a long int, or a caller that left too little stack
    if text is None:
        text = "".join(_write_tree(tree, odd, indent, _INF_NAN_WORDS[inf_nan]))
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            _refuse_surrogates(tree)
        if ensure_ascii:
            text = _escape_wide(text)
    return text


_NONE_TYPE = type(None)
_CONTAINERS = frozenset([list, dict, Pairs])
_FLAT_KINDS = frozenset([_NONE_TYPE, bool, int, float, str])
_SETTLED_KINDS = frozenset([_NONE_TYPE, bool, int, str])
_EXACT_KINDS = _FLAT_KINDS | {list, dict}
_FLOAT_ONLY = frozenset([float])
_NUMBER_KINDS = frozenset([_NONE_TYPE, bool, int, float])
_INF_NAN_WORDS = {
    "null": ("null", "null", "null"),
    "constants": ("NaN", "Infinity", "-Infinity"),
    "strings": ('"NaN"', '"Infinity"', '"-Infinity"'),
}
_FLOAT_MAX = sys.float_info.max


def is_plain(value: Any, depth: int = _PLAIN_DEPTH) -> bool:
    """Say whether the standard encoder writes `value` just as we must.

    True only for exact JSON types with str keys, at most `depth` deep, whose
    floats look the same in Python.  Lone surrogates and long ints are not
    looked for.
    """
    kind = type(value)
    if kind is float:
        return bool(1e-4 <= value <= _FLOAT_MAX or -_FLOAT_MAX <= value <= -1e-4 or -1e-9 < value < 1e-9)
    if kind is not dict and kind is not list:
        return kind in _SETTLED_KINDS
    if depth <= 0:
        return False
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                return False
            # A positive number of usual size, most floats, needs no closer look.
            if type(item) in _SETTLED_KINDS or type(item) is float and 1e-4 <= item <= _FLOAT_MAX:
                continue
            if not is_plain(item, depth - 1):
                return False
        return True
    if _SETTLED_KINDS.issuperset(map(type, value)):
        return True
    if _NUMBER_KINDS.issuperset(map(type, value)):
        return not _has_odd_float([item for item in value if type(item) is float])
    return all(is_plain(item, depth - 1) for item in value)


def write_plain(value: Any) -> str:
    """Return the compact text of a value that `is_plain`; lone surrogates stay as they are."""
    return (_encoders_cache.get(",") or _load_encode(","))(value)


def write_members(members: Dict[Any, Any]) -> Optional[str]:
    """Return the compact text of an exact dict; None if it is not plain. Lone surrogates stay as they are."""
    if len(members) > _FEW_MEMBERS:
        return write_plain(members) if is_plain(members) else None
    if not members:
        return "{}"
    encode, starts = _quote_cache or _load_quote(), _key_texts
    out = "{"
    for key, item in members.items():
        if type(key) is not str:
            return None
        try:
            start = starts[key]
        except KeyError:
            start = _write_key(key)
        kind = type(item)
        # Of a few members one text that grows is faster than pieces that are joined.
        if kind is int or kind is float and 1e-4 <= item <= _FLOAT_MAX:
            out = f"{out}{start}{item!r},"
        elif kind is str:
            out = f"{out}{start}{encode(item)},"
        elif kind is bool:
            out = f"{out}{start}{'true' if item else 'false'},"
        elif item is None:
            out = f"{out}{start}null,"
        else:
            texts = [encode(part) if type(part) is str else "" for part in item] if kind is list else None
            if texts is not None and all(texts):
                out = f"{out}{start}[{','.join(texts)}],"
            elif is_plain(item):
                out = f"{out}{start}{write_plain(item)},"
            else:
                return None
    return out[:-1] + "}"


# Keys as they stand in front of their values; people use few, over and over.
_key_texts: Dict[str, str] = {}
_MOST_KEY_TEXTS = 1000
_LONG_KEY = 50
_FEW_MEMBERS = 16


def _write_key(key: str) -> str:
    start = quote(key) + ":"
    if len(_key_texts) < _MOST_KEY_TEXTS and len(key) <= _LONG_KEY:
        _key_texts[key] = start
    return start


class Layout:
    """Where the members of a container stand: compact, or with `indent` spaces a level.

    ``newline`` and ``comma`` part them, ``colon`` stands behind a key, ``inf_nan`` says how floats that are not finite
    are written, ``skips_none`` that fields that are None are not.
    """

    __slots__ = ("indent", "inf_nan", "skips_none", "depth", "newline", "comma", "colon", "_inner")

    def __init__(self, indent: Optional[int], inf_nan: str, skips_none: bool, depth: int = 0) -> None:
        self.indent = indent
        self.inf_nan = inf_nan
        self.skips_none = skips_none
        self.depth = depth
        self.newline = "" if indent is None else "\n" + " " * (indent * depth)
        self.comma = "," + self.newline
        self.colon = ":" if indent is None else ": "
        self._inner: Optional[Layout] = None

    def inner(self) -> "Layout":
        """Return the layout one level further in."""
        if self.indent is None:
            return self
        if self._inner is None:
            self._inner = Layout(self.indent, self.inf_nan, self.skips_none, self.depth + 1)
        return self._inner


_COMPACT = Layout(None, "null", False)


def make_layout(indent: Optional[int], inf_nan: str = "null", skips_none: bool = False) -> Layout:
    """Return the layout of a document's root."""
    if indent is None and inf_nan == "null" and not skips_none:
        return _COMPACT
    return Layout(indent, inf_nan, skips_none)


def write_plain_at(value: Any, layout: Layout) -> str:
    """Return the text of a value that `is_plain` where a layout puts it."""
    if layout.indent is None or type(value) not in _CONTAINERS:
        return write_plain(value)
    return "".join(_write_tree(value, set(), layout.indent, _INF_NAN_WORDS["null"], layout.depth))


def write_tree_at(tree: Any, layout: Layout) -> str:
    """Return the text of a tree, as `render` takes it, where a layout puts it."""
    odd = _find_odd(tree) if type(tree) in _CONTAINERS else {id(tree)}
    return "".join(_write_tree(tree, odd, layout.indent, _INF_NAN_WORDS[layout.inf_nan], layout.depth))


def write_int_lists(lists: List[Any], out: List[str], layout: Layout) -> bool:
    """Add the text of a list of lists of ints to ``out``; False if it is something else."""
    if not lists:
        out.append("[]")
        return True
    inner = layout.inner()
    comma = inner.inner().comma
    encode = _encoders_cache.get(comma) or _load_encode(comma)
    if not write_lists(lists, out, encode, inner.newline, inner.inner().newline):
        return False
    out.append(layout.newline + "]")
    return True


def write_float_list(floats: List[Any], layout: Layout) -> Optional[str]:
    """Return the text of a list of floats in pydantic's forms; None if it is something else."""
    if not consist_of(floats, _FLOAT_ONLY):
        return None
    if not floats:
        return "[]"
    inner = layout.inner()
    encode = _encoders_cache.get(inner.comma) or _load_encode(inner.comma)
    text = _mend_floats(encode(floats), inner.comma, _INF_NAN_WORDS[layout.inf_nan])
    return text if layout.indent is None else "[" + inner.newline + text[1:-1] + layout.newline + "]"


def join_pieces(pieces: List[str]) -> Optional[str]:
    """Return the pieces as one text, or None if one holds a lone surrogate."""
    text = "".join(pieces)
    if not text.isascii():
        try:
            for piece in pieces:
                if not piece.isascii():
                    piece.encode("utf-8")
        except UnicodeEncodeError:
            return None
    return text


def _find_odd(tree: Any) -> Set[int]:
    """Return the ids of all containers that the standard encoder would get wrong."""
    odd: Set[int] = set()
    levels: List[List[Tuple[Any, List[Any]]]] = []
    level: List[Any] = [tree]
    while level:
        rows: List[Tuple[Any, List[Any]]] = []
        below: List[Any] = []
        for container in level:
            plain, inner = _look_into(container)
            if not plain or len(levels) >= _PLAIN_DEPTH:
                odd.add(id(container))
            if inner:
                rows.append((container, inner))
                below += inner
        levels.append(rows)
        level = below
    if odd:
        # What holds an odd container is odd too.
        for rows in reversed(levels):
            for container, inner in rows:
                if not odd.isdisjoint(map(id, inner)):
                    odd.add(id(container))
    return odd


def _look_into(container: Any) -> Tuple[bool, List[Any]]:
    """Return whether a container is plain by itself, and the containers in it."""
    kind = type(container)
    plain = True
    if kind is list:
        items = container
    elif kind is dict:
        items = container.values()
        plain = {str}.issuperset(map(type, container))
    else:
        items = [value for _, value in container]
        plain = False
    kinds = set(map(type, items))
    inner = []
    if not kinds <= _FLAT_KINDS:
        plain = plain and kinds <= _EXACT_KINDS
        inner = [item for item in items if type(item) in _CONTAINERS]
    if plain and float in kinds:
        floats = items if len(kinds) == 1 else [item for item in items if type(item) is float]
        plain = not _has_odd_float(floats)
    return plain, inner


def _has_odd_float(floats: Any) -> bool:
    """Say whether Python writes one of the floats in another form than we must."""
    for x in floats:
        if not (1e-4 <= x <= _FLOAT_MAX or -_FLOAT_MAX <= x <= -1e-4 or -1e-9 < x < 1e-9):
            return True
    return False


_encoders_cache: Dict[str, Callable[[Any], str]] = {}


def _encode_plain(value: Any, separator: str) -> str:
    """Encode with the standard library; `separator` stands between elements."""
    encode = _encoders_cache.get(separator) or _load_encode(separator)
    return encode(value)


def _load_encode(separator: str) -> Callable[[Any], str]:
    import json
    import json.encoder

    encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(separator, ":"))
    encode: Callable[[Any], str] = encoder.encode
    make_encoder = getattr(json.encoder, "c_make_encoder", None)
    if make_encoder is not None:
        # The public encoder makes one of these for every document.
        pieces = make_encoder(
            None, encoder.default, json.encoder.encode_basestring, None, ":", separator, False, False, True
        )

        def encode_pieces(value: Any) -> str:
            return "".join(pieces(value, 0))

        encode = encode_pieces
    if len(_encoders_cache) > 1000:
        _encoders_cache.clear()
    _encoders_cache[separator] = encode
    return encode


def _write_tree(
    tree: Any, odd: Set[int], indent: Optional[int], words: Tuple[str, str, str], outer: int = 0
) -> List[str]:
    """Return the pieces of the text of a tree `outer` levels deep, walking with a stack of our own."""
    out: List[str] = []
    around: List[Tuple[Iterator[Tuple[str, Any]], str]] = [(iter([("", tree)]), "")]
    while around:
        members, closing = around[-1]
        for lead, value in members:
            out.append(lead)
            if type(value) not in _CONTAINERS:
                out.append(_write_scalar(value, words))
            elif not value:
                out.append("[]" if type(value) is list else "{}")
            else:
                depth = len(around) + outer
                newline = "" if indent is None else "\n" + " " * (indent * depth)
                text = _write_at_once(value, id(value) in odd, newline, indent, words)
                end = "" if indent is None else "\n" + " " * (indent * (depth - 1))
                is_list = type(value) is list
                if text is not None:
                    out.append(text if indent is None else "[" + newline + text[1:-1] + end + "]")
                    continue
                out.append("[" if is_list else "{")
                lines = _list_members(value, newline) if is_list else _dict_members(value, newline)
                around.append((lines, end + ("]" if is_list else "}")))
                break
        else:
            out.append(closing)
            around.pop()
    return out


def _list_members(items: List[Any], newline: str) -> Iterator[Tuple[str, Any]]:
    """Yield the text before each element, and the element."""
    lead = newline
    for item in items:
        yield lead, item
        lead = "," + newline


def _dict_members(members: Any, newline: str) -> Iterator[Tuple[str, Any]]:
    """Yield the text before each value, and the value."""
    lead = newline
    colon = ": " if newline else ":"
    for key, value in members.items() if type(members) is dict else members:
        yield lead + quote(key) + colon, value
        lead = "," + newline


def _write_at_once(
    value: Any, is_odd: bool, newline: str, indent: Optional[int], words: Tuple[str, str, str]
) -> Optional[str]:
    """Return the text of a container the standard encoder can do, else None."""
    separator = "," + newline
    try:
        if indent is None and not is_odd:
            return _encode_plain(value, separator)
        if type(value) is not list:
            return None
        kinds = set(map(type, value))
        if kinds <= _NUMBER_KINDS:
            text = _encode_plain(value, separator)
            return _mend_floats(text, separator, words) if float in kinds else text
        if kinds <= _FLAT_KINDS and not is_odd:
            return _encode_plain(value, separator)
    except (ValueError, RecursionError):
        pass  # a long int, or a caller that left too little stack
    return None


# Fewer exponents than one in so many characters are looked at one by one.
_FEW_AMONG = 500


def _mend_floats(text: str, separator: str, words: Tuple[str, str, str]) -> str:
    """Turn the standard encoder's list of numbers into our float forms."""
    if "N" in text or "I" in text:
        nan, inf, minus_inf = words
        # Hidden first, so that no word is replaced inside another.
        text = text.replace("-Infinity", "-I").replace("Infinity", "+I").replace("NaN", nan)
        text = text.replace("-I", minus_inf).replace("+I", inf)
    n_exponents = text.count("e")
    if n_exponents > len(text) // _FEW_AMONG:
        parts = text[1:-1].split(separator)
        mended = [_widen(part) if "e-0" in part else part for part in parts]
        text = "[" + separator.join(mended) + "]"
    elif n_exponents:
        pieces = []
        done = place = 0
        for _ in range(n_exponents):
            place = text.find("e", place + 1)
            if not text.startswith("e-0", place):
                continue
            before, after = text.rfind(separator, done, place), text.find(separator, place)
            start = before + len(separator) if before >= 0 else 1
            end = after if after >= 0 else len(text) - 1
            pieces += [text[done:start], _widen(text[start:end])]
            done = end
        text = "".join(pieces) + text[done:]
    return text


def _write_scalar(value: Any, words: Tuple[str, str, str]) -> str:
    """Return the text of a value that is no container."""
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is float:
        if value - value == 0:
            return format_float(value)
        return words[0] if value != value else words[1] if value > 0 else words[2]
    if kind is int:
        return _format_int(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    raise TypeError("Not a plain JSON value: %r" % (value,))


def format_float(x: float) -> str:
    """Return the JSON text of a finite float: positional from 1e-5 to 1e16."""
    text = float.__repr__(x)
    return _widen(text) if "e-0" in text else text


def _widen(text: str) -> str:
    """Mend an exponent from -05 to -09, which Python pads: 1.5e-05 is 0.000015."""
    mantissa, _, exponent = text.partition("e-0")
    if exponent != "5":
        return mantissa + "e-" + exponent
    sign = "-" if mantissa[0] == "-" else ""
    return sign + "0.0000" + mantissa.lstrip("-").replace(".", "")


def _format_int(number: int) -> str:
    """Return str(number) whatever limit the interpreter has."""
    try:
        return int.__repr__(number)
    except ValueError:
        sign = "-" if number < 0 else ""
        # log10(2) rounded up, so never too few.
        width = abs(number).bit_length() * 30103 // 100000 + 1
        return sign + _to_digits(abs(number), width).lstrip("0")


def _to_digits(number: int, width: int) -> str:
    """Return a number below 10**width with leading zeros."""
    if width <= _DIGITS_WRITTEN:
        return int.__repr__(number).zfill(width)
    half = width // 2
    high, low = divmod(number, 10**half)
    return _to_digits(high, width - half) + _to_digits(low, half)


_quote_cache: Optional[Callable[[str], str]] = None


def quote(s: str, ensure_ascii: bool = False) -> str:
    """Return a string as JSON text, quotes included."""
    text = (_quote_cache or _load_quote())(s)
    return _escape_wide(text) if ensure_ascii else text


def _load_quote() -> Callable[[str], str]:
    global _quote_cache
    from json.encoder import encode_basestring

    _quote_cache = encode_basestring
    return encode_basestring


_wide_pattern: Optional["Pattern[str]"] = None


def _escape_wide(text: str) -> str:
    r"""Write all that is not ASCII as ``\uxxxx``; unlike in ``json``, DEL stays."""
    global _wide_pattern
    if text.isascii():
        return text
    if _wide_pattern is None:
        import re

        _wide_pattern = re.compile("[^\x00-\x7f]+")
    from json.encoder import encode_basestring_ascii

    return _wide_pattern.sub(lambda match: encode_basestring_ascii(match.group())[1:-1], text)


def _refuse_surrogates(tree: Any) -> None:
    """Raise the UnicodeEncodeError of the first string that has a lone surrogate."""
    around: List[Iterator[Any]] = [iter([tree])]
    while around:
        for value in around[-1]:
            kind = type(value)
            if kind is str:
                value.encode("utf-8")
            elif kind is list:
                around.append(iter(value))
                break
            elif kind in _CONTAINERS:
                pairs = value.items() if kind is dict else value
                around.append(iter([part for pair in pairs for part in pair]))
                break
        else:
            around.pop()
