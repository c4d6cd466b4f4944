"""JSON schema of a plan.

In: a plan. Out: a dict in the form pydantic gives, with the classes it mentions under ``$defs``. The plans say what
their own types are; what they have in common stands here: properties, unions, names of classes, the order of keys.
"""

import warnings
from collections import Counter
from typing import Any, Callable, Dict, List, Optional, Tuple

from .declared import UNGIVEN
from .errors import SerializationError
from .plan.anything import dump_any, is_known_kind
from .plan.base import DumpCall, Plan, is_from

__all__ = ["PydanticJsonSchemaWarning", "SchemaBook", "make_schema"]

_MODES = ("validation", "serialization")
_UNION_FORMATS = ("any_of", "primitive_type_array")
_PRIMITIVES = frozenset(("string", "boolean", "null", "integer", "number"))


class PydanticJsonSchemaWarning(UserWarning):
    """A schema leaves something out, such as a default that JSON cannot say."""


class SchemaBook:
    """The classes described so far.

    Until all of them are known, and so the names that tell them apart, a reference holds the class itself.
    """

    def __init__(self, mode: str, union_format: str) -> None:
        self.mode = mode
        self.union_format = union_format
        self.definitions: Dict[type, Dict[str, Any]] = {}
        self._started: List[type] = []

    def refer(self, cls: type, describe: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
        """Give the reference to a class, describing it when it first comes up."""
        if cls not in self._started:
            self._started.append(cls)
            self.definitions[cls] = describe()
        return {"$ref": cls}

    def describe_class(
        self, cls: type, properties: Dict[str, Any], required: List[str], extra: str, doc: Optional[str]
    ) -> Dict[str, Any]:
        """Describe a class with properties."""
        out: Dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            out["required"] = required
        out["title"] = cls.__name__
        if doc:
            out["description"] = self.clean(doc)
        if extra != "ignore":
            out["additionalProperties"] = extra == "allow"
        return out

    def clean(self, doc: str) -> str:
        """Give a docstring without the indentation of its source."""
        import inspect

        return inspect.cleandoc(doc)

    def describe_property(
        self,
        name: str,
        plan: Plan,
        *,
        default: Any = UNGIVEN,
        read_only: bool = False,
        description: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Describe a field: what its type says, and what the field says beyond it."""
        out = dict(plan.schema(self))
        is_titled = not _names_class(out)
        if default is not UNGIVEN:
            out.update(_describe_default(default))
        if read_only:
            out["readOnly"] = True
        if description is not None:
            out["description"] = description
        if is_titled:
            out.setdefault("title", name.title().replace("_", " ").strip())
        # What the class says already is not said twice beside a reference to it.
        told = self.definitions.get(out["$ref"], {}) if "$ref" in out else {}
        return {key: value for key, value in out.items() if key not in told or told[key] != value}

    def join(self, choices: List[Dict[str, Any]]) -> Dict[str, Any]:
        """Describe what is one of several things."""
        if self.union_format == "primitive_type_array":
            kinds = list(map(_primitive_types, choices))
            if all(kinds):
                return {"type": list(dict.fromkeys(sum(kinds, [])))}
        joined: List[Dict[str, Any]] = []
        for choice in choices:
            for part in choice["anyOf"] if list(choice) == ["anyOf"] else [choice]:
                # Of equals the last one stays, in the place of the first; 1 and True are equal.
                if part in joined:
                    joined[joined.index(part)] = part
                else:
                    joined.append(part)
        return joined[0] if len(joined) == 1 else {"anyOf": joined}


def make_schema(
    plan: Plan, ref_template: str, mode: str, union_format: str = "any_of", schema_generator: Optional[Any] = None
) -> Dict[str, Any]:
    """Describe a plan; raises ``TypeError`` for a form of schema that is not made here."""
    if schema_generator is not None:
        raise TypeError("schema_generator is not supported: there is one form of schema")
    if union_format not in _UNION_FORMATS:
        raise TypeError("union_format must be 'any_of' or 'primitive_type_array', not %r" % (union_format,))
    if mode not in _MODES:
        raise TypeError("mode must be 'validation' or 'serialization', not %r" % (mode,))
    book = SchemaBook(mode, union_format)
    out = dict(plan.schema(book))
    counts: Dict[type, int] = Counter()
    _count_references(out, book.definitions, counts)
    # A class alone stands open; one that mentions itself must be under a name.
    alone = out.get("$ref")
    if alone is not None and counts[alone] == 1:
        out = book.definitions.pop(alone)
    definitions = {cls: described for cls, described in book.definitions.items() if cls in counts}
    names = _name_classes(definitions)
    if definitions:
        out = dict(out, **{"$defs": {names[cls]: described for cls, described in definitions.items()}})
    written: Dict[str, Any] = _write(out, {cls: ref_template.format(model=name) for cls, name in names.items()})
    return written


def _names_class(schema: Dict[str, Any]) -> bool:
    """Tell whether a schema is that of a class, or None: such a one has a title of its own."""
    choices = schema.get("anyOf", [schema])
    return "$ref" in choices[0] and choices[1:] in ([], [{"type": "null"}])


def _primitive_types(schema: Dict[str, Any]) -> List[str]:
    """Give the types of a schema that says no more than primitive types, else nothing."""
    kinds = schema.get("type", []) if len(schema) == 1 else []
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return kinds if _PRIMITIVES.issuperset(kinds) else []


def _describe_default(default: Any) -> Dict[str, Any]:
    """Describe a default as JSON data, or warn and leave it out."""
    try:
        if type(default) is float:
            return {"default": default}
        if is_from(type(default), "pathlib", "PurePath"):
            return {"default": str(default)}
        if isinstance(default, (set, frozenset)):
            default = _sort_set(default)
        if not is_known_kind(type(default)):
            raise SerializationError("A value of this class has no plan")
        return {"default": dump_any(default, DumpCall("json"))}
    except Exception:
        warnings.warn(
            "Default value %s is not JSON serializable; excluding default from JSON schema [non-serializable-default]"
            % (default,), PydanticJsonSchemaWarning)
        return {}


def _sort_set(values: Any) -> List[Any]:
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def _count_references(schema: Any, definitions: Dict[type, Dict[str, Any]], counts: Dict[type, int]) -> None:
    """Count the references to each class that a schema leads to."""
    if isinstance(schema, type):
        counts[schema] += 1
        if counts[schema] == 1:
            _count_references(definitions[schema], definitions, counts)
    elif isinstance(schema, (dict, list)):
        for part in schema.values() if isinstance(schema, dict) else schema:
            _count_references(part, definitions, counts)


def _name_classes(definitions: Dict[type, Dict[str, Any]]) -> Dict[type, str]:
    """Find the shortest name of each class that no differently described class could have too."""
    candidates: Dict[type, Tuple[str, str, str]] = {}
    holders: Dict[str, List[type]] = {}
    n_of_name: Dict[str, int] = Counter()
    for cls in definitions:
        long = _plain_name("%s.%s" % (cls.__module__, cls.__qualname__))
        n_of_name[long] += 1
        short = _plain_name(cls.__qualname__.rpartition(".")[2])
        candidates[cls] = (short, long, "%s__%d" % (long, n_of_name[long]))
        for name in candidates[cls]:
            holders.setdefault(name, []).append(cls)
    names: Dict[type, str] = {}
    while True:
        # Classes whose parts have come to one name may themselves have become equal.
        written = {cls: _write(described, names) for cls, described in definitions.items()}
        found = {
            cls: next((name for name in own if all(written[cls] == written[other] for other in holders[name])), own[2])
            for cls, own in candidates.items()}
        if found == names:
            return names
        names = found


def _plain_name(name: str) -> str:
    import re

    return re.sub(r"[^a-zA-Z0-9.\-_]", "_", name).replace(".", "__")


def _write(schema: Any, references: Dict[type, Any], parent: str = "") -> Any:
    """Put references in the place of classes and sort keys; fields and the keys of a default keep their order."""
    if isinstance(schema, dict):
        keys = list(schema) if parent in ("properties", "default") else sorted(schema)
        return {key: _write(schema[key], references, key) for key in keys}
    if isinstance(schema, list):
        return [_write(part, references, parent) for part in schema]
    return references.get(schema, schema) if isinstance(schema, type) else schema
