"""Plans: how values of a type are checked and dumped, one class per kind of type.

``plan_of`` gives the plan of any type the codec knows.
"""

from typing import Any

from ..hints import describe_type
from . import anything, choices, containers, records, scalars, values
from .base import Plan, build_plan, kept_plan

_FAMILIES_OF_KINDS = (anything, choices, containers, records, scalars, values)


def plan_of(kind: Any) -> Plan:
    """Give the plan of a type: the one its class keeps, or a new one.

    Raises ``TypeError`` for a type the codec does not know, naming class, field and type.
    """
    if isinstance(kind, type):
        kept = kept_plan(kind)
        if kept is not None:
            return kept
    return build_plan(describe_type(kind, "The type given"))
