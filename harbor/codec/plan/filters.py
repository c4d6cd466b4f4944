"""``include`` and ``exclude``: which keys and indexes a dump keeps, and what holds below them.

In: the two arguments as users write them (sets, dicts, lists, ``__all__``, ``True`` or ``...`` for a whole part).
Out: for each key, whether it stays, and the two arguments for what is below it.
"""

from typing import Any, Optional, Tuple

_ALL = "__all__"


def filter_key(key: Any, include: Any, exclude: Any) -> Optional[Tuple[Any, Any]]:
    """Decide on one key: None where it is left out, else ``include`` and ``exclude`` for its value."""
    below_exclude = None
    if exclude is not None:
        found, below = _look_up(key, exclude, "exclude")
        if found and _is_whole(below):
            return None
        below_exclude = below
    if include is None:
        return None, below_exclude
    found, below = _look_up(key, include, "include")
    if not found:
        return None
    return (None if _is_whole(below) else below), below_exclude


def fit_indexes(selection: Any, length: int) -> Any:
    """Take the indexes of a selection modulo the length of the list, as pydantic does."""
    if selection is None or not length:
        return selection
    if isinstance(selection, dict):
        return {_fit_index(index, length): below for index, below in selection.items()}
    if isinstance(selection, set):
        return {_fit_index(index, length) for index in selection}
    if hasattr(type(selection), "__contains__") and hasattr(type(selection), "__iter__"):
        return {_fit_index(index, length) for index in selection}
    return selection


def _fit_index(index: Any, length: int) -> Any:
    try:
        return index % length if not isinstance(index, str) else index
    except TypeError:
        return index


def _is_whole(below: Any) -> bool:
    return below is True or below is ...


def _look_up(key: Any, selection: Any, name: str) -> Tuple[bool, Any]:
    """Find a key in a selection: whether it is named, and what holds below it (True: all of it)."""
    if isinstance(selection, dict):
        return _look_up_dict(key, selection)
    if isinstance(selection, set) or hasattr(type(selection), "__contains__"):
        found = key in selection or _ALL in selection
        return found, True if found else None
    raise TypeError("`%s` argument must be a set or dict." % name)


def _look_up_dict(key: Any, selection: Any) -> Tuple[bool, Any]:
    own, everywhere = key in selection, _ALL in selection
    if own and everywhere:
        mine, common = selection[key], selection[_ALL]
        if _is_whole(mine) or _is_whole(common):
            return True, mine
        return True, _merge_selections(_as_dict(mine), _as_dict(common))
    if own or everywhere:
        return True, selection[key if own else _ALL]
    return False, None


def _as_dict(selection: Any) -> Any:
    if isinstance(selection, dict):
        return dict(selection)
    if isinstance(selection, set):
        return {key: ... for key in selection}
    raise TypeError(
        "`include` and `exclude` must be of type `dict[str | int, <recursive> | ...] | set[str | int | ...]`")


def _merge_selections(mine: Any, common: Any) -> Any:
    for key, below in common.items():
        if key not in mine:
            mine[key] = below
        elif not (_is_whole(mine[key]) or _is_whole(below)):
            mine[key] = _merge_selections(_as_dict(mine[key]), _as_dict(below))
    return mine
