"""Plans of Optional, Union, Literal and Enum.

In: a value that must be one of several things. Out: the thing it is, chosen as pydantic's smart mode chooses.
"""

from typing import Any, Dict, FrozenSet, List, Optional, Set, Tuple

from ..errors import Fault, Invalid
from ..hints import Hint
from ..text.writing import Layout
from .anything import dump_any, dump_any_key
from .base import EXACT, LAX, NO_TYPES, Build, CheckCall, DumpCall, Mismatch, Plan, is_from, register_kind
from .scalars import FloatPlan, IntPlan, StrPlan

_NOTHING: Any = object()
_INT64_SIZE = 1 << 63
_LOOKED_UP = frozenset((bool, int, str))
_JSON_TYPES: Dict[type, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean", list: "array", type(None): "null"}
# An enum that is also one of these reads its values as they are read.
_ENUM_BASES: Tuple[Tuple[type, Plan], ...] = ((int, IntPlan()), (float, FloatPlan()), (str, StrPlan()))


class OptionalPlan(Plan):
    """None or another type."""

    __slots__ = ("inner",)
    dump_title = "nullable"

    def __init__(self, inner: Plan) -> None:
        self.inner = inner
        self.exact = inner.exact | frozenset((type(None),))

    @property
    def title(self) -> str:  # type: ignore[override]  # the inner title may not be known yet
        return "nullable[%s]" % self.inner.title

    @property
    def looks_twice(self) -> bool:  # type: ignore[override]
        return self.inner.looks_twice

    def check(self, value: Any, call: CheckCall) -> Any:
        return None if value is None else self.inner.check(value, call)

    def accepts(self, value: Any, call: CheckCall) -> bool:
        return value is None or self.inner.accepts(value, call)

    def writes_itself(self, value: Any) -> bool:
        return value is None or self.inner.writes_itself(value)

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if value is None:
            out.append("null")
            return True
        return self.inner.write(value, out, layout)

    def copy(self, value: Any) -> Any:
        return None if value is None else self.inner.copy(value)

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        return self.inner.growing_names(seen)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        return None if value is None else self.inner.dump(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        return dump_any_key(key, call) if key is None else self.inner.dump_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        inner = self.inner.schema(book)
        joined: Dict[str, Any] = inner if inner == {"type": "null"} else book.join([inner, {"type": "null"}])
        return joined


class UnionPlan(Plan):
    """One of several types: the one that takes the value best, the leftmost of equals."""

    __slots__ = ("choices",)

    def __init__(self, choices: Tuple[Plan, ...]) -> None:
        self.choices = choices
        scalar = all(choice.exact for choice in choices)
        self.exact = frozenset().union(*(choice.exact for choice in choices)) if scalar else NO_TYPES

    @property
    def title(self) -> str:  # type: ignore[override]  # the inner titles may not be known yet
        return "union[%s]" % ",".join(choice.title for choice in self.choices)

    @property
    def dump_title(self) -> str:  # type: ignore[override]
        return "Union[%s]" % ", ".join(choice.dump_title for choice in self.choices)

    def check(self, value: Any, call: CheckCall) -> Any:
        outer_exactness, outer_count, outer_union = call.exactness, call.n_fields_set, call.in_union
        # Models in it are compared by what only the exact way notes; those around it may go on the quick way.
        outer_quick, call.quick = call.quick, False
        call.in_union = True
        choices = self.choices
        if type(value) is dict:
            choices = tuple(choice for choice in choices if not choice.lacks_keys(value))
        faults: List[Fault] = []
        best = self._find_best(choices, value, call, faults)
        if best is None and len(choices) < len(self.choices):
            # Those of every choice are wanted then.
            faults = []
            self._find_best(self.choices, value, call, faults)
        call.exactness, call.n_fields_set, call.in_union = outer_exactness, outer_count, outer_union
        call.quick = outer_quick
        if best is None:
            raise Invalid(faults)
        call.lower(best[1])
        if best[2] is not None:
            call.n_fields_set = (call.n_fields_set or 0) + best[2]
        return best[0]

    def _find_best(
        self, choices: Tuple[Plan, ...], value: Any, call: CheckCall, faults: List[Fault]
    ) -> Optional[Tuple[Any, int, Optional[int]]]:
        """Find the choice that takes a value best: what it makes, how exactly it matched, how many fields were set."""
        best: Optional[Tuple[Any, int, Optional[int]]] = None
        for choice in choices:
            call.exactness, call.n_fields_set = EXACT, None
            try:
                checked = choice.check(value, call)
            except Invalid as exc:
                for fault in exc.faults:
                    fault.path.append(choice.title)
                faults.extend(exc.faults)
                continue
            found = (checked, call.exactness, call.n_fields_set)
            if call.exactness == EXACT and call.n_fields_set is None:
                best = found
                break
            if best is None or _is_better(found, best):
                best = found
        return best

    @property
    def looks_twice(self) -> bool:  # type: ignore[override]  # the choices may not be complete yet
        return any(choice.looks_twice for choice in self.choices)

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        # A choice of this very class is the one that fits strictly.
        plan = next((choice for choice in self.choices if getattr(choice, "cls", None) is type(value)), None)
        return plan is not None and plan.write(value, out, layout)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        found, result = self._try_choices(lambda choice: choice.dump(value, call, include, exclude), value, call)
        return result if found else dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        found, result = self._try_choices(lambda choice: choice.dump_key(key, call), key, call)
        return result if found else dump_any_key(key, call)

    def _try_choices(self, dump: Any, value: Any, call: DumpCall) -> Tuple[bool, Any]:
        """Dump by the first choice that fits, strictly if any does, else laxly; else note why none did."""
        outer, field, depth = call.trial, call.field, call.depth
        reasons: List[str] = []
        try:
            for trial in ("strict", "lax") if self.looks_twice else ("strict",):
                call.trial = trial
                for choice in self.choices:
                    try:
                        return True, dump(choice)
                    except Exception as exc:
                        call.field, call.depth = field, depth
                        if trial == "strict":
                            reasons.append(_explain(exc))
        finally:
            call.trial = outer
        if outer is not None:
            raise Mismatch("PydanticSerializationUnexpectedValue(%s)" % "\n".join(map(_unwrap_reason, reasons)))
        if value is not None:
            call.warned.extend(reasons)
        return False, None

    def schema(self, book: Any) -> Dict[str, Any]:
        joined: Dict[str, Any] = book.join([choice.schema(book) for choice in self.choices])
        return joined


class ValueLookup:
    """Finds which of fixed values an input is: of the same type first, then any that is equal to it."""

    __slots__ = ("results", "kinds", "equals")

    def __init__(self, pairs: List[Tuple[Any, Any]]) -> None:
        # (type, value) -> result for the three types that JSON and Python share; 1 and True are told apart.
        self.results: Dict[Tuple[type, Any], Any] = {}
        for value, result in pairs:
            if type(value) in _LOOKED_UP:
                self.results.setdefault((type(value), value), result)
        self.kinds = frozenset(type(value) for value, _ in pairs)
        # An input of another type is what it is equal to: True before the last of others, those before 1 or "a".
        self.equals = sorted(reversed(pairs), key=_rank_equal)

    def find(self, value: Any, call: CheckCall) -> Any:
        """Find the result for an input, or ``_NOTHING``; raises ``Invalid`` for what cannot be looked up."""
        kind = type(value)
        if kind in _LOOKED_UP:
            found = self.results.get((kind, value), _NOTHING)
            if found is not _NOTHING:
                return found
        if kind is int and int in self.kinds and not -_INT64_SIZE <= value < _INT64_SIZE:
            raise call.invalid("int_parsing_size", value)
        if kind is str and str in self.kinds and not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise call.invalid("string_unicode", value) from None
        try:
            return next((result for wanted, result in self.equals if wanted == value), _NOTHING)
        except Exception:
            return _NOTHING


def _rank_equal(pair: Tuple[Any, Any]) -> int:
    kind = type(pair[0])
    return 0 if kind is bool else 2 if kind in _LOOKED_UP else 1


class LiteralPlan(Plan):
    """One of given values."""

    __slots__ = ("values", "expected", "lookup")

    def __init__(self, values: Tuple[Any, ...]) -> None:
        self.values = values
        self.expected = list_choices([repr(value) for value in values])
        self.title = self.dump_title = "literal[%s]" % ",".join(repr(value) for value in values)
        self.exact = NO_TYPES
        self.lookup = ValueLookup([(value, value) for value in values])

    def check(self, value: Any, call: CheckCall) -> Any:
        found = self.lookup.find(value, call)
        if found is _NOTHING:
            raise call.invalid("literal_error", value, {"expected": self.expected})
        return found

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if call.trial is not None and not any(type(value) is type(w) and value == w for w in self.values):
            call.warn(self.dump_title, value)
        return dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if call.trial is not None and not any(type(key) is type(w) and key == w for w in self.values):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        values = [value.value if is_from(type(value), "enum", "Enum") else value for value in self.values]
        described = _describe_values(values)
        return {"const": described.pop("enum")[0], **described} if len(values) == 1 else described


class EnumPlan(Plan):
    """A member of an Enum, or the value of one."""

    __slots__ = ("cls", "expected", "lookup", "base")
    dump_title = "enum"

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.expected = list_choices([repr(member.value) for member in cls])
        self.exact = NO_TYPES
        self.lookup = ValueLookup([(member.value, member) for member in cls])
        self.base: Optional[Plan] = next((plan for base, plan in _ENUM_BASES if issubclass(cls, base)), None)
        self.title = "%senum[%s]" % ("" if self.base is None else self.base.title + "-", cls.__name__)

    @property
    def looks_twice(self) -> bool:  # type: ignore[override]
        return self.base is not None and self.base.looks_twice

    def check(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, self.cls):
            return value
        if call.strict and not call.from_json:
            raise call.invalid("is_instance_of", value, {"class": self.cls.__qualname__})
        call.lower(LAX)
        found = self.lookup.find(value, call)
        if found is _NOTHING and self.base is not None and (not call.strict or call.strings):
            try:
                based = self.base.check(value, call)
            except Invalid:
                pass
            else:
                found = self.lookup.find(based, call)
        if found is _NOTHING:
            found = self._find_missing(value)
        if found is _NOTHING:
            raise call.invalid("enum", value, {"expected": self.expected})
        return found

    def _find_missing(self, value: Any) -> Any:
        """Ask the class's own ``_missing_``."""
        found = self.cls._missing_(value)
        return found if isinstance(found, self.cls) else _NOTHING

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, self.cls):
            call.warn(self.dump_title, value)
        return dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, self.cls):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        reference: Dict[str, Any] = book.refer(self.cls, lambda: self._describe(book))
        return reference

    def _describe(self, book: Any) -> Dict[str, Any]:
        out: Dict[str, Any] = {"title": self.cls.__name__}
        # Before 3.11 the class of enums gives this docstring to those that have none.
        if self.cls.__doc__ and self.cls.__doc__ != "An enumeration.":
            out["description"] = book.clean(self.cls.__doc__)
        return dict(out, **_describe_values([member.value for member in self.cls.__members__.values()]))


def _unwrap_reason(reason: str) -> str:
    """Give a reason as pydantic quotes it inside another."""
    name = "PydanticSerializationUnexpectedValue"
    inner = reason[len(name) + 1:-1] if reason.startswith(name + "(") else reason
    return "%s: %s" % (name, inner)


def _explain(exc: Exception) -> str:
    """Say why a choice did not fit: a mismatch says it itself."""
    if isinstance(exc, Mismatch):
        return str(exc)
    return "PydanticSerializationUnexpectedValue(%s: %s)" % (type(exc).__name__, exc)


def list_choices(shown: List[str]) -> str:
    """Join choices as prose: ``'a', 'b' or 'c'``."""
    return "".join(shown) if len(shown) < 2 else "%s or %s" % (", ".join(shown[:-1]), shown[-1])


def _describe_values(values: List[Any]) -> Dict[str, Any]:
    """Describe a fixed set of values as JSON schema."""
    out: Dict[str, Any] = {"enum": [dump_any(value, DumpCall("json", text=True)) for value in values]}
    kinds = {type(value) for value in out["enum"]}
    name = _JSON_TYPES.get(kinds.pop()) if len(kinds) == 1 else None
    return out if name is None else dict(out, type=name)


def _is_better(new: Tuple[Any, int, Optional[int]], old: Tuple[Any, int, Optional[int]]) -> bool:
    if new[2] is not None and old[2] is not None and new[2] != old[2]:
        return new[2] > old[2]
    return new[1] > old[1]


def _make_optional(hint: Hint, build: Build) -> Plan:
    return OptionalPlan(build(hint.items[0]))


def _make_union(hint: Hint, build: Build) -> Plan:
    return UnionPlan(tuple(build(item) for item in hint.items))


register_kind("optional", _make_optional)
register_kind("union", _make_union)
register_kind("literal", lambda hint, build: LiteralPlan(hint.source))
register_kind("enum", lambda hint, build: EnumPlan(hint.source))
