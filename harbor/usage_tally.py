"""Totals of tokens and cost while they are summed: what ``harbor.usage`` gives as its own, without its classes.

In: contexts, trials, totals. Out: ``UsageTotals``. One record at a time is looked at, and none is kept.
"""

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from .models.agent.numbers import count_parts, join_parts, read_cost, read_count

if TYPE_CHECKING:
    from .models.agent.context import AgentContext
    from .models.trial.result import TrialResult
    from .usage import UsageTotals

__all__ = ["COUNT_NAMES", "PackedUsage", "UsageTally"]

#: The number of contexts, the sums by quantity, the same of each model, how many had none, how often what was wrong.
PackedUsage = Tuple[int, Dict[str, List[int]], Dict[str, Any], int, Dict[Tuple[str, str], int]]

COUNT_NAMES = ("n_input_tokens", "n_cache_tokens", "n_uncached_tokens", "n_output_tokens")
_SUM_NAMES = (*COUNT_NAMES, "cost_usd")
_READ_NAMES = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")


class UsageTally:
    """Totals while they are summed, in place: for many records, or for several groups of them at once.

    ``totals()`` gives what has been added so far, and adding may go on. ``pack()`` gives it as plain values, for
    another process to add.
    """

    def __init__(self) -> None:
        self._n_contexts = 0
        # For each quantity: known, unknown, exact.
        self._sums: Dict[str, List[int]] = {name: [0, 0, 0] for name in _SUM_NAMES}
        self._by_model: Dict[str, UsageTally] = {}
        self._n_without_models = 0
        self._problems: Dict[Tuple[str, str], int] = {}

    def add_context(self, context: Union["AgentContext", Dict[str, Any], None]) -> None:
        """Add a context, or a dict of one; None stands for a run of which nothing is known."""
        self._add_numbers(context)
        usages: Any = context.get("model_usage") if isinstance(context, dict) else getattr(context, "model_usage", None)
        if not isinstance(usages, dict):
            self._n_without_models += 1
            if usages is not None:
                self._note_problem("model_usage", "not a record")
            return
        for name, usage in usages.items():
            if not (isinstance(usage, dict) or hasattr(usage, "n_input_tokens")):
                self._note_problem("model_usage", "not a record")
                usage = None
            self._by_model.setdefault(str(name), UsageTally())._add_numbers(usage)

    def add_trial(self, trial: "TrialResult") -> None:
        """Add the contexts of a trial, as ``UsageTotals.of_trial`` does."""
        if trial.agent_result is not None:
            self.add_context(trial.agent_result)
            return
        for context in [step.agent_result for step in trial.step_results or ()] or [None]:
            self.add_context(context)

    def add_totals(self, totals: "UsageTotals") -> None:
        """Add totals."""
        self.add_packed(_pack_totals(totals))

    def pack(self) -> "PackedUsage":
        """Give what was added as tuples, lists and dicts of numbers and texts."""
        by_model = {name: tally.pack() for name, tally in self._by_model.items()}
        return self._n_contexts, self._sums, by_model, self._n_without_models, self._problems

    def add_packed(self, packed: "PackedUsage") -> None:
        """Add what another tally gave packed."""
        n_contexts, sums, by_model, n_without_models, problems = packed
        self._n_contexts += n_contexts
        self._n_without_models += n_without_models
        for name, own in self._sums.items():
            for place, number in enumerate(sums[name]):
                own[place] += number
        for name, of_model in by_model.items():
            self._by_model.setdefault(name, UsageTally()).add_packed(of_model)
        for problem, count in problems.items():
            self._problems[problem] = self._problems.get(problem, 0) + count

    def read_sum(self, name: str) -> Tuple[Optional[float], int]:
        """Give the value of a total by its name in ``UsageTotals``, None where nothing is known, and what is unknown.

        ``totals()`` gives the same, and imports what it is made of, which takes as long as to sum hundreds of records.
        """
        known, unknown, exact = self._sums[name]
        value = join_parts(exact) if name == "cost_usd" else exact
        return value if known else None, unknown

    @property
    def problems(self) -> Dict[Tuple[str, str], int]:
        """What ``UsageTotals`` calls so, so far."""
        return dict(self._problems)

    def totals(self) -> "UsageTotals":
        """Give the totals of what was added."""
        from .usage import CostTotal, CountTotal, UsageTotals  # late

        counts = {name: CountTotal(*self._sums[name]) for name in COUNT_NAMES}
        return UsageTotals(
            n_contexts=self._n_contexts, cost_usd=CostTotal(*self._sums["cost_usd"]),
            by_model={name: tally.totals() for name, tally in self._by_model.items()},
            n_without_models=self._n_without_models, problems=self.problems, **counts)

    def _add_numbers(self, usage: Any) -> None:
        """Add the numbers of a context or of one model's usage, or None for unknown ones."""
        self._n_contexts += 1
        # A dict is what somebody assigned in place of a ModelUsage.
        numbers = usage if isinstance(usage, dict) else {name: getattr(usage, name, None) for name in _READ_NAMES}
        n_input = self._add_count("n_input_tokens", numbers)
        n_cache = self._add_count("n_cache_tokens", numbers)
        self._add_count("n_output_tokens", numbers)
        uncached = None if n_input is None or n_cache is None else n_input - n_cache
        if uncached is not None and uncached < 0:
            self._note_problem("n_cache_tokens", "above n_input_tokens")
            uncached = None
        self._add_exact("n_uncached_tokens", uncached)
        cost, fault = read_cost(numbers.get("cost_usd"))
        if fault:
            self._note_problem("cost_usd", fault)
        self._add_exact("cost_usd", None if cost is None else count_parts(cost))

    def _add_count(self, name: str, numbers: Dict[str, Any]) -> Optional[int]:
        count, fault = read_count(numbers.get(name))
        if fault:
            self._note_problem(name, fault)
        self._add_exact(name, count)
        return count

    def _add_exact(self, name: str, number: Optional[int]) -> None:
        sums = self._sums[name]
        if number is None:
            sums[1] += 1
        else:
            sums[0] += 1
            sums[2] += number

    def _note_problem(self, name: str, problem: str) -> None:
        self._problems[name, problem] = self._problems.get((name, problem), 0) + 1


def _pack_totals(totals: "UsageTotals") -> PackedUsage:
    found = {name: getattr(totals, name) for name in _SUM_NAMES}
    return (
        totals.n_contexts, {name: [total.known, total.unknown, total.exact] for name, total in found.items()},
        {name: _pack_totals(of_model) for name, of_model in totals.by_model.items()}, totals.n_without_models,
        totals.problems)
