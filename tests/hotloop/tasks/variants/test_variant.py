"""A variant can be written to a file and read back; anything else is refused."""

import json
import re
import sys
from pathlib import Path

import pytest

from hotloop.tasks import curriculum
from hotloop.tasks.variants import Variant, draw, plain, same_answers, same_for_all
from hotloop.tasks.variants.form import VariantForm, form_of

MODULE = "fused_softmax"
SECRET = b"sixteen bytes or more of secret"


def _drawn(count: int, module: str = MODULE) -> list[Variant]:
    return [draw(module, SECRET, f"quiet-otter-{number}") for number in range(count)]


def test_the_same_secret_and_pseudonym_draw_the_same_variant() -> None:
    first, again = (draw(MODULE, SECRET, "quiet-otter-41") for _ in range(2))
    assert first == again
    assert first.digest == again.digest
    assert draw(MODULE, SECRET + b"!", "quiet-otter-41") != first
    assert draw(MODULE, SECRET, "quiet-otter-42").digest != first.digest


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="can be guessed"):
        draw(MODULE, b"short", "quiet-otter-41")


def test_twenty_candidates_share_no_answer_and_none_has_the_public_one() -> None:
    variants = _drawn(20)
    for number, variant in enumerate(variants):
        assert same_answers(variant, plain(MODULE)) == []
        tasks = [task for other in variants[:number] for task in same_answers(variant, other)]
        assert [task for task in tasks if task != "explain"] == []


def test_names_alone_share_no_task_that_they_could_differ_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form = VariantForm(format=1, names=["read_graph", "read_build"])
    monkeypatch.setattr(sys.modules[draw.__module__], "form_of", lambda _module: form)
    first, second = _drawn(2, "resnet_tensorrt")
    assert first.names != second.names
    assert first.constants == second.constants == {}
    assert same_answers(first, second) == []


def test_a_variant_survives_json() -> None:
    variant = _drawn(1)[0]
    again = Variant.from_json(json.loads(json.dumps(variant.to_json())))
    assert again == variant
    assert again.digest == variant.digest
    assert plain(MODULE).digest == ""
    assert Variant.from_json(plain(MODULE).to_json()).is_plain


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"format": 2},
        {"module": "../fused_softmax"},
        {"module": 7},
        {"constants": ["TOTAL"]},
        {"constants": {"TOTAL": [1.5]}},
        {"constants": {"TOTAL": None}},
        {"constants": {"TOTAL": float("nan")}},
        {"constants": {"SHAPE": 61 * "1"}},
        {"constants": {"__class__": "x"}},
        {"constants": {f"C{number}": 1 for number in range(101)}},
        {"names": {"softmax_warp": "softmax warp"}},
        {"names": {str(number): "a" for number in range(101)}},
    ],
)
def test_what_is_not_a_variant_is_refused(change: dict) -> None:
    document = _drawn(1)[0].to_json()
    with pytest.raises(ValueError, match=r"variant"):
        Variant.from_json(document | change)
    for key in document:
        with pytest.raises(ValueError, match="has the keys"):
            Variant.from_json({k: v for k, v in document.items() if k != key})
    with pytest.raises(ValueError, match="an object"):
        Variant.from_json([document])


def test_what_is_drawn_is_within_its_range_and_never_plain() -> None:
    for variant in _drawn(50):
        values = variant.constants
        assert 0.5 <= values["SHARPNESS"] <= 2.0
        assert values["SHARPNESS"] != 1.0
        assert values["TOTAL"] != 1.0
        assert values["EMPTY"] != 0.0
    assert {v.constants["HIDES"] for v in _drawn(50)} == {True, False}
    assert len(form_of(MODULE).choices) == 5


def test_tasks_that_are_the_same_for_all_are_known() -> None:
    """The tasks that the documentation on take-homes lists."""
    alike = {
        module.id: same_for_all(module.id, [task.id for task in module.tasks])
        for module in curriculum.modules()
    }
    assert alike["fused_softmax"] == []
    drawn = ["timeline", "nsight_systems"]
    assert alike["profile_training_loop"] == [
        *("load_photos", "profile_resnet", "train_resnet50", "measured_report", *drawn, "report")
    ]
    steps = ["compiled_step", "fused_loss", "host_transfer", "donate"]
    assert alike["xla_vs_eager"] == [
        *steps,
        "pallas_pipeline",
        "torch_xla_step",
        "torch_xla_report",
        "mnist_cnn",
        "xla_profile",
        "report",
    ]
    others = [task.id for task in curriculum.load_module("triton_ensemble").tasks]
    others.remove("read_metrics")
    assert alike["triton_ensemble"] == others
    page = Path(__file__).parents[4] / "site" / "pages" / "take-home" / "index.md"
    text = page.read_text(encoding="utf-8")
    assert all(re.search(rf"(?m)^\|[^|]*\b{module}\b", text) for module in alike)
