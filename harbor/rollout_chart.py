"""Rollouts as a picture: an SVG of tokens per turn, and of logprobs per turn and over all.

In: rollouts, one at a time; only sums are kept of them. Out: the text of an SVG that needs nothing else, and follows
the reader's choice of light or dark. Drawn with the standard library alone; nothing is read or written here.
"""

import math
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from .rollout_checks import are_logprobs
from .rollout_findings import format_count
from .rollouts import Turn, iter_turns

if TYPE_CHECKING:
    from .models.agent.rollout_detail import RolloutDetail

__all__ = ["RolloutChart"]

#: Logprobs are counted in steps of 1/20 nat, and below -20 nats together.
_STEPS_OF_NAT = 20
_LOWEST_STEP = 20 * _STEPS_OF_NAT

_WIDTH, _LEFT, _RIGHT = 760, 96, 24
_PANEL, _TOP, _GAP = 150, 92, 90
_MOST_BARS = 160

_STYLE = """
  .paper { fill: #ffffff }
  text { fill: #1f2328; font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
  .title { font-size: 17px; font-weight: 600 }
  .heading { font-size: 14px; font-weight: 600 }
  .axis { stroke: #57606a; stroke-width: 1; fill: none }
  .grid { stroke: #d8dee4; stroke-width: 1 }
  .prompt { fill: #2f6fb7 }
  .completion { fill: #d9730d }
  .range { fill: #b59ad6 }
  .median { fill: #5b2d91 }
  .count { fill: #d9730d }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 }
    text { fill: #e6edf3 }
    .axis { stroke: #9198a1 }
    .grid { stroke: #30363d }
    .prompt { fill: #6ea8fe }
    .completion, .count { fill: #f0a04b }
    .range { fill: #6d53a0 }
    .median { fill: #e2d4ff }
  }
"""


class _TurnSums:
    """What is kept of all turns with one index."""

    def __init__(self) -> None:
        self.n_prompts = self.n_prompt_tokens = 0
        self.n_completions = self.n_completion_tokens = 0
        self.steps: Dict[int, int] = {}

    def add(self, turn: Turn) -> None:
        if turn.prompt_token_ids is not None:
            self.n_prompts += 1
            self.n_prompt_tokens += len(turn.prompt_token_ids)
        if turn.completion_token_ids is not None:
            self.n_completions += 1
            self.n_completion_tokens += len(turn.completion_token_ids)
        for logprob in turn.logprobs or ():
            step = min(int(logprob * -_STEPS_OF_NAT), _LOWEST_STEP) if logprob > -20.0 else _LOWEST_STEP
            self.steps[step] = self.steps.get(step, 0) + 1

    def merge(self, other: "_TurnSums") -> None:
        self.n_prompts += other.n_prompts
        self.n_prompt_tokens += other.n_prompt_tokens
        self.n_completions += other.n_completions
        self.n_completion_tokens += other.n_completion_tokens
        for step, count in other.steps.items():
            self.steps[step] = self.steps.get(step, 0) + count

    def mean_tokens(self) -> Tuple[float, float]:
        """Give the mean numbers of prompt and completion tokens."""
        return (
            self.n_prompt_tokens / self.n_prompts if self.n_prompts else 0.0,
            self.n_completion_tokens / self.n_completions if self.n_completions else 0.0)

    def find_quantile(self, share: float) -> Optional[float]:
        """Give the logprob, to half a step, below which a share of the tokens lies."""
        rest = share * sum(self.steps.values())
        for step in sorted(self.steps, reverse=True):
            rest -= self.steps[step]
            if rest <= 0:
                return -(step + 0.5) / _STEPS_OF_NAT
        return None


class RolloutChart:
    """Draws the rollouts that were added: means over them for each turn, and all their logprobs.

    What it holds grows with the number of turns of the longest rollout alone.
    """

    def __init__(self) -> None:
        self.n_rollouts = 0
        self.n_left_out = 0
        self._turns: List[_TurnSums] = []

    def add_rollout(self, detail: "RolloutDetail") -> None:
        """Add a rollout; logprobs of a turn that are in doubt or no logprobs are left out, and counted."""
        self.n_rollouts += 1
        for turn in iter_turns(detail, report=_ignore):
            if turn.logprobs is not None and not are_logprobs(turn.logprobs):
                turn.logprobs = None
                self.n_left_out += 1
            while len(self._turns) <= turn.index:
                self._turns.append(_TurnSums())
            self._turns[turn.index].add(turn)

    def as_svg(self, name: str) -> str:
        """Give the picture, with a name in its title."""
        bars, n_joined = self._join_turns()
        unit = "turn (counted from 0%s)" % (", each bar the mean of %d" % n_joined if n_joined > 1 else "")
        of_rollouts = "" if self.n_rollouts == 1 else ", mean of %d rollouts" % self.n_rollouts
        out: List[str] = []
        top = _TOP
        for index, kind in enumerate(("prompt", "completion")):
            means = [bar.mean_tokens()[index] for bar in bars]
            _draw_tokens(out, top, kind, means, n_joined, unit, of_rollouts)
            top += _PANEL + _GAP
        _draw_ranges(out, top, bars, n_joined, unit)
        top += _PANEL + _GAP
        whole = _TurnSums()
        for sums in self._turns:
            whole.merge(sums)
        _draw_histogram(out, top, whole.steps)
        height = top + _PANEL + 62
        summary = "%s, %s" % (format_count(self.n_rollouts, "rollout"), format_count(len(self._turns), "turn"))
        if self.n_left_out:
            summary += "; logprobs of %s left out as faulty" % format_count(self.n_left_out, "turn")
        head = [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">' % (
                _WIDTH, height, _WIDTH, height),
            "<title>%s</title>" % _escape(name),
            "<desc>Tokens per turn, and logprobs of completion tokens: %s</desc>" % _escape(summary),
            "<style>%s</style>" % _STYLE,
            '<rect class="paper" width="%d" height="%d"/>' % (_WIDTH, height),
            _make_text(_LEFT, 30, _shorten(name, 60), "title"),
            _make_text(_LEFT, 50, summary),
        ]
        return "\n".join(head + out + ["</svg>", ""])

    def _join_turns(self) -> Tuple[List[_TurnSums], int]:
        """Give the sums to draw: of each turn, or of so many in a row that the bars can be seen."""
        n_joined = max(-(-len(self._turns) // _MOST_BARS), 1)
        bars = []
        for first in range(0, len(self._turns), n_joined):
            bar = _TurnSums()
            for sums in self._turns[first:first + n_joined]:
                bar.merge(sums)
            bars.append(bar)
        return bars, n_joined


def _ignore(finding: Any) -> None:
    """Take a finding that a picture has no place for."""


# Panels ------------------------------------------------------------------------------------------------------------


def _draw_tokens(
    out: List[str], top: int, kind: str, means: Sequence[float], n_joined: int, unit: str, of_rollouts: str
) -> None:
    out.append(_make_text(_LEFT, top - 10, "%s tokens per turn%s" % (kind.capitalize(), of_rollouts), "heading"))
    highest = max(means, default=0.0)
    if not highest:
        _say_nothing(out, top, "no %s tokens recorded" % kind)
        return
    ticks = _find_ticks(highest)
    scale = _PANEL / max(ticks[-1], highest)
    _draw_rules(out, top, [(tick * scale, _format_tick(tick)) for tick in ticks], "tokens")
    for left, width, mean in zip(*_place_bars(len(means)), means):
        out.append(_make_bar(kind, left, top + _PANEL - mean * scale, width, mean * scale))
    _label_turns(out, top, len(means), n_joined, unit)


def _draw_ranges(out: List[str], top: int, bars: Sequence[_TurnSums], n_joined: int, unit: str) -> None:
    heading = "Logprobs per turn: median (mark) and middle 80 % of tokens (bar)"
    out.append(_make_text(_LEFT, top - 10, heading, "heading"))
    found = [tuple(bar.find_quantile(share) for share in (0.1, 0.5, 0.9)) for bar in bars]
    lowest = min((values[0] for values in found if values[0] is not None), default=None)
    if lowest is None:
        _say_nothing(out, top, "no logprobs recorded")
        return
    ticks = _find_ticks(-lowest)
    scale = _PANEL / max(ticks[-1], -lowest)
    rules = [(_PANEL - tick * scale, _format_tick(-tick)) for tick in ticks]
    _draw_rules(out, top, rules, "logprob (nats)")
    for left, width, (low, median, high) in zip(*_place_bars(len(bars)), found):
        if low is not None and median is not None and high is not None:
            out.append(_make_bar("range", left, top - high * scale, width, max((high - low) * scale, 1.0)))
            out.append(_make_bar("median", left, top - median * scale - 1.25, width, 2.5))
    _label_turns(out, top, len(bars), n_joined, unit)


def _draw_histogram(out: List[str], top: int, steps: Dict[int, int]) -> None:
    n_tokens = sum(steps.values())
    heading = "Distribution of logprobs" + (", %s completion tokens" % "{:,}".format(n_tokens) if n_tokens else "")
    out.append(_make_text(_LEFT, top - 10, heading, "heading"))
    if not n_tokens:
        _say_nothing(out, top, "no logprobs recorded")
        return
    # Wide enough for every token, in at most 80 columns of whole steps.
    n_steps = min(max(max(steps) + 1, _STEPS_OF_NAT), _LOWEST_STEP)
    per_column = max(-(-n_steps // 80), 1)
    n_columns = -(-n_steps // per_column)
    counts = [0] * n_columns
    for step, count in steps.items():
        counts[min(step // per_column, n_columns - 1)] += count
    decades = max(math.ceil(math.log10(max(counts))), 1)
    # A count of one must be seen: the axis begins below it.
    scale = _PANEL / (decades + 0.3)
    rules = [((decade + 0.3) * scale, _format_tick(10.0 ** decade)) for decade in range(decades + 1)]
    _draw_rules(out, top, rules, "tokens (log scale)")
    width = (_WIDTH - _LEFT - _RIGHT) / n_columns
    for column, count in enumerate(counts):
        if count:
            height = (math.log10(count) + 0.3) * scale
            left = _WIDTH - _RIGHT - (column + 1) * width
            out.append(_make_bar("count", left + width * 0.06, top + _PANEL - height, width * 0.88, height))
    span = n_columns * per_column / _STEPS_OF_NAT
    for tick in _find_ticks(span):
        if tick <= span:
            middle = _WIDTH - _RIGHT - tick / span * (_WIDTH - _LEFT - _RIGHT)
            out.append(_make_text(middle, top + _PANEL + 19, _format_tick(-tick), anchor="middle"))
    lowest = "; the leftmost column holds all below" if max(steps) >= n_columns * per_column else ""
    note = "logprob (nats), in steps of %s%s" % (_format_tick(per_column / _STEPS_OF_NAT), lowest)
    out.append(_make_text((_LEFT + _WIDTH - _RIGHT) / 2, top + _PANEL + 40, note, anchor="middle"))


# Pieces ------------------------------------------------------------------------------------------------------------


def _draw_rules(out: List[str], top: int, rules: Sequence[Tuple[float, str]], unit: str) -> None:
    """Draw the rules at their heights, with their labels, the axes, and the unit along the upright one."""
    bottom = top + _PANEL
    for height, label in rules:
        out.append('<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>' % (
            _LEFT, _WIDTH - _RIGHT, bottom - height, bottom - height))
        out.append(_make_text(_LEFT - 8, bottom - height + 4, label, anchor="end"))
    out.append('<path class="axis" d="M%d %dV%dH%d"/>' % (_LEFT, top, bottom, _WIDTH - _RIGHT))
    out.append('<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>' % (
        top + _PANEL // 2, _escape(unit)))


def _place_bars(number: int) -> Tuple[List[float], List[float]]:
    """Give the left ends and the widths of bars."""
    room = (_WIDTH - _LEFT - _RIGHT) / number
    width = min(room * (0.8 if number <= 80 else 0.92), 60.0)
    return [_LEFT + room * index + (room - width) / 2 for index in range(number)], [width] * number


def _label_turns(out: List[str], top: int, number: int, n_joined: int, unit: str) -> None:
    room = (_WIDTH - _LEFT - _RIGHT) / number
    step = max(int(_find_ticks(float(number), 12)[1]), 1)
    for index in range(0, number, step):
        out.append(_make_text(_LEFT + room * (index + 0.5), top + _PANEL + 19, str(index * n_joined), anchor="middle"))
    out.append(_make_text((_LEFT + _WIDTH - _RIGHT) / 2, top + _PANEL + 40, unit, anchor="middle"))


def _say_nothing(out: List[str], top: int, text: str) -> None:
    out.append('<path class="axis" d="M%d %dV%dH%d"/>' % (_LEFT, top, top + _PANEL, _WIDTH - _RIGHT))
    out.append(_make_text((_LEFT + _WIDTH - _RIGHT) / 2, top + _PANEL / 2, text, anchor="middle"))


def _make_bar(kind: str, left: float, top: float, width: float, height: float) -> str:
    return '<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>' % (kind, left, top, width, height)


def _make_text(left: float, top: float, text: str, kind: str = "", anchor: str = "") -> str:
    attributes = (' class="%s"' % kind if kind else "") + (' text-anchor="%s"' % anchor if anchor else "")
    return '<text x="%.1f" y="%.1f"%s>%s</text>' % (left, top, attributes, _escape(text))


def _find_ticks(highest: float, most: int = 5) -> List[float]:
    """Give round numbers from 0 to at least ``highest``, about as many as are asked for."""
    power = 10.0 ** math.floor(math.log10(highest / most))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * most >= highest * 0.999999)
    return [step * index for index in range(math.ceil(highest / step - 1e-9) + 1)]


def _format_tick(value: float) -> str:
    if not value:
        return "0"
    return "{:,.0f}".format(value) if value == int(value) else "%.6g" % value


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else "…" + text[1 - most:]


def _escape(text: str) -> str:
    """Make text fit for XML, which has no place for most control characters and for lone surrogates."""
    plain = "".join(char if char.isprintable() else "�" for char in text)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
