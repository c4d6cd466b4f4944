"""Plans of models and of plain dataclasses.

In: an instance, a mapping or a JSON object. Out: an instance whose fields are checked; and back. What a class asks
for beyond its annotations (limits, ``exclude_if``, extra keys, computed fields) is read off it here, once.
"""

from collections import abc
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

from ..declared import UNGIVEN, computed_field, default_of, fields_of
from ..errors import Fault, Invalid
from ..hints import record_hints, resolve_return
from ..text.writing import Layout, join_pieces, make_layout, quote, write_tree_at
from .anything import check_name, check_text, copy_plain, dump_any, dump_any_key, make_object
from .base import (
    NO_TYPES, NOT_COPIED, STRICT, Build, CheckCall, DumpCall, Mismatch, NotQuick, Plan, check_part, demand_text,
    forget_repeats, is_from, register_kind,
)
from .choices import OptionalPlan
from .containers import (
    TEXT_ONLY, check_extra_keys, describe_exception, gather_growing, key_step, place_faults, takes_any_values,
)
from .filters import filter_key
from .flat import (
    FlatCopier, FlatFiller, FlatLoader, FlatWriter, make_flat_copier, make_flat_filler, make_flat_writer,
)
from .scalars import LIMIT_NAMES, BoundedPlan

# So often a class is used in one way before a function is made for that.
_FREQUENT = 8
# Whose values repr writes as JSON does, but for None.
_REPR_TYPES: FrozenSet[type] = frozenset((int, type(None)))
_STATE_SLOTS = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__")
_SINGLE_TYPES = frozenset((type(None), bool, int, float, str))
_SINGLE_MODULES = frozenset(("datetime", "uuid", "pathlib", "pathlib._local"))


class AfterPlan(Plan):
    """A plan whose values a function of the field's has the last word on."""

    __slots__ = ("inner", "after")

    def __init__(self, inner: Plan, after: Callable[[Any], Any]) -> None:
        self.inner = inner
        self.after = after
        self.exact = NO_TYPES

    @property
    def title(self) -> str:  # type: ignore[override]  # the inner title may not be known yet
        return self.inner.title

    @property
    def dump_title(self) -> str:  # type: ignore[override]
        return self.inner.dump_title

    def check(self, value: Any, call: CheckCall) -> Any:
        checked = self.inner.check(value, call)
        try:
            return self.after(checked)
        except (ValueError, AssertionError) as exc:
            raise refuse_value(exc, value, call) from None

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        return self.inner.dump(value, call, include, exclude)

    def writes_itself(self, value: Any) -> bool:
        return self.inner.writes_itself(value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return self.inner.schema(book)


class FieldPlan:
    """One field: its type's plan, its default, and when a dump leaves it out."""

    __slots__ = (
        "name", "plan", "exact", "holds_any", "default", "factory", "required", "exclude_if", "description", "index",
        "init")

    def __init__(self, field: Any, plan: Plan, index: int) -> None:
        self.name: str = field.name
        self.plan = plan
        self.exact = plan.exact
        self.holds_any = takes_any_values(plan)
        self.default = default_of(field)
        self.factory = field.default_factory
        self.required = field.default is UNGIVEN and field.default_factory is UNGIVEN
        self.exclude_if: Optional[Callable[[Any], bool]] = field.metadata.get("exclude_if")
        self.description: Optional[str] = field.metadata.get("description")
        self.index = index
        self.init: bool = field.init

    def make_default(self) -> Any:
        """Make the default anew, or give it where it cannot change."""
        return self.default if self.factory is UNGIVEN else self.factory()


class RecordPlan(Plan):
    """A class with fields.

    ``is_model`` tells a ``Model``, which keeps which fields were set and extra keys, from a plain dataclass.
    """

    __slots__ = ("cls", "is_model", "fields", "required", "extra", "computed", "hook", "fixed", "factories",
                 "slotted", "setters", "writers", "fill_flat", "load_flat", "write_flat", "copy_flat", "n_uses",
                 "is_recursive", "is_complete", "growing")
    looks_twice = True

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.is_model = hasattr(cls, "__codec_model__")
        self.title = self.dump_title = cls.__name__
        self.exact = NO_TYPES
        self.fields: Dict[str, FieldPlan] = {}
        self.required: FrozenSet[str] = frozenset()
        self.extra: str = "ignore"
        self.is_recursive = self.is_complete = False
        # What growing_names found when this was the outermost class.
        self.growing: Optional[FrozenSet[str]] = None
        self.computed: List[Tuple[str, Plan, Any]] = []
        self.hook: Optional[str] = None
        # Defaults in the order of the fields, those that are made anew apart.
        self.fixed: Dict[str, Any] = {}
        self.factories: List[FieldPlan] = []
        # What sets the values of a model, the names that were set, and what else it holds.
        self.setters: List[Callable[[Any, Any], None]] = []
        # What is asked of each field to write it, by what parts the fields; made when a first model is written.
        self.writers: Dict[str, Dict[str, Any]] = {}
        # What makes, writes and copies a model of single values and dicts, once it is in frequent use; and how often
        # each use was made of the class up to then.
        self.fill_flat: FlatFiller = _decline
        self.load_flat: FlatLoader = _decline
        self.write_flat: FlatWriter = _decline
        self.copy_flat: FlatCopier = _decline
        self.n_uses = {"fill": 0, "load": 0, "write": 0, "copy": 0}
        self.slotted = not hasattr(cls, "__dict__") or "__slots__" in cls.__dict__ and not self.is_model

    def complete(self, build: Build) -> None:
        """Build the plans of the fields; the class may mention itself."""
        hints = record_hints(self.cls)
        for index, field in enumerate(fields_of(self.cls)):
            plan = build(hints[field.name])
            bounds = {name: field.metadata[name] for name in LIMIT_NAMES if name in field.metadata}
            if bounds:
                plan = _bound_plan(plan, bounds)
            if "after" in field.metadata:
                plan = AfterPlan(plan, field.metadata["after"])
            self.fields[field.name] = FieldPlan(field, plan, index)
        self.required = frozenset(field.name for field in self.fields.values() if field.required)
        for field_plan in self.fields.values():
            self.fixed[field_plan.name] = None if field_plan.factory is not UNGIVEN else field_plan.default
            if field_plan.factory is not UNGIVEN:
                self.factories.append(field_plan)
        for name, value in _find_computed(self.cls).items():
            hint = resolve_return(value.fget, "Computed field %r of %s" % (name, self.cls.__qualname__))
            self.computed.append((name, build(hint), value))
        if self.is_model:
            # Past any __setattr__, and whatever a class has under the same names.
            self.setters = [vars(_model_base(self.cls))[name].__set__ for name in _STATE_SLOTS]
            post_init = getattr(self.cls, "model_post_init")
            is_own = post_init is not getattr(_model_base(self.cls), "model_post_init")
            self.hook = "model_post_init" if is_own else None
        elif hasattr(self.cls, "__post_init__"):
            self.hook = "__post_init__"

    # -- checking

    def lacks_keys(self, value: Any) -> bool:
        return type(value) is dict and not self.required <= value.keys()

    def check(self, value: Any, call: CheckCall) -> Any:
        if not call.from_json:
            if isinstance(value, self.cls):
                if type(value) is not self.cls:
                    call.lower(STRICT)
                if self.is_model and call.n_fields_set is None:
                    call.n_fields_set = len(value.model_fields_set)
                return value
        elif call.quick is not False:
            made = self._try_quickly(value, call)
            if made is not None:
                return made
        call.lower(STRICT)
        if call.from_json:
            return self._make_exactly(value, self._read_source(value, call), call)
        if not self.is_recursive:
            return self._make_exactly(value, self._read_source(value, call), call)
        place = call.enter(self, value)
        try:
            return self._make_exactly(value, self._read_source(value, call), call)
        finally:
            call.leave(place)

    def _try_quickly(self, value: Any, call: CheckCall) -> Any:
        """Make the instance the quick way, or give None where the exact way must be gone.

        A model inside another does not go the exact way by itself, which would check deep faults over and over: it
        gives up as a whole, and the outermost begins anew.
        """
        outermost = call.quick is None
        able = (
            type(value) is dict and call.extra is None and not (call.strings or call.in_union)
            # A hook runs once, also for an input that turns out wrong.
            and self.hook is None)
        if not outermost:
            made = self._make_quickly(value, call) if able else None
            if made is None:
                raise NotQuick
            return made
        if not able:
            call.quick = False
            return None
        call.quick = True
        n_fields_set, made = call.n_fields_set, None
        try:
            made = self._make_quickly(value, call)
        except (Invalid, NotQuick):
            call.n_fields_set = n_fields_set
        finally:
            # Each of several models in a list may be the outermost one.
            call.quick = None if made is not None else False
        return made

    def fill(self, source: Dict[str, Any], made: Any, is_fresh: bool) -> Any:
        """Fill an instance, or a new one, with values that are right as they are; None hands over, nothing has changed.

        What is fresh from the JSON reader is kept, where a caller's dict is copied.
        """
        if self.hook is not None or not self.is_model:
            return None
        # Of the keys of a caller's dict the set of fields would keep what is no exact text.
        if not is_fresh and not TEXT_ONLY.issuperset(map(type, source)):
            return None
        fields = self.fields
        values = self.fixed.copy()
        names = set(source)
        for name, part in source.items():
            field = fields.get(name)
            if field is None:
                if self.extra != "ignore":
                    return None
                names.discard(name)
                continue
            if type(part) not in field.exact:
                if not (field.holds_any and type(part) is dict):
                    return None
                if not is_fresh:
                    if not TEXT_ONLY.issuperset(map(type, part)):
                        return None
                    part = part.copy()
            values[name] = part
        if self.required and not self.required <= source.keys():
            return None
        for field in self.factories:
            if field.name not in source:
                values[field.name] = field.factory()
        if made is None:
            made = self.cls.__new__(self.cls)
        set_values, set_names, set_extra = self.setters
        set_values(made, values)
        set_names(made, names)
        set_extra(made, {} if self.extra == "allow" else None)
        return made

    def fill_with_keywords(self, source: Dict[str, Any], made: Any) -> bool:
        """Fill an instance with keywords that are right as they are; False hands over, nothing has changed."""
        if self.fill_flat(source, made):
            return True
        if self.fill(source, made, False) is None:
            return False
        self.count_use("fill")
        return True

    def load(self, source: Dict[str, Any]) -> Any:
        """Make an instance of a JSON object whose values are right as they are; None hands over."""
        made = self.load_flat(source)
        if made is None:
            made = self.fill(source, None, True)
            if made is not None:
                self.count_use("load")
        return made

    def count_use(self, use: str) -> None:
        """Count a use of the class, and make the function for it if that makes it a frequent one."""
        self.n_uses[use] += 1
        if self.n_uses[use] != _FREQUENT or not self.is_model:
            return
        fields = list(self.fields.values())
        if use in ("fill", "load"):
            if self.hook is None and self.extra == "ignore":
                made = make_flat_filler(fields, self.setters, None if use == "fill" else self.cls) or _decline
                setattr(self, use + "_flat", made)
        elif not self.computed and self.extra != "allow":
            if use == "write":
                self.write_flat = make_flat_writer(fields) or _decline
            else:
                self.copy_flat = make_flat_copier(fields) or _decline

    def check_keywords(self, values: Dict[str, Any], call: CheckCall, made: Any) -> None:
        """Check the keywords of a constructor into an instance that exists already."""
        self._make_exactly(values, values, call, made)

    def _read_source(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, dict):
            if call.strict and not call.from_json and not self.is_model:
                raise self._wrong_type(value, call)
            return value
        if not self.is_model:
            raise self._wrong_type(value, call)
        if not call.from_json and not call.strict and isinstance(value, abc.Mapping):
            return value
        if call.from_attributes and not call.from_json and _has_attributes(value):
            return _AttributeSource(value)
        raise self._wrong_type(value, call)

    def _wrong_type(self, value: Any, call: CheckCall) -> Invalid:
        ctx = {"class_name": self.title}
        if not self.is_model:
            if call.strings:
                return call.invalid("arguments_type", value)
            kind = "dataclass_exact_type" if call.strict and not call.from_json else "dataclass_type"
            return call.invalid(kind, value, ctx)
        if call.from_attributes and not call.from_json:
            return call.invalid("model_attributes_type", value)
        return call.invalid("model_type", value, ctx)

    def _make_quickly(self, source: Dict[str, Any], call: CheckCall) -> Any:
        """Check a JSON object that is right in every part; None or ``Invalid`` hands over to the exact way."""
        fields = self.fields
        values = self.fixed.copy()
        n_known = 0
        for name, part in source.items():
            field = fields.get(name)
            if field is None:
                if self.extra != "ignore":
                    return None
                continue
            n_known += 1
            plan = field.plan
            values[name] = part if type(part) in field.exact or plan.accepts(part, call) else plan.check(part, call)
        if self.required and not self.required <= source.keys():
            return None
        for field in self.factories:
            if field.name not in source:
                values[field.name] = field.factory()
        names = set(source) if n_known == len(source) else fields.keys() & source.keys()
        call.n_fields_set = (call.n_fields_set or 0) + n_known
        kept: Optional[Dict[str, Any]] = {} if self.extra == "allow" and self.is_model else None
        return self._finish(source, values, names, kept, call)

    def _make_exactly(self, value: Any, source: Any, call: CheckCall, made: Any = None) -> Any:
        values: Dict[str, Any] = {}
        names = set()
        faults: List[Fault] = []
        may_skip = type(source) is dict and not (call.strings or call.in_union)
        if call.strings and not self.is_model:
            _demand_keywords(source, self.fields, call)
        for name, field in self.fields.items():
            if name not in source:
                if field.required:
                    fault = Fault("missing", value, None, call.from_json)
                    fault.path.append(name)
                    faults.append(fault)
                else:
                    values[name] = field.default if field.factory is UNGIVEN else field.factory()
                continue
            names.add(name)
            if may_skip:
                part = source[name]
                if type(part) in field.exact:
                    values[name] = part
                    continue
            try:
                # In an exact check a call less per level counts: a document may nest 200 deep.
                values[name] = check_part(field.plan, source[name], call) if call.strings else field.plan.check(
                    source[name], call)
            except Invalid as exc:
                place_faults(exc, faults, name)
        extra = call.extra or self.extra
        kept: Optional[Dict[str, Any]] = {} if extra == "allow" and self.is_model else None
        if not isinstance(source, _AttributeSource):
            if not self.is_model:
                _check_keywords(source, self.fields, extra, values, faults, call)
            elif extra != "ignore":
                check_extra_keys(source, self.fields, extra, {} if kept is None else kept, faults, call)
        if faults:
            raise Invalid(faults)
        call.n_fields_set = (call.n_fields_set or 0) + len(names)
        if kept:
            names.update(kept)
        return self._finish(value, values, names, kept, call, made)

    def _finish(
        self, value: Any, values: Dict[str, Any], names: Any, extra: Any, call: CheckCall, made: Any = None
    ) -> Any:
        """Make the instance of checked values and run its hook."""
        if made is None:
            made = self.cls.__new__(self.cls)
        if self.is_model:
            set_values, set_names, set_extra = self.setters
            set_values(made, values)
            set_names(made, names)
            set_extra(made, extra)
        elif self.slotted:
            for name, part in values.items():
                object.__setattr__(made, name, part)
        else:
            made.__dict__.update(values)
        if self.hook is not None:
            try:
                if self.is_model:
                    made.model_post_init(call.context)
                else:
                    made.__post_init__()
            except (ValueError, AssertionError) as exc:
                raise refuse_value(exc, value, call) from None
        return made

    # -- dumping

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not self._is_dumpable(value, call):
            call.warn(self.dump_title, value)
            return dump_any(value, call, include, exclude)
        if type(value) is not self.cls and self.is_model and (call.as_any or call.polymorphic):
            if hasattr(type(value), "__codec_model__"):
                return dump_any(value, call, include, exclude)
        identity = id(value)
        if identity in call.ids:
            raise ValueError("Circular reference detected (id repeated)")
        call.ids[identity] = 1
        outer = call.field
        try:
            pairs = self._dump_fields(value, call, include, exclude)
            if self.computed and not (call.exclude_computed or call.round_trip):
                self._dump_computed(value, pairs, call, include, exclude)
            return make_object(pairs, call)
        finally:
            call.field = outer
            del call.ids[identity]

    def _is_dumpable(self, value: Any, call: DumpCall) -> bool:
        if call.trial == "strict":
            return type(value) is self.cls
        if call.trial == "lax" or not self.is_model:
            return isinstance(value, self.cls)
        # pydantic dumps whatever has attributes where a model is expected.
        return hasattr(value, "__dict__")

    def _items(self, value: Any) -> Iterable[Tuple[Any, Any]]:
        if self.slotted:
            return [(name, getattr(value, name)) for name in self.fields if hasattr(value, name)]
        state = value.__dict__
        if not isinstance(state, dict):
            raise TypeError("'%s' object is not an instance of 'dict'" % type(state).__name__)
        return list(state.items())

    def write_compactly(self, value: Any) -> Optional[str]:
        """Write a model of this very class as compact JSON text if all of it is surely right; else None."""
        try:
            text = self.write_flat(value.__dict__)
        except Exception:
            text = None
        if text is not None:
            return text if text.isascii() else join_pieces([text])
        self.count_use("write")
        return self.write_quickly(value, None, "null", False)

    def write_quickly(self, value: Any, indent: Optional[int], inf_nan: str, skips_none: bool) -> Optional[str]:
        """Write a model as JSON text if all of it is surely right; None hands over to the exact way."""
        out: List[str] = []
        try:
            if not self.write(value, out, make_layout(indent, inf_nan, skips_none)):
                return None
        except Exception:
            # An int longer than the interpreter likes to write, too little stack, a value that cannot be written:
            # the exact way knows what to do or what to say.
            return None
        return join_pieces(out)

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if type(value) is not self.cls or not self.is_model or self.extra == "allow":
            return False
        inner = layout if layout.indent is None else layout.inner()
        skips_none = layout.skips_none
        writers = self.writers.get(inner.comma)
        if writers is None:
            writers = self._make_writers(inner)
        first = len(out)
        # What an exclude_if does to the instance shows in none of its values, as it does not in the exact way.
        for name, part in list(value.__dict__.items()):
            writer = writers.get(name)
            if writer is None:
                return False
            start, settled, exclude_if, write, plan = writer
            if exclude_if is not None and exclude_if(part) or skips_none and part is None:
                continue
            if type(part) in settled:
                out.append(start + "null" if part is None else start + repr(part))
                continue
            out.append(start)
            place = len(out)
            if not write(part, out, inner):
                del out[place:]
                if not (_is_single(part) and _write_exactly(plan, part, out, inner)):
                    return False
        for name, plan, made in self.computed:
            part = made.__get__(value, type(value))
            if skips_none and part is None:
                continue
            out.append(inner.comma + quote(name) + inner.colon)
            if not _write_exactly(plan, part, out, inner):
                return False
        if len(out) == first:
            out.append("{}")
            return True
        out[first] = "{" + out[first][1:]  # no comma before the first field
        out.append(layout.newline + "}")
        return True

    def _make_writers(self, inner: Layout) -> Dict[str, Any]:
        """Make what is asked of each field to write it: the text before it, types that repr writes, and so on."""
        writers = {}
        for field in self.fields.values():
            plan = field.plan
            settled = plan.exact & _REPR_TYPES
            while isinstance(plan, OptionalPlan):
                plan = plan.inner
            start = inner.comma + quote(field.name) + inner.colon
            writers[field.name] = (start, settled, field.exclude_if, plan.write, field.plan)
        self.writers = {inner.comma: writers} if len(self.writers) > 20 else {**self.writers, inner.comma: writers}
        return writers

    def copy(self, value: Any) -> Any:
        if type(value) is not self.cls:
            return NOT_COPIED
        try:
            copied = self.copy_flat(value.__dict__)
        except Exception:
            return NOT_COPIED
        if copied is not None:
            return copied
        if not self.is_model or self.computed or self.extra == "allow":
            return NOT_COPIED
        self.count_use("copy")
        out = {}
        fields = self.fields
        for name, part in list(value.__dict__.items()):
            field = fields.get(name)
            if field is None:
                return NOT_COPIED
            if field.exclude_if is not None and field.exclude_if(part):
                continue
            if type(part) not in field.exact:
                part = field.plan.copy(part)
                if part is NOT_COPIED:
                    return NOT_COPIED
            out[field.name] = part
        return out

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        if self.growing is not None and not seen:
            return self.growing
        is_outermost = not seen
        found = gather_growing(self, [(name, field.plan) for name, field in self.fields.items()], seen)
        if is_outermost and self.is_complete:
            self.growing = found
        return found

    def _dump_fields(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> List[Tuple[Any, Any]]:
        pairs = []
        fields_set = getattr(value, "__pydantic_fields_set__", None) if call.exclude_unset else None
        n_fields = 0
        outer = call.field
        as_any = call.as_any
        for name, part in self._items(value):
            field = self.fields.get(name)
            if field is None:
                check_name(name)
                if call.trial == "strict":
                    raise Mismatch(
                        "PydanticSerializationUnexpectedValue(Unexpected field `%s`: Expected `%s`)"
                        % (name, self.dump_title))
                continue
            n_fields += 1
            if call.exclude_none and part is None or fields_set is not None and name not in fields_set:
                continue
            below = filter_key(name, include, exclude) if include is not None or exclude is not None else (None, None)
            if below is None or _is_left_out(field, part, call):
                continue
            call.field = name
            plan = field.plan
            dumped = dump_any(part, call, *below) if as_any else plan.dump(part, call, *below)
            pairs.append((field.name, dumped))
        if call.trial is not None and n_fields < len(self.fields):
            call.field = outer
            raise call.miss_fields(self.dump_title, value, len(self.fields), n_fields)
        extra = getattr(value, "__pydantic_extra__", None) if self.extra == "allow" else None
        for name, part in (extra or {}).items():
            if call.exclude_none and part is None or fields_set is not None and name not in fields_set:
                continue
            below = filter_key(name, include, exclude)
            if below is not None:
                call.field = name
                key = check_text(name) if call.text and type(name) is str else dump_any_key(name, call)
                pairs.append((key, dump_any(part, call, *below)))
        return pairs

    def _dump_computed(
        self, value: Any, pairs: List[Tuple[Any, Any]], call: DumpCall, include: Any, exclude: Any
    ) -> None:
        for name, plan, made in self.computed:
            below = filter_key(name, include, exclude)
            if below is None:
                continue
            part = made.__get__(value, type(value))
            if call.exclude_none and part is None:
                continue
            call.field = name
            pairs.append((name, plan.dump(part, call, *below)))

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        return dump_any_key(key, call)

    # -- describing

    def schema(self, book: Any) -> Dict[str, Any]:
        reference: Dict[str, Any] = book.refer(self.cls, lambda: self._describe(book))
        return reference

    def _describe(self, book: Any) -> Dict[str, Any]:
        properties = {}
        required = []
        is_dump = book.mode == "serialization"
        for name, field in self.fields.items():
            if field.required and not field.init:
                continue  # it can neither be given nor be relied on
            properties[name] = book.describe_property(
                name, field.plan, default=field.default, description=field.description)
            if field.required and not (is_dump and field.exclude_if is not None):
                required.append(name)
        for name, plan, made in self.computed if is_dump else ():
            doc = book.clean(made.__doc__) if made.__doc__ else None
            properties[name] = book.describe_property(name, plan, read_only=True, description=doc)
            required.append(name)
        doc = self.cls.__dict__.get("__doc__")
        if not isinstance(doc, str) or not self.is_model and doc.startswith(self.cls.__name__ + "("):
            doc = None  # dataclass made it of the signature; from 3.15 on it makes it when it is asked for
        described: Dict[str, Any] = book.describe_class(self.cls, properties, required, self.extra, doc)
        return described


def _decline(*values: Any) -> Any:
    """Stand for a function where none was made."""


def _demand_keywords(source: Any, known: Any, call: CheckCall) -> None:
    """Refuse a dict in which anything is no text, known names first; the fault is the dict's, not the part's."""
    for name in known:
        if name in source:
            demand_text(source[name], call)
    for key, part in source.items():
        demand_text(key, call)
        demand_text(part, call)


def _check_keywords(
    source: Any, known: Any, extra: str, out: Dict[str, Any], faults: List[Fault], call: CheckCall
) -> None:
    """Refuse keys that are no text, and refuse, keep or drop unknown ones, as a call of a dataclass would."""
    for key in source:
        if isinstance(key, str) and (extra != "forbid" or key in known):
            if extra == "allow" and key not in known:
                out[str.__str__(key)] = forget_repeats(source[key]) if call.has_repeats else source[key]
            continue
        fault = (
            Fault("unexpected_keyword_argument", source[key], None, call.from_json) if isinstance(key, str)
            else Fault("invalid_key", key, None, call.from_json))
        fault.path.append(key_step(key))
        faults.append(fault)


class _AttributeSource:
    """An object read by its attributes, as if it were a mapping."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._read: Dict[str, Any] = {}

    def __contains__(self, name: str) -> bool:
        try:
            self._read[name] = getattr(self._source, name)
        except AttributeError:
            return False
        except Exception as exc:
            self._read[name] = exc
        return True

    def __getitem__(self, name: str) -> Any:
        found = self._read[name]
        if isinstance(found, Exception):
            raise Invalid([Fault("get_attribute_error", self._source, {"error": describe_exception(found)})])
        return found


def refuse_value(exc: Exception, value: Any, call: CheckCall) -> Invalid:
    """Make a fault of what a class's own code has against a value."""
    kind = "value_error" if isinstance(exc, ValueError) else "assertion_error"
    return call.invalid(kind, value, {"error": exc})


def _model_base(cls: Any) -> Any:
    """Find the base that says what a model is, and does nothing after a validation."""
    return next(base for base in reversed(cls.__mro__) if "__codec_model__" in vars(base))


def _has_attributes(value: Any) -> bool:
    """Tell whether fields can be read off an object: the types of some modules are values, not records."""
    return type(value).__module__ not in ("builtins", "datetime", "collections")


def _is_left_out(field: FieldPlan, value: Any, call: DumpCall) -> bool:
    if call.exclude_defaults and not field.required:
        try:
            if field.make_default() == value:
                return True
        except Exception:
            pass
    return field.exclude_if is not None and bool(field.exclude_if(value))


def _is_single(value: Any) -> bool:
    """Tell whether a value can be dumped as often as one likes, unlike what may hold a generator."""
    kind = type(value)
    if kind is dict or kind is list:
        return copy_plain(value) is not NOT_COPIED
    return kind in _SINGLE_TYPES or kind.__module__ in _SINGLE_MODULES or is_from(kind, "enum", "Enum")


def _write_exactly(plan: Plan, value: Any, out: List[str], layout: Layout) -> bool:
    """Write a value by its dump; False where the dump has something to say."""
    call = DumpCall("json", text=True)
    call.exclude_none = layout.skips_none
    out.append(write_tree_at(plan.dump(value, call), layout))
    return not call.warned


def _bound_plan(plan: Plan, bounds: Dict[str, Any]) -> Plan:
    """Set limits on a plan; None, where it is allowed, has none."""
    if isinstance(plan, OptionalPlan):
        return OptionalPlan(_bound_plan(plan.inner, bounds))
    return BoundedPlan(plan, bounds)


def _find_computed(cls: Any) -> Dict[str, computed_field]:
    found: Dict[str, computed_field] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).copy().items():  # another thread may set an attribute
            if isinstance(value, computed_field):
                found[name] = value
            else:
                found.pop(name, None)
    return found


register_kind("record", lambda hint, build: RecordPlan(hint.source))
