"""What every plan is, what one call carries along, and how a described type becomes a plan.

In: ``Hint``. Out: ``Plan`` objects, one class per kind of type, built once per class and kept on it. The kinds
themselves stand in the other modules of this folder, which register their makers here.
"""

import sys
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Set, Tuple

from ..errors import Fault, Invalid, clip_repr
from ..hints import Hint
from ..text.writing import Layout, is_plain, write_plain_at

# How exactly an input matched, for the choice a union makes.
LAX, STRICT, EXACT = 0, 1, 2

_MAX_NESTED = 255

NO_TYPES: FrozenSet[type] = frozenset()
# What `Plan.copy` gives for a value that only `Plan.dump` can judge.
NOT_COPIED: Any = object()


class CheckCall:
    """Options and state of one validation; ``exactness`` and ``n_fields_set`` serve unions.

    Options that are not given stand on the class, so that a call without any costs little.
    """

    from_json = False
    strings = False
    strict = False
    extra: Optional[str] = None
    from_attributes = False
    context: Any = None
    exactness = EXACT
    n_fields_set: Optional[int] = None
    in_union = False
    # Whether models are made the quick way: None before the first one, False once one of them was not right.
    quick: Optional[bool] = None
    # The inputs of recursive classes that are being checked.
    seen: Optional[Set[Tuple[int, int]]] = None
    # Whether the key of a JSON object is checked, which is text as if ``strings`` were set, but counts as less exact.
    in_key = False
    # The JSON document being read, as long as nobody has looked for keys that stand twice in one object.
    document: Any = None
    # Lists that are known to hold ints alone, by their id.
    proven: Dict[int, List[Any]] = {}
    # Whether objects may be RepeatedObjects, which must not come out again.
    has_repeats = False

    def lower(self, exactness: int) -> None:
        """Note that the input matched no better than this."""
        if exactness < self.exactness:
            self.exactness = exactness

    def enter(self, plan: "Plan", value: Any) -> Tuple[int, int]:
        """Note that a recursive plan checks a value; a value inside itself is a fault, and so is too deep a nest."""
        place = (id(plan), id(value))
        if self.seen is None:
            self.seen = set()
        if place in self.seen:
            raise self.invalid("recursion_loop", value)
        if len(self.seen) >= _MAX_NESTED:
            raise self.invalid("recursion_depth_exceeded", value)
        self.seen.add(place)
        return place

    def leave(self, place: Tuple[int, int]) -> None:
        """Note that it is done."""
        if self.seen is not None:
            self.seen.discard(place)

    def look_for_repeats(self, keys: Any) -> None:
        """Make sure that no key of an object stands twice in the document, or raise ``RepeatedKeys``.

        A reader of JSON keeps the last of two values; a dict of one type must check both.
        """
        document = self.document
        if document is None:
            return
        if len(keys) <= 16 or len(document) < 100000:
            escape: Any = "\\u" if isinstance(document, str) else b"\\u"
            if escape not in document and all(document.count(_quote_key(key, document)) == 1 for key in keys):
                return
        raise RepeatedKeys

    def invalid(self, kind: str, value: Any, ctx: Optional[Dict[str, Any]] = None) -> Invalid:
        """Make the exception for one fault of ``value``."""
        return Invalid([Fault(kind, value, ctx, self.from_json)])


class RepeatedKeys(Exception):
    """A sign that the document must be read again with every key of its objects."""


class RepeatedObject(Dict[str, Any]):
    """A JSON object in which a key stands twice: a dict, and all its ``pairs`` in order."""

    def __init__(self, pairs: List[Tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def forget_repeats(value: Any) -> Any:
    """Give a JSON value with plain dicts alone."""
    if isinstance(value, dict):
        return {key: forget_repeats(part) for key, part in value.items()}
    return [forget_repeats(part) for part in value] if isinstance(value, list) else value


def _quote_key(key: str, document: Any) -> Any:
    return '"%s"' % key if isinstance(document, str) else b'"%s"' % key.encode("utf-8", "surrogatepass")


class NotQuick(Exception):
    """A sign that models must be made the exact way."""


class Mismatch(Exception):
    """A value that is not what a plan dumps, raised only while a union looks for a choice that fits."""


class DumpCall:
    """Options and state of one dump.

    ``mode`` is "python" or "json"; ``text`` says that JSON text will be made of the result, where some errors
    differ. ``trial`` is set while a union tries its choices: None, "strict" or "lax". Options that are not given stand
    on the class.
    """

    mode = "python"
    text = False
    exclude_unset = False
    exclude_defaults = False
    exclude_none = False
    exclude_computed = False
    round_trip = False
    fallback: Any = None
    as_any = False
    polymorphic = False
    trial: Optional[str] = None
    field: Optional[str] = None
    depth = 0

    def __init__(self, mode: str = "python", text: bool = False) -> None:
        if mode == "json":
            self.mode = mode
            self.text = text
        self.warned: List[str] = []
        # The values that are being dumped, by their id.
        self.ids: Dict[int, int] = {}

    def warn(self, expected: str, value: Any) -> None:
        """Note a value of an unexpected type; inside a union's trial, give the choice up instead.

        None is never worth a warning: a field that was left out of a construction says nothing.
        """
        if value is None:
            return
        if self.trial is not None:
            raise Mismatch(self.describe_unexpected(expected, value))
        self.warned.append(self.describe_unexpected(expected, value))

    def warn_text(self, text: str) -> None:
        """Note a warning already put into words."""
        if self.trial is not None:
            raise Mismatch(text)
        self.warned.append(text)

    def miss_fields(self, expected: str, value: Any, n_wanted: int, n_found: int) -> Mismatch:
        """Give up a choice whose value lacks fields."""
        where = "" if self.field is None else "field_name=%r, " % self.field
        return Mismatch(
            "PydanticSerializationUnexpectedValue(Expected %d fields but got %d: Expected `%s` - serialized value may "
            "not be as expected [%sinput_value=%s, input_type=%s])"
            % (n_wanted, n_found, expected, where, clip_repr(value), type(value).__name__))

    def describe_unexpected(self, expected: str, value: Any) -> str:
        where = "" if self.field is None else "field_name=%r, " % self.field
        return (
            "PydanticSerializationUnexpectedValue(Expected `%s` - serialized value may not be as expected "
            "[%sinput_value=%s, input_type=%s])" % (expected, where, clip_repr(value), type(value).__name__))


class Plan:
    """How values of one type are checked and dumped.

    ``title`` names the type in errors, ``dump_title`` in a dump's warnings. ``exact`` holds the types whose values
    every check accepts as they are. ``check`` returns the checked value or raises ``Invalid``; ``dump`` returns plain
    data, or JSON-ready data in mode "json".
    """

    __slots__ = ("title", "dump_title", "exact")
    # Whether a union that found no choice with a strict look looks again for its sake.
    looks_twice = False
    title: str
    dump_title: str
    exact: FrozenSet[type]

    def check(self, value: Any, call: CheckCall) -> Any:
        raise NotImplementedError

    def lacks_keys(self, value: Any) -> bool:
        """Tell at C speed whether a check of a dict is sure to fail, because keys are missing."""
        return False

    def accepts(self, value: Any, call: CheckCall) -> bool:
        """Tell at C speed whether a value fresh from the JSON reader may stay as it is."""
        return type(value) in self.exact

    def writes_itself(self, value: Any) -> bool:
        """Tell whether the value as it stands is its own dump to JSON, without a warning; False means "unsure"."""
        kind = type(value)
        return kind in self.exact and (kind is not float or is_plain(value))

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        """Add the value's JSON text to ``out`` if it is surely right and nothing is to be said; else give False.

        After False, what was added to ``out`` is of no use.
        """
        if not self.writes_itself(value):
            return False
        out.append(write_plain_at(value, layout))
        return True

    def copy(self, value: Any) -> Any:
        """Give the value's dump in mode "python" if nothing is to be said of it, else ``NOT_COPIED``."""
        return value if type(value) in self.exact else NOT_COPIED

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        """Give the names of keys below which there are lists of lists of numbers, which tend to grow."""
        return frozenset()

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        raise NotImplementedError

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        """Dump a value that is the key of a dict."""
        raise NotImplementedError

    def schema(self, book: Any) -> Dict[str, Any]:
        """Describe the type as JSON schema; ``book`` collects what is referred to by name."""
        raise NotImplementedError


def check_part(plan: Plan, part: Any, call: CheckCall) -> Any:
    """Check a part of a container; where only text is read, a part must be text or a dict."""
    if call.strings:
        demand_text(part, call)
    elif type(part) in plan.exact and not call.in_union:
        return part
    return plan.check(part, call)


def demand_text(part: Any, call: CheckCall) -> None:
    """Refuse what is neither text nor a dict."""
    if not isinstance(part, (str, dict)):
        raise call.invalid("string_type", part)


Build = Callable[[Hint], Plan]
_MAKERS: Dict[str, Callable[[Hint, Build], Any]] = {}


def register_kind(kind: str, make: Callable[[Hint, Build], Any]) -> None:
    """Say how the plan of a kind of type is made: ``make(hint, build)``, where ``build`` makes those of its parts."""
    _MAKERS[kind] = make


# Where a class keeps its plan. TypedDicts and dataclasses take what to do with extra keys from the model around them,
# so they keep one plan for each.
_KEPT: Dict[str, str] = {"ignore": "__codec_plan__", "allow": "__codec_plan_allow__", "forbid": "__codec_plan_forbid__"}


def build_plan(hint: Hint, extra: str = "ignore") -> Plan:
    """Build the plan of a described type, and of every class it mentions that has none yet."""
    started: Dict[Tuple[Any, str], Any] = {}

    def builder(extra: str) -> Build:
        def build(inner: Hint) -> Plan:
            if inner.kind not in ("record", "typed-dict"):
                made: Plan = _MAKERS[inner.kind](inner, build)
                return made
            place = (inner.source, _place_of(inner.source, extra))
            plan = inner.source.__dict__.get(place[1])
            if plan is None and place in started:
                plan = started[place]
                plan.is_recursive = not plan.is_complete
            if plan is None:
                # A class may mention itself: its plan stands before its parts are built.
                started[place] = plan = _MAKERS[inner.kind](inner, build)
                own = getattr(inner.source, "model_config", {}).get("extra", "ignore")
                plan.extra = own if plan.is_model else extra
                plan.complete(builder(plan.extra))
                plan.is_complete = True
            return plan  # type: ignore[no-any-return]  # what stands on a class is its plan

        return build

    plan = builder(extra)(hint)
    for (cls, place), kept in started.items():
        # Published only when every part is complete: other threads see a whole plan or none.
        type.__setattr__(cls, place, kept)
    return plan


def kept_plan(cls: Any) -> Optional[Plan]:
    """Give the plan a class carries already for use outside of any model."""
    plan: Optional[Plan] = cls.__dict__.get(_KEPT["ignore"])
    return plan


def _place_of(cls: Any, extra: str) -> str:
    return _KEPT["ignore" if hasattr(cls, "__codec_model__") else extra]


def is_from(value_type: type, module: str, name: str) -> bool:
    """Tell whether a type is, or comes from, a class of a module that this one must not import."""
    cls = getattr(sys.modules.get(module), name, None)
    return cls is not None and issubclass(value_type, cls)
