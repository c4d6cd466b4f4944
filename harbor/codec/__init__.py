"""A codec for dataclasses: checks, dumps and describes them as pydantic does.

Knows nothing of Harbor; usable on anyone's classes.
"""

from typing import TYPE_CHECKING, Any, List

from .hints import computed_field
from .model import Field, FieldInfo, Model

__all__ = [
    "Field", "FieldInfo", "Model", "SerializationError", "TypeAdapter", "ValidationError", "computed_field",
    "model_dump", "model_dump_json", "model_validate", "model_validate_json",
]

if TYPE_CHECKING:
    from .adapter import TypeAdapter, model_dump, model_dump_json, model_validate, model_validate_json
    from .errors import SerializationError, ValidationError
else:
    # What a class of fields does without is imported when it is first asked for.

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError("module %r has no attribute %r" % (__name__, name))
        from . import adapter, errors

        globals()[name] = found = getattr(errors if name.endswith("Error") else adapter, name)
        return found

    def __dir__() -> List[str]:
        return sorted({*globals(), *__all__})
