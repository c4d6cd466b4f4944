"""JSON text to plain values and back: values, exact messages, exact text.

The expected messages, columns and texts were observed in pydantic 2.14.4.
"""

import copy
import json
import pickle
import pathlib
import random
import struct
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple, Union

import pytest

from harbor.codec.text import growing, reading, writing

Document = Union[str, bytes, bytearray]
Reader = Callable[[Document], Any]

NAN = float("nan")
INF = float("inf")
CONTROL = "control character (\\u0000-\\u001F) found while parsing a string"
LEADING = "lone leading surrogate in hex escape"


@pytest.fixture(params=[reading.parse, reading.parse_exact], ids=["parse", "parse_exact"])
def read(request: pytest.FixtureRequest) -> Reader:
    reader: Reader = request.param
    return reader


@pytest.fixture
def digits_limit() -> Iterator[Callable[[int], None]]:
    """Set the interpreter's limit on int digits, where there is one."""
    if not hasattr(sys, "set_int_max_str_digits"):
        yield lambda limit: None
        return
    before = sys.get_int_max_str_digits()
    yield sys.set_int_max_str_digits
    sys.set_int_max_str_digits(before)


def outcome(reader: Reader, document: Document) -> Tuple[str, str]:
    """What a reader makes of a document, in a form that compares NaN and types."""
    try:
        return "value", repr(reader(document))
    except reading.JsonError as error:
        return "error", error.message
    except reading.NotText:
        return "not text", ""


# ---------------------------------------------------------------- values

VALUES: List[Tuple[str, Document, Any]] = [
    ("null", "null", None),
    ("true", "true", True),
    ("false", "false", False),
    ("zero", "0", 0),
    ("minus_zero_is_int", "-0", 0),
    ("minus_zero_float", "-0.0", -0.0),
    ("int_beyond_64_bits", "18446744073709551616", 18446744073709551616),
    ("float_rounds_to_nearest", "0.99999999999999999999", 1.0),
    ("exponent_makes_a_float", "1E5", 100000.0),
    ("exponent_with_plus", "1.5e+1", 15.0),
    ("float_overflows_to_inf", "1e400", INF),
    ("float_overflows_to_minus_inf", "-1e400", -INF),
    ("float_underflows_to_zero", "1e-400", 0.0),
    ("nan", "NaN", NAN),
    ("infinity", "Infinity", INF),
    ("minus_infinity", "-Infinity", -INF),
    ("empty_list", "[]", []),
    ("empty_list_with_space", "[ \n]", []),
    ("empty_object", "{}", {}),
    ("white_space_around", " \t\r\n1 \t\r\n", 1),
    ("nested", '{"a": [1, {"b": [2.5, null]}]}', {"a": [1, {"b": [2.5, None]}]}),
    ("repeated_key_last_value_first_place", '{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
    ("repeated_key_one_escaped", '{"a":1,"\\u0061":2}', {"a": 2}),
    ("escapes", '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u0000"', '"\\/\b\f\n\r\t\u00e9\0'),
    ("escaped_pair", '"\\ud83d\\uDE00"', "\U0001f600"),
    ("highest_escaped_pair", '"\\uDBFF\\uDFFF"', "\U0010ffff"),
    ("escaped_backslash_before_surrogate_letters", '"\\\\ud800"', "\\ud800"),
    ("raw_del_and_line_separator", '"\x7f\u2028"', "\x7f\u2028"),
    ("utf8_bytes", '"\u00e9\U0001f600"'.encode(), "\u00e9\U0001f600"),
    ("bytearray", bytearray(b'{"a":[]}'), {"a": []}),
    ("brackets_in_strings", '["[[{", "\\"]", "\\\\"]', ["[[{", '"]', "\\"]),
    ("numbers_in_a_row", "[1, -2 ,3.5,\n4e1, 5]", [1, -2, 3.5, 40.0, 5]),
    ("numbers_then_others", '[1,2,"x",3,4,null]', [1, 2, "x", 3, 4, None]),
    ("many_fraction_digits", "1." + "5" * 5000, 1.5555555555555556),
    ("many_exponent_digits", "1e-" + "5" * 5000, 0.0),
    ("long_string_of_digits", '"' + "7" * 9000 + '"', "7" * 9000),
    ("whole_part_of_4300_digits", "1" * 4300 + ".5", INF),
]


@pytest.mark.parametrize("document, expected", [pytest.param(*v[1:], id=v[0]) for v in VALUES])
def test_value(read: Reader, document: Document, expected: Any) -> None:
    assert repr(read(document)) == repr(expected)


@pytest.mark.parametrize("limit", [0, 640, 4300])
def test_ints_of_4300_digits_whatever_the_interpreter_limit(
    read: Reader, digits_limit: Callable[[int], None], limit: int
) -> None:
    digits_limit(limit)
    number = int("123456789" * 60)
    assert read("-" + "1" * 4300) == -(10**4300 - 1) // 9
    assert read("[%s]" % ("123456789" * 60)) == [number]
    for document in ("1" * 4301, "1" * 4301 + ".5", "1" * 4301 + "e5"):
        with pytest.raises(reading.JsonError):
            read(document)


# ---------------------------------------------------------------- faults

FAULTS: List[Tuple[str, Document, str]] = [
    ("empty", "", "EOF while parsing a value at line 1 column 0"),
    ("only_space", " ", "EOF while parsing a value at line 1 column 1"),
    ("only_newline", "\n", "EOF while parsing a value at line 2 column 0"),
    ("cut_literal", "nul", "EOF while parsing a value at line 1 column 3"),
    ("cut_infinity", "-Infinit", "EOF while parsing a value at line 1 column 8"),
    ("broken_literal", "nulx", "expected ident at line 1 column 4"),
    ("broken_literal_by_newline", "nu\nll", "expected ident at line 2 column 0"),
    ("lower_case_nan", "nan", "expected ident at line 1 column 2"),
    ("broken_infinity", "-Inx", "expected ident at line 1 column 4"),
    ("literal_too_long", "truee", "trailing characters at line 1 column 5"),
    ("minus_nan", "-NaN", "invalid number at line 1 column 2"),
    ("minus_alone", "-", "EOF while parsing a value at line 1 column 1"),
    ("minus_space", "- 1", "invalid number at line 1 column 2"),
    ("leading_zero", "01", "invalid number at line 1 column 2"),
    ("minus_leading_zero", "-01", "invalid number at line 1 column 3"),
    ("hexadecimal", "0x1", "trailing characters at line 1 column 2"),
    ("no_digit_after_point", "1.}", "invalid number at line 1 column 3"),
    ("point_then_exponent", "1.e5", "invalid number at line 1 column 3"),
    ("no_digit_after_exponent", "1e}", "invalid number at line 1 column 3"),
    ("no_digit_after_sign", "[1.5e+]", "invalid number at line 1 column 7"),
    ("cut_after_point", "1.", "EOF while parsing a value at line 1 column 2"),
    ("cut_after_exponent", "1e", "EOF while parsing a value at line 1 column 2"),
    ("cut_after_exponent_sign", "1e-", "EOF while parsing a value at line 1 column 3"),
    ("point_first", ".5", "expected value at line 1 column 1"),
    ("plus_first", "+1", "expected value at line 1 column 1"),
    ("single_quotes", "'a'", "expected value at line 1 column 1"),
    ("bom_in_str", "\ufeff1", "expected value at line 1 column 1"),
    ("bom_in_bytes", b"\xef\xbb\xbf1", "expected value at line 1 column 1"),
    ("no_break_space", "\xa01", "expected value at line 1 column 1"),
    ("other_space_behind", "1\x0b", "trailing characters at line 1 column 2"),
    ("non_ascii_digit", "1\u0661", "trailing characters at line 1 column 2"),
    ("two_values", "1 2", "trailing characters at line 1 column 3"),
    ("line_feed_counts_return_does_not", "\n\r1x", "trailing characters at line 2 column 3"),
    ("columns_count_bytes", '["\u00e9",x]', "expected value at line 1 column 7"),
    ("list_open", "[", "EOF while parsing a list at line 1 column 1"),
    ("list_cut_after_value", "[1 ", "EOF while parsing a list at line 1 column 3"),
    ("list_cut_after_comma", "[1,", "EOF while parsing a value at line 1 column 3"),
    ("list_trailing_comma", "[1, ]", "trailing comma at line 1 column 5"),
    ("list_comma_first", "[,", "expected value at line 1 column 2"),
    ("list_two_commas", "[1,,", "expected value at line 1 column 4"),
    ("list_no_comma", "[1 2]", "expected `,` or `]` at line 1 column 4"),
    ("list_wrong_end", "[1}", "expected `,` or `]` at line 1 column 3"),
    ("object_open", "{", "EOF while parsing an object at line 1 column 1"),
    ("object_cut_after_key", '{"a" ', "EOF while parsing an object at line 1 column 5"),
    ("object_cut_after_colon", '{"a":', "EOF while parsing a value at line 1 column 5"),
    ("object_cut_after_value", '{"a":1', "EOF while parsing an object at line 1 column 6"),
    ("object_cut_after_comma", '{"a":1,', "EOF while parsing a value at line 1 column 7"),
    ("object_trailing_comma", '{"a":1, }', "trailing comma at line 1 column 9"),
    ("object_comma_first", "{,}", "key must be a string at line 1 column 2"),
    ("object_number_key", "{1:2}", "key must be a string at line 1 column 2"),
    ("object_second_key", '{"a":1,2}', "key must be a string at line 1 column 8"),
    ("object_no_colon", '{"a" 1}', "expected `:` at line 1 column 6"),
    ("object_no_value", '{"a":}', "expected value at line 1 column 6"),
    ("object_no_comma", '{"a":1 "b"}', "expected `,` or `}` at line 1 column 8"),
    ("string_cut", '"abc', "EOF while parsing a string at line 1 column 4"),
    ("string_cut_in_escape", '"\\', "EOF while parsing a string at line 1 column 2"),
    ("string_with_newline", '"ab\nc"', CONTROL + " at line 2 column 0"),
    ("string_with_control", '"ab\x01c"', CONTROL + " at line 1 column 4"),
    ("unknown_escape", '"\\x"', "invalid escape at line 1 column 3"),
    ("upper_case_u", '"\\U0041"', "invalid escape at line 1 column 3"),
    ("escaped_newline", '"\\\n"', "invalid escape at line 2 column 0"),
    ("bad_hex", '"\\u12x4"', "invalid escape at line 1 column 6"),
    ("hex_with_underscore", '"\\u1_23"', "invalid escape at line 1 column 5"),
    ("hex_ends_too_early", '"\\u12"x', "invalid escape at line 1 column 6"),
    ("hex_cut", '"\\u1"', "EOF while parsing a string at line 1 column 5"),
    ("high_alone", '"\\ud800"', "unexpected end of hex escape at line 1 column 8"),
    ("high_then_escape", '"\\ud800\\n"', "unexpected end of hex escape at line 1 column 9"),
    ("high_cut", '"\\ud800\\', "EOF while parsing a string at line 1 column 8"),
    ("high_then_letter", '"\\ud800\\u0041"', LEADING + " at line 1 column 13"),
    ("high_then_high", '"\\ud800\\udbff\\udc00"', LEADING + " at line 1 column 13"),
    ("low_alone", '"\\udc00"', LEADING + " at line 1 column 7"),
    ("low_after_pair", '"\\ud83d\\ude00\\ude00"', LEADING + " at line 1 column 19"),
    ("low_in_lost_value", '{"a":"\\uDC00","a":1}', LEADING + " at line 1 column 12"),
    (
        "backslash_between_halves",
        '"\\ud83d\\\\\\ude00"',
        "unexpected end of hex escape at line 1 column 9",
    ),
    ("bad_utf8_outside", b"\xff", "expected value at line 1 column 1"),
    ("bad_utf8_behind", b"[1\xff]", "expected `,` or `]` at line 1 column 3"),
    ("bad_utf8_in_string", b'"a\xff"', "invalid unicode code point at line 1 column 3"),
    ("bad_utf8_in_key", b'{\n"\xff":1}', "invalid unicode code point at line 2 column 2"),
    ("cut_utf8", b'"\xe2\x82"', "invalid unicode code point at line 1 column 2"),
    ("utf8_surrogate", b'"\xed\xa0\x80"', "invalid unicode code point at line 1 column 2"),
    ("overlong_utf8", b'"\xc0\x80"', "invalid unicode code point at line 1 column 2"),
    ("string_end_comes_before_utf8", b'"\xff', "EOF while parsing a string at line 1 column 2"),
    ("escape_comes_before_utf8", b'"\xff\\x"', "invalid escape at line 1 column 4"),
    ("escape_shifts_utf8_column", b'"\\n\xff"', "invalid unicode code point at line 1 column 3"),
    (
        "escaped_pair_shifts_utf8_column",
        b'"\\ud83d\\ude00\xff"',
        "invalid unicode code point at line 1 column 6",
    ),
    ("too_many_digits", "1" * 4301, "number out of range at line 1 column 4301"),
    ("far_too_many_digits", "1" * 9999, "number out of range at line 1 column 4302"),
    ("too_many_digits_minus", "[-" + "1" * 5000, "number out of range at line 1 column 4304"),
    ("too_many_digits_line", "1" * 4301 + "\n", "number out of range at line 2 column 0"),
    ("too_many_digits_float", "1" * 5000 + ".5", "number out of range at line 1 column 4302"),
    ("too_many_digits_bad", "1" * 5000 + ".x", "number out of range at line 1 column 4302"),
]


@pytest.mark.parametrize("document, message", [pytest.param(*f[1:], id=f[0]) for f in FAULTS])
def test_fault(read: Reader, document: Document, message: str) -> None:
    assert outcome(read, document) == ("error", message)


@pytest.mark.parametrize("document", ['"\ud800"', '[1,"\udc00', "\udfff"])
def test_str_with_lone_surrogate_is_not_text(read: Reader, document: str) -> None:
    assert outcome(read, document) == ("not text", "")


def test_error_copies_and_pickles() -> None:
    error = reading.JsonError("expected value at line 1 column 1")
    for twin in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is reading.JsonError
        assert (twin.message, str(twin)) == (error.message, error.message)
    assert isinstance(pickle.loads(pickle.dumps(reading.NotText("x"))), ValueError)


# ---------------------------------------------------------------- depth

TOO_DEEP = "recursion limit exceeded at line 1 column "

DEPTHS: List[Tuple[str, str, Tuple[str, str]]] = [
    ("list_201_empty", "[" * 201 + "]" * 201, ("value", "[" * 201 + "]" * 201)),
    ("list_200_value", "[" * 200 + "1" + "]" * 200, ("value", "[" * 200 + "1" + "]" * 200)),
    ("list_201_value", "[" * 201 + "1" + "]" * 201, ("error", TOO_DEEP + "202")),
    ("list_201_junk", "[" * 201 + ",", ("error", TOO_DEEP + "202")),
    ("list_201_end", "[" * 201, ("error", "EOF while parsing a list at line 1 column 201")),
    ("second_element", "[" * 200 + "1,[2]" + "]" * 200, ("error", TOO_DEEP + "204")),
    ("object_201_value", '{"a":' * 201 + "1" + "}" * 201, ("error", TOO_DEEP + "1006")),
    (
        "object_201_end",
        '{"a":' * 201,
        ("error", "EOF while parsing a value at line 1 column 1005"),
    ),
    ("object_in_200_lists", "[" * 200 + '{"a":1}' + "]" * 200, ("error", TOO_DEEP + "206")),
    ("in_a_lost_value", '{"a":' + "[" * 201 + "]" * 201 + ',"a":1}', ("error", TOO_DEEP + "206")),
    ("closers_in_strings", '["]",' * 201 + "1" + "]" * 201, ("error", TOO_DEEP + "1002")),
    ("quotes_escaped", '["\\"]",' * 201 + "1" + "]" * 201, ("error", TOO_DEEP + "1402")),
]


@pytest.mark.parametrize("document, expected", [pytest.param(*d[1:], id=d[0]) for d in DEPTHS])
def test_depth(read: Reader, document: str, expected: Tuple[str, str]) -> None:
    assert outcome(read, document) == expected


@pytest.mark.parametrize("unit", ["[", "[1,", '{"a":', '["]",', '["\\\\",'])
@pytest.mark.parametrize("recursion_limit", [0, 10**6])
def test_a_million_open_brackets_are_refused_at_once(unit: str, recursion_limit: int) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(recursion_limit or before)
    try:
        start = time.perf_counter()
        message = outcome(reading.parse, unit * 10**6)
        assert time.perf_counter() - start < 5
    finally:
        sys.setrecursionlimit(before)
    # In an object the key still belongs to it, in a list the value is one too deep.
    column = 201 * len(unit) + 1 if unit[0] == "{" else 200 * len(unit) + 2
    assert message == ("error", TOO_DEEP + str(column))


def test_escapes_across_the_pieces_of_a_long_text_do_not_hide_depth() -> None:
    deep = '["]",' * 201 + "1" + "]" * 201
    flat = "[" + ",".join(["[]"] * 300) + "]"
    for shift in range(4):
        filler = '"' + "x" * shift + '\\\\\\"' * 70000 + '"'
        assert outcome(reading.parse, "[%s,%s]" % (filler, flat))[0] == "value"
        assert outcome(reading.parse, "[%s,%s]" % (filler, deep))[0] == "error"
        assert not reading._is_ordinary(("[%s,%s]" % (filler, deep)).encode())


def test_rollouts_with_many_brackets_take_the_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(document: Document) -> Any:
        raise AssertionError("not the fast path")

    value = {"turns": [[i] * 20 for i in range(20000)], "s": ["\u00e9 [[[ \\ \" }"] * 500}
    document = json.dumps(value)
    monkeypatch.setattr(reading, "parse_exact", refuse)
    assert reading.parse(document) == value
    assert reading.parse(document.encode()) == value


def test_reading_with_little_stack_left() -> None:
    document = "[" * 150 + "]" * 150

    def descend(levels: int) -> Any:
        return descend(levels - 1) if levels else reading.parse(document)

    found: List[Any] = []

    def search() -> None:
        for levels in range(sys.getrecursionlimit() - 60, 0, -10):
            try:
                found.append(descend(levels))
                return
            except RecursionError:
                continue

    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    assert repr(found) == "[%s]" % document


# ---------------------------------------------------------------- fast and exact

TOKENS = (
    b'" " \\ \\\\ \\" \\u \\ud800 \\uDC00 \\ud83d\\ude00 \\u0041 \\n { } [ ] , : 1 0 - + . e 9 1.5 '
    b'1e5 12,34, null true NaN Infinity -Infinity \xff \xc3\xa9 \xe2\x82 \xed\xa0\x80 a "a" "b":'
).split(b" ") + [b" ", b"\n", b"\x01", b"[" * 100, b"]" * 100, b"9" * 4300]


def make_document(rng: random.Random, depth: int = 0) -> bytes:
    kind = rng.randrange(8 if depth < 5 else 4)
    if kind == 0:
        return rng.choice([b"null", b"true", b"NaN", b"-Infinity", b"-0", b"0.0"])
    if kind == 1:
        return str(rng.getrandbits(rng.choice([3, 64, 200]))).encode()
    if kind == 2:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300)).encode()
    if kind == 3:
        return b'"' + b"".join(rng.choice(TOKENS[3:10]) for _ in range(rng.randrange(4))) + b'"'
    members = [make_document(rng, depth + 1) for _ in range(rng.randrange(5))]
    comma = rng.choice([b",", b" ,\n"])
    if kind < 6:
        return b"[" + comma.join(members) + b"]"
    return b"{" + comma.join(rng.choice([b'"a":', b'"\xc3\xa9": ']) + m for m in members) + b"}"


def test_both_readers_agree_on_random_documents() -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    rng = random.Random(seed)
    for _ in range(4000):
        raw = bytearray(make_document(rng))
        for _ in range(rng.randrange(4)):
            place = rng.randrange(len(raw) + 1)
            new = rng.choice(TOKENS) if rng.random() < 0.7 else b""
            raw[place : place + rng.randrange(3)] = new
        documents: List[Document] = [bytes(raw), raw.decode("utf-8", "surrogateescape")]
        for document in documents:
            assert outcome(reading.parse, document) == outcome(reading.parse_exact, document), document


# ---------------------------------------------------------------- floats and strings

FLOATS = [
    (0.0, "0.0"),
    (-0.0, "-0.0"),
    (1.0, "1.0"),
    (0.1, "0.1"),
    (0.0001, "0.0001"),
    (0.00001, "0.00001"),
    (-1.5e-05, "-0.000015"),
    (1.2345678901234567e-05, "0.000012345678901234568"),
    (9.999999999999999e-06, "9.999999999999999e-6"),
    (1e-06, "1e-6"),
    (-1.25e-09, "-1.25e-9"),
    (1.5e-10, "1.5e-10"),
    (5e-324, "5e-324"),
    (1e15, "1000000000000000.0"),
    (9999999999999998.0, "9999999999999998.0"),
    (1e16, "1e+16"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
]


@pytest.mark.parametrize("x, expected", FLOATS)
def test_format_float(x: float, expected: str) -> None:
    assert writing.format_float(x) == expected
    assert writing.render(x) == expected
    assert writing.render([x, {"k": x}, [x, 1, None]]) == '[%s,{"k":%s},[%s,1,null]]' % (
        (expected,) * 3
    )


@pytest.mark.parametrize("indent", [None, 0, 3])
def test_lists_of_floats_are_written_as_each_one(indent: Any) -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    rng = random.Random(seed)
    floats = [struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0] for _ in range(3000)]
    floats += [-rng.random() * 10.0 ** -rng.randrange(12) for _ in range(3000)]
    floats += [x for x, _ in FLOATS]
    expected = ["null" if x - x != 0 else writing.format_float(x) for x in floats]
    for number, written in zip(floats, expected):
        if written != "null":
            assert float(written) == number
    comma, start, end = (",", "[", "]") if indent is None else (",\n" + " " * indent, "[\n", "\n]")
    if indent:
        start += " " * indent
    assert writing.render(floats, indent=indent) == start + comma.join(expected) + end


@pytest.mark.parametrize(
    "inf_nan, expected",
    [
        ("null", "[null,null,null,0.00001]"),
        ("constants", "[NaN,Infinity,-Infinity,0.00001]"),
        ("strings", '["NaN","Infinity","-Infinity",0.00001]'),
    ],
)
def test_inf_nan(inf_nan: str, expected: str) -> None:
    floats = [NAN, INF, -INF, 1e-5]
    assert writing.render(floats, inf_nan=inf_nan) == expected
    assert writing.render([*floats, "x"], inf_nan=inf_nan) == expected[:-1] + ',"x"]'
    assert [writing.render(x, inf_nan=inf_nan) for x in floats] == expected[1:-1].split(",")


STRINGS = [
    ("plain", "abc", '"abc"', '"abc"'),
    ("escapes", '"\\/\b\t\n\f\r\0\x1f', '"\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f"', None),
    ("del_stays_raw", "\x7f", '"\x7f"', '"\x7f"'),
    ("backslash_u007f", "\\u007f", '"\\\\u007f"', '"\\\\u007f"'),
    ("latin", "\x80\u00e9", '"\x80\u00e9"', '"\\u0080\\u00e9"'),
    ("line_separator", "\u2028", '"\u2028"', '"\\u2028"'),
    ("beyond_16_bits", "a\U0001f600\x7f", '"a\U0001f600\x7f"', '"a\\ud83d\\ude00\x7f"'),
]


@pytest.mark.parametrize("s, raw, ascii", [pytest.param(*s[1:], id=s[0]) for s in STRINGS])
def test_quote(s: str, raw: str, ascii: Any) -> None:
    ascii = raw if ascii is None else ascii
    assert writing.quote(s) == raw
    assert writing.quote(s, ensure_ascii=True) == ascii
    assert writing.render({s: [s]}) == "{%s:[%s]}" % (raw, raw)
    assert writing.render({s: [s]}, ensure_ascii=True) == "{%s:[%s]}" % (ascii, ascii)


@pytest.mark.parametrize("ensure_ascii", [False, True])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "tree, bad",
    [
        ("a\ud800b", "a\ud800b"),
        ({"a": ["x", "\u00e9\udfff"]}, "\u00e9\udfff"),
        ({"k": 1, "\ud800": "\ud801"}, "\ud800"),
        (writing.Pairs([("a", {"b": ["\ud801"]}), ("\ud802", 1)]), "\ud801"),
    ],
)
def test_lone_surrogate_is_refused(tree: Any, bad: str, indent: Any, ensure_ascii: bool) -> None:
    with pytest.raises(UnicodeEncodeError) as expected:
        bad.encode("utf-8")
    with pytest.raises(UnicodeEncodeError) as caught:
        writing.render(tree, indent=indent, ensure_ascii=ensure_ascii)
    assert str(caught.value) == str(expected.value)


# ---------------------------------------------------------------- trees

TREE: Any = {"a": [], "b": {}, "c": [1, [2, {"d": None}]], "e": [True, "x"], "f": [1, 2]}


@pytest.mark.parametrize("indent", [0, 1, 2, 5])
def test_indent_is_that_of_json(indent: int) -> None:
    assert writing.render(TREE, indent=indent) == json.dumps(TREE, indent=indent)


def test_compact() -> None:
    assert writing.render(TREE) == json.dumps(TREE, separators=(",", ":"))


def test_pairs_write_a_key_twice() -> None:
    tree = {"m": writing.Pairs([("1", [1]), ("1", writing.Pairs()), ("x", None)])}
    assert writing.render(tree) == '{"m":{"1":[1],"1":{},"x":null}}'
    assert writing.render(tree, indent=1) == (
        '{\n "m": {\n  "1": [\n   1\n  ],\n  "1": {},\n  "x": null\n }\n}'
    )


@pytest.mark.parametrize("indent", [None, 2])
def test_unknown_type_is_refused(indent: Any) -> None:
    with pytest.raises(TypeError) as caught:
        writing.render({"a": [1, (2,)]}, indent=indent)
    assert str(caught.value) == "Not a plain JSON value: (2,)"


@pytest.mark.parametrize("limit", [0, 640, 4300])
def test_long_ints_whatever_the_interpreter_limit(
    digits_limit: Callable[[int], None], limit: int
) -> None:
    digits_limit(limit)
    nines = "9" * 6000
    zeros = "1" + "0" * 6000
    tree = {"a": [10**6000 - 1, -(10**6000)], "b": 10**639, "c": [10**640, 0.5, "x"]}
    expected = '{"a":[%s,-%s],"b":1%s,"c":[1%s,0.5,"x"]}' % (nines, zeros, "0" * 639, "0" * 640)
    assert writing.render(tree) == expected


def test_300_levels() -> None:
    tree: Any = 1e-5
    for _ in range(300):
        tree = [tree]
    assert writing.render(tree) == "[" * 300 + "0.00001" + "]" * 300
    assert writing.render(tree, indent=0) == "[\n" * 300 + "0.00001" + "\n]" * 300


class IntChild(int):
    pass


def nest(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = [value]
    return value


PLAIN: List[Tuple[str, Any, bool]] = [
    ("none", None, True),
    ("float", 0.5, True),
    ("tiny_float", 1e-5, False),
    ("nan", NAN, False),
    ("tree", TREE, True),
    ("floats", [0.0, -0.0, 1e-4, 1e-10, 1e16, 1.7976931348623157e308], True),
    ("one_odd_float", {"a": [{"b": [1, 0.5, -1.2e-05]}]}, False),
    ("infinite", [INF], False),
    ("int_key", {1: 2}, False),
    ("tuple", [(1,)], False),
    ("subclass", [IntChild(1)], False),
    ("pairs", [writing.Pairs()], False),
    ("deep_100", nest(1, 100), True),
    ("deep_101", nest(1, 101), False),
]


@pytest.mark.parametrize("value, expected", [pytest.param(*p[1:], id=p[0]) for p in PLAIN])
def test_is_plain(value: Any, expected: bool) -> None:
    assert writing.is_plain(value) is expected


def make_tree(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(9 if depth < 5 else 5)
    if kind == 0:
        return rng.choice([None, True, False, 10**30, -5, 0])
    if kind < 3:
        return rng.uniform(-1, 1) * 10.0 ** rng.randrange(-12, 18)
    if kind < 5:
        return "".join(rng.choice('a"\\\n\u00e9\U0001f600') for _ in range(rng.randrange(4)))
    if kind < 7:
        return [make_tree(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {str(i): make_tree(rng, depth + 1) for i in range(rng.randrange(5))}


class Everything(Set[int]):
    def __contains__(self, item: object) -> bool:
        return True


def test_what_is_written_reads_back_the_same() -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    rng = random.Random(seed)
    options: List[Dict[str, Any]] = [{}, {"indent": 2}, {"indent": 0, "ensure_ascii": True}]
    for _ in range(1000):
        tree = make_tree(rng)
        for option in options:
            written = writing.render(tree, **option)
            assert repr(reading.parse(written)) == repr(tree)
            assert repr(reading.parse_exact(written)) == repr(tree)
        walked = writing._write_tree(tree, Everything(), None, ("", "", ""))
        assert "".join(walked) == writing.render(tree)


def test_importing_the_modules_imports_no_json() -> None:
    code = (
        "import sys; sys.path.insert(0, %r); import harbor.codec.text.reading as reading, harbor.codec.text.writing\n"
        "assert not set(sys.modules) & {'json', 'decimal'}\n"
        "assert reading.parse('[1]') == [1]\n" % str(pathlib.Path(reading.__file__).parents[3])
    )
    subprocess.run([sys.executable, "-S", "-c", code], check=True)


# Long lists of numbers -----------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 0, 3])
@pytest.mark.parametrize("n_odd", [0, 1, 3, 40, 400])
def test_few_odd_floats_are_mended_as_many_are(n_odd: int, indent: Any) -> None:
    random_ = random.Random(n_odd)
    odd = (1e-05, -1.5e-05, 9.999999999999999e-06, -1.25e-09, 1e-06)
    floats = [random_.choice((1, -1)) * random_.uniform(1e-4, 30) for _ in range(400)]
    places = random_.sample(range(400), n_odd)
    for place in places + ([0, 399] if n_odd == 3 else []):
        floats[place] = random_.choice(odd)
    layout = writing.make_layout(indent)
    newline = "" if indent is None else "\n" + " " * indent
    around = "" if indent is None else "\n"
    expected = "[" + newline + ("," + newline).join(map(writing.format_float, floats)) + around + "]"
    assert writing.write_float_list(floats, layout) == expected
    assert writing.write_float_list([float("nan"), *floats], layout) is not None


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("length", [1, 63, 64, 65, 1000])
def test_a_list_of_one_kind_is_told_from_others(kind: Any, length: int) -> None:
    class Own(kind):  # type: ignore[misc]  # which kind is the point
        pass

    kinds = frozenset((kind,))
    plain = [kind(number) for number in range(length)]
    assert growing.consist_of(plain, kinds)
    assert growing.consist_of([], kinds)
    for other in (True, None, "1", Own(1), 1 if kind is float else 1.0, [1], object()):
        for place in {0, length // 2, length - 1}:
            changed = list(plain)
            changed[place] = other
            assert not growing.consist_of(changed, kinds), other
    large = plain[:-1] + [kind(2 ** 80)]
    assert growing.consist_of(large, kinds)
    assert growing.consist_of([None, *plain], kinds | {type(None)})
