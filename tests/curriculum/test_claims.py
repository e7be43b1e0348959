"""No figure of a text stands alone: it has a key, or a reason for having none."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from tests.curriculum import claims
from tests.curriculum.claims import Text, exceptions, open_claims, prose, shown, texts

from hotloop.tasks import curriculum, figures, proof_figures
from hotloop.tasks.recorded import recorded

TEXTS = list(texts())
NAMES = {text.name for text in TEXTS}
MOST_WITHOUT_A_KEY = 330
"""Lower it when figures get keys."""

NOT_MEASURED = re.compile(
    r"(?<!“)not(?: yet| been| ever)* measured|never measured|no recorded run"
    r"|(?<!什么)没有(?:正式)?(?:记录|测量)",
    re.IGNORECASE,
)


# --- each figure has a key or a reason ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 13.8 ms, or 2 to 3.5 µs.", ["13.8 ms", "2 to 3.5 µs"]),
        ("**4.1 TB/s**, 96 % of a copy, 18.4 times as fast, 1.5× that", 4),
        ("a tile of 64 × 128, float32, 30 layers, `5 ms`, https://a.b/3%20ms", []),
        ("{{ proof m.p after 5 ms }} and {{ run a b c d e f }} as fast", []),
        ("```text\n3 ms\n```\n<!-- 3 ms -->", []),
        ("只要 20 毫秒，快 3 倍", ["20 毫秒", "3 倍"]),
    ],
)
def test_what_a_claim_is(text: str, found: list[str] | int) -> None:
    says = [shown(match) for match in Text("x", text).claims()]
    assert (len(says) if isinstance(found, int) else says) == found


def test_what_the_question_gives_is_no_claim() -> None:
    assert list(Text("x", "It takes 5 ms.", frozenset({"5"})).claims()) == []


def test_every_figure_has_a_key_or_a_reason() -> None:
    """`python tests/curriculum/claims.py --open` shows them."""
    found = {text.name: [shown(match) for match in open_claims(text)] for text in TEXTS}
    assert {name: figures for name, figures in found.items() if figures} == {}


def test_reasons_are_few_and_each_has_its_figure() -> None:
    listed = exceptions().without_a_key
    by_name = {text.name: {shown(match) for match in text.claims()} for text in TEXTS}
    gone = {
        (name, figure)
        for name, by_reason in listed.items()
        for reason, figures_of in by_reason.items()
        for figure in figures_of
        if reason not in exceptions().reasons or figure not in by_name.get(name, ())
    }
    assert gone == set()
    entries = [
        f for by_reason in listed.values() for figures_of in by_reason.values() for f in figures_of
    ]
    assert len(entries) <= MOST_WITHOUT_A_KEY


COINCIDENCES = {
    ("gemm_hopper/questions.yaml design_a_hopper_gemm", "97 %"),
    ("profile_training_loop/questions.yaml what_a_clock_sees", "5 ms"),
}
"""Figures of an answer that a proof prints of something else, or with another sign."""

UNIT_OF = {"times": "×", "x": "×", "percent": "%", "us": "µs"}


def test_a_figure_that_the_answers_proof_prints_has_a_key() -> None:
    """Arithmetic may be typed, unless the program that the answer names prints its result."""
    for text in TEXTS:
        listed = exceptions().without_a_key.get(text.name, {})
        worked_out = {*listed.get("arithmetic", []), *listed.get("no_record", [])}
        printed = {
            (match["number"], UNIT_OF.get(match["unit"], match["unit"]))
            for program in text.proofs
            for line in proof_figures.lines(program)
            for match in claims.CLAIM.finditer(line)
        }
        for match in text.claims():
            figure = match["number"], UNIT_OF.get(match["unit"], match["unit"])
            name = text.name.removeprefix("curriculum/")
            if shown(match) in worked_out and (name, shown(match)) not in COINCIDENCES:
                assert figure not in printed, (text.name, shown(match))


@pytest.mark.parametrize("name", exceptions().typed)
def test_a_typed_figure_is_what_its_key_says(name: str) -> None:
    text = next(text for text in TEXTS if text.name == name)
    for figure, key in exceptions().typed[name].items():
        assert figure in prose(text.text)
        number = re.match(claims.NUMBER, figures.plain(key, name))
        assert number is not None
        assert figure.startswith(number[0])


@pytest.mark.slow
def test_every_key_has_a_value() -> None:
    for text in TEXTS:
        for key in text.keyed():
            assert "benchmark" in key or figures.plain(key, text.name) != key


# --- what was measured is not called unmeasured ---------------------------------------------------


def _was_measured(check: str) -> bool:
    """Return whether a run on a GPU has a speed of the reference. check: module.task.check."""
    module, task, name = check.split(".")
    assert name in {each.id for each in curriculum.load_module(module).task(task).checks}
    return any(
        (m.candidate, m.task, m.check) == ("reference", task, name) and m.ratio is not None
        for run in recorded(module).values()
        if run.kind == "gpu"
        for m in run.measurements
    )


def test_not_measured_is_said_of_what_has_no_run() -> None:
    """A text says it by a key; where it types it, claims.yaml names what was not measured."""
    for text in TEXTS:
        says = len(NOT_MEASURED.findall(prose(text.text)))
        of = exceptions().not_measured.get(text.name, [])
        assert says == len(of), f"{text.name} says {says} times that something was not measured"
        assert [check for check in of if check.count(".") == 2 and _was_measured(check)] == []
    assert set(exceptions().not_measured) <= NAMES


def test_no_level_is_called_unmeasured_beside_a_run() -> None:
    """But one whose reason says what has changed since the run."""
    contradictions = [
        f"{module.id}.{task.id}.{check.id}"
        for module in curriculum.modules()
        for task in module.tasks
        for check in task.checks
        if check.needs_gpu
        and check.threshold
        and NOT_MEASURED.search(check.threshold.reason or "")
        and "since then" not in (check.threshold.reason or "")
        and _was_measured(f"{module.id}.{task.id}.{check.id}")
    ]
    assert contradictions == []


SAID = re.compile(r"(\d[\d.]*)(?=\s(?:times|%))|(?<=\()(\d[\d.]*) to (\d[\d.]*)(?=\))")


def test_what_a_level_says_of_a_run_is_in_the_run() -> None:
    """Reasons of levels are typed; what they say of a GPU must be what was recorded there."""
    count = 0
    for module in curriculum.modules():
        on_gpu = [run for run in recorded(module.id).values() if run.kind == "gpu"]
        for task in module.tasks:
            for check in task.checks:
                reason = check.threshold.reason if check.threshold else None
                sentences = re.split(r"(?<=[.:])\s", " ".join((reason or "").split()))
                of_run = [s for s in sentences if "H200" in s and "reference" in s]
                recorded_here = [
                    figure
                    for run in on_gpu
                    for m in run.measurements
                    if (m.task, m.check) == (task.id, check.id) and m.ratio
                    for figure in (
                        *(m.ratio.estimate, m.ratio.low, m.ratio.high),
                        100 * (m.fraction_of_limit or 0),
                    )
                ]
                for said in (n for s in of_run for found in SAID.findall(s) for n in found if n):
                    digits = len(said.partition(".")[2])
                    near = [abs(f - float(said)) <= 0.51 * 10**-digits for f in recorded_here]
                    assert any(near), f"{module.id}.{task.id}.{check.id}: {said}"
                    count += 1
    assert count > 20


# --- proofs agree ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Quantity:
    """What several proofs state. places: a key, and the formula's arguments there."""

    name: str
    formula: Callable[..., float]
    places: dict[str, tuple[float, ...]]


def _speculation(rate: float, drafts: int, draft: float, row: float) -> float:
    """Tokens of a pass over its cost; draft: cost of a drafted token; row: of a verified one."""
    return (1 - rate ** (drafts + 1)) / (1 - rate) / (1 + drafts * (draft + row))


def _amdahl(share: float, speedup: float) -> float:
    return 1 / (1 - share + share / speedup)


def _waves(blocks: int, processors: int) -> float:
    """Percent of the processors that are busy."""
    return 100 * blocks / processors / -(-blocks // processors)


def _programs(chance: float, confidence: float) -> float:
    """Programs until one shows a mistake with this confidence."""
    return math.ceil(math.log(1 - confidence) / math.log(1 - chance))


def _ridge(tflop_per_s: float, tb_per_s: float) -> float:
    """Operations in the time of a byte."""
    return tflop_per_s / tb_per_s


def _cache_bytes(layers: int, heads: int, dim: int, unit: int) -> float:
    """Bytes of a token's keys and values in 16 bits."""
    return layers * 2 * heads * dim * 2 / unit


ENGINE = "llm_serving_engine.speculation accepting"
GUESSES = "questions.when_guessing_pays"
QUANTITIES = [
    Quantity(
        "speculation",
        _speculation,
        {
            f"{ENGINE} {rate}% {limit} k={drafts}": (rate / 100, drafts, 0.05, row)
            for rate in (80, 50)
            for limit, row in (("memory-bound", 0.0), ("between", 0.3), ("compute-bound", 1.0))
            for drafts in (2, 4, 8)
        }
        | {
            f"{GUESSES} compute-bound pass": (0.8, 4, 0.1, 1.0),
            f"{GUESSES} 0.5 costs guesses": (0.5, 2, 0.1, 0.0),
            f"{GUESSES} 0.8 costs guesses": (0.8, 6, 0.1, 0.0),
            f"{GUESSES} 0.9 costs guesses": (0.9, 10, 0.1, 0.0),
        },
    ),
    Quantity(
        "Amdahl's law",
        _amdahl,
        {
            "ssa_passes.smaller_classifier made whole": (0.4, 4),
            "questions.pruning_that_saves matmuls whole": (0.4, 4),
            "profile_training_loop.what_autocast_casts 20% step #2": (0.2, 4),
            "transformer_compilation.thirty_percent 40% without whole": (0.4, float("inf")),
            "triton_ensemble.faster_model four 30% latency": (0.3, 4),
        },
    ),
    Quantity(
        "busy processors of a launch",
        _waves,
        {
            "gemm_tensor_cores.arithmetic 7.76 efficiency": (1024, 132),
            "gemm_hopper.arithmetic 7.76": (1024, 132),
            "gemm_tensor_cores.arithmetic 0.48 efficiency": (64, 132),
            "gemm_hopper.arithmetic 3.88": (512, 132),
        },
    ),
    Quantity(
        "ridge of an H100",
        _ridge,
        {
            "llm_serving_frontier.latent ridge": (989, 3.35),
            "questions.roofline_of_a_matmul ridge": (989, 3.35),
            "questions.when_decode_computes from batch": (989, 3.35),
            "transformer_compilation.bytes_of_attention does": (989, 3.35),
        },
    ),
    Quantity(
        "a token's cache in a model of 8 billion weights",
        _cache_bytes,
        {
            "llm_serving_engine.capacity heads": (32, 8, 128, 1024),
            "llm_serving_engine.capacity heads would": (32, 32, 128, 1024),
            "llm_serving_frontier.workers bytes a token #-1": (32, 8, 128, 1),
            "questions.bytes_of_the_kv_cache with 8 #-1": (32, 8, 128, 1024),
        },
    ),
    Quantity(
        "programs that find a mistake",
        _programs,
        {
            "tvm_passes.prove_a_pass 1.0% programs": (0.01, 0.95),
            "tvm_passes.prove_a_pass 0.1% programs": (0.001, 0.95),
        },
    ),
]


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.name)
def test_proofs_that_state_a_quantity_agree(quantity: Quantity) -> None:
    for key, arguments in quantity.places.items():
        said = proof_figures.value(key.split(), with_unit=False).replace(",", "")
        digits = len(said.partition(".")[2])
        assert float(said) == pytest.approx(quantity.formula(*arguments), abs=0.6 * 10**-digits), (
            key
        )


def test_lines_of_two_proofs_that_say_the_same_have_the_same_figures() -> None:
    """A line up to its first figure says what the figures are of."""
    seen: dict[str, tuple[str, str]] = {}
    for name in sorted({program for text in TEXTS for program in text.proofs}):
        for line in proof_figures.lines(name):
            label = re.split(r"[-−]?\d+(?:\.\d+)?\s?(?:%|x\b|ms\b|us\b|µs\b|times\b)", line)[0]
            if line.startswith("measured: ") or len(re.findall(r"[A-Za-z]{3,}", label)) < 3:
                continue
            if label == line:
                continue
            other, same = seen.setdefault(" ".join(label.split()), (name, line))
            assert other == name or same == line, f"{other}: {same!r}; {name}: {line!r}"
