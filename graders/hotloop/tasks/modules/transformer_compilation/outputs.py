"""Questions about Inductor's output code for transformer blocks: recorded, then renumbered.

The right answers are stored in outputs.json.gz with each recording.
curriculum/transformer_compilation/recordings/record.py took them from Inductor's objects, not from
the text. Buffers, arguments and kernels get new numbers each time.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, same, shown
from hotloop.tasks.modules.transformer_compilation.given_files import PROGRAMS

Rng = np.random.Generator
Recording = Mapping[str, Any]

SAMPLED = 4
"""Recordings sampled in addition to one for each trap."""

MOST_OFFSET = 20
TENSOR = re.compile(r"\b(buf|arg)(\d+)(?=_1\b|\b)")
KERNEL = re.compile(r"\b(cpp_fused_\w*_)(\d+)\b")

TRAPS: Mapping[str, Callable[[Recording], bool]] = {
    "bfloat16": lambda r: "BFloat16*" in r["code"],
    "float16": lambda r: "Half*" in r["code"],
    "flags": lambda r: "bool*" in r["code"],
    "whole numbers": lambda r: "int64_t*" in r["code"],
    "in place": lambda r: "in_out_ptr0" in r["code"],
    "a kernel that is called twice": lambda r: _twice([k["name"] for k in r["kernels"]]),
    "memory in another shape": lambda r: bool(re.search(r"reinterpret_tensor.*# reuse", r["code"])),
    "memory in the same shape": lambda r: bool(re.search(r"= buf\d+; del.*# reuse", r["code"])),
    "an operator of two words": lambda r: any(
        "native_" in op for k in r["kernels"] for op in k["fused"]
    ),
}


@cache
def recordings() -> Sequence[Recording]:
    """Return all recordings. Each bfloat16 one is added as float16: the same code and bytes."""
    packed = (PROGRAMS / "outputs.json.gz").read_bytes()
    known: list[Recording] = json.loads(gzip.decompress(packed))
    text = json.dumps([each for each in known if TRAPS["bfloat16"](each)])
    return [*known, *json.loads(text.replace("BFloat16", "Half").replace("bfloat16", "float16"))]


def sampled(rng: Rng) -> Iterator[Recording]:
    """Yield sampled recordings with new numbers; every trap occurs in at least one."""
    known = recordings()
    picked = [int(n) for n in rng.choice(len(known), SAMPLED, replace=False)]
    picked += [
        int(rng.choice([n for n, r in enumerate(known) if trap(r)])) for trap in TRAPS.values()
    ]
    for number in rng.permutation(sorted(set(picked))):
        yield renumbered(known[int(number)], rng)


def renumbered(recording: Recording, rng: Rng) -> Recording:
    """Return the recording with new numbers of buffers, arguments and kernels."""
    code = str(recording["code"])
    tensors, kernels = _others(TENSOR, code, rng), _others(KERNEL, code, rng)

    def changed(text: str) -> str:
        text = TENSOR.sub(lambda m: m[1] + tensors[m[2]], text)
        return KERNEL.sub(lambda m: m[1] + kernels[m[2]], text)

    return {
        **recording,
        "code": changed(code),
        "kernels": [{**kernel, "name": changed(kernel["name"])} for kernel in recording["kernels"]],
        "reused": [[changed(name) for name in pair] for pair in recording["reused"]],
    }


def _others(pattern: re.Pattern[str], code: str, rng: Rng) -> dict[str, str]:
    """Map every number that occurs to a new one."""
    numbers = sorted({match[2] for match in pattern.finditer(code)}, key=int)
    others = rng.permutation(np.arange(len(numbers)) + int(rng.integers(1, MOST_OFFSET)))
    return {old: str(new) for old, new in zip(numbers, others, strict=True)}


def questions(
    rng: Rng, *, mismatch: Callable[[Recording, Mapping[str, Any]], str | None]
) -> Iterator[Question]:
    """Yield questions about sampled recordings.

    mismatch: compares what is reported of the kernels, their bytes, or the reused buffers.
    """
    for number, recording in enumerate(sampled(rng), start=1):

        def judged(answer: object, recording: Recording = recording) -> str | None:
            reported = as_message(answer)
            if reported is None:
                return f"the answer is {shown(answer)}, not a dict"
            return mismatch(recording, reported)

        file = GivenFile("output_code.py", str(recording["code"]).encode())
        yield Question(f"Output code {number}, {', '.join(recording['pieces'])}", (file,), judged)


def kernels_mismatch(recording: Recording, answer: Mapping[str, Any]) -> str | None:
    """Return a message about wrong calls or fused operators as a sentence's start, or None."""
    want, got = recording["kernels"], [as_message(each) for each in as_list(answer.get("kernels"))]
    if len(got) != len(want):
        return f"{len(got)} kernels are reported, and {len(want)} are called"
    for place, (kernel, each) in enumerate(zip(want, got, strict=True), start=1):
        if each is None or each.get("name") != kernel["name"]:
            name = shown(None if each is None else each.get("name"))
            return f"call {place} is of {kernel['name']!r}, and {name} is reported"
        if each.get("fused") != kernel["fused"]:
            return (
                f"call {place}, {kernel['name']!r}: it was made of {kernel['fused']}, and "
                f"{shown(each.get('fused'))} is reported"
            )
        if mismatch := _numbering_mismatch(place, each):
            return mismatch
    return None


def _numbering_mismatch(place: int, kernel: Mapping[str, Any]) -> str | None:
    """Return a message about a wrong call number, which only a take-home's variant asks for."""
    first = constant("FIRST_CALL", 0, range(2, 1000))
    want, got = first + place - 1, kernel.get("number")
    if not first or (type(got) is int and got == want):
        return None
    return f"call {place}: its number is {want}, and {shown(got)} is reported"


def bytes_mismatch(recording: Recording, answer: Mapping[str, Any]) -> str | None:
    """Return a message about the wrong bytes that a call loads or stores, or None."""
    got = [as_message(each) or {} for each in as_list(answer.get("kernels"))]
    if len(got) != len(recording["kernels"]):
        return f"{len(got)} kernels are reported"
    for place, (kernel, each) in enumerate(zip(recording["kernels"], got, strict=True), start=1):
        for what in ("loads", "stores"):
            if not same(each.get(what), kernel[what]):
                return (
                    f"call {place}, {kernel['name']!r}: “{what}” is {shown(each.get(what))} and "
                    f"should be {kernel[what]}"
                )
        if mismatch := _numbering_mismatch(place, each):
            return mismatch
    return None


def reuse_mismatch(recording: Recording, answer: Mapping[str, Any]) -> str | None:
    """Return a message about a wrong pair of buffers that share memory, or None."""
    want, got = recording["reused"], [as_list(pair) for pair in as_list(answer.get("reused"))]
    for pair in want:
        if pair not in got:
            return f"{pair[0]} lies in the memory of {pair[1]}, which is not reported"
    if len(got) != len(want):
        other = next((pair for pair in got if pair not in want), got[-1])
        return f"{shown(other)} is reported, and is no such pair, or is reported twice"
    return None


def _twice(names: Sequence[str]) -> bool:
    own = [name for name in names if name.startswith("cpp_")]
    return len(set(own)) < len(own)
