"""JSON schema of a plan.

In: a plan. Out: a dict in the form pydantic gives, with the classes it mentions under ``$defs``.
"""

from typing import Any, Callable, Dict, Optional

from .errors import SerializationError
from .plan.base import DumpCall, Plan


class SchemaBook:
    """The classes described so far; plans refer to them by name."""

    def __init__(self, ref_template: str, mode: str) -> None:
        self.ref_template = ref_template
        self.mode = mode
        self.definitions: Dict[str, Dict[str, Any]] = {}
        self._names: Dict[Any, str] = {}

    def refer(self, cls: Any, describe: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
        """Give the reference to a class, describing it when it first comes up."""
        name = self._names.get(cls)
        if name is None:
            name = cls.__name__
            if name in self.definitions:
                # Two classes of one name are told apart by their modules.
                name = "%s__%s" % (cls.__module__.replace(".", "__"), cls.__qualname__.replace(".", "__"))
            self._names[cls] = name
            self.definitions[name] = {}
            self.definitions[name].update(describe())
        return {"$ref": self.ref_template.format(model=name)}

    def dump_default(self, plan: Plan, default: Any) -> Any:
        """Give a default as JSON data."""
        call = DumpCall("json")
        try:
            return plan.dump(default, call)
        except (SerializationError, TypeError, ValueError):
            return default


def make_schema(
    plan: Plan, ref_template: str, mode: str, union_format: str = "any_of", schema_generator: Optional[Any] = None
) -> Dict[str, Any]:
    """Describe a plan; raises ``TypeError`` for a form of schema that is not made here."""
    if schema_generator is not None:
        raise TypeError("schema_generator is not supported: there is one form of schema")
    if union_format != "any_of":
        raise TypeError("union_format=%r is not supported: unions are written as anyOf" % (union_format,))
    if mode not in ("validation", "serialization"):
        raise TypeError("mode must be 'validation' or 'serialization', not %r" % (mode,))
    book = SchemaBook(ref_template, mode)
    out = plan.schema(book)
    if set(out) == {"$ref"}:
        own = next((name for name in book.definitions if ref_template.format(model=name) == out["$ref"]), None)
        if own is not None and not _mentions(book.definitions, out["$ref"]):
            out = book.definitions.pop(own)
    if book.definitions:
        out = dict(out, **{"$defs": book.definitions})
    ordered: Dict[str, Any] = _sort_keys(out)
    return ordered


def _mentions(schema: Any, ref: str) -> bool:
    """Tell whether a schema refers to a class, as one that mentions itself does."""
    if isinstance(schema, dict):
        return schema.get("$ref") == ref or any(_mentions(part, ref) for part in schema.values())
    return isinstance(schema, list) and any(_mentions(part, ref) for part in schema)


def _sort_keys(schema: Any, parent: str = "") -> Any:
    """Sort the keys of a schema as pydantic does: names of properties keep their order, defaults are data."""
    if isinstance(schema, dict):
        keys = list(schema) if parent in ("properties", "default") else sorted(schema)
        return {key: _sort_keys(schema[key], key) if parent != "default" else schema[key] for key in keys}
    if isinstance(schema, list):
        return [_sort_keys(part, parent) for part in schema]
    return schema
