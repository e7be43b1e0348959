"""Profiles are untrusted: missing parts are reported, and no file is too large to handle."""

import gzip
import json
import zlib
from typing import Any

import pytest

from hotloop.checks.xla_vs_eager import profiles
from hotloop.core.verdict import Ruling, Verdict


def event(name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "args": args}


def good(steps: int = 2) -> list[dict[str, Any]]:
    found = []
    for number in range(steps):
        start = 100.0 * number
        found += [
            event("train1", start, 90, step_num=str(number)),
            event("load", start + 5, 10),
            event("ThunkExecutor::Execute (wait for completion)", start + 30, 40),
        ]
    return found


def test_a_whole_profile_is_not_complained_of() -> None:
    assert list(profiles.mismatches(good(), 2, "train1")) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (good(3), "step_num 0 to 1"),
        ([e for e in good() if e["name"] != "load"], "does not have one range “load”"),
        ([e for e in good() if "Thunk" not in e["name"]], "nothing is executed in step 0"),
        ([{**e, "args": {}} for e in good()], "step_num 0 to 1"),
        ([{**e, "ts": e["ts"] + 60} if e["name"] == "load" else e for e in good()], None),
        ([{**e, "ts": e["ts"] + 88} if e["name"] == "load" else e for e in good()], "“load”"),
        ([{**e, "args": "x"} for e in good()], "step_num 0 to 1"),
    ],
)
def test_what_is_missing_is_told(changed: list[dict[str, Any]], said: str | None) -> None:
    found = "; ".join(profiles.mismatches(changed, 2, "train1"))
    assert found == "" if said is None else said in found


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", gzip.compress(b"no json"), gzip.compress(b"[" * 9999)],
    ids=["empty", "not packed", "no JSON", "no end"],  # what is packed holds the time
)
def test_what_is_no_profile_is_refused(data: bytes) -> None:
    with pytest.raises(Ruling, match="no gzipped JSON"):
        profiles.read(data)


def test_a_profile_that_unpacks_without_end_is_refused() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    block = b" " * (1 << 20)
    data = b"".join(packer.compress(block) for _ in range((profiles.MOST_BYTES >> 20) + 2))
    with pytest.raises(Ruling) as ruling:
        profiles.read(data + packer.flush())
    assert ruling.value.verdict is Verdict.OUTPUT_LIMIT


def test_events_of_other_forms_are_left_out() -> None:
    odd = [None, 3, {"ph": "M"}, {"ph": "X", "name": "a", "ts": "1", "dur": 2}, *good(1)]
    assert len(profiles.read(gzip.compress(json.dumps({"traceEvents": odd}).encode()))) == 3
