"""What a class of fields asks for when it is made; what it does not need yet is kept back.

In: annotations, defaults and properties in the body of a class; later the names of `calls`. Out: what they stand for.
A class needs none of `calls` before the first value comes, and of `dataclasses`, which imports more than all models
together, nothing before somebody asks for what only that has.
"""

import sys
import typing
from typing import TYPE_CHECKING, Any, ClassVar, Dict, List, Optional

if TYPE_CHECKING:
    from . import calls as engine
else:

    class _FirstUse:
        """Stands for `calls`, which it imports when a name is missing; from then on it has them all."""

        def __getattr__(self, name: str) -> Any:
            from . import calls  # late

            vars(self).update((own, getattr(calls, own)) for own in calls.__all__)
            return getattr(calls, name)

    engine = _FirstUse()

__all__ = ["FieldSpec", "OnDemand", "computed_field", "engine", "fields_of"]


class _Ungiven:
    """Stands where a field has no default."""

    def __repr__(self) -> str:
        return "<no default>"


UNGIVEN: Any = _Ungiven()


class FieldSpec:
    """What the body of a class says of one field, under the names that ``dataclasses.Field`` has for it.

    In the body of a class that is no model it becomes such a field.
    """

    __slots__ = ("name", "type", "default", "default_factory", "metadata", "init", "standard")

    def __init__(self, default: Any = UNGIVEN, default_factory: Any = UNGIVEN, metadata: Any = None) -> None:
        self.name = ""
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.metadata: Dict[str, Any] = metadata or {}
        self.init: bool = True
        # The field of `dataclasses` that this one was read off.
        self.standard: Any = None

    def __set_name__(self, owner: Any, name: str) -> None:
        default = self.default
        if hasattr(type(default), "__set_name__"):
            type(default).__set_name__(default, owner, name)
        if not hasattr(owner, "__codec_model__"):
            setattr(owner, name, self.make_standard())

    @classmethod
    def read(cls, field: Any) -> "FieldSpec":
        """Read a ``dataclasses.Field``."""
        given = [
            UNGIVEN if value is sys.modules["dataclasses"].MISSING else value
            for value in (field.default, field.default_factory)]
        spec = cls(given[0], given[1], field.metadata)
        spec.name, spec.type, spec.init, spec.standard = field.name, field.type, field.init, field
        return spec

    def make_standard(self) -> Any:
        """Make a ``dataclasses.Field`` of it, or give the one that it was read off."""
        import dataclasses  # late

        given = {"default": self.default, "default_factory": self.default_factory}
        make_field: Any = dataclasses.field  # its overloads know no keywords
        return self.standard or make_field(
            metadata=self.metadata, **{name: value for name, value in given.items() if value is not UNGIVEN})


def fields_of(cls: Any) -> List[FieldSpec]:
    """List the fields of a model class or of somebody's dataclass, in order."""
    own = getattr(cls, "__codec_fields__", None)
    if own is not None:
        return list(own.values())
    import dataclasses  # late

    return [FieldSpec.read(field) for field in dataclasses.fields(cls)]


class OnDemand:
    """What a dataclass keeps in its class, made of the fields when it is asked for; each model class has its own."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> Any:
        import dataclasses  # late

        # Not of the class itself, which other threads may be using, or asking the same.
        stand_in: Any = type(owner.__name__, (), {
            "__module__": __name__, "__doc__": "Given, because dataclass would write one."})
        stand_in.__annotations__ = {spec.name: spec.type for spec in owner.__codec_fields__.values()}
        for spec in owner.__codec_fields__.values():
            # Set one by one, which tells no default what it is called: it was told by its own class.
            setattr(stand_in, spec.name, spec.make_standard())
        dataclasses.dataclass(init=False, repr=False, eq=False)(stand_in)
        for name in ON_DEMAND:
            setattr(owner, name, getattr(stand_in, name))
        return getattr(stand_in, self._name)


ON_DEMAND = ("__dataclass_fields__", "__dataclass_params__")


class computed_field(property):  # named like pydantic's decorator, in whose place it stands
    """A property that is dumped after the fields: ``@computed_field`` above a method or a ``@property``."""

    def __init__(self, fget: Any, *rest: Any) -> None:
        fget = fget.fget if isinstance(fget, property) else fget
        super().__init__(fget, *rest)


def copy_deeply(value: Any, memo: Optional[Dict[int, Any]] = None) -> Any:
    """Do as ``copy.deepcopy`` does."""
    import copy  # late

    return copy.deepcopy(value, memo)


def default_of(field: FieldSpec) -> Any:
    """Give the default of a field, be it one that each instance gets a copy of."""
    return field.metadata.get("copied_default", field.default)


def unquote_early(annotation: Any, scope: Dict[str, Any]) -> Any:
    """Evaluate a quoted annotation if its names are known already, else keep it as a forward reference."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, dict(scope))
    except Exception:
        return typing.ForwardRef(annotation)


def is_class_var(annotation: Any) -> bool:
    """Tell whether an annotation is a ``ClassVar``, quoted or not."""
    if isinstance(annotation, str):
        return annotation.replace(" ", "").startswith(("ClassVar", "typing.ClassVar"))
    return annotation is ClassVar or typing.get_origin(annotation) is ClassVar


def is_from_dataclasses(value: Any, name: str) -> bool:
    """Tell whether a value is that class of ``dataclasses``, or one of its instances."""
    kind = getattr(sys.modules.get("dataclasses"), name, None)
    return kind is not None and (value is kind or isinstance(value, kind))


def own_annotations(cls: Any) -> Dict[str, Any]:
    """Give the annotations a class itself declares, in order."""
    if sys.version_info >= (3, 14):
        # Annotations are made on demand from 3.14 on and no longer stand in the class's __dict__.
        import annotationlib

        return dict(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return dict(cls.__dict__.get("__annotations__", {}))
