"""Values that a Python literal cannot spell, for the golden cases.

A golden case stores its input as a literal with tags: a dict whose only key
is a string that starts with `$`. `decode` turns such a literal into the real
objects. The recorded texts contain reprs of the classes defined here and the
name of this module, so neither may be renamed without recording anew.

Nothing here knows how a case is run; that is `golden`.
"""

import array
import ast
import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import re
import types
import uuid
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

__all__ = ["decode", "decode_text"]

#: Gives the class under test that has this name.
FindClass = Callable[[str], Any]


# Enums -----------------------------------------------------------------------


class Color(enum.Enum):
    RED = "red"
    NUM = 7
    TUP = (1, 2)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Shade(str, enum.Enum):
    DARK = "dark"
    TWELVE = "12"


class Ratio(float, enum.Enum):
    HALF = 0.5
    ONE = 1.0


class Perm(enum.IntFlag):
    R = 4
    W = 2


# Subclasses of builtins ------------------------------------------------------


class IntSub(int):
    pass


class IntSubRepr(int):
    def __repr__(self) -> str:
        return "IntSubRepr!"

    __str__ = __repr__


class StrSub(str):
    pass


class FloatSub(float):
    pass


class BytesSub(bytes):
    pass


class ListSub(list):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


class TupleSub(tuple):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


class DictSub(dict):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


class SetSub(set):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


@dataclasses.dataclass
class Point:
    x: Any = 1
    y: Any = 2


class Pair(collections.namedtuple("Pair", ["a", "b"])):
    __slots__ = ()


# Objects that offer one protocol and nothing else ----------------------------


class Wrapper:
    """Hold one value; the repr is the class name around it."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __repr__(self) -> str:
        return "{}({!r})".format(type(self).__name__, self.held)


class Index(Wrapper):
    def __index__(self) -> Any:
        return self.held


class IntLike(Wrapper):
    def __int__(self) -> Any:
        return self.held


class FloatLike(Wrapper):
    def __float__(self) -> Any:
        return self.held


class IterOnly(Wrapper):
    def __iter__(self) -> Iterator[Any]:
        return iter(self.held)


class SeqLike(Wrapper):
    """The sequence protocol from before `__iter__`."""

    def __len__(self) -> int:
        return len(self.held)

    def __getitem__(self, index: Any) -> Any:
        return self.held[index]


class AbcSequence(SeqLike, collections.abc.Sequence):  # type: ignore[type-arg]  # not subscriptable on 3.8
    pass


class KeysGet(Wrapper):
    def __init__(self, items: Any) -> None:
        super().__init__(dict(items))

    def keys(self) -> Any:
        return self.held.keys()

    def __getitem__(self, key: Any) -> Any:
        return self.held[key]


class AbcMapping(KeysGet, collections.abc.Mapping):  # type: ignore[type-arg]  # not subscriptable on 3.8
    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.held)


class BadMapping(collections.abc.Mapping):  # type: ignore[type-arg]  # not subscriptable on 3.8
    """A mapping of one item that cannot be looked at."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("iteration failed")

    def __getitem__(self, key: Any) -> Any:
        raise RuntimeError("lookup failed")

    def __repr__(self) -> str:
        return "BadMapping()"


class Attrs:
    """Carry the given names as attributes."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __repr__(self) -> str:
        return "Attrs({})".format(", ".join("{}={!r}".format(*item) for item in vars(self).items()))


class Plain:
    def __repr__(self) -> str:
        return "Plain()"


class NoRepr:
    pass


class BadRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr for you")


class Slots:
    __slots__ = ("a",)

    def __init__(self) -> None:
        self.a = 1

    def __repr__(self) -> str:
        return "Slots()"


def zoo_function(x: Any) -> Any:
    return x


OBJECTS: Dict[str, Callable[[], Any]] = {
    "object": object,
    "NoRepr": NoRepr,
    "Plain": Plain,
    "BadRepr": BadRepr,
    "Slots": Slots,
    "class": lambda: Plain,
    "builtin_class": lambda: int,
    "enum_class": lambda: Color,
    "function": lambda: zoo_function,
    "builtin": lambda: len,
    "exception": lambda: ValueError("boom"),
    "exception_class": lambda: ValueError,
    "module": lambda: types.ModuleType("corpusmod"),
    "ellipsis": lambda: Ellipsis,
    "notimplemented": lambda: NotImplemented,
    "slice": lambda: slice(1, 2, 3),
    "namespace": lambda: types.SimpleNamespace(a=1),
    "typing_list": lambda: List[int],
    "utc": lambda: datetime.timezone.utc,
}


# Makers ----------------------------------------------------------------------


def _generator(items: Iterable[Any]) -> Iterator[Any]:
    yield from items


def _raising(items: Iterable[Any]) -> Iterator[Any]:
    yield from items
    raise ValueError("generator broke")


def _make_cycle(kind: str) -> Any:
    """Build a list or dict that contains itself."""
    if kind == "list":
        loop: List[Any] = []
        loop.append(loop)
        return loop
    top: Dict[str, Any] = {}
    if kind == "dict":
        top["self"] = top
    else:
        top["a"] = [1, {"back": top}]
    return top


def _make_nest(kind: str, depth: int, leaf: Any) -> Any:
    """Put the leaf inside that many lists, tuples or dicts."""
    wrap: Dict[str, Callable[[Any], Any]] = {
        "dict": lambda v: {"a": v},
        "list": lambda v: [v],
        "tuple": lambda v: (v,),
    }
    for _ in range(depth):
        leaf = wrap[kind](leaf)
    return leaf


def _make_zone(offset: Optional[int] = None) -> Optional[datetime.timezone]:
    """Give the zone that many seconds east of UTC."""
    return None if offset is None else datetime.timezone(datetime.timedelta(seconds=offset))


def _make_datetime(parts: List[Any]) -> datetime.datetime:
    """Take year to microsecond (any number of them), and as an eighth part the offset."""
    return datetime.datetime(*parts[:7]).replace(tzinfo=_make_zone(*parts[7:]))


def _make_time(parts: List[Any]) -> datetime.time:
    """Take hour to microsecond (any number of them), and as a fifth part the offset."""
    return datetime.time(*parts[:4]).replace(tzinfo=_make_zone(*parts[4:]))


def _make_enum(name: str) -> enum.Enum:
    if name == "Perm.RW":
        return Perm.R | Perm.W
    owner, member = name.split(".")
    found: enum.Enum = globals()[owner][member]
    return found


#: Tag -> maker; the payload, decoded, is its only argument.
MAKERS: Dict[str, Callable[[Any], Any]] = {
    "$float": lambda v: float.fromhex(v) if "x" in v.lower() else float(v),
    "$pow": lambda v: v[0] ** v[1] + sum(v[2:]),
    "$neg": lambda v: -v,
    "$rep": lambda v: v[0] * v[1],
    "$pynest": lambda v: _make_nest(*v),
    "$cycle": _make_cycle,
    "$decimal": decimal.Decimal,
    "$fraction": lambda v: fractions.Fraction(*v),
    "$datetime": _make_datetime,
    "$date": lambda v: datetime.date(*v),
    "$time": _make_time,
    "$timedelta": lambda v: datetime.timedelta(*v),
    "$path": pathlib.Path,
    "$purewin": pathlib.PureWindowsPath,
    "$uuid": uuid.UUID,
    "$ip": ipaddress.ip_address,
    "$net": ipaddress.ip_network,
    "$iface": ipaddress.ip_interface,
    "$re": re.compile,
    "$reb": re.compile,
    "$set": set,
    "$frozenset": frozenset,
    "$deque": collections.deque,
    "$range": lambda v: range(*v),
    "$gen": _generator,
    "$raisegen": _raising,
    "$iter": iter,
    "$map": lambda v: map(lambda x: x, v),
    "$zip": lambda v: zip(v),
    "$array": lambda v: array.array(*v),
    "$keys": lambda v: dict(v).keys(),
    "$values": lambda v: dict(v).values(),
    "$items": lambda v: dict(v).items(),
    "$bytearray": bytearray,
    "$memoryview": memoryview,
    "$dict": dict,
    "$ordereddict": collections.OrderedDict,
    "$defaultdict": lambda v: collections.defaultdict(int, v),
    "$counter": lambda v: collections.Counter(dict(v)),
    "$chainmap": lambda v: collections.ChainMap(dict(v)),
    "$userdict": lambda v: collections.UserDict(dict(v)),
    "$userlist": collections.UserList,
    "$userstring": collections.UserString,
    "$mappingproxy": lambda v: types.MappingProxyType(dict(v)),
    "$intsub": IntSub,
    "$intsubrepr": IntSubRepr,
    "$strsub": StrSub,
    "$floatsub": FloatSub,
    "$bytessub": BytesSub,
    "$listsub": ListSub,
    "$tuplesub": TupleSub,
    "$dictsub": DictSub,
    "$setsub": SetSub,
    "$index": Index,
    "$intlike": IntLike,
    "$floatlike": FloatLike,
    "$attrs": lambda v: Attrs(**v),
    "$iteronly": IterOnly,
    "$seqlike": SeqLike,
    "$abcseq": AbcSequence,
    "$abcmap": AbcMapping,
    "$badmap": lambda v: BadMapping(),
    "$keysget": KeysGet,
    "$enum": _make_enum,
    "$dataclass": lambda v: Point(*v),
    "$namedtuple": lambda v: Pair(*v),
    "$obj": lambda v: OBJECTS[v](),
}


# Decoding --------------------------------------------------------------------


def _decode_model(tag: str, payload: Any, find_class: FindClass) -> Any:
    """Build what the tags about classes under test stand for."""
    if tag == "$modelclass":
        return find_class(payload)
    name, values = payload[0], decode(payload[1], find_class)
    cls = find_class(name)
    if tag == "$construct":
        return cls.model_construct(**values)
    if tag == "$submodel":
        cls = type("Sub" + name, (cls,), {"__module__": __name__})
    return cls(**values)


def decode(value: Any, find_class: FindClass) -> Any:
    """Turn a literal with tags into real objects, made afresh on every call.

    Tags are read from the outside in. An unknown tag is a KeyError.
    """
    if type(value) in (list, tuple):
        return type(value)(decode(item, find_class) for item in value)
    if type(value) is not dict:
        return value
    if len(value) == 1:
        ((tag, payload),) = value.items()
        if isinstance(tag, str) and tag.startswith("$"):
            if tag in ("$str", "$raw"):  # the payload itself, whatever it looks like
                return payload
            if tag in ("$model", "$construct", "$submodel", "$modelclass"):
                return _decode_model(tag, payload, find_class)
            return MAKERS[tag](decode(payload, find_class))
    return {key: decode(item, find_class) for key, item in value.items()}


def decode_text(text: str, find_class: FindClass) -> Any:
    """Decode the source text of a literal with tags."""
    return decode(ast.literal_eval(text), find_class)
