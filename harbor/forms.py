"""The forms in which a saved record says what JSON cannot.

In: a model with anything at all in its fields. Out: one that can be dumped, and whose dump every parser reads back.
What is good stays the very object it is. Nothing is imported for the sake of foreign values: arrays, tensors and
foreign models are known by their methods. docs/trials.md lists the forms.
"""

import os
from collections import abc
from typing import Any, Dict, List, Optional, Set, TypeVar

from .codec import Model, TypeAdapter
from .codec.declared import fields_of
from .codec.text.reading import parse
from .codec.text.writing import render
from .models.agent.rollout_detail import RolloutDetail

__all__ = ["FormGiver", "add_extras", "describe_value", "escape_text"]

RecordT = TypeVar("RecordT")

_PLAIN_KINDS = frozenset((type(None), bool, int, float, str))
_LIST_KINDS = (list, tuple, set, frozenset, abc.MutableSequence)
_BYTE_KINDS = (bytes, bytearray, memoryview)
# Readers refuse longer integers, and deeper documents than 200 levels.
_INT_LIMIT = 10 ** 4300
_LEVELS_LIMIT = 190

_ROLLOUT_KEYS = frozenset(RolloutDetail.__annotations__)
_NO_FORM = object()
_ANYTHING: List[TypeAdapter[Any]] = []


class FormGiver:
    """Gives forms to the values of one record.

    By default it looks at what can hold anything, and leaves other lists to the codec, which knows what belongs there;
    ``thorough`` looks at every value.
    """

    def __init__(self, thorough: bool = False) -> None:
        self._thorough = thorough
        # Whether a model or a rollout was seen with unknown keys, which no dump writes unless its class says so.
        self.found_extras = False
        # The values around the one at hand, by their id.
        self._around: Set[int] = set()

    def give_forms(self, record: RecordT) -> RecordT:
        """Give the record, or a copy of it in which every value that JSON cannot say has its form."""
        formed: RecordT = self._form(record)
        return formed

    def _form(self, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return escape_text(value)
        if kind is int:
            return hex(value) if _is_too_long(value) else value
        if kind in _PLAIN_KINDS:
            return value
        identity = id(value)
        if identity in self._around:
            return "<%s that contains itself>" % kind.__name__
        if len(self._around) >= _LEVELS_LIMIT:
            return _show(value)
        self._around.add(identity)
        try:
            return self._form_other(value, kind)
        except Exception:
            return _show(value)
        finally:
            self._around.discard(identity)

    def _form_other(self, value: Any, kind: type) -> Any:
        if isinstance(value, Model):
            return self._form_model(value)
        if isinstance(value, dict):
            return self._form_dict(value, list(dict.items(value)), kind is dict)
        if isinstance(value, str):
            return escape_text(str.__str__(value))
        if isinstance(value, _BYTE_KINDS):
            return bytes(value).decode("utf-8", "backslashreplace")
        if isinstance(value, _LIST_KINDS):
            return self._form_items(value, list(value), kind is list)
        if hasattr(kind, "__next__"):
            # Looking into an iterator uses it up, and may never end.
            return _show(value)
        if hasattr(kind, "__dataclass_fields__"):
            names = [field.name for field in fields_of(kind)]
            return self._form_dict(value, [(name, getattr(value, name)) for name in names], False)
        return self._form_leaf(value)

    def _form_model(self, model: Any) -> Any:
        changes = {}
        for name, value in list(vars(model).items()):
            if type(value) is list and value and type(value[0]) is dict and any(map(_has_unknown_keys, value)):
                self.found_extras = True
            if self._thorough or _can_hold_anything(value):
                formed = self._form(value)
                if formed is not value:
                    changes[name] = formed
        extra = model.model_extra
        formed_extra = self._form(extra) if extra else extra
        self.found_extras = self.found_extras or bool(extra)
        if not changes and formed_extra is extra:
            return model
        copied = model.model_copy()
        vars(copied).update(changes)
        if extra:
            copied.model_extra.clear()
            copied.model_extra.update(formed_extra)
        return copied

    def _form_dict(self, value: Any, pairs: Any, is_plain: bool) -> Any:
        out: Dict[str, Any] = {}
        for key, item in pairs:
            name = key if type(key) is str and key.isascii() else _name_key(key)
            while name in out:
                name += " (%s)" % type(key).__name__
            formed = item if type(item) in (bool, float) or item is None else self._form(item)
            is_plain = is_plain and formed is item and name is key
            out[name] = formed
        return value if is_plain else out

    def _form_items(self, value: Any, items: List[Any], is_plain: bool) -> Any:
        kinds = set(map(type, items))
        if kinds == {int} and is_plain and not _is_too_long(min(items)) and not _is_too_long(max(items)):
            return value
        out = [self._form(item) for item in items]
        return value if is_plain and all(map(_is_same, out, items)) else out

    def _form_leaf(self, value: Any) -> Any:
        """Keep what the codec can dump as one plain value, such as a moment or a path."""
        converted = _convert(value)
        if converted is not _NO_FORM:
            return self._form(converted)
        dumped = _any_adapter().dump_python(value, mode="json", fallback=describe_value)
        formed = self._form(dumped)
        return value if formed is dumped and type(dumped) in _PLAIN_KINDS else formed


def add_extras(model: Model, text: str, indent: Optional[int], inf_nan: str) -> str:
    """Add the unknown keys that a reading kept to the dump of a model whose values have their forms."""
    tree = parse(text)
    _add_extras_to(tree, model, inf_nan)
    return render(tree, indent=indent, inf_nan=inf_nan)


def _add_extras_to(tree: Any, value: Any, inf_nan: str) -> None:
    if isinstance(value, Model) and isinstance(tree, dict):
        for name, part in vars(value).items():
            if name in tree:
                _add_extras_to(tree[name], part, inf_nan)
        _add_missing(tree, value.model_extra or {}, inf_nan)
    elif isinstance(value, list) and isinstance(tree, list):
        for tree_part, part in zip(tree, value):
            if isinstance(part, Model):
                _add_extras_to(tree_part, part, inf_nan)
            elif _has_unknown_keys(part):
                _add_missing(tree_part, part, inf_nan)
    elif isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, Model):
                _add_extras_to(tree[name], part, inf_nan)


def _add_missing(tree: Any, parts: Dict[str, Any], inf_nan: str) -> None:
    """Add what is not there; what a class writes itself, such as a computed value, stays."""
    missing = {name: part for name, part in parts.items() if name not in tree}
    if missing:
        formed = FormGiver(thorough=True).give_forms(missing)
        data = _any_adapter().dump_json(formed, fallback=describe_value, warnings="none", inf_nan=inf_nan)
        tree.update(parse(data))


def _has_unknown_keys(part: Any) -> bool:
    return type(part) is dict and not _ROLLOUT_KEYS.issuperset(part)


def _any_adapter() -> TypeAdapter[Any]:
    if not _ANYTHING:
        _ANYTHING.append(TypeAdapter(Any))
    return _ANYTHING[0]


def describe_value(value: Any) -> Any:
    """Give a value that the codec does not know as one it knows, or as text."""
    converted = _convert(value)
    return _show(value) if converted is _NO_FORM else converted


def _convert(value: Any) -> Any:
    """Convert what is known by what it can do: exceptions, arrays, foreign models, paths and mappings."""
    kind = type(value)
    try:
        if isinstance(value, BaseException):
            return escape_text("%s: %s" % (kind.__name__, value))
        if hasattr(kind, "tolist"):
            if getattr(getattr(value, "dtype", None), "kind", None) in ("m", "M"):
                # Moments of numpy: some of them would come out as a count of nanoseconds.
                value = value.astype(str)
            made = value.tolist()
            return str(value) if type(made) is kind else made
        if not isinstance(value, type) and callable(getattr(kind, "model_dump", None)):
            return value.model_dump()
        if hasattr(kind, "__fspath__"):
            return os.fsdecode(value)
        if isinstance(value, abc.Mapping):
            return dict(value.items())
        if isinstance(value, (abc.KeysView, abc.ValuesView, abc.ItemsView)):
            return list(value)
    except Exception:
        pass
    return _NO_FORM


def escape_text(text: str) -> str:
    r"""Write lone surrogates as the escapes they have in Python, such as ``\ud83d``; other text is given back."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _can_hold_anything(value: Any) -> bool:
    """Tell whether the value of a field may hold what its type does not say, or iterators put there by mistake."""
    kind = type(value)
    if kind is int:
        return _is_too_long(value)
    return kind not in _PLAIN_KINDS and (isinstance(value, dict) or _starts_oddly(value))


def _starts_oddly(value: Any) -> bool:
    """Tell whether a list begins with what has parts of its own kind; whole rollouts would take too long to look at."""
    levels = 0
    while type(value) is list and value and levels < _LEVELS_LIMIT:
        value = value[0]
        levels += 1
    kind = type(value)
    if kind is str or kind is list:
        return levels == _LEVELS_LIMIT
    if kind is dict:
        return any(map(_starts_oddly, value.values()))
    return isinstance(value, abc.Collection) or hasattr(kind, "__next__") or hasattr(kind, "__dataclass_fields__")


def _is_too_long(number: int) -> bool:
    return not -_INT_LIMIT < number < _INT_LIMIT


def _name_key(key: Any) -> str:
    if isinstance(key, str):
        return escape_text(str.__str__(key))
    if isinstance(key, int) and _is_too_long(key):
        return hex(key)
    if isinstance(key, float) and key - key != 0:
        return "NaN" if key != key else "Infinity" if key > 0 else "-Infinity"
    if isinstance(key, _BYTE_KINDS):
        return bytes(key).decode("utf-8", "backslashreplace")
    try:
        (name,) = _any_adapter().dump_python({key: None}, mode="json", fallback=describe_value)
    except Exception:
        name = None
    return escape_text(name) if isinstance(name, str) else _show(key)


def _show(value: Any) -> str:
    try:
        return escape_text(repr(value))
    except Exception:
        return "<%s object>" % type(value).__name__


def _is_same(one: Any, other: Any) -> bool:
    return one is other
