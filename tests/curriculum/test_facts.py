"""Facts that a text once had wrong, and that a program can check in all of them."""

import re
import runpy
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.learn.bank.catalog import find
from hotloop.tasks import curriculum

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = (
    "curriculum/**/*.md",
    "curriculum/**/*.yaml",
    "solutions/*/*.py",
    "solutions/*/*.md",
    "site/pages/**/*.md",
)
TEXTS = [path for pattern in PATTERNS for path in sorted(ROOT.glob(pattern))]
SENTENCE_END = re.compile(r"(?<=[.!?;|])\s|(?<=[。；])|\n\s*\n|\n\s*- ")


def wrong_deprecations(text: str) -> list[str]:
    """Sentences that date TorchScript's deprecation to 2.11; the 2.10 release deprecated it."""
    return [
        sentence
        for sentence in SENTENCE_END.split(text)
        if re.search(r"TorchScript|torch\.jit|jit\.", sentence)
        and re.search("deprecat|弃用", sentence)
        and "2.11" in sentence
    ]


@pytest.mark.parametrize(
    "text",
    [
        "TorchScript is deprecated\nsince PyTorch 2.11.",
        "`torch.jit.trace`: deprecated since 2.11",
        "TorchScript 从 2.11 起已弃用。",
    ],
)
def test_a_wrong_date_of_the_deprecation_is_found(text: str) -> None:
    assert wrong_deprecations(text)


@pytest.mark.slow
def test_torchscript_is_deprecated_since_2_10() -> None:
    found = {path: wrong_deprecations(path.read_text(encoding="utf-8")) for path in TEXTS}
    assert {path: said for path, said in found.items() if said} == {}
    dated = [
        deprecation.since
        for module in curriculum.modules()
        for version in module.versions
        for deprecation in version.deprecations
        if "torch.jit" in deprecation.what
    ]
    assert dated
    assert set(dated) == {"2.10"}


@pytest.mark.parametrize(
    "superseded",
    [
        "docs.nvidia.com/cuda/cuda-c-programming-guide",  # cuda-programming-guide since CUDA 13.1
        "pytorch.org/blog/pytorch-2-11-release-blog",  # TorchScript's deprecation: the blog of 2.10
    ],
)
def test_no_text_links_to_a_superseded_page(superseded: str) -> None:
    assert [path for path in TEXTS if superseded in path.read_text(encoding="utf-8")] == []


CORRECTED = {
    r"nobody maintains|(?:onnx2tf|path).{0,40}\bunmaintained": "nobody maintains onnx2tf",
    r"right places,? (?:but|and|with)?\s*wrong sizes": "right places, wrong sizes",
    r"TIR without that promise": "tirx is TIR without that promise",
    r"torch\.export`? compiles (?:it )?ahead of time": "`torch.export` compiles ahead of time",
    r"wgmma`? takes (?:both|its) operands from shared": "wgmma takes its operands from shared",
    r"Memory Workload Analysis[^|]*\| `[^|]*dram_throughput": (
        "| Memory Workload Analysis | `gpu__dram_throughput.avg`"
    ),
    r"PyTorch/XLA (?:is )?for TPUs(?![^.]*TorchTPU)": "TorchScript on GPUs, PyTorch/XLA for TPUs.",
}
"""Each pattern of a statement that was wrong, with a text in which it is found."""


@pytest.mark.parametrize(("pattern", "example"), CORRECTED.items())
def test_a_corrected_statement_does_not_come_back(pattern: str, example: str) -> None:
    assert re.search(pattern, example)
    quoted = paths.curriculum() / "questions"  # weak answers and guides quote what is wrong
    lessons = [path for path in TEXTS if quoted not in path.parents]
    lessons = [path for path in lessons if not path.name.startswith("questions")]
    texts = {path: " ".join(path.read_text(encoding="utf-8").split()) for path in lessons}
    assert [path for path, text in texts.items() if re.search(pattern, text)] == []


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("curriculum/triton_ensemble/lesson.md", ["2.51", "24.10", "AIPerf", "Model Analyzer"]),
        ("curriculum/xla_vs_eager/lesson.md", ["TorchTPU"]),
        ("curriculum/tvm_passes/lesson.md", ['cost_model="random"', "AOTInductor"]),
        ("curriculum/fused_softmax/find_the_bug.md", ["grid.sync()", "cuda-programming-guide"]),
        ("curriculum/transformer_compilation/lesson.md", ["shared memory or\nregisters"]),
        ("curriculum/yolo_on_mobile/lesson.md", ["onnx2tf", "σ − 0.5 of a cell"]),
        ("solutions/yolo_on_mobile/lab.py", ["No release has both Focus and SPPF"]),
        ("curriculum/questions/guides.yaml", ["There is no such product"]),
    ],
)
def test_a_correction_is_stated(path: str, said: list[str]) -> None:
    text = " ".join((ROOT / path).read_text(encoding="utf-8").split())
    assert [phrase for phrase in said if " ".join(phrase.split()) not in text] == []


def test_the_times_of_the_timing_question_follow_from_each_other() -> None:
    """Its answer is the device's work, so the prompt has to give it."""
    proof = runpy.run_path(str(paths.curriculum() / "profile_training_loop/proofs/two_clocks.py"))
    work = proof["WORK"]
    device = sum(line.device for line in work)
    launching = sum(line.host for line in work)
    with_read = proof["simulate"]([*work, proof["READ"]], 1).host
    question = find("profile_training_loop.what_a_clock_sees").question
    given = {int(number) for number in re.findall(r"\d+", question.prompt)}
    _, waits_from, waits_until = with_read[-1]
    assert given == {device, launching, waits_until, waits_until - waits_from}
