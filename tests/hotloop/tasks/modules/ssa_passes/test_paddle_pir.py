"""Programs as Python for PaddlePaddle, and parsed from PIR's text. Paddle is not needed here."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.tasks.modules.ssa_passes import paddle_pir
from hotloop.tasks.modules.ssa_passes.arithmetic import wrap
from hotloop.tasks.modules.ssa_passes.paddle_pir import parse, source
from hotloop.tasks.modules.ssa_passes.regions import Malformed, generated, unfinished

# As paddlepaddle 3.3.1 prints it.
PRINTED = """{
    (%0) = "pd_op.data" () {dtype:int64,name:"a",place:Place(undefined:0),shape:[],stop_gradient:[false]} : () -> tensor<i64>
    (%1) = "pd_op.data" () {dtype:int64,name:"b",place:Place(undefined:0),shape:[],stop_gradient:[false]} : () -> tensor<i64>
    (%2) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[],stop_gradient:[true]} : () -> tensor<b>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[],stop_gradient:[true],value:-3} : () -> tensor<i64>
    (%4) = "pd_op.subtract" (%0, %3) {stop_gradient:[false]} : (tensor<i64>, tensor<i64>) -> tensor<i64>
    (%5) = "pd_op.less_than" (%4, %1) {stop_gradient:[true]} : (tensor<i64>, tensor<i64>) -> tensor<b>
    (%6) = "pd_op.if" (%5) {stop_gradient:[false]} -> tensor<i64> {
        (%7) = "pd_op.print" (%4) {first_n:-1,is_forward:true,message:"",print_phase:"BOTH"} : (tensor<i64>) -> tensor<i64>
        () = "cf.yield" (%3) {} : (tensor<i64>) -> 
    } else {
        () = "cf.yield" (%4) {} : (tensor<i64>) -> 
    }
    () = "pd_op.if" (%2) {stop_gradient:[]} ->  {
        (%8) = "pd_op.print" (%1) {first_n:-1} : (tensor<i64>) -> tensor<i64>
        () = "cf.yield" () {} : () -> 
    } else {
        () = "cf.yield" () {} : () -> 
    }
    (%9) = "pd_op.where" (%5, %6, %0) {stop_gradient:[false]} : (tensor<b>, tensor<i64>, tensor<i64>) -> tensor<i64>
    (%10) = "pd_op.fetch" (%9) {col:0,name:"result",stop_gradient:[false]} : (tensor<i64>) -> tensor<i64>
}
"""  # noqa: E501, W291  it is what Paddle prints


def test_what_paddle_prints_is_read_and_run() -> None:
    program = parse(PRINTED)
    assert [kind for _, kind in program.params] == ["i64", "i64", "i1"]
    assert program.run([1, 10, 0]) == [4, -3]
    assert program.run([9, 10, 1]) == [10, 9]
    assert unfinished(program) is None


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        ('"cf.yield" (%3)', '"cf.yield" (%99)', "where it is not there"),
        ('"pd_op.where" (%5, %6, %0)', '"pd_op.where" (%5, %7, %0)', "where it is not there"),
        ('"pd_op.where" (%5, %6, %0)', '"pd_op.where" (%6, %6, %0)', "than it may"),
        ("pd_op.subtract", "pd_op.divide", "in no program"),
        ("value:-3", "value:3.5", "than it may"),
        ("value:-3", "worth:-3", "than it may"),
        ("(%9) =", "(%4) =", "defined twice"),
        ("(%9) =", "() =", "may not have"),
        ('(%8) = "pd_op.print" (%1)', '(%8) = "pd_op.data" ()', "stands in a region"),
        ('"cf.yield" (%4) {} : (tensor<i64>)', '"cf.yield" () {} : ()', "than it may"),
        ("    () = \"cf.yield\" (%4) {} : (tensor<i64>) -> \n    }", "    }", "than it may"),
        ('} else {\n        () = "cf.yield" (%4)', '() = "cf.yield" (%4)', "behind the end"),
        ("    }\n    (%9)", "    (%9)", "behind the end"),
        ("(%10)", "    }\n    (%10)", "behind its end"),
        ('"pd_op.fetch" (%9)', '"pd_op.print" (%9)', "nothing is fetched"),
        ("tensor<i64>\n    (%4)", "tensor<2x2xf32>\n    (%4)", "no int64"),
    ],
)  # fmt: skip
def test_what_is_no_such_program_is_refused(old: str, new: str, about: str) -> None:
    assert old in PRINTED
    with pytest.raises(Malformed, match=about):
        parse(PRINTED.replace(old, new, 1))


@pytest.mark.parametrize("names", [("lhs", "rhs", "cond"), ("eager_tmp_9", "eager_tmp_10", "x")])
def test_inputs_with_other_names_are_known_by_their_place(names: tuple[str, ...]) -> None:
    text = PRINTED
    for old, new in zip("abc", names, strict=True):
        text = text.replace(f'name:"{old}"', f'name:"{new}"')
    assert parse(text) == parse(PRINTED)


def test_inputs_with_the_functions_names_may_stand_in_any_order() -> None:
    head, first, second, *rest = PRINTED.splitlines(keepends=True)
    assert parse("".join([head, second, first, *rest])) == parse(PRINTED)


@pytest.mark.parametrize(
    "text",
    [None, "", "{\n}", 7, PRINTED[:700], "{" * 9000, "{\n" + "x" * 3_000_000 + "\n}"],
    ids=lambda text: str(text)[:6],
)
def test_other_texts_are_refused(text: object) -> None:
    with pytest.raises(Malformed):
        parse(text)


def test_deep_nesting_is_refused() -> None:
    line = '() = "pd_op.if" (%2) {stop_gradient:[]} ->  {\n'
    head, tail = PRINTED.split("    (%3)")[0], "    (%9)" + PRINTED.split("    (%9)")[1]
    with pytest.raises(Malformed, match="too deep"):
        parse(head + line * 1000 + tail)


class Number(int):
    """An int64 with Paddle's arithmetic."""

    def __add__(self, other: int) -> Number:
        return Number(wrap(int(self) + int(other)))

    def __sub__(self, other: int) -> Number:
        return Number(wrap(int(self) - int(other)))

    def __mul__(self, other: int) -> Number:
        return Number(wrap(int(self) * int(other)))

    def __and__(self, other: int) -> Number:
        return Number(int(self) & int(other))

    def __or__(self, other: int) -> Number:
        return Number(int(self) | int(other))

    def __xor__(self, other: int) -> Number:
        return Number(int(self) ^ int(other))


def _run(text: str, arguments: list[int]) -> list[int]:
    """Run it as Python, with stand-ins for Paddle's two functions."""
    printed: list[int] = []
    stand_in = SimpleNamespace(
        full=lambda _extents, value, _dtype: Number(value),
        where=lambda condition, one, other: one if condition else other,
    )
    namespace: dict[str, Any] = {"paddle": stand_in, "print": printed.append}
    exec(text, namespace)
    result = namespace["f"](*map(Number, arguments[:2]), bool(arguments[2]))
    return [*map(int, printed), int(result)]


@pytest.mark.parametrize("seed", range(4))
def test_the_python_that_is_written_does_what_the_program_does(seed: int) -> None:
    rng = random.Random(seed)
    for number in range(0, 120, 3):
        program = generated(rng, number)
        for condition in (0, 1):
            arguments = [rng.choice((0, 1, -7, 2**63 - 1)), rng.randint(-9, 9), condition]
            assert _run(source(program), arguments) == program.run(arguments)


def test_sentences_speak_of_paddles_operations() -> None:
    told = paddle_pir.CLEANED.in_its_terms("%4 = arith.muli is computed again: %3 is that")
    assert told == "%4 = pd_op.multiply is computed again: %3 is that"
