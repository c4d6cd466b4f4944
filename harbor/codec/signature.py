"""The signature of a model class, as ``inspect.signature`` shows it.

In: a class with fields. Out: an ``inspect.Signature`` with today's spelling of types (``int | None``) on every
Python.
"""

from typing import Any, Dict

from .declared import UNGIVEN, default_of, fields_of
from .hints import Hint, record_hints

__all__ = ["describe_signature"]

_WORDS: Dict[str, str] = {"none": "None", "any": "typing.Any"}


class _Shown:
    """An annotation that prints as given."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def describe_signature(cls: Any) -> Any:
    """Describe the keywords a class takes."""
    import inspect

    parameters = []
    hints = record_hints(cls)
    for field in fields_of(cls):
        default: Any = default_of(field)
        if default is UNGIVEN:
            has_factory = field.default_factory is not UNGIVEN
            default = _Shown("<factory>") if has_factory else inspect.Parameter.empty
        parameters.append(inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=default,
            annotation=_Shown(_show_hint(hints[field.name]))))
    if getattr(cls, "model_config", {}).get("extra") == "allow":
        parameters.append(inspect.Parameter(
            "extra_data", inspect.Parameter.VAR_KEYWORD, annotation=_Shown("typing.Any")))
    return inspect.Signature(parameters, return_annotation=None)


def _show_hint(hint: Hint) -> str:
    if hint.kind == "optional":
        return "%s | None" % _show_hint(hint.items[0])
    if hint.kind == "union":
        return " | ".join(_show_hint(item) for item in hint.items)
    if hint.kind == "literal":
        return "Literal[%s]" % ", ".join(repr(value) for value in hint.source)
    if hint.kind in ("list", "dict"):
        return "%s[%s]" % (hint.kind, ", ".join(_show_hint(item) for item in hint.items))
    if hint.source is not None:
        return "%s.%s" % (hint.source.__module__, hint.source.__qualname__)
    return _WORDS.get(hint.kind, hint.kind)
