"""Plans of list, dict and TypedDict.

In: a list or mapping, or in lax mode what can stand for one. Out: a new plain list or dict whose parts are checked;
and back. Faults get their place in the container while they pass through it.
"""

from collections import abc
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

from ..errors import Fault, Invalid, replace_surrogates, safe_repr
from ..hints import Hint, typed_dict_hints
from ..text.growing import consist_of
from ..text.writing import Layout, is_plain, quote, write_float_list, write_int_lists, write_plain, write_plain_at
from .anything import AnyPlan, check_name, choose_items, dump_any, dump_any_key, make_object
from .base import (
    LAX, NO_TYPES, NOT_COPIED, Build, CheckCall, DumpCall, Mismatch, Plan, RepeatedObject, check_part, demand_text,
    forget_repeats, register_kind,
)
from .choices import OptionalPlan
from .filters import filter_key

TEXT_ONLY = frozenset((str,))
_INTS = frozenset((int,))
_FLOATS = frozenset((float,))
_NO_LISTS = (str, bytes, bytearray, dict, abc.Mapping)


class ListPlan(Plan):
    """A list of one type."""

    __slots__ = ("item",)

    def __init__(self, item: Plan) -> None:
        self.item = item
        self.exact = NO_TYPES

    @property
    def title(self) -> str:  # type: ignore[override]  # the item's title may not be known yet
        return "list[%s]" % self.item.title

    @property
    def dump_title(self) -> str:  # type: ignore[override]
        return "list[%s]" % self.item.dump_title

    @property
    def looks_twice(self) -> bool:  # type: ignore[override]
        return self.item.looks_twice

    def accepts(self, value: Any, call: CheckCall) -> bool:
        if type(value) is not list:
            return False
        exact, accepts = self.item.exact, self.item.accepts
        if int in exact and id(value) in call.proven or exact and consist_of(value, exact):
            return True
        return all(accepts(part, call) for part in value)

    def writes_itself(self, value: Any) -> bool:
        if type(value) is not list:
            return False
        exact = self.item.exact
        if exact and float not in exact:
            return exact.issuperset(map(type, value))
        return all(map(self.item.writes_itself, value))

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if type(value) is not list:
            return False
        if self.holds_int_lists():
            return write_int_lists(value, out, layout)
        if self.item.exact == _FLOATS:
            text = write_float_list(value, layout)
            out.append(text or "")
            return text is not None
        if self.item.exact or isinstance(self.item, AnyPlan):
            return super().write(value, out, layout)
        inner, lead = layout.inner(), "["
        for part in value:
            out.append(lead + inner.newline)
            if not self.item.write(part, out, inner):
                return False
            lead = ","
        out.append(layout.newline + "]" if value else "[]")
        return True

    def copy(self, value: Any) -> Any:
        if type(value) is not list:
            return NOT_COPIED
        exact = self.item.exact
        if exact and consist_of(value, exact):
            return value[:]
        out = []
        for part in value:
            copied = self.item.copy(part)
            if copied is NOT_COPIED:
                return NOT_COPIED
            out.append(copied)
        return out

    def holds_int_lists(self) -> bool:
        """Tell whether this is a list of lists of ints, such as the prompts of a chat."""
        return isinstance(self.item, ListPlan) and self.item.item.exact == _INTS

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        return self.item.growing_names(seen)

    def check(self, value: Any, call: CheckCall) -> Any:
        item = self.item
        exact = NO_TYPES if call.in_union else item.exact
        if exact and type(value) is list and consist_of(value, exact):
            return value[:]
        out: List[Any] = []
        faults: List[Fault] = []
        check, add = item.check, out.append
        for index, part in enumerate(self._read_items(value, call)):
            if type(part) in exact:
                add(part)
                continue
            try:
                add(check(part, call))
            except Invalid as exc:
                for fault in exc.faults:
                    fault.path.append(index)
                faults.extend(exc.faults)
        if faults:
            raise Invalid(faults)
        return out

    def _read_items(self, value: Any, call: CheckCall) -> Iterable[Any]:
        if type(value) is list:
            return value
        if isinstance(value, list):
            return list.__iter__(value)
        if call.strict or call.from_json or isinstance(value, _NO_LISTS):
            raise call.invalid("list_type", value)
        call.lower(LAX)
        try:
            iterator = iter(value)
        except TypeError:
            raise call.invalid("list_type", value) from None
        return _guard_iteration(iterator, value, call)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, list):
            call.warn(self.dump_title, value)
            return dump_any(value, call, include, exclude)
        dump = self.item.dump
        if include is None and exclude is None:
            exact = self.item.exact
            if exact and consist_of(value, exact) and not (call.text and str in exact):
                return list(value)
            return [dump(part, call) for part in list.__iter__(value)]
        return [dump(part, call, *below) for part, below in choose_items(value, include, exclude)]

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, list):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "array", "items": self.item.schema(book)}


class DictPlan(Plan):
    """A dict with keys of one type and values of another."""

    __slots__ = ("key", "value")

    def __init__(self, key: Plan, value: Plan) -> None:
        self.key = key
        self.value = value
        self.exact = NO_TYPES

    @property
    def title(self) -> str:  # type: ignore[override]  # the inner titles may not be known yet
        return "dict[%s,%s]" % (self.key.title, self.value.title)

    @property
    def dump_title(self) -> str:  # type: ignore[override]
        return "dict[%s, %s]" % (self.key.dump_title, self.value.dump_title)

    def accepts(self, value: Any, call: CheckCall) -> bool:
        # The keys of a JSON object are exact text already. Values of a type are checked with their keys in view.
        return type(value) is dict and str in self.key.exact and (not value or isinstance(self.value, AnyPlan))

    def writes_itself(self, value: Any) -> bool:
        if type(value) is not dict or str not in self.key.exact:
            return False
        if isinstance(self.value, AnyPlan):
            return is_plain(value)
        return TEXT_ONLY.issuperset(map(type, value)) and all(map(self.value.writes_itself, value.values()))

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if isinstance(self.value, AnyPlan):
            if type(value) is not dict or str not in self.key.exact or not is_plain(value):
                return False
            out.append(write_plain(value) if layout.indent is None else write_plain_at(value, layout))
            return True
        if type(value) is not dict or str not in self.key.exact or not TEXT_ONLY.issuperset(map(type, value)):
            return False
        inner, lead = layout.inner(), "{"
        for key, part in value.items():
            out.append(lead + inner.newline + quote(key) + layout.colon)
            if not self.value.write(part, out, inner):
                return False
            lead = ","
        out.append(layout.newline + "}" if value else "{}")
        return True

    def copy(self, value: Any) -> Any:
        if type(value) is not dict or not TEXT_ONLY.issuperset(map(type, value)) or str not in self.key.exact:
            return NOT_COPIED
        out = {}
        for key, part in value.items():
            out[key] = copied = self.value.copy(part)
            if copied is NOT_COPIED:
                return NOT_COPIED
        return out

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        return self.value.growing_names(seen)

    def check(self, value: Any, call: CheckCall) -> Any:
        out: Dict[Any, Any] = {}
        faults: List[Fault] = []
        for key, part in self._read_pairs(value, call):
            if call.strings:
                # The first part that is no text is the fault of the whole dict.
                demand_text(key, call)
                demand_text(part, call)
            fine = True
            try:
                key_out = self._check_key(key, call)
            except Invalid as exc:
                place_faults(exc, faults, "[key]", key)
                fine = False
            try:
                value_out = check_part(self.value, part, call)
            except Invalid as exc:
                place_faults(exc, faults, key)
                fine = False
            if fine:
                out[key_out] = value_out
        if faults:
            raise Invalid(faults)
        return out

    def _check_key(self, key: Any, call: CheckCall) -> Any:
        if not call.from_json or call.strings:
            return check_part(self.key, key, call)
        # A key in JSON is text whatever it stands for, in strict mode too.
        call.strings = call.in_key = True
        try:
            return check_part(self.key, key, call)
        finally:
            call.strings = call.in_key = False

    def _read_pairs(self, value: Any, call: CheckCall) -> Iterable[Tuple[Any, Any]]:
        if type(value) is dict:
            # Of a key that stands twice any value will do, if all of them do.
            if call.document is not None and value and not isinstance(self.value, AnyPlan):
                call.look_for_repeats(value)
            return value.items()
        if isinstance(value, RepeatedObject):
            return value.pairs
        if isinstance(value, dict):
            return dict.items(value)
        if call.strict or call.from_json or not isinstance(value, abc.Mapping):
            raise call.invalid("dict_type", value)
        try:
            return [(key, part) for key, part in value.items()]
        except Exception as exc:
            raise call.invalid("mapping_type", value, {"error": describe_exception(exc)}) from None

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, dict):
            call.warn(self.dump_title, value)
            return dump_any(value, call, include, exclude)
        pairs = []
        for key, part in dict.items(value):
            below: Optional[Tuple[Any, Any]] = (None, None)
            if include is not None or exclude is not None:
                below = filter_key(key, include, exclude)
            if below is not None:
                name = self.key.dump_key(key, call)
                pairs.append((name, self.value.dump(part, call, *below)))
        return make_object(pairs, call)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, dict):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        names = dict(self.key.schema(book))
        out: Dict[str, Any] = {"type": "object", "additionalProperties": self.value.schema(book) or True}
        if "$ref" in names or names.pop("type", None) == "string" and names:
            out["propertyNames"] = names
        return out


def takes_any_values(plan: Plan) -> bool:
    """Tell whether a dict whose keys are text is right for a plan, whatever its values."""
    while isinstance(plan, OptionalPlan):
        plan = plan.inner
    return isinstance(plan, DictPlan) and str in plan.key.exact and isinstance(plan.value, AnyPlan)


class KeyPlan:
    """One key of a TypedDict."""

    __slots__ = ("name", "plan", "required", "index")

    def __init__(self, name: str, plan: Plan, required: bool, index: int) -> None:
        self.name = name
        self.plan = plan
        self.required = required
        self.index = index


class TypedDictPlan(Plan):
    """A dict whose keys are named, each with a type of its own."""

    __slots__ = ("cls", "keys", "required", "extra", "is_recursive", "is_complete")
    dump_title = "typed-dict"
    is_model = False

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.title = cls.__name__
        self.exact = NO_TYPES
        self.keys: Dict[str, KeyPlan] = {}
        self.required: FrozenSet[str] = frozenset()
        self.extra: str = "ignore"
        self.is_recursive = self.is_complete = False

    def complete(self, build: Build) -> None:
        """Build the plans of the keys; the class may mention itself."""
        for index, (name, (hint, required)) in enumerate(typed_dict_hints(self.cls).items()):
            self.keys[name] = KeyPlan(name, build(hint), required, index)
        self.required = frozenset(key.name for key in self.keys.values() if key.required)

    def accepts(self, value: Any, call: CheckCall) -> bool:
        if type(value) is not dict or not self.required <= value.keys():
            return False
        # Fields that are set are counted only for a union, which never asks this way.
        last = -1
        for name, part in value.items():
            key = self.keys.get(name)
            if key is None or key.index < last or not (type(part) in key.plan.exact or key.plan.accepts(part, call)):
                return False
            last = key.index
        return True

    def writes_itself(self, value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, part in value.items():
            key = self.keys.get(name)
            # A None may be left out.
            if key is None or part is None or not key.plan.writes_itself(part):
                return False
        return True

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if type(value) is not dict:
            return False
        inner, lead = layout.inner(), "{"
        for name, part in value.items():
            key = self.keys.get(name)
            if key is None:
                return False
            if part is None and layout.skips_none:
                continue
            out.append(lead + inner.newline + quote(name) + layout.colon)
            if not key.plan.write(part, out, inner):
                return False
            lead = ","
        out.append("{}" if lead == "{" else layout.newline + "}")
        return True

    def copy(self, value: Any) -> Any:
        if type(value) is not dict or self.extra == "allow" or not TEXT_ONLY.issuperset(map(type, value)):
            return NOT_COPIED
        out = {}
        for name, part in value.items():
            key = self.keys.get(name)
            copied = NOT_COPIED if key is None else key.plan.copy(part)
            if copied is NOT_COPIED:
                return NOT_COPIED
            out[name] = copied
        return out

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        return gather_growing(self, [(key.name, key.plan) for key in self.keys.values()], seen)

    def check(self, value: Any, call: CheckCall) -> Any:
        if not self.is_recursive or call.from_json:
            return self._check_keys(value, call)
        place = call.enter(self, value)
        try:
            return self._check_keys(value, call)
        finally:
            call.leave(place)

    def _check_keys(self, value: Any, call: CheckCall) -> Any:
        source = self._read_mapping(value, call)
        out: Dict[Any, Any] = {}
        faults: List[Fault] = []
        for key in self.keys.values():
            if key.name not in source:
                if key.required:
                    fault = Fault("missing", value, None, call.from_json)
                    fault.path.append(key.name)
                    faults.append(fault)
                continue
            try:
                out[key.name] = check_part(key.plan, source[key.name], call)
            except Invalid as exc:
                place_faults(exc, faults, key.name)
        n_fields_set = len(out)
        extra = call.extra or self.extra
        if extra != "ignore":
            check_extra_keys(source, self.keys, extra, out, faults, call)
        if faults:
            raise Invalid(faults)
        call.n_fields_set = (call.n_fields_set or 0) + n_fields_set
        return out

    def _read_mapping(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, dict):
            return value
        if call.strict or call.from_json or not isinstance(value, abc.Mapping):
            raise call.invalid("dict_type", value)
        return value

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, dict):
            call.warn("general-fields", value)
            return dump_any(value, call, include, exclude)
        pairs = []
        n_required = 0
        outer = call.field
        try:
            for name, part in dict.items(value):
                below = filter_key(name, include, exclude)
                key = self.keys.get(name)
                if key is not None:
                    n_required += key.required
                if below is None:
                    continue
                check_name(name)
                if key is None:
                    if call.trial == "strict" and self.extra != "allow":
                        raise Mismatch(
                            "PydanticSerializationUnexpectedValue(Unexpected field `%s`: Expected `%s`)"
                            % (name, type(value).__name__))
                    if self.extra == "allow" and (part is not None or not call.exclude_none):
                        pairs.append((dump_any_key(name, call), dump_any(part, call, *below)))
                    continue
                if call.exclude_none and part is None:
                    continue
                call.field = name
                pairs.append((name, key.plan.dump(part, call, *below)))
        finally:
            call.field = outer
        if call.trial is not None and n_required < len(self.required):
            raise call.miss_fields(type(value).__name__, value, len(self.required), n_required)
        return make_object(pairs, call)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, dict):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        reference: Dict[str, Any] = book.refer(self.cls, lambda: self._describe(book))
        return reference

    def _describe(self, book: Any) -> Dict[str, Any]:
        properties = {name: book.describe_property(name, key.plan) for name, key in self.keys.items()}
        required = [name for name, key in self.keys.items() if key.required]
        described: Dict[str, Any] = book.describe_class(
            self.cls, properties, required, self.extra, self.cls.__dict__.get("__doc__"))
        return described


def gather_growing(owner: Any, parts: List[Tuple[str, Plan]], seen: Set[Any]) -> FrozenSet[str]:
    """Gather the names of growing lists from the parts of a class, each class once."""
    if owner in seen:
        return frozenset()
    seen.add(owner)
    found: Set[str] = set()
    for name, plan in parts:
        found |= plan.growing_names(seen)
        while isinstance(plan, OptionalPlan):
            plan = plan.inner
        if isinstance(plan, ListPlan) and plan.holds_int_lists():
            found.add(name)
    return frozenset(found)


def describe_exception(exc: BaseException) -> str:
    """Show an exception as ``ValueError: boom``."""
    return "%s: %s" % (type(exc).__name__, exc)


def key_step(key: Any) -> Any:
    """Give the location step of a dict's key: text and whole numbers as they are, else the repr."""
    if isinstance(key, str):
        return replace_surrogates(str.__str__(key))
    if isinstance(key, int) and -(1 << 63) <= key < 1 << 63:
        return int.__add__(key, 0)
    return safe_repr(key)


def place_faults(exc: Invalid, faults: List[Fault], *steps: Any) -> None:
    """Add the steps from the inside out to each fault, then keep the faults."""
    for fault in exc.faults:
        fault.path.extend(key_step(step) for step in steps)
    faults.extend(exc.faults)


def check_extra_keys(
    source: Any, known: Any, extra: str, out: Dict[Any, Any], faults: List[Fault], call: CheckCall
) -> None:
    """Refuse or keep the keys that no field names."""
    for key in source:
        if key in known:
            continue
        if not isinstance(key, str):
            fault = Fault("invalid_key", key, None, call.from_json)
        elif extra == "forbid":
            fault = Fault("extra_forbidden", source[key], None, call.from_json)
        else:
            out[str.__str__(key)] = forget_repeats(source[key]) if call.has_repeats else source[key]
            continue
        fault.path.append(key_step(key))
        faults.append(fault)


def _guard_iteration(iterator: Any, value: Any, call: CheckCall) -> Iterable[Any]:
    """Read an iterator whose own failure is a fault at the index it came to."""
    index = 0
    while True:
        try:
            part = next(iterator)
        except StopIteration:
            return
        except Exception as exc:
            invalid = call.invalid("iteration_error", value, {"error": describe_exception(exc)})
            invalid.faults[0].path.append(index)
            raise invalid from None
        yield part
        index += 1


def _make_list(hint: Hint, build: Build) -> Plan:
    return ListPlan(build(hint.items[0]))


def _make_dict(hint: Hint, build: Build) -> Plan:
    return DictPlan(build(hint.items[0]), build(hint.items[1]))


register_kind("list", _make_list)
register_kind("dict", _make_dict)
register_kind("typed-dict", lambda hint, build: TypedDictPlan(hint.source))
