"""Plots show a run's data, in words and as drawings."""

import re
from xml.etree import ElementTree

import pytest

from hotloop.site import plots, prerequisites, skill_map
from hotloop.tasks import curriculum

MODULE = "fused_softmax"


@pytest.fixture
def run() -> curriculum.RecordedRun:
    return curriculum.RecordedRun(
        format=1,
        module=MODULE,
        device="My CPU",
        kind="cpu",
        driver="",
        date="2026-01-02",
        libraries={},
        isolation="none",
        ceilings={"compiled_chain.fast_cpu_gb_per_s": 28.0},
        measurements=[measured("reference", 1.0, 1.5), measured("eager_chain", 1.8, 0.8)],
    )


def measured(candidate: str, p50: float, ratio: float) -> curriculum.Measurement:
    return curriculum.Measurement(
        candidate=candidate,
        task="compiled_chain",
        check="fast_cpu",
        verdict="passed",
        earned=1.0,
        sentence="Fast.",
        shape=[256, 4096],
        dtype="fp32",
        threads=1,
        p20_ms=p50 * 0.9,
        p50_ms=p50,
        p80_ms=p50 * 1.1,
        baseline_p50_ms=1.5,
        ratio=curriculum.Ratio(estimate=ratio, low=ratio * 0.9, high=ratio * 1.1),
        gb_per_s=8.0,
        fraction_of_limit=0.25,
    )


def pictures(lines: list[str]) -> list[ElementTree.Element]:
    """Parse the drawings; each has a description and no blank line, which would end the HTML."""
    text = "\n".join(lines)
    found = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    for picture in found:
        assert "\n\n" not in picture
        assert 'role="img"' in picture
    return [ElementTree.fromstring(picture) for picture in found]


def test_times_stand_beside_naive_and_the_limit(run: curriculum.RecordedRun) -> None:
    lines = plots.section(run, curriculum.load_module(MODULE))
    times, ratios = pictures(lines)
    told = times.attrib["aria-label"]
    assert "naive, the baseline: 1.5 ms" in told
    assert "reference: 1 ms" in told
    assert "eager_chain, a wrong answer: 1.8 ms" in told
    assert "the device's limit: 0.25 ms" in told
    assert "256 × 4096 fp32, 1 thread" in "\n".join(lines)
    bars = [e for e in times.iter() if e.attrib.get("class") == "bar"]
    widths = [float(bar.attrib["width"]) for bar in bars]
    assert widths == sorted(widths, key=[1.5, 1.0, 1.8, 0.25].__contains__)
    assert widths[3] < widths[1] < widths[0] < widths[2]
    assert "reference: 1.50× (1.35 to 1.65)" in ratios.attrib["aria-label"]
    assert "Asked for: 1.2 times, 1.3 times." in ratios.attrib["aria-label"]


def test_without_a_reference_there_is_no_picture(run: curriculum.RecordedRun) -> None:
    without = run.model_copy(update={"measurements": [measured("eager_chain", 1.8, 0.8)]})
    assert plots.section(without, curriculum.load_module(MODULE)) == []


def test_the_roofline_has_a_point_for_each_reference(run: curriculum.RecordedRun) -> None:
    [picture] = pictures(plots.roofline({MODULE: run}, "My CPU"))
    told = picture.attrib["aria-label"]
    assert "A roof of 28 GB/s." in told
    assert "fused_softmax.compiled_chain: 0.625 operations per byte, 5 GFLOP/s, 29% of" in told
    assert "eager_chain" not in told


def test_a_measured_arithmetic_ceiling_makes_the_roof_flat(run: curriculum.RecordedRun) -> None:
    ceilings = {**run.ceilings, "train.fast_cpu_gflop_per_s": 100.0}
    flat = run.model_copy(update={"ceilings": ceilings})
    [picture] = pictures(plots.roofline({MODULE: flat}, "My CPU"))
    roof = [e for e in picture.iter() if e.attrib.get("class") == "roof"]
    assert len(roof) == 2
    assert roof[1].attrib["y1"] == roof[1].attrib["y2"]
    assert "and 100 GFLOP/s" in picture.attrib["aria-label"]


def test_the_numbers_beside_a_fast_roof_fit_beside_it(run: curriculum.RecordedRun) -> None:
    """They are in TFLOP/s, since five digits do not fit left of the axis."""
    ceilings = dict.fromkeys(run.ceilings, 1e5) | {"train.fast_gpu_gflop_per_s": 8e5}
    flat = run.model_copy(update={"ceilings": ceilings})
    [picture] = pictures(plots.roofline({MODULE: flat}, "My GPU"))
    texts = [e for e in picture.iter() if e.tag.endswith("text")]
    assert "TFLOP/s" in [e.text for e in texts]
    beside = [e.text or "" for e in texts if e.attrib.get("text-anchor") == "end"][:-1]
    assert beside
    assert max(map(len, beside)) <= 5


def test_two_points_differ_in_color(run: curriculum.RecordedRun) -> None:
    twice = run.model_copy(
        update={"measurements": [measured("reference", 1.0, 1.5), measured("reference", 1.1, 1.4)]}
    )
    [picture] = pictures(plots.roofline({MODULE: twice}, "My CPU"))
    dots = [e.attrib["style"] for e in picture.iter() if e.tag.endswith("circle")]
    assert len(set(dots)) == 2


def test_without_a_bandwidth_there_is_no_roof(run: curriculum.RecordedRun) -> None:
    assert plots.roofline({MODULE: run.model_copy(update={"ceilings": {}})}, "My CPU") == []


def test_the_way_to_a_module_is_drawn_and_linked() -> None:
    modules = {module.id: module for module in curriculum.modules()}
    lines = prerequisites.section(modules[MODULE], modules)
    [picture] = pictures(lines)
    before = modules["profile_training_loop"]
    assert before.title in picture.attrib["aria-label"]
    after_it = [m for m in modules.values() if MODULE in m.prerequisites.modules]
    arrows = [e for e in picture.iter() if e.get("class") == "tip"]
    # From the required knowledge and the modules before it, and to those after it.
    assert len(arrows) == 1 + len(modules[MODULE].prerequisites.modules) + len(after_it)
    assert f"[{before.title}](../profile_training_loop/index.md)" in "\n".join(lines)
    back = prerequisites.section(before, modules)
    after = next(line for line in back if line.startswith("After it: "))
    assert f"[{modules[MODULE].title}](../{MODULE}/index.md)" in after


def test_the_skill_map_has_a_dot_for_each_concept_of_a_module() -> None:
    modules = curriculum.modules()
    [picture] = pictures(skill_map.section(modules))
    dots = [e for e in picture.iter() if e.tag.endswith("circle")]
    assert len(dots) == sum(len(module.concepts) for module in modules)
