"""Annotations -> neutral descriptions of types.

In: what stands behind a colon in somebody's class, on any Python from 3.8 on. Out: a ``Hint`` that says which kind
of type it is and what it is made of. Nothing here checks a value; of the others `declared` alone asks for the Python
version.
"""

import sys
import typing
from typing import Any, Dict, List, Optional, Tuple, Union

from .declared import fields_of, own_annotations

__all__ = ["Hint", "describe_type", "record_hints", "typed_dict_hints"]

_MODERN_UNION: Any = getattr(sys.modules.get("types"), "UnionType", Union)  # from 3.10 on: int | None
_SCALARS: Dict[Any, str] = {
    int: "int", float: "float", str: "str", bool: "bool", None: "none", type(None): "none", Any: "any",
    list: "list", dict: "dict",
}
# Classes named by module, so that describing a type never imports the module that defines it.
_NAMED = (
    ("datetime", "datetime", "datetime"), ("uuid", "UUID", "uuid"), ("pathlib", "Path", "path"),
)
_KEY_MARKS = ("Required", "NotRequired", "ReadOnly")


class Hint:
    """One described type: its ``kind``, the hints it is made of, and the class or values it stands for."""

    __slots__ = ("kind", "items", "source")

    def __init__(self, kind: str, items: Tuple["Hint", ...] = (), source: Any = None) -> None:
        self.kind = kind
        self.items = items
        self.source = source


def describe_type(annotation: Any, where: str, scope: Optional[Dict[str, Any]] = None) -> Hint:
    """Describe one annotation.

    ``where`` names class and field for the ``TypeError`` that refuses a type the codec does not know; ``scope``
    resolves names in quotes.
    """
    annotation = _unquote(annotation, where, scope)
    try:
        kind = _SCALARS.get(annotation)
    except TypeError:  # an unhashable annotation is no type
        kind = None
    if kind is not None:
        any_hint = Hint("any")
        items = {"list": (any_hint,), "dict": (any_hint, any_hint)}.get(kind, ())
        return Hint(kind, items)
    if isinstance(annotation, type) and not typing.get_args(annotation):
        hint = _describe_class(annotation)
    else:
        hint = _describe_form(annotation, where, scope)
    if hint is None:
        raise TypeError("%s has a type this codec does not know: %s" % (where, _show_type(annotation)))
    return hint


def record_hints(cls: Any) -> Dict[str, Hint]:
    """Describe the fields of a dataclass, in order."""
    hints = {}
    for field in fields_of(cls):
        owner = next((base for base in cls.__mro__ if field.name in own_annotations(base)), cls)
        scope = dict(vars(sys.modules.get(owner.__module__, typing)), **{owner.__name__: owner, cls.__name__: cls})
        hints[field.name] = describe_type(field.type, _place(cls, field.name), scope)
    return hints


def typed_dict_hints(cls: Any) -> Dict[str, Tuple[Hint, bool]]:
    """Describe the keys of a TypedDict, in order, each with whether it is required."""
    scope = dict(vars(sys.modules.get(cls.__module__, typing)), **{cls.__name__: cls})
    # Python 3.8 knows no more than __total__; later versions keep the totality of each key.
    required = getattr(cls, "__required_keys__", None)
    hints = {}
    for name, annotation in cls.__annotations__.items():
        where = _place(cls, name)
        needed = cls.__total__ if required is None else name in required
        annotation = _unquote(annotation, where, scope)
        mark = _key_mark(annotation)
        while mark is not None:
            needed = needed if mark == "ReadOnly" else mark == "Required"
            annotation = typing.get_args(annotation)[0]
            mark = _key_mark(annotation)
        hints[name] = (describe_type(annotation, where, scope), needed)
    return hints


def resolve_return(function: Any, where: str) -> Hint:
    """Describe what a function says it returns; without a word, anything."""
    annotation = getattr(function, "__annotations__", {}).get("return", Any)
    return describe_type(annotation, where, getattr(function, "__globals__", None))


def _place(cls: Any, name: str) -> str:
    return "Field %r of %s" % (name, cls.__qualname__)


def _unquote(annotation: Any, where: str, scope: Optional[Dict[str, Any]]) -> Any:
    """Evaluate a name in quotes in the module of its class."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, dict(scope or {}))
    except Exception as exc:
        raise TypeError("%s has a type that cannot be resolved: %r (%s)" % (where, annotation, exc)) from exc


def _describe_class(cls: Any) -> Optional[Hint]:
    for module, name, kind in _NAMED:
        if cls is getattr(sys.modules.get(module), name, ()):
            return Hint(kind, (), cls)
    enum_base = getattr(sys.modules.get("enum"), "Enum", None)
    if enum_base is not None and issubclass(cls, enum_base):
        return Hint("enum", (), cls)
    if issubclass(cls, dict) and hasattr(cls, "__total__"):
        return Hint("typed-dict", (), cls)
    if hasattr(cls, "__codec_model__") or hasattr(cls, "__dataclass_fields__"):
        return Hint("record", (), cls)
    return None


def _describe_form(annotation: Any, where: str, scope: Optional[Dict[str, Any]]) -> Optional[Hint]:
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return Hint("literal", (), _literal_values(args))
    if origin is Union or origin is _MODERN_UNION:
        return _describe_union(args, where, scope)
    if origin in (list, dict):
        # A bare List or Dict has no arguments: anything goes.
        full = args or ((Any,) if origin is list else (Any, Any))
        full = tuple(Any if isinstance(a, typing.TypeVar) else a for a in full)
        return Hint(origin.__name__, tuple(describe_type(a, where, scope) for a in full))
    return None


def _describe_union(args: Tuple[Any, ...], where: str, scope: Optional[Dict[str, Any]]) -> Hint:
    choices: List[Hint] = []
    optional = False
    for arg in args:
        hint = describe_type(arg, where, scope)
        # An alias of a union inside a union in quotes is not flattened by typing.
        for choice in hint.items if hint.kind in ("union", "optional") else (hint,):
            inner = choice.items if choice.kind == "union" else (choice,)
            choices.extend(c for c in inner if c.kind != "none")
        optional = optional or hint.kind in ("none", "optional")
    hint = choices[0] if len(choices) == 1 else Hint("union", tuple(choices))
    return Hint("optional", (hint,)) if optional else hint


def _literal_values(args: Tuple[Any, ...]) -> Tuple[Any, ...]:
    """Flatten nested literals and drop doubles; 1 and True, though equal, are two values."""
    values: List[Any] = []
    for arg in args:
        inner = _literal_values(typing.get_args(arg)) if typing.get_origin(arg) is typing.Literal else (arg,)
        values.extend(v for v in inner if not any(type(v) is type(w) and v == w for w in values))
    return tuple(values)


def _key_mark(annotation: Any) -> Optional[str]:
    origin = typing.get_origin(annotation)
    # typing_extensions has marks of its own with the same names for older Pythons.
    name = getattr(origin, "_name", None) or getattr(origin, "__name__", None)
    return name if name in _KEY_MARKS else None


def _show_type(annotation: Any) -> str:
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return annotation.__qualname__
    return repr(annotation)
