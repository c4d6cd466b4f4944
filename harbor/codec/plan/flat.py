"""Functions that are made for a class, for models of single values and dicts of anything.

In: the fields. Out: functions that make an instance of keywords or of a JSON object, copy its values, or give their
compact JSON text, as long as they are what most are. As `dataclasses` does with ``__init__``, each puts into code, once, what a loop would
ask of each field each time. Making one takes as long as a hundred records, so that it is for classes in frequent use.
"""

import functools
from keyword import iskeyword
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

from ..declared import UNGIVEN
from ..text.writing import is_plain, quote, write_members
from .anything import copy_plain
from .base import NOT_COPIED

__all__ = [
    "FlatCopier", "FlatLoader", "FlatWriter", "make_flat_copier", "make_flat_init", "make_flat_loader",
    "make_flat_writer",
]

#: Gives the text of values by name, or None where one needs a closer look; raises what writing a value raises.
FlatWriter = Callable[[Dict[str, Any]], Optional[str]]
#: Gives values by name as a dump in mode "python", or ``NOT_COPIED`` where one needs a closer look.
FlatCopier = Callable[[Dict[str, Any]], Any]

#: Gives an instance of a dict that nobody else holds, or None where one needs a closer look.
FlatLoader = Callable[[Dict[str, Any]], Any]

# By the exact type that its field must take: how a value is asked whether it is of it, what its text is, and whether
# that may be None.
_KINDS = (
    (type(None), "{part} is None", "'null'", False),
    (int, "type({part}) is int", "{part}", False),
    (float, "type({part}) is float", "repr({part}) if 1e-4 <= {part} < 1e16 or is_plain({part}) else None", True),
    (bool, "type({part}) is bool", "'true' if {part} else 'false'", False),
    (str, "type({part}) is str", "quote({part})", False),
    (dict, "type({part}) is dict", "write_members({part})", True),
)


def make_flat_init(
    cls: Any, fields: Sequence[Any], setters: Sequence[Callable[[Any, Any], None]], full: Callable[..., None]
) -> Optional[Callable[..., None]]:
    """Make ``__init__`` for some ``FieldPlan`` that all have defaults; None if one has a name that code cannot have.

    ``setters`` set the values of an instance, the names that were given, and what else it holds; ``full`` is the
    ``__init__`` for all that is unusual.
    """
    names = [field.name for field in fields]
    if not _can_be_code(names):
        return None
    # No field begins with an underscore, and one may be called like anything else.
    scope: Dict[str, Any] = {
        "_UNGIVEN": UNGIVEN, "_cls": cls, "_full": full, "_all": set(names), "_dict": dict, "_str": str, "_type": type}
    scope.update(zip(("_set_values", "_set_names", "_set_extra"), setters))
    lines = ["_names = _all.copy()"]
    for place, field in enumerate(fields):
        words = {"name": field.name, "part": "_part%d" % place, "instead": _name_default(field, place, scope)}
        block = ["if {name} is _UNGIVEN: {part} = {instead}; _names.discard('{name}')"]
        if field.exact:
            block.append("elif %s: {part} = {name}" % _name_tests(field, place, scope))
        if field.holds_any:
            # Of few keys, which most have, this tells faster than a set of their types.
            block += [
                "elif _type({name}) is _dict:", "    {part} = {name}.copy()", "    for _key in {part}:",
                "        if _type(_key) is not _str: {part} = _UNGIVEN; break", "    if {part} is _UNGIVEN: break"]
        lines += [line.format(**words) for line in (*block, "else: break")]
    values = ", ".join("'%s': _part%d" % (name, place) for place, name in enumerate(names))
    lines += ["_set_values(_self, {%s})" % values, "_set_names(_self, _names)", "_set_extra(_self, None)", "return"]
    # A subclass has fields, and in frequent use a function, of its own.
    _define("init", "_self, /, *_values, %s, **_more" % ", ".join("%s=_UNGIVEN" % name for name in names), [
        "while _type(_self) is _cls and not (_values or _more):", *("    " + line for line in lines),
        "_given = {%s}" % ", ".join("'%s': %s" % (name, name) for name in names),
        "_full(_self, *_values, **{_name: _given[_name] for _name in _given if _given[_name] is not _UNGIVEN}, **_more)",
    ], scope)
    return functools.wraps(full)(scope["init"])


def make_flat_loader(
    cls: Any, fields: Sequence[Any], setters: Sequence[Callable[[Any, Any], None]]
) -> Optional[FlatLoader]:
    """Make the function that makes an instance of the values of some ``FieldPlan``; ``setters`` as above."""
    names = [field.name for field in fields]
    if not _can_be_code(names):
        return None
    scope: Dict[str, Any] = {
        "_UNGIVEN": UNGIVEN, "cls": cls, "new": cls.__new__, "all_names": set(names), "_dict": dict, "_type": type}
    scope.update(zip(("set_values", "set_names", "set_extra"), setters))
    lines = ["get = source.get", "names = set(source)", "if not names <= all_names: names &= all_names"]
    for place, field in enumerate(fields):
        words = {"name": "part%d" % place, "field": field.name}
        tests = _name_tests(field, place, scope)
        if field.holds_any:
            tests += "%s_type({name}) is _dict" % (" or " if tests else "")
        instead = None if field.required else "{name} = " + _name_default(field, place, scope)
        lines += [line.format(**words) for line in (
            "{name} = get('{field}', _UNGIVEN)",
            "if {name} is _UNGIVEN: " + (instead or "return None"),
            "elif not (%s): return None" % (tests or "False"),
        )]
    values = ", ".join("'%s': part%d" % (name, place) for place, name in enumerate(names))
    lines += [
        "made = new(cls)", "set_values(made, {%s})" % values, "set_names(made, names)", "set_extra(made, None)",
        "return made"]
    _define("load", "source", lines, scope)
    made: FlatLoader = scope["load"]
    return made


def make_flat_copier(fields: Sequence[Any]) -> Optional[FlatCopier]:
    """Make the function that copies the values of some ``FieldPlan``; None if one has a name that code cannot have.

    It raises ``ValueError`` where values come or go meanwhile, and what an ``exclude_if`` raises.
    """
    names = [field.name for field in fields]
    if not _can_be_code(names):
        return None
    scope: Dict[str, Any] = {"names": names, "NOT_COPIED": NOT_COPIED}
    lines = ["if [*parts] != names: return NOT_COPIED", _unpack(names)]
    n_first = next((place for place, field in enumerate(fields) if field.exclude_if is not None), len(names))
    ends = ["out = {%s}" % ", ".join("'%s': part%d" % (name, place) for place, name in enumerate(names[:n_first]))]
    for place, field in enumerate(fields):
        scope["exact%d" % place] = field.exact
        scope["copy%d" % place] = copy_plain if field.holds_any else field.plan.copy
        copied = "copy{0}(part{0}) if type(part{0}) is dict else NOT_COPIED" if field.holds_any else "copy{0}(part{0})"
        lines += [line.format(place) for line in (
            "if type(part{0}) not in exact{0}:",
            "    part{0} = " + copied,
            "    if part{0} is NOT_COPIED: return NOT_COPIED",
        )]
        if field.exclude_if is not None:
            scope["exclude%d" % place] = field.exclude_if
            ends.append("if not exclude%d(part%d): out['%s'] = part%d" % (place, place, field.name, place))
        elif place > n_first:
            ends.append("out['%s'] = part%d" % (field.name, place))
    _define("copy", "parts", [*lines, *ends, "return out"], scope)
    made: FlatCopier = scope["copy"]
    return made


def make_flat_writer(fields: Iterable[Any]) -> Optional[FlatWriter]:
    """Make the function that writes the values of some ``FieldPlan``; None if it would not be the one for them.

    It is not where a field takes nothing of such a kind, or has a name that code cannot have, or where the first may be
    left out, which has no comma in front.
    """
    names: List[str] = []
    lines: List[str] = []
    members = ""
    scope: Dict[str, Any] = {"names": names, "is_plain": is_plain, "quote": quote, "write_members": write_members}
    for place, field in enumerate(fields):
        words = {"part": "part%d" % place, "text": "text%d" % place, "exclude": "exclude%d" % place}
        found = [kind for kind in _KINDS if kind[0] in field.exact or (kind[0] is dict and field.holds_any)]
        if not found or not field.name.isidentifier() or (field.exclude_if is not None and not names):
            return None
        for number, (_, test, form, _) in enumerate(found):
            lines.append(("elif " if number else "if ") + (test + ": {text} = " + form).format(**words))
        lines.append("else: return None")
        if any(may_be_none for _, _, _, may_be_none in found):
            lines.append("if {text} is None: return None".format(**words))
        start = "%s%s:" % ("," if names else "", quote(field.name))
        if field.exclude_if is not None:
            scope[words["exclude"]] = field.exclude_if
            lines.append("{text} = '' if {exclude}({part}) else '%s%%s' %% ({text},)".format(**words) % start)
            start = ""
        members += "%s{%s}" % (start, words["text"])
        names.append(field.name)
    if not names:
        return None
    # The text has the order of the instance's own. The names are looked at last: they may change meanwhile.
    _define("write", "parts", [
        _unpack(names), "if [*parts] != names: return None", *lines, "return f'{{%s}}'" % members], scope)
    made: FlatWriter = scope["write"]
    return made


def _can_be_code(names: List[str]) -> bool:
    # Code has some letters beyond ASCII spelled another way.
    return bool(names) and all(name.isascii() and name.isidentifier() and not iskeyword(name) for name in names)


def _name_default(field: Any, place: int, scope: Dict[str, Any]) -> str:
    """Give the code for a field's default."""
    has_factory = field.factory is not UNGIVEN
    scope["_instead%d" % place] = field.factory if has_factory else field.default
    return "_instead%d%s" % (place, "()" * has_factory)


def _name_tests(field: Any, place: int, scope: Dict[str, Any]) -> str:
    """Give the code that tells whether what stands in ``{name}`` is right for a field as it is."""
    tests = []
    for number, kind in enumerate(kind for kind in field.exact if kind is not type(None)):
        scope["_kind%d_%d" % (place, number)] = kind
        tests.append("_type({name}) is _kind%d_%d" % (place, number))
    if type(None) in field.exact:
        tests.append("{name} is None")
    return " or ".join(tests)


def _unpack(names: List[str]) -> str:
    return "".join("part%d, " % place for place in range(len(names))) + "= parts.values()"


def _define(name: str, parameters: str, lines: Iterable[str], scope: Dict[str, Any]) -> None:
    exec("def %s(%s):\n    %s" % (name, parameters, "\n    ".join(lines)), scope)
