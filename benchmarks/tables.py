"""Markdown tables of figures, ratios and marks, and the growth plot as SVG: text from the standard library alone."""

import math
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from timing import Figure

__all__ = ["Group", "Mark", "Row", "at_least", "at_most", "draw_growth", "format_seconds", "write_marks", "write_table"]


class Mark(NamedTuple):
    """What a row must show: theirs is so many times ours at least; below 1, ours may be longer than theirs."""

    least: float
    text: str


def at_least(times: float, word: str = "faster") -> Mark:
    """Demand that ours is so many times better than theirs."""
    return Mark(times, word if times == 1 else "at least %g × %s" % (times, word))


def at_most(times: float, word: str = "slower") -> Mark:
    """Allow ours so many times what theirs takes."""
    return Mark(1 / times, "at most %g × %s" % (times, word))


class Row(NamedTuple):
    """Ours against one contender in one workload."""

    workload: str
    against: str
    ours: Figure
    theirs: Figure
    mark: Optional[Mark] = None

    @property
    def ratio(self) -> float:
        """Theirs divided by ours."""
        return self.theirs.median / self.ours.median if self.ours.median else math.inf

    @property
    def is_met(self) -> bool:
        """Tell whether the mark, if any, is reached."""
        return self.mark is None or self.ratio >= self.mark.least


class Group(NamedTuple):
    """A heading with its rows, and blocks of Markdown above and below them; ``findings`` are marks without a ratio.

    A finding is what was looked at, what was found, the mark, and whether it is met.
    """

    title: str
    note: str
    rows: List[Row]
    unit: str = "seconds"
    more: str = ""
    findings: Sequence[Tuple[str, str, str, bool]] = ()


def format_seconds(seconds: float) -> str:
    """Write a time with three digits in a unit that suits it."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor * 0.9995:
            return "%s %s" % (_round(seconds / factor), unit)
    return "%s ns" % _round(seconds / 1e-9)


def _format(value: float, unit: str) -> str:
    return format_seconds(value) if unit == "seconds" else "%s MB" % _round(value / 1e6)


def _round(number: float) -> str:
    """Write a number with three digits, or all of its whole part."""
    if number <= 0:
        return "0"
    digits = max(0, 2 - int(math.floor(math.log10(number))))
    text = "%.*f" % (digits, number)
    # 9.999 becomes 10.0, not 10.00.
    return "%.*f" % (digits - 1, number) if digits and len(text.lstrip("0.").replace(".", "")) > 3 else text


def _write_figure(figure: Figure, unit: str) -> str:
    text = _format(figure.median, unit)
    if figure.rounds > 1:
        text += " (%s – %s)" % (_format(figure.low, unit), _format(figure.high, unit))
    return text


def _write_ratio(row: Row, unit: str) -> str:
    better, worse = ("faster", "slower") if unit == "seconds" else ("less", "more")
    if row.ratio >= 1:
        return "%s × %s" % (_round(row.ratio), better)
    return "%s × %s" % (_round(1 / row.ratio), worse)


def _write_row(row: Row, unit: str) -> str:
    """Write a row of a group's table."""
    few = "" if row.theirs.rounds >= row.ours.rounds else ", %d rounds" % row.theirs.rounds
    mark = row.mark.text if row.mark else ""
    met = ("**met**" if row.is_met else "**missed**") if row.mark else ""
    return "| %s | %s | %s | %s%s | %s | %s | %s |" % (
        row.workload, row.against, _write_figure(row.ours, unit), _write_figure(row.theirs, unit), few,
        _write_ratio(row, unit), mark, met)


def write_table(group: Group) -> str:
    """Write a group with its heading."""
    parts = ["### " + group.title, group.note]
    if group.rows:
        parts.append("\n".join([
            "| workload | against | ours | theirs | ours is | mark | |", "|---|---|---|---|---|---|---|",
            *(_write_row(row, group.unit) for row in group.rows)]))
    parts.append(group.more)
    return "\n\n".join(part for part in parts if part)


def write_marks(groups: List[Group]) -> str:
    """Write what is demanded of all groups in one table, each workload's contenders in a line."""
    lines = ["| workload | ours is | mark | |", "|---|---|---|---|"]
    for group in groups:
        together: Dict[Tuple[str, str], List[Row]] = {}
        for row in group.rows:
            if row.mark:
                together.setdefault((row.workload, row.mark.text), []).append(row)
        for (workload, mark), rows in together.items():
            found = ", ".join("%s (%s)" % (_write_ratio(row, group.unit), row.against) for row in rows)
            missed = [row.against for row in rows if not row.is_met]
            met = "missed" if len(missed) == len(rows) else "missed against " + ", ".join(missed)
            lines.append("| %s: %s | %s | %s | **%s** |" % (
                group.title, workload, found, mark, met if missed else "met"))
        for name, finding, mark, is_met in group.findings:
            lines.append("| %s: %s | %s | %s | **%s** |" % (
                group.title, name, finding, mark, "met" if is_met else "missed"))
    return "\n".join(lines)


# The plot --------------------------------------------------------------------------

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 440, 70, 40, 200, 50
_STYLES = [("#1f6feb", ""), ("#d1242f", ""), ("#57606a", "6 4"), ("#57606a", "2 4")]


def draw_growth(turns: Sequence[int], lines: Dict[str, Sequence[float]]) -> str:
    """Draw how lines grow with the turns, each divided by its first value, both axes logarithmic, as SVG."""
    grown = {name: [max(value, 1e-12) / max(values[0], 1e-12) for value in values] for name, values in lines.items()}
    top = max(max(values) for values in grown.values())
    low = min(1.0, min(min(values) for values in grown.values()))

    def place_x(turn: float) -> float:
        return _LEFT + _scale(turn, turns[0], turns[-1]) * (_WIDTH - _LEFT - _RIGHT)

    def place_y(value: float) -> float:
        return _HEIGHT - _BOTTOM - _scale(value, low, top) * (_HEIGHT - _TOP - _BOTTOM)

    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">' % (
            _WIDTH, _HEIGHT),
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="%d" y="22" font-size="14">Growth with the turns of a chat, 1 at %d turns</text>' % (_LEFT, turns[0]),
    ]
    for turn in turns:
        x = place_x(turn)
        out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#d8dee4"/>' % (x, x, _TOP, _HEIGHT - _BOTTOM))
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%d turns</text>' % (x, _HEIGHT - _BOTTOM + 20, turn))
    for exponent in range(int(math.ceil(math.log(low, 2) - 1e-9)), int(math.log(top, 2) + 1e-9) + 1):
        y = place_y(2.0 ** exponent)
        out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#d8dee4"/>' % (_LEFT, _WIDTH - _RIGHT, y, y))
        out.append('<text x="%d" y="%.1f" text-anchor="end">%g ×</text>' % (_LEFT - 8, y + 4, 2.0 ** exponent))
    labels: List[Tuple[float, str, str]] = []
    for (name, values), (color, dash) in zip(grown.items(), _STYLES):
        points = " ".join("%.1f,%.1f" % (place_x(turn), place_y(value)) for turn, value in zip(turns, values))
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>' % (
            points, color, dash or "none"))
        labels.append((place_y(values[-1]), name, color))
    last = -math.inf
    for y, name, color in sorted(labels):
        last = max(y, last + 15)
        out.append('<text x="%d" y="%.1f" fill="%s">%s</text>' % (_WIDTH - _RIGHT + 8, last + 4, color, name))
    return "\n".join(out + ["</svg>", ""])


def _scale(value: float, low: float, high: float) -> float:
    return math.log(value / low) / math.log(high / low) if high > low else 0.0
