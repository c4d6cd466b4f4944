"""``Model``: a dataclass that checks, dumps, copies and describes itself as a pydantic model does.

In: keywords, mappings, JSON. Out: instances, dicts, JSON. What a field's type means is the plan's business; here
stands what an instance and its class can do.
"""

import functools
import sys
from types import MemberDescriptorType
from typing import (
    TYPE_CHECKING, Any, Callable, ClassVar, Dict, FrozenSet, Iterator, List, Optional, Set, Tuple, Type, TypeVar, Union,
)

from .declared import (
    ON_DEMAND, UNGIVEN, FieldSpec, OnDemand, copy_deeply, default_of, engine, fields_of, is_class_var,
    is_from_dataclasses, own_annotations, unquote_early,
)
from .legacy import LegacyModel, LegacyType

if TYPE_CHECKING:
    from dataclasses import field as standard_field
    from typing_extensions import dataclass_transform

    from .plan.records import RecordPlan
else:
    standard_field = None

    def dataclass_transform(**options: Any) -> Any:
        """Stand in for the decorator that only type checkers read."""
        return lambda decorated: decorated


__all__ = ["Field", "FieldInfo", "Model"]

M = TypeVar("M", bound="Model")
_STATE = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
_CONFIG_NAMES = frozenset(("extra", "frozen"))
_EVEN_OPTIONS = frozenset(("indent", "inf_nan", "exclude_none", "warnings", "fallback"))


def Field(
    default: Any = UNGIVEN,
    *,
    default_factory: Any = UNGIVEN,
    description: Optional[str] = None,
    exclude_if: Optional[Callable[[Any], bool]] = None,
    after: Optional[Callable[[Any], Any]] = None,
    ge: Optional[float] = None,
    gt: Optional[float] = None,
    le: Optional[float] = None,
    lt: Optional[float] = None,
    min_length: Optional[int] = None,
    max_length: Optional[int] = None,
) -> Any:
    """Describe a field beyond its annotation, in a ``Model`` or a plain dataclass.

    The limits hold for values that are not None; ``exclude_if(value)`` says when a dump leaves the field out;
    ``after(value)`` gets a value that is right by its type and gives the one to keep, or raises ``ValueError``.
    """
    given = {
        "description": description, "exclude_if": exclude_if, "after": after, "ge": ge, "gt": gt, "le": le, "lt": lt,
        "min_length": min_length, "max_length": max_length,
    }
    metadata = {name: value for name, value in given.items() if value is not None}
    if default is ...:
        default = UNGIVEN
    if default is not UNGIVEN and default_factory is not UNGIVEN:
        raise ValueError("cannot specify both default and default_factory")
    return FieldSpec(default, default_factory, metadata)


class FieldInfo:
    """What a class says of one field: ``annotation``, ``default``, ``default_factory``, ``description``."""

    def __init__(self, field: FieldSpec) -> None:
        self.annotation: Any = field.type
        self.default: Any = default_of(field)
        # A default that each instance gets a copy of is a default all the same.
        has_factory = self.default is field.default and field.default_factory is not UNGIVEN
        self.default_factory: Any = field.default_factory if has_factory else None
        self.description: Optional[str] = field.metadata.get("description")
        self.exclude_if: Optional[Callable[[Any], bool]] = field.metadata.get("exclude_if")

    def is_required(self) -> bool:
        """Tell whether an input must give the field."""
        return self.default is UNGIVEN and self.default_factory is None

    def get_default(self) -> Any:
        """Give the default, made anew where the field has a factory and copied where it can change."""
        if self.default_factory is not None:
            return self.default_factory()
        return self.default if _is_hashable(self.default) else copy_deeply(self.default)

    def __repr__(self) -> str:
        shown = self.annotation.__name__ if type(self.annotation) is type else repr(self.annotation)
        parts = ["annotation=" + shown.replace("typing.", ""), "required=%r" % self.is_required()]
        if self.default_factory is not None:
            parts.append("default_factory=%s" % getattr(self.default_factory, "__name__", self.default_factory))
        elif not self.is_required():
            parts.append("default=%r" % (self.default,))
        if self.description is not None:
            parts.append("description=%r" % self.description)
        return "FieldInfo(%s)" % ", ".join(parts)


class ModelMetaclass(LegacyType):
    """The class of model classes: what is asked of a class and not of its instances."""

    # Error texts show the class of a class; they are the same as pydantic's.
    __module__ = "pydantic._internal._model_construction"

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            # A field's default is no attribute of the class, as in pydantic.
            raise AttributeError(name)

    @property
    def model_fields(cls) -> Dict[str, FieldInfo]:
        """The fields by name, in order."""
        fields: Dict[str, FieldSpec] = getattr(cls, "__codec_fields__")
        return {name: FieldInfo(field) for name, field in fields.items()}

    @property
    def model_computed_fields(cls) -> Dict[str, Any]:
        """The computed fields by name, in order."""
        return {name: made for name, _, made in _plan_of_model(cls).computed}

    @property
    def __signature__(cls) -> Any:
        from .signature import describe_signature  # late

        return describe_signature(cls)


def _skip_dump_options(full: Any) -> Any:
    """Make ``model_dump`` go a short way where no option is given."""

    def call(self: Any, **options: Any) -> Any:
        if not options:
            cls = type(self)
            try:
                copied = (cls.__codec_plan__ or _plan_of_model(cls)).copy(self)
            except RecursionError:
                copied = engine.NOT_COPIED  # too little stack, or a model inside itself
            if copied is not engine.NOT_COPIED:
                return copied
        return full(self, **options)

    return functools.update_wrapper(call, full)


def _skip_text_options(full: Any) -> Any:
    """Make ``model_dump_json`` go a short way with options that change nothing about an ordinary record."""

    def call(self: Any, **options: Any) -> Any:
        cls = type(self)
        plan = cls.__codec_plan__ or _plan_of_model(cls)
        text = None
        if not options:
            text = plan.write_compactly(self)
        elif _suit_ordinary(options):
            text = plan.write_quickly(
                self, options.get("indent"), options.get("inf_nan", "null"), options.get("exclude_none", False))
        return full(self, **options) if text is None else text

    return functools.update_wrapper(call, full)


def _suit_ordinary(options: Dict[str, Any]) -> bool:
    """Tell whether the options are right, and such that an ordinary record is written the same with each of them."""
    indent, warnings = options.get("indent"), options.get("warnings", True)
    return (
        _EVEN_OPTIONS.issuperset(options)
        and (indent is None or type(indent) is int and indent >= 0)
        and type(options.get("exclude_none", False)) is bool
        and options.get("inf_nan", "null") in ("null", "constants", "strings")
        and (warnings is True or warnings is False or warnings in ("none", "warn", "error"))
    )


def _skip_check_options(full: Any) -> Any:
    """Make ``model_validate`` go a short way where its input is all that is given."""
    full = full.__func__

    def call(cls: Any, *values: Any, **options: Any) -> Any:
        if options or len(values) != 1:
            return full(cls, *values, **options)
        plan = cls.__codec_plan__ or _plan_of_model(cls)
        if type(values[0]) is dict:
            made = plan.fill(values[0], None, False)
            if made is not None:
                return made
        return engine.check_value(plan, values[0], engine.CheckCall())

    wrapped: Any = functools.update_wrapper(call, full)
    return classmethod(wrapped)


def _skip_json_options(full: Any) -> Any:
    """Make ``model_validate_json`` go a short way where its input is all that is given."""
    full = full.__func__

    def call(cls: Any, *values: Any, **options: Any) -> Any:
        if options or len(values) != 1:
            return full(cls, *values, **options)
        plan = cls.__codec_plan__ or _plan_of_model(cls)
        source = engine.parse_small(values[0])
        if source is not None:
            made = plan.load(source)
            if made is not None:
                return made
        call = engine.CheckCall()
        call.from_json = True
        return engine.check_document(plan, values[0], call, source)

    wrapped: Any = functools.update_wrapper(call, full)
    return classmethod(wrapped)


@dataclass_transform(kw_only_default=True, field_specifiers=(Field, standard_field))
class Model(LegacyModel, metaclass=ModelMetaclass):
    """Base of classes whose annotated names are checked fields.

    ``class Point(Model, extra="forbid")`` or ``model_config = {"extra": ...}`` says what happens to unknown names:
    "ignore" (the default), "allow" or "forbid"; ``frozen=True`` makes instances hashable and refuses assignments.
    ``model_post_init`` runs after each validation.
    """

    __slots__ = ("__dict__", "__weakref__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
    __codec_model__ = None
    __codec_plan__: ClassVar[Any] = None
    __codec_fields__: ClassVar[Dict[str, FieldSpec]] = {}
    model_config: ClassVar[Dict[str, Any]] = {}
    __class_vars__: ClassVar[FrozenSet[str]] = frozenset()
    if TYPE_CHECKING:
        # State beside the fields; not ClassVars but slots, in a form that no type checker takes for fields.
        __pydantic_fields_set__: ClassVar[Any]
        __pydantic_extra__: ClassVar[Any]
        __dataclass_fields__: ClassVar[Dict[str, Any]]

    def __init_subclass__(cls, **config: Any) -> None:
        super().__init_subclass__()
        own = dict(cls.__dict__.get("model_config", {}), **config)
        unknown = sorted(set(own) - _CONFIG_NAMES)
        if unknown:
            raise TypeError("%s sets %s, which this codec does not know; it knows: extra, frozen" % (
                cls.__qualname__, ", ".join(unknown)))
        if own.get("extra", "ignore") not in ("ignore", "allow", "forbid"):
            raise ValueError("%s sets extra=%r; it must be 'ignore', 'allow' or 'forbid'" % (
                cls.__qualname__, own["extra"]))
        inherited: Dict[str, Any] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited.update(base.__dict__.get("model_config", {}))
        cls.model_config = dict(inherited, **own)
        if cls.model_config.get("frozen"):
            setattr(cls, "__hash__", _hash_fields)
        # Names in quotes are looked up where the class stands, which may be inside a function.
        frame = sys._getframe(1)
        _declare_fields(cls, dict(frame.f_globals, **frame.f_locals))
        # Built when the class is first used; a class never takes its base's.
        cls.__codec_plan__ = None

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            cls = type(self)
            plan = cls.__codec_plan__ or _plan_of_model(cls)
            if plan.fill_with_keywords(data, self):
                return
            try:
                plan.check_keywords(data, engine.CheckCall(), self)
                return
            except engine.Invalid as exc:
                faults = exc.faults
            raise engine.ValidationError(plan.title, faults)

        def __setattr__(self, name: str, value: Any) -> None:
            cls = type(self)
            if name[:1] != "_" and cls.model_config.get("frozen"):
                raise _refuse_change(cls, name, value)
            if name in cls.__codec_fields__:
                self.__dict__[name] = value
                self.__pydantic_fields_set__.add(name)
            elif name in cls.__class_vars__:
                raise AttributeError(
                    "%r is a ClassVar of `%s` and cannot be set on an instance. If you want to set a value on the "
                    "class, use `%s.%s = value`." % (name, cls.__name__, cls.__name__, name))
            elif name[:1] == "_" or isinstance(getattr(cls, name, None) if name else None, property):
                object.__setattr__(self, name, value)
            elif cls.model_config.get("extra") == "allow":
                if hasattr(cls, name):
                    object.__setattr__(self, name, value)
                    return
                self.__pydantic_extra__[name] = value
                self.__pydantic_fields_set__.add(name)
            else:
                raise ValueError('"%s" object has no field "%s"' % (cls.__name__, name))

        def __getattr__(self, name: str) -> Any:
            extra = None if name in _STATE else self.__pydantic_extra__
            if extra and name in extra:
                return extra[name]
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))

        def __delattr__(self, name: str) -> None:
            extra = self.__pydantic_extra__
            if name[:1] != "_" and type(self).model_config.get("frozen"):
                raise _refuse_change(type(self), name, None)
            if name in self.__dict__:
                del self.__dict__[name]
            elif extra and name in extra:
                del extra[name]
            else:
                raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))

    # -- making

    @classmethod
    def model_validate(
        cls: Type[M],
        obj: Any,
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        from_attributes: Optional[bool] = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> M:
        """Check a mapping or an instance; raises ``ValidationError`` with every fault."""
        call = engine.make_check_call(
            strict=strict, extra=extra, from_attributes=from_attributes, context=context, by_alias=by_alias,
            by_name=by_name)
        made: M = engine.check_value(_plan_of_model(cls), obj, call)
        return made

    @classmethod
    def model_validate_json(
        cls: Type[M],
        json_data: Union[str, bytes, bytearray],
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> M:
        """Check a JSON document; raises ``ValidationError`` with every fault."""
        call = engine.make_check_call(
            from_json=True, strict=strict, extra=extra, context=context, by_alias=by_alias, by_name=by_name)
        made: M = engine.check_document(_plan_of_model(cls), json_data, call)
        return made

    @classmethod
    def model_validate_strings(
        cls: Type[M],
        obj: Any,
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> M:
        """Check a dict whose values are text, such as an environment; raises ``ValidationError``."""
        made: M = engine.check_value(_plan_of_model(cls), obj, engine.make_check_call(
            strings=True, strict=strict, extra=extra, context=context, by_alias=by_alias, by_name=by_name))
        return made

    @classmethod
    def model_construct(cls: Type[M], _fields_set: Optional[Set[str]] = None, **values: Any) -> M:
        """Make an instance of values as they are, checking nothing."""
        plan = _plan_of_model(cls)
        state: Dict[str, Any] = {}
        for name, field in plan.fields.items():
            if name in values:
                state[name] = values[name]
            elif not field.required:
                state[name] = field.make_default()
        fields_set = {name for name in state if name in values} if _fields_set is None else _fields_set
        extra: Optional[Dict[str, Any]] = None
        if plan.extra == "allow":
            extra = {name: value for name, value in values.items() if name not in plan.fields}
        made = cls.__new__(cls)
        _set_state(made, state, fields_set, extra)
        if plan.hook is not None:
            made.model_post_init(None)
        return made

    def model_post_init(self, context: Any, /) -> None:
        """Run after each validation; a ``ValueError`` raised here becomes a fault."""

    # -- dumping

    def model_dump(
        self,
        *,
        mode: str = "python",
        include: Any = None,
        exclude: Any = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        exclude_computed_fields: bool = False,
        round_trip: bool = False,
        warnings: Union[bool, str] = True,
        fallback: Optional[Callable[[Any], Any]] = None,
        serialize_as_any: bool = False,
        polymorphic_serialization: Optional[bool] = None,
    ) -> Dict[str, Any]:
        """Dump to a dict: Python's own values in mode "python", what JSON can say in mode "json"."""
        call = engine.make_dump_call(
            mode, False, by_alias=by_alias, exclude_unset=exclude_unset, exclude_defaults=exclude_defaults,
            exclude_none=exclude_none, exclude_computed_fields=exclude_computed_fields, round_trip=round_trip,
            fallback=fallback, serialize_as_any=serialize_as_any,
            polymorphic_serialization=polymorphic_serialization, context=context)
        dumped: Dict[str, Any] = engine.dump_value(_plan_of_model(type(self)), self, call, include, exclude, warnings)
        return dumped

    def model_dump_json(
        self,
        *,
        indent: Optional[int] = None,
        ensure_ascii: bool = False,
        include: Any = None,
        exclude: Any = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        exclude_computed_fields: bool = False,
        round_trip: bool = False,
        warnings: Union[bool, str] = True,
        fallback: Optional[Callable[[Any], Any]] = None,
        serialize_as_any: bool = False,
        polymorphic_serialization: Optional[bool] = None,
        inf_nan: str = "null",
    ) -> str:
        """Dump to JSON text.

        ``inf_nan`` goes beyond pydantic: "null" is its way and loses what it replaces; "constants" writes ``NaN`` and
        ``Infinity``, which is no JSON to strict parsers; "strings" writes them as text that typed fields read back.
        """
        call = engine.make_dump_call(
            "json", True, by_alias=by_alias, exclude_unset=exclude_unset, exclude_defaults=exclude_defaults,
            exclude_none=exclude_none, exclude_computed_fields=exclude_computed_fields, round_trip=round_trip,
            fallback=fallback, serialize_as_any=serialize_as_any,
            polymorphic_serialization=polymorphic_serialization, context=context)
        return engine.dump_document(
            _plan_of_model(type(self)), self, call, include, exclude, warnings, indent, ensure_ascii, inf_nan)

    if not TYPE_CHECKING:
        # Most calls give no option: reading 17 defaults would cost them more than their work on a small record.
        model_validate = _skip_check_options(model_validate)
        model_validate_json = _skip_json_options(model_validate_json)
        model_dump = _skip_dump_options(model_dump)
        model_dump_json = _skip_text_options(model_dump_json)

    # -- copying

    def model_copy(self: M, *, update: Any = None, deep: bool = False) -> M:
        """Copy, deeply if asked to; ``update`` sets fields without checking them."""
        copied = self.__deepcopy__() if deep else self.__copy__()
        if update:
            names = update.keys()
            if type(self).model_config.get("extra") == "allow":
                fields = type(self).__codec_fields__
                extra = copied.__pydantic_extra__ or {}
                for name, value in update.items():
                    (copied.__dict__ if name in fields else extra)[name] = value
                object.__setattr__(copied, "__pydantic_extra__", extra)
            else:
                copied.__dict__.update(update)
            copied.__pydantic_fields_set__.update(names)
        return copied

    def __copy__(self: M) -> M:
        made = type(self).__new__(type(self))
        extra = self.__pydantic_extra__
        _set_state(made, dict(self.__dict__), set(self.__pydantic_fields_set__), None if extra is None else dict(extra))
        return made

    def __deepcopy__(self: M, memo: Optional[Dict[int, Any]] = None) -> M:
        made = type(self).__new__(type(self))
        memo = {} if memo is None else memo
        # Noted before its parts are copied: a part may lead back here.
        memo[id(self)] = made
        _set_state(
            made, copy_deeply(self.__dict__, memo), set(self.__pydantic_fields_set__),
            copy_deeply(self.__pydantic_extra__, memo))
        return made

    def __replace__(self: M, **changes: Any) -> M:
        return self.model_copy(update=changes)

    def __getstate__(self) -> Dict[str, Any]:
        return {
            "__dict__": self.__dict__, "__pydantic_extra__": self.__pydantic_extra__,
            "__pydantic_fields_set__": self.__pydantic_fields_set__, "__pydantic_private__": None,
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        _set_state(self, state["__dict__"], state["__pydantic_fields_set__"], state["__pydantic_extra__"])

    # -- asking

    @property
    def model_fields_set(self) -> Set[str]:
        """The names of the fields that were given or assigned."""
        fields_set: Set[str] = self.__pydantic_fields_set__
        return fields_set

    @property
    def model_extra(self) -> Optional[Dict[str, Any]]:
        """The values of unknown names where the class allows them, else None."""
        extra: Optional[Dict[str, Any]] = self.__pydantic_extra__
        return extra

    @classmethod
    def model_json_schema(
        cls,
        by_alias: Optional[bool] = None,
        ref_template: str = "#/$defs/{model}",
        schema_generator: Any = None,
        mode: str = "validation",
        *,
        union_format: str = "any_of",
    ) -> Dict[str, Any]:
        """Describe the class as JSON schema."""
        if cls is Model:
            raise AttributeError("model_json_schema() must be called on a subclass of Model, not Model itself.")
        # Before the import: two threads that begin at different ends of the codec would wait for each other.
        plan = _plan_of_model(cls)
        from .schema import make_schema  # late

        return make_schema(plan, ref_template, mode, union_format, schema_generator)

    @classmethod
    def model_rebuild(cls, *, force: bool = False, raise_errors: bool = True, **namespace: Any) -> Optional[bool]:
        """Build the plan of the class if it has none; None where there was nothing to do."""
        if namespace:
            raise TypeError("model_rebuild takes no namespace here: names are looked up in the class's module")
        _plan_of_model(cls)
        return True if force else None

    @classmethod
    def model_parametrized_name(cls, params: Tuple[Any, ...]) -> str:
        """Refuse: no model here is generic."""
        raise TypeError("Concrete names should only be generated for generic models.")

    @classmethod
    def __class_getitem__(cls, params: Any) -> Any:
        raise TypeError("%r cannot be parametrized because it does not inherit from typing.Generic" % cls)

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        if type(self) is not type(other) or self.__pydantic_extra__ != other.__pydantic_extra__:
            return False
        if self.__dict__ == other.__dict__:
            return True
        # What stands beside the fields does not count.
        fields = type(self).__codec_fields__
        mine, theirs = ({name: value for name, value in vars(side).items() if name in fields} for side in (self, other))
        return (len(mine) < len(self.__dict__) or len(theirs) < len(other.__dict__)) and mine == theirs

    def __iter__(self) -> Iterator[Tuple[str, Any]]:
        yield from [(name, value) for name, value in self.__dict__.items() if not name.startswith("_")]
        if self.__pydantic_extra__:
            yield from self.__pydantic_extra__.items()

    def __repr__(self) -> str:
        return "%s(%s)" % (type(self).__name__, ", ".join(self._show_fields()))

    def __str__(self) -> str:
        return " ".join(self._show_fields())

    def _show_fields(self) -> List[str]:
        shown: List[Tuple[str, Any]] = [
            (name, value) for name, value in self.__dict__.items() if name in type(self).__codec_fields__]
        shown.extend((self.__pydantic_extra__ or {}).items())
        shown.extend((name, getattr(self, name)) for name in type(self).model_computed_fields)
        return ["%s=%r" % pair for pair in shown]


def _plan_of_model(cls: Any) -> "RecordPlan":
    plan: Any = cls.__codec_plan__ or engine.plan_of(cls)
    return plan  # type: ignore[no-any-return]  # a model's plan is a RecordPlan


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _hash_fields(self: Any) -> int:
    return hash(type(self)) + hash(tuple(self.__dict__.get(name) for name in type(self).__codec_fields__))


def _refuse_change(cls: Any, name: str, value: Any) -> Exception:
    from .errors import Fault, ValidationError  # late

    fault = Fault("frozen_instance", value)
    fault.path.append(name)
    return ValidationError(cls.__name__, [fault])


def _set_state(made: Any, values: Dict[str, Any], fields_set: Any, extra: Any) -> None:
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(made, "__pydantic_fields_set__", fields_set)
    object.__setattr__(made, "__pydantic_extra__", extra)


def _declare_fields(cls: Any, scope: Dict[str, Any]) -> None:
    """Note the fields of a subclass; ``dataclasses`` makes its own of them when somebody asks."""
    annotations = own_annotations(cls)
    if any(isinstance(annotation, str) for annotation in annotations.values()):
        annotations = {name: unquote_early(annotation, scope) for name, annotation in annotations.items()}
        cls.__annotations__ = annotations
    fields: Dict[str, FieldSpec] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__codec_fields__" in vars(base):
            fields.update(vars(base)["__codec_fields__"])
        elif "__dataclass_fields__" in vars(base):
            if getattr(vars(base).get("__dataclass_params__"), "frozen", False):
                raise TypeError("cannot inherit non-frozen dataclass from a frozen one")
            fields.update((field.name, field) for field in fields_of(base))
    body = dict(vars(cls))
    shared = {name for name, annotation in annotations.items() if is_class_var(annotation)}
    for name, annotation in annotations.items():
        if name not in shared and name.startswith("_"):
            raise TypeError("Field %r of %s starts with an underscore, which no field may" % (name, cls.__qualname__))
        if name in shared or is_from_dataclasses(annotation, "InitVar"):
            # It may take the place of a field.
            fields.pop(name, None)
            _settle_attribute(cls, name, body.get(name))
        else:
            # What has a __get__ is what that gives, as everywhere in a class.
            value = getattr(cls, name, UNGIVEN) if name in body else UNGIVEN
            fields[name] = _declare_field(name, annotation, value)
    for name, value in body.items():
        if name not in annotations and _is_field(value):
            raise TypeError("%r of %s is a field but has no type annotation" % (name, cls.__qualname__))
        # A field's default is no attribute of the class.
        if name in fields:
            delattr(cls, name)
    cls.__codec_fields__ = fields
    cls.__class_vars__ = cls.__class_vars__ | shared
    for name in ON_DEMAND:
        setattr(cls, name, OnDemand(name))


def _settle_attribute(cls: Any, name: str, value: Any) -> None:
    """Put the default of what is described like a field, and is none, into the class."""
    if not _is_field(value):
        return
    spec = value if isinstance(value, FieldSpec) else FieldSpec.read(value)
    if spec.default_factory is not UNGIVEN:
        raise TypeError("field %s cannot have a default factory" % name)
    if spec.default is UNGIVEN:
        delattr(cls, name)
    else:
        setattr(cls, name, spec.default)


def _is_field(value: Any) -> bool:
    return isinstance(value, FieldSpec) or is_from_dataclasses(value, "Field")


def _declare_field(name: str, annotation: Any, value: Any) -> FieldSpec:
    """Make the field of what stands behind its annotation; what can change is copied for each instance."""
    if is_from_dataclasses(value, "Field"):
        spec = FieldSpec.read(value)
    elif isinstance(value, FieldSpec):
        spec = FieldSpec(value.default, value.default_factory, value.metadata)
    else:
        spec = FieldSpec(UNGIVEN if isinstance(value, MemberDescriptorType) else value)
    if not _is_hashable(spec.default):
        spec = FieldSpec(
            default_factory=functools.partial(copy_deeply, spec.default),
            metadata=dict(spec.metadata, copied_default=spec.default))
    spec.name, spec.type = name, annotation
    return spec
