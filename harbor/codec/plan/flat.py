"""Functions that are made for a class, for models of single values and dicts of anything.

In: the fields. Out: functions that fill an instance with keywords or make one of a JSON object, copy its values, or
give their compact JSON text, as long as they are what most are. As `dataclasses` does with ``__init__``, each puts into
code, once, what a loop would ask of each field each time. Making one takes as long as a hundred records, so that it is
for classes in frequent use.
"""

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

from ..declared import UNGIVEN
from ..text.writing import is_plain, quote, write_members
from .anything import copy_plain
from .base import NOT_COPIED

__all__ = [
    "FlatCopier", "FlatFiller", "FlatLoader", "FlatWriter", "make_flat_copier", "make_flat_filler", "make_flat_writer",
]

#: Gives the text of values by name, or None where one needs a closer look; raises what writing a value raises.
FlatWriter = Callable[[Dict[str, Any]], Optional[str]]
#: Gives values by name as a dump in mode "python", or ``NOT_COPIED`` where one needs a closer look.
FlatCopier = Callable[[Dict[str, Any]], Any]

#: Fills an instance with a caller's keywords and says so, or leaves it alone where one needs a closer look.
FlatFiller = Callable[[Dict[str, Any], Any], bool]
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


def make_flat_filler(
    fields: Sequence[Any], setters: Sequence[Callable[[Any, Any], None]], cls: Any = None
) -> Any:
    """Make the ``FlatFiller`` for some ``FieldPlan``, or with ``cls`` the ``FlatLoader`` that makes its instances.

    ``setters`` set the values of an instance, the names that were given, and what else it holds. None if a field has a
    name that code cannot have.
    """
    names = [field.name for field in fields]
    if not _can_be_code(names):
        return None
    scope: Dict[str, Any] = {"UNGIVEN": UNGIVEN, "cls": cls, "all_names": set(names)}
    scope.update(zip(("set_values", "set_names", "set_extra"), setters))
    stop = "return False" if cls is None else "return None"
    lines = ["get = source.get", "names = all_names.copy()"]
    last = []
    for place, field in enumerate(fields):
        words = {"name": field.name, "part": "part%d" % place, "instead": "instead%d" % place}
        tests = []
        for number, kind in enumerate(kind for kind in field.exact if kind is not type(None)):
            scope["kind%d_%d" % (place, number)] = kind
            tests.append("type({part}) is kind%d_%d" % (place, number))
        if type(None) in field.exact:
            tests.append("{part} is None")
        block = ["{part} = get('{name}', UNGIVEN)", "if {part} is UNGIVEN:"]
        if field.required:
            block.append("    " + stop)
        else:
            block.append("    names.discard('{name}')")
            scope[words["instead"]] = field.default if field.factory is UNGIVEN else field.factory
            if field.factory is UNGIVEN:
                block.append("    {part} = {instead}")
            else:
                # Once, and only if nothing is handed over.
                last.append("if {part} is UNGIVEN: {part} = {instead}()".format(**words))
        block.append("elif not (%s):" % (" or ".join(tests) or "False"))
        if field.holds_any:
            block.append("    if type({part}) is not dict: " + stop)
            if cls is None:
                # Of few keys, which most have, this tells faster than a set of their types.
                block += [
                    "    {part} = {part}.copy()", "    for key in {part}:", "        if type(key) is not str: " + stop]
        else:
            block.append("    " + stop)
        lines += [line.format(**words) for line in block]
    values = ", ".join("'%s': part%d" % (name, place) for place, name in enumerate(names))
    if cls is None:
        # Unknown names are left out of a JSON object by not being asked for; among keywords they may be no exact text.
        last.insert(0, "if len(names) != len(source): " + stop)
    else:
        last.append("made = cls.__new__(cls)")
    lines += [
        *last,
        "set_values(made, {%s})" % values, "set_names(made, names)", "set_extra(made, None)",
        "return True" if cls is None else "return made"]
    _define("fill", "source, made" if cls is None else "source", lines, scope)
    return scope["fill"]


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
        test = "type(part{0}) not in exact{0}"
        if field.exclude_if is not None:
            # It sees the value itself, and before anything is done with it.
            scope["exclude%d" % place] = field.exclude_if
            lines.append("is_kept{0} = not exclude{0}(part{0})".format(place))
            test = "is_kept{0} and " + test
            ends.append("if is_kept%d: out['%s'] = part%d" % (place, field.name, place))
        elif place > n_first:
            ends.append("out['%s'] = part%d" % (field.name, place))
        lines += [line.format(place) for line in (
            "if %s:" % test,
            "    part{0} = " + copied,
            "    if part{0} is NOT_COPIED: return NOT_COPIED",
        )]
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
    # They stand between quotes, where what no identifier has may mean something else.
    return bool(names) and all(map(str.isidentifier, names))


def _unpack(names: List[str]) -> str:
    return "".join("part%d, " % place for place in range(len(names))) + "= parts.values()"


def _define(name: str, parameters: str, lines: Iterable[str], scope: Dict[str, Any]) -> None:
    exec("def %s(%s):\n    %s" % (name, parameters, "\n    ".join(lines)), scope)
