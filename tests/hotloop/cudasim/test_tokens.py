"""C++ text as tokens."""

from __future__ import annotations

import pytest

from hotloop.cudasim.tokens import (
    closing_angle,
    commas,
    find_at_depth,
    is_code,
    matching,
    opening,
    opening_angle,
    preceding,
    split,
    statement,
    text_of,
    tokenize,
    without_alignment,
)

HEAD = '# 1 "user.cu"\n'


def code(text: str) -> list[str]:
    return [t.text for t in tokenize(HEAD + text) if is_code(t)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k<<<1, 2>>>(x);", ["k", "<<<", "1", ",", "2", ">>>", "(", "x", ")", ";"]),
        ("a<b<int>><<<1>>>", ["a", "<", "b", "<", "int", ">", ">", "<<<", "1", ">>>"]),
        ('"<<<1>>> \\" __shared__" x', ['"<<<1>>> \\" __shared__"', "x"]),
        ('R"f(a)" __global__)f" y', ['R"f(a)" __global__)f"', "y"]),
        ("'\\'' u8'a' 1'000'000 0x1p-3f", ["'\\''", "u8'a'", "1'000'000", "0x1p-3f"]),
        ("a::b->c", ["a", "::", "b", "->", "c"]),
    ],
)
def test_texts_become_tokens(text: str, words: list[str]) -> None:
    assert code(text) == words


def test_nothing_is_lost() -> None:
    text = HEAD + 'int a;\n\t"b" // kept\n#pragma unroll\nR"(\n# 7 "no.cu"\n)" c\n'
    assert "".join(t.text for t in tokenize(text)) == text


def test_every_token_knows_its_file_and_line() -> None:
    text = HEAD + 'a\n\nb\n# 1 "/usr/x.h" 1 3\nhidden\n# 9 "user.cu" 2\nc "x\\\ny" d\n'
    where = {t.text: (t.file, t.line) for t in tokenize(text) if t.kind == "word"}
    assert where == {
        "a": ("user.cu", 1),
        "b": ("user.cu", 3),
        "c": ("user.cu", 9),
        "d": ("user.cu", 10),
    }


def test_a_system_header_is_one_token() -> None:
    tokens = tokenize(HEAD + '# 1 "/usr/x.h" 1 3\n__shared__ a;\nasm(1);\n# 2 "user.cu" 2\nb\n')
    assert [t.kind for t in tokens if t.kind != "marker"] == ["system", "word", "space"]


def test_a_system_headers_macro_is_the_users_code() -> None:
    """As g++ writes `__align__(16) int x;` for a macro of a header found by -isystem."""
    text = HEAD + '\n# 2 "user.cu" 3\n__attribute__((aligned(16)))\n# 2 "user.cu"\nint x;\n'
    words = [t.text for t in tokenize(text) if t.kind == "word"]
    assert words == ["__attribute__", "aligned", "int", "x"]


def test_brackets_find_each_other() -> None:
    tokens = tokenize(HEAD + "f(a[1], {2, (3)}) ;")
    first = next(i for i, t in enumerate(tokens) if t.text == "(")
    last = matching(tokens, first)
    assert tokens[preceding(tokens, len(tokens))].text == ";"
    assert opening(tokens, last) == first
    assert text_of(tokens[first : last + 1]) == "(a[1], {2, (3)})"
    assert find_at_depth(tokens, 0, frozenset({"2"})) == len(tokens)
    assert matching(tokens[:last], first) == last


@pytest.mark.parametrize("text", ["a<b<1>, c>", "a<b<c<1>>>", "a<(1 > 0), x[2 > 1]>"])
def test_angles_find_each_other(text: str) -> None:
    tokens = tokenize(HEAD + text)
    first = next(i for i, t in enumerate(tokens) if t.text == "<")
    last = len(tokens) - 1
    assert closing_angle(tokens, first) == last
    assert opening_angle(tokens, last) == first


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a, b<c, d>, e(f, g), {h, i}", ["a", "b<c, d>", "e(f, g)", "{h, i}"]),
        ("a", ["a"]),
        ("  ", []),
        ("x<y<z<1, 2>>>, w", ["x<y<z<1, 2>>>", "w"]),
    ],
)
def test_lists_are_split_at_their_own_commas(text: str, pieces: list[str]) -> None:
    assert [text_of(p) for p in split(tokenize(text))] == pieces


def test_a_token_that_was_emptied_is_no_bracket() -> None:
    tokens = tokenize("a b, c")
    tokens[0].text = ""
    assert len(commas(tokens)) == 1


def test_alignment_goes_with_its_brackets() -> None:
    tokens = tokenize("alignas(16) float __attribute__((aligned(f(8)))) x")
    assert [t.text for t in without_alignment(tokens)] == ["float", "x"]


def test_a_statement_begins_behind_the_last_one() -> None:
    tokens = tokenize(HEAD + "int a; static int b = 3; }")
    at = next(i for i, t in enumerate(tokens) if t.text == "b")
    assert [t.text for t in statement(tokens, at, at + 1)] == ["static", "int", "b"]
