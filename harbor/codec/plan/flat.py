"""Models of single values, and dicts of anything, written by a function that is made for their class.

In: the fields. Out: a function that gives the compact JSON text of an instance's values. As `dataclasses` does with
``__init__``, it puts into code, once, what a loop would ask of each field each time.
"""

from typing import Any, Callable, Dict, Iterable, List, Optional

from ..text.writing import is_plain, quote, write_members

__all__ = ["FlatWriter", "make_flat_writer"]

#: Gives the text of values by name, or None where one needs a closer look; raises what writing a value raises.
FlatWriter = Callable[[Dict[str, Any]], Optional[str]]

# By the exact type that its field must take: how a value is asked whether it is of it, and what its text is. That of a
# float or of a dict may be None.
_KINDS = (
    (type(None), "{part} is None", "'null'"),
    (int, "type({part}) is int", "{part}"),
    (float, "type({part}) is float", "repr({part}) if 1e-4 <= {part} < 1e16 or is_plain({part}) else None"),
    (bool, "type({part}) is bool", "'true' if {part} else 'false'"),
    (str, "type({part}) is str", "quote({part})"),
    (dict, "type({part}) is dict", "write_members({part})"),
)


def make_flat_writer(fields: Iterable[Any]) -> Optional[FlatWriter]:
    """Make the function for some ``FieldPlan``; None if no value that one of them takes is of such a kind."""
    names: List[str] = []
    lines: List[str] = []
    members = ""
    scope: Dict[str, Any] = {"names": names, "is_plain": is_plain, "quote": quote, "write_members": write_members}
    for place, field in enumerate(fields):
        words = {"part": "part%d" % place, "text": "text%d" % place, "exclude": "exclude%d" % place}
        found = [kind for kind in _KINDS if kind[0] in field.exact or kind[0] is dict and field.holds_any]
        # What may be left out is no first one, which has no comma in front.
        if not found or not field.name.isidentifier() or field.exclude_if is not None and not names:
            return None
        for number, (_, test, form) in enumerate(found):
            lines.append(("elif " if number else "if ") + (test + ": {text} = " + form).format(**words))
        lines.append("else: return None")
        if not {float, dict}.isdisjoint(kind for kind, _, _ in found):
            lines.append("if {text} is None: return None".format(**words))
        start = "%s%s:" % ("," if names else "", quote(field.name))
        if field.exclude_if is None:
            members += start + "{%s}" % words["text"]
        else:
            scope[words["exclude"]] = field.exclude_if
            lines.append("{text} = '' if {exclude}({part}) else '%s%%s' %% ({text},)".format(**words) % start)
            members += "{%s}" % words["text"]
        names.append(field.name)
    if not names:
        return None
    parts = ", ".join("part%d" % place for place in range(len(names)))
    # The text has the order of the instance's own.
    lines = ["if [*parts] != names: return None", parts + ", = parts.values()", *lines, "return f'{{%s}}'" % members]
    exec("def write(parts):\n    " + "\n    ".join(lines), scope)
    made: FlatWriter = scope["write"]
    return made
