"""Totals of tokens and cost that keep unknown apart from zero.

In: contexts, trials, any number of either, one at a time. Out: totals, each with how many values were known and how
many were not, so that a sum beside unknown values shows that it is only a lower bound. Nothing is read from files
here, and nothing is kept of what was added but the totals.
"""

import dataclasses
from typing import TYPE_CHECKING, Any, Dict, Iterable, Optional, Tuple, TypeVar

from .models.agent.numbers import join_parts
from .usage_tally import COUNT_NAMES, UsageTally

if TYPE_CHECKING:
    from .models.agent.context import AgentContext
    from .models.trial.result import TrialResult

__all__ = ["CostTotal", "CountTotal", "Total", "UsageTally", "UsageTotals"]

T = TypeVar("T", bound="Total")


@dataclasses.dataclass(frozen=True)
class Total:
    """A sum: how many values were known, how many unknown, and ``exact``, the sum of the known ones.

    ``value`` is that sum as a number, None where nothing was known. ``str()`` gives "1,234", "unknown", or
    "at least 1,234 (2 unknown)".
    """

    known: int = 0
    unknown: int = 0
    exact: int = 0

    @property
    def value(self) -> Optional[float]:
        """The sum; None where nothing was known."""
        raise NotImplementedError

    @property
    def is_lower_bound(self) -> bool:
        """Whether the true sum may be higher, because some of what belongs to it is unknown."""
        return self.unknown > 0

    def merge(self: T, other: T) -> T:
        """Give the total of both."""
        return type(self)(self.known + other.known, self.unknown + other.unknown, self.exact + other.exact)

    def as_dict(self) -> Dict[str, Any]:
        """Give ``total`` (None where nothing is known), ``known``, ``unknown`` and ``is_lower_bound``, for JSON."""
        return {
            "total": self.value, "known": self.known, "unknown": self.unknown, "is_lower_bound": self.is_lower_bound}

    def __str__(self) -> str:
        if self.value is None:
            return "unknown"
        text = self._format_value()
        return "at least %s (%d unknown)" % (text, self.unknown) if self.unknown else text

    def _format_value(self) -> str:
        return "{:,}".format(self.value)


class CountTotal(Total):
    """A sum of counts, such as tokens."""

    @property
    def value(self) -> Optional[int]:
        """The sum; None where nothing was known."""
        return self.exact if self.known else None


class CostTotal(Total):
    """A sum of costs in US dollars; ``exact`` is in units of 2**-1074 dollars, in which every float is whole.

    The sum is therefore exact, whatever the order and grouping, and is rounded once, by ``value``.
    """

    @property
    def value(self) -> Optional[float]:
        """The sum, rounded to the nearest float; infinity above every float, None where nothing was known."""
        return join_parts(self.exact) if self.known else None

    def _format_value(self) -> str:
        return "${!r}".format(self.value)


@dataclasses.dataclass(frozen=True)
class UsageTotals:
    """Totals over contexts: tokens and cost as ``Total``, the same for each model, and what could not be summed.

    Never changes: ``merge`` and ``+`` give a new one. They are associative and commutative, and ``UsageTotals()`` is
    their identity, so any fold will do; totals of the same contexts are equal, however they came about.

    ``n_input_tokens`` includes the cached tokens; ``n_uncached_tokens`` is input less cached, known where both are
    known for the same context. ``by_model`` sums the ``model_usage`` of the contexts that have it, and
    ``n_without_models`` counts the others. ``problems`` maps the name of a field and what was wrong with its value
    to how often that happened: "bool", "not a number", "nan", "infinite", "negative", "fractional", "not a record"
    (such a value is not summed but counted as unknown) and "above n_input_tokens" of cached tokens (which are summed
    all the same).
    """

    n_contexts: int = 0
    n_input_tokens: CountTotal = CountTotal()
    n_cache_tokens: CountTotal = CountTotal()
    n_uncached_tokens: CountTotal = CountTotal()
    n_output_tokens: CountTotal = CountTotal()
    cost_usd: CostTotal = CostTotal()
    by_model: Dict[str, "UsageTotals"] = dataclasses.field(default_factory=dict)
    n_without_models: int = 0
    problems: Dict[Tuple[str, str], int] = dataclasses.field(default_factory=dict)

    @classmethod
    def of_context(cls, context: Optional["AgentContext"]) -> "UsageTotals":
        """Give the totals of one context; None stands for a run of which nothing is known."""
        return cls.of_contexts((context,))

    @classmethod
    def of_contexts(cls, contexts: Iterable[Optional["AgentContext"]]) -> "UsageTotals":
        """Sum contexts, taking one at a time."""
        tally = UsageTally()
        for context in contexts:
            tally.add_context(context)
        return tally.totals()

    @classmethod
    def of_trial(cls, trial: "TrialResult") -> "UsageTotals":
        """Sum the contexts of a trial: its own, else those of its steps.

        A step without a context counts as one of which nothing is known, and so does a trial without any.
        """
        return cls.of_trials((trial,))

    @classmethod
    def of_trials(cls, trials: Iterable["TrialResult"]) -> "UsageTotals":
        """Sum trials, taking one at a time, each as ``of_trial`` does."""
        tally = UsageTally()
        for trial in trials:
            tally.add_trial(trial)
        return tally.totals()

    def merge(self, other: "UsageTotals") -> "UsageTotals":
        """Give the totals of both; ``functools.reduce(UsageTotals.merge, parts, UsageTotals())`` sums parts."""
        if not isinstance(other, UsageTotals):
            raise TypeError("Expected UsageTotals to merge, got %r; of_context and of_trial make them" % (other,))
        tally = UsageTally()
        tally.add_totals(self)
        tally.add_totals(other)
        return tally.totals()

    def __add__(self, other: "UsageTotals") -> "UsageTotals":
        return self.merge(other) if isinstance(other, UsageTotals) else NotImplemented

    def as_dict(self) -> Dict[str, Any]:
        """Give everything as dicts, lists and numbers, for JSON; costs are rounded, models in order of their names."""
        shown = self._show_numbers()
        shown["n_without_models"] = self.n_without_models
        shown["by_model"] = {name: self.by_model[name]._show_numbers() for name in sorted(self.by_model)}
        return shown

    def _show_numbers(self) -> Dict[str, Any]:
        shown: Dict[str, Any] = {"n_contexts": self.n_contexts}
        for name in (*COUNT_NAMES, "cost_usd"):
            shown[name] = getattr(self, name).as_dict()
        shown["problems"] = [
            {"field": field, "problem": problem, "count": self.problems[field, problem]}
            for field, problem in sorted(self.problems)]
        return shown
