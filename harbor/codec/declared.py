"""What a class of fields asks for when it is made; the part of the codec that works on values is kept back.

In: annotations, defaults and properties in the body of a class; later the names of `calls`. Out: what they stand for.
A class needs none of `calls` before the first value comes, so that importing one costs little more than `dataclasses`
itself.
"""

import sys
import typing
from typing import TYPE_CHECKING, Any, ClassVar, Dict

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

__all__ = ["computed_field", "engine"]


class computed_field(property):  # named like pydantic's decorator, in whose place it stands
    """A property that is dumped after the fields: ``@computed_field`` above a method or a ``@property``."""

    def __init__(self, fget: Any, *rest: Any) -> None:
        fget = fget.fget if isinstance(fget, property) else fget
        super().__init__(fget, *rest)


def default_of(field: Any) -> Any:
    """Give the default of a dataclass's field, be it one that each instance gets a copy of."""
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


def own_annotations(cls: Any) -> Dict[str, Any]:
    """Give the annotations a class itself declares, in order."""
    if sys.version_info >= (3, 14):
        # Annotations are made on demand from 3.14 on and no longer stand in the class's __dict__.
        import annotationlib

        return dict(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return dict(cls.__dict__.get("__annotations__", {}))
