"""The codec for types that are no ``Model``: ``TypeAdapter`` and four functions.

In: any type the codec knows, such as ``Dict[str, int]`` or somebody's plain dataclass. Out: checked values, plain
data, JSON.
"""

from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, Optional, Type, TypeVar, Union, overload

from .declared import engine

__all__ = ["TypeAdapter", "model_dump", "model_dump_json", "model_validate", "model_validate_json"]

AdaptedT = TypeVar("AdaptedT")


class TypeAdapter(Generic[AdaptedT]):
    """Check and dump values of one type.

    Raises ``TypeError`` at once for a type the codec does not know.
    """

    if TYPE_CHECKING:

        @overload
        def __init__(self, type: Type[AdaptedT], *, config: Any = ..., module: Optional[str] = ...) -> None: ...
        @overload
        def __init__(
            self: "TypeAdapter[Any]", type: Any, *, config: Any = ..., module: Optional[str] = ...) -> None: ...

    def __init__(self, type: Any, *, config: Any = None, module: Optional[str] = None) -> None:
        if config is not None:
            raise TypeError("TypeAdapter takes no config here; set `model_config` on a Model instead")
        self._type = type
        self._plan = engine.plan_of(type)

    def __repr__(self) -> str:
        is_class = isinstance(self._type, type) and not getattr(self._type, "__args__", None)
        return "TypeAdapter(%s)" % (self._type.__name__ if is_class else repr(self._type).replace("typing.", ""))

    def validate_python(
        self,
        object: Any,
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        from_attributes: Optional[bool] = None,
        context: Any = None,
        experimental_allow_partial: Any = False,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> AdaptedT:
        """Check a Python value; raises ``ValidationError``."""
        _refuse_partial(experimental_allow_partial)
        checked: AdaptedT = engine.check_value(self._plan, object, engine.make_check_call(
            strict=strict, extra=extra, from_attributes=from_attributes, context=context, by_alias=by_alias,
            by_name=by_name))
        return checked

    def validate_json(
        self,
        data: Union[str, bytes, bytearray],
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        context: Any = None,
        experimental_allow_partial: Any = False,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> AdaptedT:
        """Check a JSON document; raises ``ValidationError``."""
        _refuse_partial(experimental_allow_partial)
        checked: AdaptedT = engine.check_document(self._plan, data, engine.make_check_call(
            from_json=True, strict=strict, extra=extra, context=context, by_alias=by_alias, by_name=by_name))
        return checked

    def validate_strings(
        self,
        obj: Any,
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        context: Any = None,
        experimental_allow_partial: Any = False,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> AdaptedT:
        """Check text, or a dict of text, as what its type makes of it; raises ``ValidationError``."""
        _refuse_partial(experimental_allow_partial)
        checked: AdaptedT = engine.check_value(self._plan, obj, engine.make_check_call(
            strings=True, strict=strict, extra=extra, context=context, by_alias=by_alias, by_name=by_name))
        return checked

    def dump_python(
        self,
        instance: AdaptedT,
        *,
        mode: str = "python",
        include: Any = None,
        exclude: Any = None,
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
        context: Any = None,
    ) -> Any:
        """Dump to plain data: Python's own in mode "python", what JSON can say in mode "json"."""
        call = engine.make_dump_call(
            mode, False, by_alias=by_alias, exclude_unset=exclude_unset, exclude_defaults=exclude_defaults,
            exclude_none=exclude_none, exclude_computed_fields=exclude_computed_fields, round_trip=round_trip,
            fallback=fallback, serialize_as_any=serialize_as_any,
            polymorphic_serialization=polymorphic_serialization, context=context)
        return engine.dump_value(self._plan, instance, call, include, exclude, warnings)

    def dump_json(
        self,
        instance: AdaptedT,
        *,
        indent: Optional[int] = None,
        ensure_ascii: bool = False,
        include: Any = None,
        exclude: Any = None,
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
        context: Any = None,
        inf_nan: str = "null",
    ) -> bytes:
        """Dump to JSON text in UTF-8; ``inf_nan`` says how non-finite floats are written."""
        call = engine.make_dump_call(
            "json", True, by_alias=by_alias, exclude_unset=exclude_unset, exclude_defaults=exclude_defaults,
            exclude_none=exclude_none, exclude_computed_fields=exclude_computed_fields, round_trip=round_trip,
            fallback=fallback, serialize_as_any=serialize_as_any,
            polymorphic_serialization=polymorphic_serialization, context=context)
        text = engine.dump_document(
            self._plan, instance, call, include, exclude, warnings, indent, ensure_ascii, inf_nan)
        return text.encode("utf-8")

    def json_schema(
        self,
        *,
        by_alias: Optional[bool] = None,
        ref_template: str = "#/$defs/{model}",
        union_format: str = "any_of",
        schema_generator: Any = None,
        mode: str = "validation",
    ) -> Dict[str, Any]:
        """Describe the type as JSON schema."""
        from .schema import make_schema  # late

        return make_schema(self._plan, ref_template, mode, union_format, schema_generator)


def model_validate(cls: Type[AdaptedT], obj: Any, **options: Any) -> AdaptedT:
    """Check a Python value as an instance of a dataclass; options as in ``TypeAdapter.validate_python``."""
    made: AdaptedT = TypeAdapter[AdaptedT](cls).validate_python(obj, **options)
    return made


def model_validate_json(cls: Type[AdaptedT], json_data: Union[str, bytes, bytearray], **options: Any) -> AdaptedT:
    """Check a JSON document as an instance of a dataclass; options as in ``TypeAdapter.validate_json``."""
    made: AdaptedT = TypeAdapter[AdaptedT](cls).validate_json(json_data, **options)
    return made


def model_dump(obj: Any, **options: Any) -> Dict[str, Any]:
    """Dump an instance of a dataclass to a dict; options as in ``TypeAdapter.dump_python``."""
    dumped: Dict[str, Any] = TypeAdapter[Any](type(obj)).dump_python(obj, **options)
    return dumped


def model_dump_json(obj: Any, **options: Any) -> str:
    """Dump an instance of a dataclass to JSON text; options as in ``TypeAdapter.dump_json``."""
    return TypeAdapter[Any](type(obj)).dump_json(obj, **options).decode("utf-8")


def _refuse_partial(option: Any) -> None:
    if option not in (False, "off"):
        raise TypeError("experimental_allow_partial is not supported: a document is read whole or refused")
