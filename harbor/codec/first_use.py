"""The part of the codec that works on values, kept back until the first value comes.

In: the names of `calls`. Out: what they stand for. A class of fields is made without any of it, so that importing one
costs little more than `dataclasses` itself.
"""

from typing import TYPE_CHECKING, Any

__all__ = ["engine"]

if TYPE_CHECKING:
    from . import calls as engine
else:

    class _FirstUse:
        """Stands for `calls`, which it imports when a name is missing; from then on it has them all."""

        def __getattr__(self, name: str) -> Any:
            from . import calls  # late

            vars(self).update((own, getattr(calls, own)) for own in calls.__all__)
            return getattr(calls, name)

    engine = _FirstUse()
