"""A hand-written codec for dataclasses: checks, dumps and describes them as pydantic does.

Knows nothing of Harbor; usable on anyone's classes.
"""

from .adapter import TypeAdapter, model_dump, model_dump_json, model_validate, model_validate_json
from .errors import SerializationError, ValidationError
from .model import Field, FieldInfo, Model
from .plan.records import computed_field

__all__ = [
    "Field", "FieldInfo", "Model", "SerializationError", "TypeAdapter", "ValidationError", "computed_field",
    "model_dump", "model_dump_json", "model_validate", "model_validate_json",
]
