"""The picture of rollouts: well-formed, labelled, and true to the numbers."""

import re
import xml.etree.ElementTree
from typing import Any, Dict, List

import pytest

from harbor.rollout_chart import RolloutChart

SVG = "{http://www.w3.org/2000/svg}"


def _draw(*rollouts: Any, name: str = "Rollouts of x") -> xml.etree.ElementTree.Element:
    chart = RolloutChart()
    for rollout in rollouts:
        chart.add_rollout(rollout)
    return xml.etree.ElementTree.fromstring(chart.as_svg(name))


def _list_texts(svg: xml.etree.ElementTree.Element) -> List[str]:
    return [element.text or "" for element in svg.iter(SVG + "text")]


def _list_heights(svg: xml.etree.ElementTree.Element, kind: str) -> List[float]:
    return [float(bar.attrib["height"]) for bar in svg.iter(SVG + "rect") if bar.attrib["class"] == kind]


LINEAR: Dict[str, Any] = {
    "prompt_token_ids": [[1] * 10, [1] * 20, [1] * 40],
    "completion_token_ids": [[2] * 4, [2] * 2, [2] * 8],
    "logprobs": [[-0.5] * 4, [-1.0, -3.0], [-0.01] * 8],
}


def test_titles_axes_and_units_are_there() -> None:
    texts = _list_texts(_draw(LINEAR))
    for text in (
        "Rollouts of x", "1 rollout, 3 turns", "Prompt tokens per turn", "Completion tokens per turn", "tokens",
        "turn (counted from 0)", "logprob (nats)", "Logprobs per turn: median (mark) and middle 80 % of tokens (bar)",
        "Distribution of logprobs, 14 completion tokens", "tokens (log scale)", "logprob (nats), in steps of 0.05",
    ):
        assert text in texts


def test_bars_are_in_proportion() -> None:
    svg = _draw(LINEAR)
    prompts, completions = _list_heights(svg, "prompt"), _list_heights(svg, "completion")
    assert [height / prompts[0] for height in prompts] == pytest.approx([1, 2, 4])
    assert [height / completions[1] for height in completions] == pytest.approx([2, 1, 4])
    assert len(_list_heights(svg, "median")) == 3
    assert len(_list_heights(svg, "count")) == 4


def test_several_rollouts_are_drawn_as_means() -> None:
    svg = _draw(LINEAR, {"prompt_token_ids": [[1] * 30], "completion_token_ids": [[2] * 6]})
    prompts = _list_heights(svg, "prompt")
    assert [height / prompts[0] for height in prompts] == pytest.approx([1, 1, 2])
    assert "Prompt tokens per turn, mean of 2 rollouts" in _list_texts(svg)


@pytest.mark.parametrize("rollouts", [[], [{}], [{"prompt_token_ids": [[]], "completion_token_ids": [[]]}]])
def test_nothing_to_draw_is_said(rollouts: List[Any]) -> None:
    texts = _list_texts(_draw(*rollouts))
    assert texts.count("no prompt tokens recorded") == texts.count("no completion tokens recorded") == 1
    assert texts.count("no logprobs recorded") == 2


def test_faulty_logprobs_are_left_out_and_counted() -> None:
    rollout = dict(LINEAR, logprobs=[[0.5] * 4, [-1.0, float("nan")], [-0.01] * 8])
    assert "1 rollout, 3 turns; logprobs of 2 turns left out as faulty" in _list_texts(_draw(rollout))


def test_very_low_logprobs_share_a_column() -> None:
    rollout = {"completion_token_ids": [[1, 2, 3]], "logprobs": [[-9999.0, -1e300, -0.1]]}
    svg = _draw(rollout)
    assert "logprob (nats), in steps of 0.25; the leftmost column holds all below" in _list_texts(svg)
    assert len(_list_heights(svg, "count")) == 2


def test_many_turns_share_bars() -> None:
    rollout = {"prompt_token_ids": [[1]] * 1000, "completion_token_ids": [[2]] * 1000}
    svg = _draw(rollout)
    assert len(_list_heights(svg, "prompt")) == 143
    assert "turn (counted from 0, each bar the mean of 7)" in _list_texts(svg)


def test_light_and_dark_have_colours_of_their_own() -> None:
    (style,) = [element.text or "" for element in _draw(LINEAR).iter(SVG + "style")]
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    names = set(re.findall(r"\.(\w+)[ ,]", light)) - {"title", "heading"}
    assert names == set(re.findall(r"\.(\w+)[ ,]", dark)) == {
        "paper", "axis", "grid", "prompt", "completion", "range", "median", "count"}
    assert "text {" in light and "text {" in dark


def test_a_name_cannot_break_the_picture() -> None:
    name = 'a<b>&"c"\x00\ud800 end'
    svg = _draw(LINEAR, name=name)
    assert _list_texts(svg)[0] == 'a<b>&"c"\ufffd\ufffd end'
    assert _list_texts(_draw(LINEAR, name="x" * 100))[0] == "…" + "x" * 59
