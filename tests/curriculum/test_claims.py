"""No figure of a text stands alone: it has a key, or a reason for having none."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from tests.curriculum import claims
from tests.curriculum.claims import Text, exceptions, open_claims, prose, texts

from hotloop.core import paths
from hotloop.tasks import curriculum, figures, proof_figures
from hotloop.tasks.recorded import recorded

TEXTS = list(texts())
NAMES = {text.name for text in TEXTS}
MOST_WITHOUT_A_KEY = 423
"""Lower it when figures get keys."""

NOT_MEASURED = re.compile(
    r"(?<!“)not(?: yet| been| ever)* (?:measured|timed)|never (?:been )?(?:measured|timed)"
    r"|(?:was|is|has|were|are|have)n['’]t(?: been| yet)* (?:measured|timed)|none was measured"
    r"|no recorded run|no run is recorded|not(?: yet)? been run on a|yet to be (?:measured|timed)"
    r"|nobody (?:has )?(?:measured|timed)|(?<!什么)没有(?:正式)?(?:记录|测量)"
    r"|(?<!“)(?:尚未|还未|未|还没|没)(?:被)?(?:测量|测过|计时)",
    re.IGNORECASE,
)


# --- each figure has a key or a reason ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 13.8 ms, or 2 to 3.5 µs.", ["13.8 ms", "2 to 3.5 µs"]),
        ("**4.1 TB/s**, 96 % of a copy, 18.4 times as fast, 1.5× that", 4),
        ("a tile of 64 × 128, float32, 30 layers, `f(5 ms)`, https://a.b/3%20ms", []),
        ("{{ proof m.p after 5 ms }} and {{ run a b c d e f }} as fast", []),
        ("```text\n3 ms\n```\n<!-- 3 ms -->", []),
        ("只要 20 毫秒，快 3 倍", ["20 毫秒", "3 倍"]),
        ("read twice, half of the rows, an order of the nodes, a factor f, 写了两倍", []),
        ("3 x 4, 1e-5, sm_90, at 8192 write a second kernel, 4 × 8 and ? × 8, 7×3", []),
    ],
)
def test_what_a_claim_is(text: str, found: list[str] | int) -> None:
    says = [claim.shown for claim in Text("x", text).claims()]
    assert (len(says) if isinstance(found, int) else says) == found


SPELLINGS = """
1.9 times as fast | faster by a factor of three | by a factor of 2.4 | a speed-up of 2.4
a ratio of 0.62 | twice as fast | three times faster | half the time | it halves the time
1.4x | 1.4X | ×2.4 | 2.4 × faster | a 2.4-times speedup | 1.4-fold | a threefold speedup
an order of magnitude faster | two thirds of cuBLAS | nine tenths of the bandwidth
half of its time | 0.96 of a copy | 37 percent | 37 per cent | 37% | ten percent
129 µs | 129 μs | 129 us | 129 usec
129 microseconds | four milliseconds | 14 nanoseconds | 1e-3 s | a tenth of a second | **129** µs
129&nbsp;µs | `129 µs` | $129\\,\\mathrm{µs}$ | 4,276 GB/s | 4276 GB per second | 806 TFLOPS
806 teraflops | 4.3 terabytes a second | 1,200 tokens/s | 300 requests a second
![softmax at 129 µs](a.svg) | <img alt="softmax at 129 µs" src="a.svg"> | [129 µs](a.md)
快了三倍 | 快 1.9 倍 | 快了一半 | 耗时 129 微秒 | 3 纳秒
达到峰值的三分之二 | 百分之三十七 | 每秒 1200 个请求
"""


@pytest.mark.parametrize("text", [s.strip() for s in re.split(r" \| |\n", SPELLINGS) if s.strip()])
def test_a_figure_is_found_in_each_spelling(text: str) -> None:
    assert list(Text("x", f"It is {text}, they say.").claims())


def test_a_column_has_the_unit_of_its_head() -> None:
    table = "| kernel | time (µs) | of a copy, % |\n| --- | --: | --- |\n| ours, 2 | 129 | **96** |"
    found = [claim.shown for claim in Text("x", f"{table}\n\n| other | 5 |").claims()]
    assert found == ["129 µs", "96 %"]


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("It is twice as fast.", "速度是两倍。"),
        ("It takes 5 ms.", "耗时 5 毫秒。"),
        ("It takes 5 microseconds.", "耗时 5 µs。"),
        ("At 75 requests a second.", "每秒 75 个请求。"),
        ("It gains 37 percent.", "快 37 %。"),
    ],
)
def test_a_translation_has_the_figures_of_its_original(english: str, chinese: str) -> None:
    first, second = next(Text("x", english).claims()), next(Text("x", chinese).claims())
    assert first.figure == second.figure


def test_a_translation_may_not_have_another_unit() -> None:
    text = next(t for t in TEXTS if t.name == "curriculum/mixture_of_experts/lesson.zh.md")
    assert open_claims(replace(text, text=f"{text.text}\n4 TB/s\n")) == []
    assert open_claims(replace(text, text=f"{text.text}\n4 ms\n"))


@pytest.mark.parametrize(
    "name",
    [
        "curriculum/glossary.md",
        "curriculum/fused_softmax/ladders.yaml",
        "curriculum/fused_softmax/lesson.zh.md",
        "curriculum/tvm_passes/figures/compile_when.py",
        "curriculum/first_kernels/module.yaml explain",
        "graders/hotloop/engines/simulate/README.md",
        "README.md",
        "site/pages/how-the-judge-works.md",
    ],
)
def test_each_kind_of_text_is_read(name: str) -> None:
    """And a figure that somebody adds there is open."""
    text = next(text for text in TEXTS if text.name == name)
    seeded = replace(text, text=f"{text.text}\nIt reaches 97.31 % of a copy.\n")
    assert [claim.shown for claim in open_claims(seeded)] == ["97.31 %"]


def test_what_the_question_gives_is_no_claim() -> None:
    assert list(Text("x", "It takes 5 ms.", frozenset({"5"})).claims()) == []


def test_every_figure_has_a_key_or_a_reason() -> None:
    """`python tests/curriculum/claims.py --open` shows them."""
    found = {text.name: [claim.shown for claim in open_claims(text)] for text in TEXTS}
    assert {name: figures for name, figures in found.items() if figures} == {}


def test_reasons_are_few_and_each_has_its_figure() -> None:
    listed = exceptions().without_a_key
    by_name = {text.name: {claim.shown for claim in text.claims()} for text in TEXTS}
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


def test_a_figure_that_the_answers_proof_prints_has_a_key() -> None:
    """Arithmetic may be typed, unless the program that the answer names prints its result."""
    for text in TEXTS:
        listed = exceptions().without_a_key.get(text.name, {})
        worked_out = {*listed.get("arithmetic", []), *listed.get("no_record", [])}
        printed = {
            claim.figure
            for program in text.proofs
            for line in proof_figures.lines(program)
            for claim in claims.claims_of(line)
        }
        for claim in (c for c in text.claims() if c.number not in claims.WORDS):
            name = text.name.removeprefix("curriculum/")
            if claim.shown in worked_out and (name, claim.shown) not in COINCIDENCES:
                assert claim.figure not in printed, (text.name, claim.shown)


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


@pytest.mark.parametrize(
    "text",
    [
        "On a GPU it was not measured.", "It has not yet been timed.", "never timed",
        "It wasn’t measured", "no run is recorded", "It has not been run on a real GPU.",
        "This is yet to be measured.",
        "nobody has timed it", "在 GPU 上尚未测量", "还没测过", "没有记录",
    ],
)  # fmt: skip
def test_each_way_to_say_that_nothing_was_measured_is_found(text: str) -> None:
    assert len(NOT_MEASURED.findall(text)) == 1


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


ROW = re.compile(
    r"(?m)^\| (?P<module>\w+)\.(?P<task>\w+)\.(?P<check>\w+)[^|]*"
    r"\| (?P<estimate>[\d.]+) \((?P<low>[\d.]+) to (?P<high>[\d.]+)\)[^|]*"
    r"\| (?:(?P<share>\d+) % )?\|$"
)


def test_the_table_of_runs_is_what_was_recorded() -> None:
    """Nothing renders tests/gpu/README.md."""
    text = (paths.root() / "tests" / "gpu" / "README.md").read_text(encoding="utf-8")
    rows = list(ROW.finditer(text))
    for row in rows:
        [m] = [
            m
            for run in recorded(row["module"]).values()
            if run.kind == "gpu"
            for m in run.measurements
            if (m.candidate, m.task, m.check) == ("reference", row["task"], row["check"])
        ]
        assert m.ratio is not None
        for name in ("estimate", "low", "high"):
            digits = len(row[name].partition(".")[2])
            assert float(row[name]) == pytest.approx(
                getattr(m.ratio, name), abs=0.51 * 10**-digits
            ), (row[0], name)
        if row["share"]:
            assert m.fraction_of_limit is not None
            assert int(row["share"]) == pytest.approx(100 * m.fraction_of_limit, abs=0.51), row[0]
    assert len(rows) == 14


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


@pytest.mark.parametrize(
    ("quantity", "key"), [(quantity, key) for quantity in QUANTITIES for key in quantity.places]
)
def test_a_proof_that_contradicts_another_is_found(
    quantity: Quantity, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As 1.4 and 0.62 for one speculation."""
    true = proof_figures.value

    def contradicting(words: list[str], *, with_unit: bool = True) -> str:
        changed = words == key.split()
        said = true(words, with_unit=with_unit)
        return f"{2.26 * float(said.replace(',', '')):.2f}" if changed else said

    monkeypatch.setattr(proof_figures, "value", contradicting)
    with pytest.raises(AssertionError):
        test_proofs_that_state_a_quantity_agree(quantity)


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
