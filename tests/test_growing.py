"""Lists that grow: read and written by what they share, with the values and the text of the plain way."""

import json
import pathlib
import random
import sys
from typing import Any, Dict, List, Tuple

import pytest

from harbor.codec import calls
from harbor.codec.text import growing, reading, writing
from harbor.codec.text.growing import Cuts
from harbor.models.agent.context import AgentContext, ModelUsage
from harbor.models.trial.result import TrialResult

RESULT = pathlib.Path(__file__).parent.parent / "docs" / "examples" / "result.json"
BASE = [random.Random(1).randrange(100000) for _ in range(900)]


def make_prompts(n_turns: int, per_turn: int = 50, n_base: int = 900) -> List[List[int]]:
    rng = random.Random(n_turns)
    tokens = [rng.randrange(150000) for _ in range(n_base)]
    prompts = []
    for _ in range(n_turns):
        prompts.append(list(tokens))
        tokens += [rng.randrange(150000) for _ in range(per_turn)]
    return prompts


def make_document(prompts: Any, indent: Any = None, key: str = "prompt_token_ids") -> str:
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps({"rollout_details": [{key: prompts}]}, indent=indent, separators=separators)


def read_prompts(document: Any) -> Any:
    details: Any = AgentContext.model_validate_json(document).rollout_details
    return details[0]["prompt_token_ids"]


def show(value: Any) -> Tuple[Any, ...]:
    """Give a value with its types, which tell 1 from True and from 1.0."""
    return (type(value),) + (tuple(map(show, value)) if type(value) is list else (repr(value),))


# How much work is done ---------------------------------------------------------


class Work:
    """What the standard reader and writer were given: characters read, elements written, and in how many calls.

    ``n_packed`` counts the elements whose types were looked at.
    """

    def __init__(self) -> None:
        self.n_chars = 0
        self.n_elements = self.n_packed = 0
        self.n_calls = 0


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    count = Work()
    scan_all, load_encode = reading._scan_all, writing._load_encode
    pack_all, write_all = growing._pack, growing._write_ints

    def pack(values: List[Any], *stride: int) -> Any:
        count.n_packed += len(values)
        return pack_all(values, *stride)

    def write(values: List[Any], comma: str) -> str:
        count.n_elements += len(values)
        count.n_calls += 1
        return write_all(values, comma)

    def scan(scanner: Any, text: str) -> Any:
        count.n_chars += len(text)
        count.n_calls += 1
        return scan_all(scanner, text)

    def load(separator: str) -> Any:
        encode = load_encode(separator)

        def count_elements(value: Any) -> str:
            count.n_elements += len(value)
            count.n_calls += 1
            return encode(value)

        writing._encoders_cache[separator] = count_elements
        return count_elements

    monkeypatch.setattr(growing, "_pack", pack)
    monkeypatch.setattr(growing, "_write_ints", write)
    monkeypatch.setattr(reading, "_scan_all", scan)
    monkeypatch.setattr(reading, "_loads_cache", None)
    monkeypatch.setattr(writing, "_encoders_cache", {})
    monkeypatch.setattr(writing, "_load_encode", load)
    return count


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("as_bytes", [False, True])
def test_reading_scans_each_token_once(work: Work, indent: Any, as_bytes: bool) -> None:
    prompts = make_prompts(100)
    document = make_document(prompts, indent)
    assert read_prompts(document.encode() if as_bytes else document) == prompts
    n_last = len(make_document([prompts[-1]], indent))  # what the last prompt alone takes holds every token once
    assert n_last <= work.n_chars < n_last + 100 * 100 < len(document) / 3
    assert work.n_calls == 100 + 1


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("exclude_none", [False, True])
@pytest.mark.parametrize("way", ["parsed", "built of the same ints", "built of ints of its own"])
def test_writing_encodes_each_token_once(work: Work, indent: Any, exclude_none: bool, way: str) -> None:
    prompts = make_prompts(100)
    document = make_document(prompts, indent)
    if way == "parsed":
        context = AgentContext.model_validate_json(document)
    else:
        if way == "built of ints of its own":
            prompts = json.loads(json.dumps(prompts))
        context = AgentContext(rollout_details=[{"prompt_token_ids": prompts}])
    work.n_elements = work.n_calls = work.n_packed = 0
    text = context.model_dump_json(indent=indent, exclude_none=exclude_none)
    assert json.loads(text)["rollout_details"] == [{"prompt_token_ids": prompts}]
    assert work.n_elements == len(prompts[-1])
    assert work.n_calls == 100
    # The types of ints that are known to be the same objects are not looked at again, but for those of the first list,
    # which the next is compared with; others are once more, and new ones where they are taken.
    are_shared = prompts[0][0] is prompts[1][0]  # on PyPy equal ints are always
    n_again = len(prompts[0]) if are_shared else sum(len(prompt) for prompt in prompts[1:])
    assert work.n_packed == len(prompts[-1]) + n_again


def test_keys_of_several_segments_cost_one_look_around_the_lists(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = make_prompts(40)
    segments = [{"prompt_token_ids": prompts, "extra": {"seed": [number]}} for number in range(3)]
    document = json.dumps({"rollout_details": segments})
    looked_at: List[int] = []
    repeats_keys = reading.repeats_keys

    def look(text: Any) -> bool:
        looked_at.append(len(text))
        return repeats_keys(text)

    monkeypatch.setattr(calls, "repeats_keys", look)
    assert AgentContext.model_validate_json(document).rollout_details == segments
    assert len(looked_at) == 1 and looked_at[0] < 2000 < len(document)
    assert work.n_calls == 3 * 40 + 1
    twice = document.replace('"seed": [2]', '"seed": [2], "seed": [3]')
    segments[2]["extra"] = {"seed": [3]}
    assert AgentContext.model_validate_json(twice).rollout_details == segments
    with pytest.raises(ValueError, match="extra.seed"):
        AgentContext.model_validate_json(document.replace('"seed": [2]', '"seed": 2, "seed": [3]'))


class Searched(str):
    """A text that counts the characters it is searched for."""

    n_chars = 0

    def find(self, *values: Any) -> int:
        place = super().find(*values)
        self.n_chars += (place if place >= 0 else min(values[2], len(self))) - values[1]
        return place


@pytest.mark.parametrize("keys", [['"near"', '"far"'], ['"far"', '"near"'], ['"absent"', '"near"']])
def test_no_key_is_searched_for_far_behind_another(keys: List[str]) -> None:
    text = Searched("x" * 5000 + '"near"' + "x" * 10**6 + '"far"')
    assert growing._find_key(text, keys, 0, growing._TEXT_MARKS) == 5006
    assert text.n_chars < 30000
    absent = Searched("x" * 10**6)
    assert growing._find_key(absent, keys, 0, growing._TEXT_MARKS) == -1
    assert absent.n_chars < 2 * 10**6 + 1000


def test_the_first_key_is_found_wherever_it_stands() -> None:
    keys = ['"ab"', '"abcdef"', '"c"']
    for place in [*range(20), *range(4080, 4110), *range(12270, 12300)]:
        for key in keys:
            for other in keys:
                text = " " * place + key + other
                assert growing._find_key(text, keys, 0, growing._TEXT_MARKS) == place + len(key)
                raw = (" " * place + "\\" + other + key).encode()
                raw_keys = [one.encode() for one in keys]
                end = growing._find_key(raw, raw_keys, 0, growing._BYTE_MARKS)
                assert end == place + 1 + len(other) + len(key), (place, key, other)


def test_usage_by_model_does_not_slow_the_rollouts_down(work: Work) -> None:
    prompts = make_prompts(40)
    usage = {"large": ModelUsage(n_input_tokens=5, cost_usd=0.5)}
    context = AgentContext(model_usage=usage, rollout_details=[{"prompt_token_ids": prompts, "extra": {"a": [None]}}])
    work.n_elements = 0
    text = context.model_dump_json(exclude_none=True)
    assert work.n_elements < len(prompts[-1]) + 10
    assert text == writing.render(context.model_dump(mode="json", exclude_none=True))


@pytest.mark.parametrize("indent", [None, 4])
def test_a_trial_is_read_and_written_so_too(work: Work, indent: Any) -> None:
    prompts = make_prompts(50)
    record = json.loads(RESULT.read_text(encoding="utf-8"))
    record["agent_result"]["rollout_details"] = [{"prompt_token_ids": prompts}]
    document = json.dumps(record, indent=indent)
    trial = TrialResult.model_validate_json(document)
    assert trial.agent_result is not None and trial.agent_result.rollout_details == [{"prompt_token_ids": prompts}]
    assert work.n_calls == 50 + 1
    assert work.n_chars < len(document) / 3
    work.n_elements = 0
    text = trial.model_dump_json(indent=indent)
    assert work.n_elements < len(prompts[-1]) + 500
    assert text == writing.render(trial.model_dump(mode="json"), indent=indent)


def test_lists_that_do_not_grow_are_left_to_the_plain_way(work: Work) -> None:
    rng = random.Random(5)
    prompts = [[rng.randrange(100000) for _ in range(5)] for _ in range(5000)]
    document = make_document(prompts)
    assert read_prompts(document) == prompts
    # Looking stops when it has cost its budget, so that most are read at once.
    assert work.n_calls < 100
    context = AgentContext(rollout_details=[{"prompt_token_ids": prompts}])
    work.n_calls = 0
    assert json.loads(context.model_dump_json())["rollout_details"][0]["prompt_token_ids"] == prompts
    assert work.n_calls < 600


# Equal results -----------------------------------------------------------------

OTHERS: Dict[str, Any] = {
    "no lists": [],
    "empty lists": [[], [], []],
    "empty, then more": [[], BASE, BASE],
    "the same twice": [BASE, BASE, list(BASE)],
    "shorter": [BASE, BASE[:-1], BASE[:5], BASE + [1]],
    "another last token": [BASE, BASE[:-1] + [BASE[-1] + 1], BASE + [1]],
    "the last token is longer": [BASE[:-1] + [1], BASE[:-1] + [12], BASE[:-1] + [12, 3]],
    "another first token": [BASE, [BASE[0] + 1] + BASE[1:]],
    "negative": [[-1] * 900, [-1] * 901, [-1] * 900 + [-12]],
    "long ints": [BASE, BASE + [2**31], BASE + [2**31, 2**63, 10**40], BASE + [2**31, 2**63, 10**40, 5]],
    "a bool": [BASE, BASE + [True], BASE + [True, 1]],
    "a bool for a one": [[1] * 900, [1] * 899 + [True], [1] * 901],
    "a float": [BASE, BASE + [1.0], BASE + [1.0, 2]],
    "a float for an int": [[7] * 900, [7] * 899 + [7.0], [7] * 901],
    "a fraction": [BASE, BASE + [1.5]],
    "null": [BASE, BASE + [None]],
    "text": [BASE, BASE + ["5"], BASE + ["5", 6]],
    "brackets in text": [BASE, BASE + ["],["], BASE],
    "a list": [BASE, BASE + [[1]]],
    "an object": [BASE, BASE + [{"prompt_token_ids": [BASE, BASE]}]],
    "no list inside": [BASE, None, BASE],
    "an object inside": [BASE, {"a": BASE}, BASE],
    "a number inside": [BASE, 5],
}


@pytest.mark.parametrize("indent", [None, 0, 4])
@pytest.mark.parametrize("name", sorted(OTHERS))
def test_lists_of_every_kind_are_read_as_the_plain_way_reads_them(name: str, indent: Any) -> None:
    document = json.dumps({"prompt_token_ids": OTHERS[name], "b": [1.5, None], "c": "x"}, indent=indent)
    wanted = reading.parse_exact(document)
    forms: List[Any] = [document, document.encode()]
    if name != "brackets in text":
        forms += [document.replace(",", " ,\t\r\n "), document.replace("]", "\n ] ")]
    for form in forms:
        found = reading.parse(form, frozenset(["prompt_token_ids"]))
        assert {key: show(part) for key, part in found.items()} == {key: show(part) for key, part in wanted.items()}


@pytest.mark.parametrize("indent", [None, 0, 4])
@pytest.mark.parametrize("name", sorted(OTHERS))
def test_lists_of_every_kind_are_written_as_the_plain_way_writes_them(name: str, indent: Any) -> None:
    out: List[str] = []
    layout = writing.make_layout(indent)
    if writing.write_int_lists(OTHERS[name], out, layout):
        assert "".join(out) == writing.render(OTHERS[name], indent=indent)
        assert not any(word in name for word in ("bool", "float", "fraction", "null", "text", "object"))
    else:
        assert any(type(part) is not list or any(type(x) is not int for x in part) for part in OTHERS[name])


def test_an_edited_history_is_no_longer_compared_by_its_objects() -> None:
    prompts = make_prompts(40)
    for number, prompt in enumerate(prompts[1:], 1):
        prompt[500] = number  # between the ends
    for way in (prompts, [prompt + [0, 1] * 600 for prompt in prompts]):
        context = AgentContext(rollout_details=[{"prompt_token_ids": way}])
        assert json.loads(context.model_dump_json())["rollout_details"][0]["prompt_token_ids"] == way


@pytest.mark.parametrize("odd", [1.5, True, "x", None, 2**40])
@pytest.mark.parametrize("place", [500, -1])
@pytest.mark.parametrize("is_shared", [False, True])
def test_what_changes_while_it_is_written_is_no_int_for_that(
    odd: Any, place: int, is_shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = make_prompts(6) if is_shared else json.loads(json.dumps(make_prompts(6)))
    victim = prompts[3]
    before = list(victim)
    pack = growing._pack

    def pack_and_change(values: List[Any], *stride: int) -> Any:
        packed = pack(values, *stride)
        if values is victim or values == before[len(prompts[2]):]:
            victim[place] = odd
        return packed

    monkeypatch.setattr(growing, "_pack", pack_and_change)
    out: List[str] = []
    if writing.write_int_lists(prompts, out, writing.make_layout(None)):
        # The list as it was, or as it became: never an int in the place of something else.
        assert show(json.loads("".join(out))[3]) in (show(before), show(victim))
    assert show(victim) != show(before)


@pytest.mark.parametrize("is_shared", [False, True])
def test_what_changes_in_one_list_shows_in_no_other(is_shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = [BASE[:], BASE + [9000, 5000], BASE + [9000, 5000]]
    if not is_shared:
        prompts = json.loads(json.dumps(prompts))
    victim, untouched = prompts[1], list(prompts[2])
    pack = growing._pack

    def pack_and_change(values: List[Any], *stride: int) -> Any:
        packed = pack(values, *stride)
        if values is victim and len(victim) == len(untouched):
            del victim[len(BASE)]
        return packed

    monkeypatch.setattr(growing, "_pack", pack_and_change)
    out: List[str] = []
    assert writing.write_int_lists(prompts, out, writing.make_layout(None))
    assert json.loads("".join(out))[2] == untouched


def test_a_list_that_changes_once_it_is_written_is_not_what_the_next_is_compared_with(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    first = list(BASE)
    second = first + [5000]
    follow = growing._History.follow

    def change_and_follow(history: Any, ids: List[Any]) -> Any:
        if ids is second:
            first[3] = second[3] = 77777
        return follow(history, ids)

    monkeypatch.setattr(growing._History, "follow", change_and_follow)
    out: List[str] = []
    assert writing.write_int_lists([first, second], out, writing.make_layout(None))
    assert json.loads("".join(out)) == [BASE, second]


@pytest.mark.parametrize("name, document", [
    (":", '{"ab":":[[1,2],[3,4]]"}'), (",", '["x",":[[1],[2]]"]'), (":", '{"ab":":[[1,2],[3,4]]",":":[[1],[1,2]]}'),
    ("", '{"":[[1],[2]],"x":""}'), ("a\\", '{"a\\\\":[[1],[2]]}'),
])
def test_names_that_look_like_what_parts_members_are_read_as_ever(name: str, document: str) -> None:
    assert reading.parse(document, frozenset([name])) == reading.parse_exact(document)


@pytest.mark.parametrize("document", [
    '{"prompt_token_ids": %s, "n": NaN}',
    '{"prompt_token_ids": %s, "n": -Infinity}',
    '{"prompt_token_ids": %s, "n": [NaN, Infinity, -Infinity]}',
    '{"prompt_token_ids": %s, "n": "NaN"}',
    '{"NaN": 1, "prompt_token_ids": %s}',
    '{"n": "\\"prompt_token_ids\\": [[1, 2], [1, 2, 3]]", "prompt_token_ids": %s}',
    '{"n": "prompt_token_ids", "prompt_token_ids": %s}',
    '{"n": ["prompt_token_ids", [[5]]], "prompt_token_ids": %s}',
    '{"prompt_token_ids": 1, "n": {"prompt_token_ids": %s}}',
    '{"prompt_token_ids": %s, "prompt_token_ids": [[1]]}',
    '{"prompt_token_ids"  :\t%s}',
    '{"prompt\\u005ftoken_ids": %s}',
    '{"n": "\\ud83d\\ude00 é", "prompt_token_ids": %s}',
    '[%s, {"prompt_token_ids": %s}]',
], ids=range(14))
def test_what_stands_around_the_lists_is_read_as_ever(document: str) -> None:
    lists = json.dumps([BASE, BASE + [1], BASE + [1, 2]])
    document = document.replace("%s", lists)
    found = reading.parse(document, frozenset(["prompt_token_ids"]))
    assert repr(found) == repr(reading.parse_exact(document))


@pytest.mark.parametrize("spoil", [
    lambda text: text.replace(",1,2]", ",1,]"), lambda text: text.replace(",1,2]", ",1, ]"),
    lambda text: text.replace(",1,2]", ",1 2]"), lambda text: text.replace(",1,2]", ",1,,2]"),
    lambda text: text[:-1], lambda text: text[:-3], lambda text: text + "]", lambda text: text.replace("]]", "],]"),
    lambda text: text.replace("],[", "],,["), lambda text: text.replace("],[", "] ["),
    lambda text: text.replace("]]", ",]]"),
    lambda text: text.replace("],[", ",],["), lambda text: text.replace(",1],", ",01],"),
    lambda text: text.replace(",1],", ",+1],"), lambda text: text.replace(",1],", ",1_0],"),
    lambda text: text.replace(",1],", ",\u0661],"), lambda text: text.replace(",1],", ",1\x00],"),
    lambda text: text.replace(",1],", ",1\xa0],"), lambda text: text.replace(",1],", ",-],"),
    lambda text: text.replace(",1],", "," + "9" * 5000 + "],"), lambda text: text.replace(",1],", ",1}],"),
    lambda text: text.replace(":[[", ":[" * 300 + "["), lambda text: text.replace(":[[", ":[NaN,["),
], ids=range(23))
def test_bad_documents_get_the_faults_of_the_plain_way(spoil: Any) -> None:
    text = spoil('{"prompt_token_ids":%s}' % json.dumps([BASE, BASE + [1], BASE + [1, 2]], separators=(",", ":")))
    outcomes = []
    for growing in (frozenset(["prompt_token_ids"]), None):
        try:
            found = reading.parse_exact(text) if growing is None else reading.parse(text, growing)
            outcomes.append(repr(found))
        except reading.JsonError as exc:
            outcomes.append(exc.message)
    assert outcomes[0] == outcomes[1]


def test_lists_share_nothing_but_their_elements() -> None:
    prompts = make_prompts(6)
    found = read_prompts(make_document(prompts))
    assert len({id(one) for one in found}) == 6
    for turn, one in enumerate(found):
        before = [list(other) for other in found]
        one.append(-1)
        one[0] = -2
        before[turn] = [-2] + before[turn][1:] + [-1]
        assert found == before
    equal = read_prompts(make_document([BASE, BASE, BASE]))
    equal[0].clear()
    assert equal == [[], BASE, BASE]


@pytest.mark.parametrize("odd", ["{}", '{"a":1}', "[]"])
def test_what_stands_in_lists_is_shared_by_none(odd: str) -> None:
    """Metadata may have lists of anything under the name of the prompts."""
    ids = ",".join(map(str, BASE))
    lists = ",".join("[%s,%s%s]" % (odd, ids, ",1" * number) for number in range(4))
    context = AgentContext.model_validate_json('{"metadata":{"prompt_token_ids":[%s]}}' % lists)
    assert context.metadata is not None
    assert len({id(part[0]) for part in context.metadata["prompt_token_ids"]}) == 4


def test_only_lists_of_ints_are_proven() -> None:
    cuts = Cuts()
    lists = [BASE, BASE + [True], BASE + [True, 1], [5.0], [5], []]
    found = reading.parse(json.dumps({"a": lists}), frozenset(["a"]), cuts)["a"]
    assert [id(one) in cuts.proven for one in found] == [True, False, False, False, True, True]


@pytest.mark.parametrize("as_bytes", [False, True])
def test_whatever_is_no_int_is_not_proven(as_bytes: bool) -> None:
    lists = "[[1],[-0],[ 2 , 3 ],[1e5],[1E5],[1.0],[-1.5e-3],[true],[false],[null],[NaN],[Infinity],[-Infinity],[4]]"
    proven: Dict[int, List[Any]] = {}
    document = '{"a":%s}' % lists
    _, found = growing.cut_lists(document.encode() if as_bytes else document, ["a"], json.loads, proven)
    assert [id(one) in proven for one in found] == [type(one[0]) is int for one in found]
    assert len(found) == 14 and len(proven) == 4


def test_random_lists_are_read_and_written_as_the_plain_way_does() -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    rng = random.Random(seed)
    n_quick = 0
    for _ in range(400):
        lists: List[Any] = [[rng.randrange(20) for _ in range(rng.randrange(3))]]
        for _ in range(rng.randrange(8)):
            one = list(rng.choice(lists))[: rng.choice([None, None, rng.randrange(5)])]
            one += rng.choice([[], [1], [12], [1, 2], [True], [1.0], [2**31], [-1], [None]])
            lists.append(one)
        separators = rng.choice([(",", ":"), (", ", " : ")])
        document = json.dumps({"a": lists}, indent=rng.choice([None, 1]), separators=separators)
        assert show(reading.parse(document, frozenset(["a"]))["a"]) == show(lists), document
        out: List[str] = []
        indent = rng.choice([None, 2])
        is_written = writing.write_int_lists(lists, out, writing.make_layout(indent))
        assert is_written == all(type(x) is int for one in lists for x in one), lists
        if is_written:
            n_quick += 1
            assert "".join(out) == writing.render(lists, indent=indent)
    assert n_quick > 50


def test_reading_leaves_the_interpreters_limit_of_digits_alone() -> None:
    if not hasattr(sys, "set_int_max_str_digits"):
        pytest.skip("this Python has no limit of digits")
    number = "7" * 1000
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        found = reading.parse('{"a": [[1, %s], [1, %s, 2]]}' % (number, number), frozenset(["a"]))
    finally:
        sys.set_int_max_str_digits(before)
    assert found == {"a": [[1, int(number)], [1, int(number), 2]]}

