"""Models of single values, and dicts of anything, written by a function that is made for their class.

In: the fields. Out: a function that gives the compact JSON text of an instance's values. As `dataclasses` does with
``__init__``, it puts into code, once, what a loop would ask of each field each time.
"""

from typing import Any, Callable, Dict, Iterable, List, Optional

from ..text.writing import is_plain, quote, write_members

__all__ = ["FlatWriter", "make_flat_writer"]

#: Gives the text of values by name, or None where one needs a closer look; raises what writing a value raises.
FlatWriter = Callable[[Dict[str, Any]], Optional[str]]

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


def make_flat_writer(fields: Iterable[Any]) -> Optional[FlatWriter]:
    """Make the function for some ``FieldPlan``; None if it would not be the one for them.

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
    parts = ", ".join("part%d" % place for place in range(len(names)))
    # The text has the order of the instance's own. The names are looked at last: they may change meanwhile.
    lines = [parts + ", = parts.values()", "if [*parts] != names: return None", *lines, "return f'{{%s}}'" % members]
    exec("def write(parts):\n    " + "\n    ".join(lines), scope)
    made: FlatWriter = scope["write"]
    return made
