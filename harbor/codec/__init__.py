"""A hand-written codec for dataclasses: checks, dumps and describes them as pydantic does.

Knows nothing of Harbor; usable on anyone's classes.
"""

import sys
from typing import TYPE_CHECKING, Any, List

__all__ = [
    "Field", "FieldInfo", "Model", "SerializationError", "TypeAdapter", "ValidationError", "computed_field",
    "model_dump", "model_dump_json", "model_validate", "model_validate_json",
]

# Modules that are there without being imported by name.
_MODULES = (
    "adapter", "calls", "declared", "errors", "hints", "legacy", "model", "moments", "plan", "schema", "signature",
    "text",
)

if TYPE_CHECKING:
    from .adapter import TypeAdapter, model_dump, model_dump_json, model_validate, model_validate_json
    from .declared import computed_field
    from .errors import SerializationError, ValidationError
    from .model import Field, FieldInfo, Model
else:
    # Imported when they are first asked for: classes of fields need few of them, and readers of JSON none.

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            # What `importlib` does, which not every Python has loaded.
            full = "%s.%s" % (__name__, name)
            __import__(full)
            return sys.modules[full]
        if name not in __all__:
            raise AttributeError("module %r has no attribute %r" % (__name__, name))
        if name.endswith("Error"):
            home = "errors"
        elif name == "computed_field":
            home = "declared"
        else:
            home = "model" if name in ("Field", "FieldInfo", "Model") else "adapter"
        globals()[name] = found = getattr(__getattr__(home), name)
        return found

    def __dir__() -> List[str]:
        return sorted({*globals(), *__all__, *_MODULES})
