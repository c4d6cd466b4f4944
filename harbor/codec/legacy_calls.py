"""What pydantic's names of version 1 do themselves: load files, and copy with ``include`` and ``exclude``.

In: what the old methods were called with. Out: loaded values, chosen fields; complaints are pydantic's. Nothing of it
is needed before an old name is called.
"""

from collections import abc, deque
from types import GeneratorType
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple

from .legacy import LegacyModel, warn_of

__all__ = ["load_file", "load_raw", "name_kind", "open_both", "pick_items"]

_SEQUENCES = (list, tuple, set, frozenset, GeneratorType, deque)


def name_kind(exc: Exception) -> str:
    from json import JSONDecodeError

    if isinstance(exc, UnicodeDecodeError):
        return "value_error.unicodedecode"
    if isinstance(exc, JSONDecodeError):
        return "value_error.jsondecode"
    return "value_error" if isinstance(exc, ValueError) else "type_error"


def load_raw(
    raw: Any, content_type: Optional[str], encoding: str, proto: Optional[str], allow_pickle: bool
) -> Any:
    warn_of("load_str_bytes")
    if content_type and proto is None:
        if allow_pickle and content_type.endswith("pickle"):
            proto = "pickle"
        elif not content_type.endswith(("json", "javascript")):
            raise TypeError("Unknown content-type: %s" % content_type)
    if not proto or proto == "json":
        import json

        return json.loads(raw.decode(encoding) if isinstance(raw, bytes) else raw)
    if proto != "pickle":
        raise TypeError("Unknown protocol: %s" % (proto,))
    if not allow_pickle:
        raise RuntimeError("Trying to decode with pickle with allow_pickle=False")
    import pickle

    return pickle.loads(raw if isinstance(raw, bytes) else raw.encode())


def load_file(
    path: Any, content_type: Optional[str], encoding: str, proto: Optional[str], allow_pickle: bool
) -> Any:
    warn_of("load_file")
    from pathlib import Path

    file = Path(path)
    raw = file.read_bytes()
    if content_type is None:
        proto = {".js": "json", ".json": "json", ".pkl": "pickle"}.get(file.suffix, proto)
    return load_raw(raw, content_type, encoding, proto, allow_pickle)


def open_both(include: Any, exclude: Any, fields: Iterable[str]) -> Tuple[Any, Any]:
    """Make mappings of the two arguments of ``copy``: unknown names go, None below a name says nothing."""
    exclude, include = _open_selection(exclude), _open_selection(include)
    if _is_all(include):
        include = dict.fromkeys(fields, ...)
    elif include is not None:
        opened = {name: _open_selection(include[name]) for name in fields if name in include}
        include = {name: ... if below is None else below for name, below in opened.items()}
    if exclude is not None:
        exclude = {name: _open_selection(below) for name, below in exclude.items() if below is not None}
    return include, exclude


def pick_items(items: Iterable[Tuple[Any, Any]], include: Any, exclude: Any) -> Iterator[Tuple[Any, Any]]:
    for key, value in items:
        within, without = (None if chosen is None else chosen.get(key) for chosen in (include, exclude))
        if (include is None or key in include) and not _is_all(without):
            yield key, _pick_parts(value, None if _is_all(within) else within, without)


def _pick_parts(value: Any, include: Any, exclude: Any) -> Any:
    """Copy a value's containers and models, less what is not chosen of them."""
    if isinstance(value, LegacyModel):
        return value.copy(include=include, exclude=exclude)
    exclude, include = (_open_selection(chosen) if chosen else None for chosen in (exclude, include))
    if isinstance(value, (list, tuple)):
        exclude, include = (_settle_indexes(chosen, len(value)) for chosen in (exclude, include))
    if isinstance(value, dict):
        return dict(pick_items(value.items(), include, exclude))
    if not isinstance(value, _SEQUENCES):
        return value
    parts = (part for _, part in pick_items(enumerate(value), include, exclude))
    made: Any = type(value)
    return made(*parts) if isinstance(value, tuple) and hasattr(value, "_fields") else made(parts)


def _settle_indexes(selection: Any, length: int) -> Any:
    """Count negative indexes of a selection from the end and spread ``__all__``."""
    if selection is None:
        return None
    settled: Dict[int, Any] = {}
    common: Any = None
    for index, below in selection.items():
        if not (_is_all(below) or isinstance(below, (abc.Mapping, abc.Set))):
            raise TypeError('Unexpected type of exclude value for index "%s" %s' % (index, type(below)))
        if index == "__all__":
            common = _open_selection(below)
        elif isinstance(index, int):
            place = index + length if index < 0 else index
            settled[place] = _join_selections(below, settled.get(place))
        else:
            raise TypeError(
                "Excluding fields from a sequence of sub-models or dicts must be performed index-wise: "
                'expected integer keys or keyword "__all__"')
    for place in range(length) if common else ():
        if _is_all(common):
            settled.setdefault(place, ...)
        elif not _is_all(settled.get(place)):
            settled[place] = _join_selections(common, settled.get(place, {}))
    return settled


def _join_selections(first: Any, second: Any) -> Any:
    """Unite two selections; where one says everything, the second has the word."""
    second, first = _open_selection(second), _open_selection(first)
    if second is None:
        return first
    if first is None or _is_all(first) or _is_all(second):
        return second
    joined = {key: _join_selections(first.get(key), second.get(key)) for key in [*first, *second]}
    return {key: below for key, below in joined.items() if below is not None}


def _open_selection(selection: Any) -> Any:
    """Make a mapping of a set; None, True and ``...`` stay."""
    if selection is None or _is_all(selection) or isinstance(selection, abc.Mapping):
        return selection
    if isinstance(selection, abc.Set):
        return dict.fromkeys(selection, ...)
    raise TypeError("Unexpected type of exclude value %s" % type(selection))


def _is_all(selection: Any) -> bool:
    return selection is True or selection is ...
