"""Profiles are untrusted: missing parts are reported, and no file is too large to handle."""

import gzip
import json
import zlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.tasks.modules.xla_vs_eager import profiles


def event(name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "args": args}


GIVEN = profiles.UnseenStep(start=3, factor=5, term=7)


def good(steps: int = 2, before: int = 1) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for number, rounds in enumerate(islice(GIVEN.rounds(), before, before + steps)):
        start = 100.0 * number
        layer = event("convolution", start + 31, 1, hlo_op="convolution")
        condition = event("compare", start + 31, 1, hlo_op="compare")
        events += [
            event("train1", start, 90, step_num=str(number)),
            event("load", start + 5, 10),
            *[layer] * rounds,
            *[condition] * (rounds + 1),
        ]
    return events


@pytest.mark.parametrize("before", range(6))
def test_a_whole_profile_is_not_complained_of(before: int) -> None:
    assert list(profiles.mismatches(good(before=before), 2, "train1", GIVEN)) == []


@pytest.mark.slow
def test_the_step_goes_on_as_the_judge_says(
    load_file: Callable[[Path], ModuleType], tmp_path: Path
) -> None:
    jax: Any = pytest.importorskip("jax")
    given = GIVEN.file()
    (tmp_path / given.name).write_bytes(given.data)
    network = load_file(tmp_path / given.name)
    images, labels = network.load_digits()
    state = network.initial(0), network.zeros_like(network.initial(0))
    step = jax.jit(network.step)
    for rounds in islice(GIVEN.rounds(), 4):
        *state, _ = step(*state, images[:4], labels[:4])
        assert network.FEWEST + int(state[0]["turn"]) // 4 == rounds


def test_every_number_of_rounds_comes() -> None:
    assert len(set(islice(GIVEN.rounds(), 256))) == 64


CHANGES: list[tuple[Any, str | None]] = [
    (good(3), "step_num 0 to 1"),
    ([e for e in good() if e["name"] != "load"], "does not have one range “load”"),
    ([e for e in good() if "hlo_op" not in e["args"]], "nothing is executed in step 0"),
    (good(before=7), "from state to state"),
    ([e for e in good() if e["ts"] != 131], "nothing is executed in step 1"),
    ([{**e, "ts": 31.0} if e["ts"] == 131 else e for e in good()], "nothing is executed"),
    ([{**e, "name": f"{e['name']}{n}"} for n, e in enumerate(good())], "step_num"),
    (
        [{**e, "name": e["name"] + str(n) * ("hlo_op" in e["args"])} for n, e in enumerate(good())],
        "from state to state",
    ),
    ([{**e, "args": {}} for e in good()], "step_num 0 to 1"),
    ([{**e, "ts": e["ts"] + 60} if e["name"] == "load" else e for e in good()], None),
    ([{**e, "ts": e["ts"] + 88} if e["name"] == "load" else e for e in good()], "“load”"),
    ([{**e, "args": "x"} for e in good()], "step_num 0 to 1"),
]


@pytest.mark.parametrize(("changed", "message"), CHANGES)
def test_what_is_missing_is_told(changed: list[dict[str, Any]], message: str | None) -> None:
    mismatches = "; ".join(profiles.mismatches(changed, 2, "train1", GIVEN))
    assert mismatches == "" if message is None else message in mismatches


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", gzip.compress(b"no json"), gzip.compress(b"[" * 9999)],
    ids=["empty", "not packed", "no JSON", "no end"],  # what is packed holds the time
)
def test_what_is_no_profile_is_refused(data: bytes) -> None:
    with pytest.raises(Ruling, match="no gzipped JSON"):
        profiles.read(data)


@pytest.mark.slow
def test_a_profile_that_unpacks_without_end_is_refused() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    block = b" " * (1 << 20)
    data = b"".join(packer.compress(block) for _ in range((profiles.MOST_BYTES >> 20) + 2))
    with pytest.raises(Ruling) as ruling:
        profiles.read(data + packer.flush())
    assert ruling.value.verdict is Verdict.OUTPUT_LIMIT


def test_events_of_other_forms_are_left_out() -> None:
    odd = [None, 3, {"ph": "M"}, {"ph": "X", "name": "a", "ts": "1", "dur": 2}, *good(1)]
    read = profiles.read(gzip.compress(json.dumps({"traceEvents": odd}).encode()))
    assert read == json.loads(json.dumps(good(1)))
