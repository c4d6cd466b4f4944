"""Pydantic's names of version 1, which its models still carry and warn about.

In: calls by the old names. Out: what the new names give, and pydantic's ``DeprecationWarning``. What no new name does
stands in `legacy_calls`.
"""

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Set, Tuple, Type, TypeVar, Union

from .declared import copy_deeply

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import deprecated
else:

    def deprecated(text: str) -> Any:
        """Note the text of a deprecated method, for ``warn_of`` and where tools look for it."""

        def note(method: Any) -> Any:
            method.__deprecated__ = _TEXTS[method.__name__] = text
            return method

        return note


__all__ = [
    "PydanticDeprecatedSince20", "PydanticDeprecatedSince211", "PydanticDeprecationWarning", "PydanticUserError",
]

L = TypeVar("L", bound="LegacyModel")
_UNSET: Any = object()
_TEXTS: Dict[str, str] = {}


class PydanticDeprecationWarning(DeprecationWarning):
    """Something deprecated was used: ``message`` says what, ``since`` and ``expected_removal`` when."""

    since = (2, 0)
    expected_removal = (3, 0)

    def __init__(self, message: str, *args: object) -> None:
        super().__init__(message, *args)
        self.message = message.rstrip(".")

    def __str__(self) -> str:
        text = "%s. Deprecated in Pydantic V%d.%d to be removed in V%d.%d." % (
            (self.message,) + self.since + self.expected_removal)
        if self.since == (2, 0):
            text += " See Pydantic V2 Migration Guide at https://errors.pydantic.dev/2.14/migration/"
        return text


class PydanticDeprecatedSince20(PydanticDeprecationWarning):
    """A name of version 1 was used."""


class PydanticDeprecatedSince211(PydanticDeprecationWarning):
    """An instance was asked for what its class should be asked for."""

    since = (2, 11)


class PydanticUserError(RuntimeError):
    """``from_orm`` was called on a class that is not configured for it."""


class LegacyType(type):
    """What classes were asked for by an old name."""

    @property
    @deprecated("The `__fields__` attribute is deprecated, use the `model_fields` class property instead.")
    def __fields__(cls: Any) -> Dict[str, Any]:
        warn_of("__fields__")
        fields: Dict[str, Any] = cls.model_fields
        return fields

    def __dir__(cls) -> List[str]:
        # Whoever looks at all attributes of a class should not be warned.
        return [name for name in super().__dir__() if name != "__fields__"]


class LegacyModel:
    """Methods by their old names; each docstring names the new one."""

    __slots__ = ()

    if not TYPE_CHECKING:
        # For type checkers these are attributes of the class alone.

        @property
        def model_fields(self) -> Dict[str, Any]:
            """The fields by name; ask the class instead."""
            _warn_of_instance("model_fields")
            return type(self).model_fields

        @property
        def model_computed_fields(self) -> Dict[str, Any]:
            """The computed fields by name; ask the class instead."""
            _warn_of_instance("model_computed_fields")
            return type(self).model_computed_fields

        @property
        def __fields__(self) -> Dict[str, Any]:
            warn_of("__fields__")
            return type(self).model_fields

    @property
    @deprecated("The `__fields_set__` attribute is deprecated, use `model_fields_set` instead.")
    def __fields_set__(self: Any) -> Set[str]:
        warn_of("__fields_set__")
        fields_set: Set[str] = self.__pydantic_fields_set__
        return fields_set

    # -- making

    @classmethod
    @deprecated("The `parse_obj` method is deprecated; use `model_validate` instead.")
    def parse_obj(cls: Type[L], obj: Any) -> L:
        """Use ``model_validate``."""
        warn_of("parse_obj")
        return _validate_as(cls, obj)

    @classmethod
    @deprecated(
        "The `parse_raw` method is deprecated; if your data is JSON use `model_validate_json`, "
        "otherwise load the data then use `model_validate` instead.")
    def parse_raw(
        cls: Type[L],
        b: Union[str, bytes],
        *,
        content_type: Optional[str] = None,
        encoding: str = "utf8",
        proto: Optional[str] = None,
        allow_pickle: bool = False,
    ) -> L:
        """Use ``model_validate_json``; ``proto`` is "json" or "pickle", and never unpickle what others made."""
        from .errors import LoadFault, ValidationError  # late
        from .legacy_calls import load_raw, name_kind  # late

        warn_of("parse_raw")
        try:
            obj = load_raw(b, content_type, encoding, proto, allow_pickle)
        except (ValueError, TypeError) as exc:
            raise ValidationError(cls.__name__, [LoadFault(name_kind(exc), b, str(exc))])
        return _validate_as(cls, obj)

    @classmethod
    @deprecated(
        "The `parse_file` method is deprecated; load the data from file, then if your data is JSON "
        "use `model_validate_json`, otherwise `model_validate` instead.")
    def parse_file(
        cls: Type[L],
        path: Union[str, "Path"],
        *,
        content_type: Optional[str] = None,
        encoding: str = "utf8",
        proto: Optional[str] = None,
        allow_pickle: bool = False,
    ) -> L:
        """Use ``model_validate_json`` on what the file holds; a file that cannot be read raises its own error."""
        from .legacy_calls import load_file  # late

        warn_of("parse_file")
        obj = load_file(path, content_type, encoding, proto, allow_pickle)
        return cls.parse_obj(obj)

    @classmethod
    @deprecated(
        "The `from_orm` method is deprecated; set "
        "`model_config['from_attributes']=True` and use `model_validate` instead.")
    def from_orm(cls: Type[L], obj: Any) -> L:
        """Use ``model_validate`` with ``from_attributes=True``."""
        warn_of("from_orm")
        config: Dict[str, Any] = getattr(cls, "model_config", {})
        if not config.get("from_attributes"):
            raise PydanticUserError("You must set the config attribute `from_attributes=True` to use from_orm")
        return _validate_as(cls, obj, from_attributes=True)

    @classmethod
    @deprecated("The `validate` method is deprecated; use `model_validate` instead.")
    def validate(cls: Type[L], value: Any) -> L:
        """Use ``model_validate``."""
        warn_of("validate")
        return _validate_as(cls, value)

    @classmethod
    @deprecated("The `construct` method is deprecated; use `model_construct` instead.")
    def construct(cls: Type[L], _fields_set: Optional[Set[str]] = None, **values: Any) -> L:
        """Use ``model_construct``."""
        warn_of("construct")
        made: L = cls.model_construct(_fields_set=_fields_set, **values)  # type: ignore[attr-defined]  # of Model
        return made

    # -- dumping

    @deprecated("The `dict` method is deprecated; use `model_dump` instead.")
    def dict(
        self: Any,
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = False,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
    ) -> Dict[str, Any]:
        """Use ``model_dump``."""
        warn_of("dict")
        dumped: Dict[str, Any] = self.model_dump(
            include=include, exclude=exclude, by_alias=by_alias, exclude_unset=exclude_unset,
            exclude_defaults=exclude_defaults, exclude_none=exclude_none)
        return dumped

    @deprecated("The `json` method is deprecated; use `model_dump_json` instead.")
    def json(
        self: Any,
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = False,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        encoder: Optional[Callable[[Any], Any]] = _UNSET,
        models_as_dict: bool = _UNSET,
        **dumps_kwargs: Any,
    ) -> str:
        """Use ``model_dump_json``; options of ``json.dumps`` raise ``TypeError``."""
        warn_of("json")
        if encoder is not _UNSET:
            raise TypeError("The `encoder` argument is no longer supported; use field serializers instead.")
        if models_as_dict is not _UNSET:
            raise TypeError("The `models_as_dict` argument is no longer supported; use a model serializer instead.")
        if dumps_kwargs:
            raise TypeError("`dumps_kwargs` keyword arguments are no longer supported.")
        text: str = self.model_dump_json(
            include=include, exclude=exclude, by_alias=by_alias, exclude_unset=exclude_unset,
            exclude_defaults=exclude_defaults, exclude_none=exclude_none)
        return text

    # -- copying

    @deprecated(
        "The `copy` method is deprecated; use `model_copy` instead. "
        "See the docstring of `BaseModel.copy` for details about how to handle `include` and `exclude`.")
    def copy(self: L, *, include: Any = None, exclude: Any = None, update: Any = None, deep: bool = False) -> L:
        """Use ``model_copy``, or ``model_validate(model_dump(include=..., exclude=..., round_trip=True))``.

        With ``include`` or ``exclude`` containers are copied too, and models inside by this method again.
        """
        from .legacy_calls import open_both, pick_items  # late

        warn_of("copy")
        source: Any = self
        extra: Optional[Dict[str, Any]] = source.__pydantic_extra__
        items: Iterable[Tuple[str, Any]] = [*self.__dict__.items(), *(extra or {}).items()]
        if include is not None or exclude is not None:
            items = pick_items(items, *open_both(include, exclude, source.__codec_fields__))
        values = dict(items, **(update or {}))
        if extra is not None:
            extra = {name: values.pop(name) for name in extra if name in values}
        # As in pydantic, a part that was taken out of a field unsets the field, and `include` unsets nothing.
        fields_set = {*source.__pydantic_fields_set__, *(update or ())}.difference(exclude or ())
        made = type(self).__new__(type(self))
        object.__setattr__(made, "__dict__", copy_deeply(values) if deep else values)
        object.__setattr__(made, "__pydantic_extra__", copy_deeply(extra) if deep else extra)
        object.__setattr__(made, "__pydantic_fields_set__", fields_set)
        return made

    # -- asking

    @classmethod
    @deprecated("The `schema` method is deprecated; use `model_json_schema` instead.")
    def schema(cls: Any, by_alias: bool = True, ref_template: str = "#/$defs/{model}") -> Dict[str, Any]:
        """Use ``model_json_schema``."""
        warn_of("schema")
        described: Dict[str, Any] = cls.model_json_schema(by_alias=by_alias, ref_template=ref_template)
        return described

    @classmethod
    @deprecated("The `schema_json` method is deprecated; use `model_json_schema` and json.dumps instead.")
    def schema_json(
        cls: Any, *, by_alias: bool = True, ref_template: str = "#/$defs/{model}", **dumps_kwargs: Any
    ) -> str:
        """Use ``json.dumps`` on ``model_json_schema``."""
        warn_of("schema_json")
        import json

        described = cls.model_json_schema(by_alias=by_alias, ref_template=ref_template)
        # Given here, so that `default` is refused as it is by pydantic.
        return json.dumps(described, default=None, **dumps_kwargs)

    @classmethod
    @deprecated("The `update_forward_refs` method is deprecated; use `model_rebuild` instead.")
    def update_forward_refs(cls: Any, **localns: Any) -> None:
        """Use ``model_rebuild``."""
        warn_of("update_forward_refs")
        if localns:
            raise TypeError("`localns` arguments are not longer accepted.")
        cls.model_rebuild(force=True)


def warn_of(name: str) -> None:
    """Warn whoever called the caller of this."""
    import warnings

    text = _TEXTS.get(name, "`%s` is deprecated." % name)
    warnings.warn(text, category=PydanticDeprecatedSince20, stacklevel=3)


def _warn_of_instance(name: str) -> None:
    import warnings

    text = (
        "Accessing the %r attribute on the instance is deprecated. "
        "Instead, you should access this attribute from the model class." % name)
    warnings.warn(text, category=PydanticDeprecatedSince211, stacklevel=3)


def _validate_as(cls: Type[L], obj: Any, **options: Any) -> L:
    made: L = cls.model_validate(obj, **options)  # type: ignore[attr-defined]  # of Model, which inherits this
    return made
