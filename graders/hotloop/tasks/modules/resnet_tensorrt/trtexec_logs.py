"""Logs of TensorRT builds in the form that trtexec and an ILogger give them, with their figures.

No log of a GPU was recorded here yet. These are generated: sentences as in public issues, which
trtexec_log.md quotes, with names of a ResNet's layers and numbers drawn anew for each judging. A
recorded log, `trtexec_*.log.gz` in the module's recordings, is asked about as well.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.core.wire import as_message
from hotloop.judge.questions import GivenFile, Question, number_mismatch, same, shown
from hotloop.judge.seeds import Rng

RECORDED = paths.curriculum() / "resnet_tensorrt" / "recordings"

CAUSES = ("precision", "workspace", "memory", "unfused", "reformats", "host")
SEVERITIES = {"E": 1, "W": 2, "I": 3, "V": 4}
"""As in tensorrt.ILogger.Severity; 0 is an internal error."""
EXACT = ("warnings", "fused", "layers", "precisions", "skipped", "requested_mb")
MEASURED = ("reformat_share", "gpu_ms", "enqueue_ms", "build_s")
FIGURES = (*EXACT, *MEASURED)
RELATIVE = {"reformat_share": 1e-2}
"""Of MEASURED, by default 1e-3. The rounded percents of all layers do not add up to 100 exactly:
both their sum and 100 are taken for the whole."""
REFORMAT = ("Reformatting CopyNode", "reformatter")

INT64 = (
    "onnx2trt_utils.cpp:374: Your ONNX model has been generated with INT64 weights, while TensorRT "
    "does not natively support INT64. Attempting to cast down to INT32."
)
REQUEST = (
    "Tactic Device request: {}MB Available: {}MB. Device memory is insufficient to use tactic."
)
SKIPPED = (
    "Skipping tactic {} due to insufficient memory on requested size of {} detected for tactic "
    "0x{:016x}.\nTry decreasing the workspace size with IBuilderConfig::setMemoryPoolLimit()."
)
SMALL = (
    "Some tactics do not have sufficient workspace memory to run. Increasing workspace size may "
    "increase performance, please check verbose output."
)

Line = tuple[str, str, str]
"""Severity, who said it (`TRT` or nothing for trtexec itself), and the message."""


# --- reading --------------------------------------------------------------------------------------


def figures(lines: Sequence[tuple[int, str]]) -> dict[str, Any]:
    """Return what `read_log` must return, without the cause. lines: severity and message."""
    text = "\n".join(message for _, message in lines)
    requested = [int(n) for n in re.findall(r"Tactic Device request: (\d+)MB", text)]
    layers = re.findall(r"After .*: (\d+) layers", text)
    shares = re.findall(r"^ +(\S.*?)  +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)$", text, re.MULTILINE)
    formats = re.findall(r"Autotuning format combination: (.*?) \*", text)
    total = sum(float(share) for _, share in shares)
    slow = sum(float(share) for name, share in shares if any(word in name for word in REFORMAT))
    return {
        "warnings": sum(severity == SEVERITIES["W"] for severity, _ in lines),
        "fused": len(re.findall(r"^Fusing convolution weights from ", text, re.MULTILINE)),
        "layers": int(layers[-1]) if layers else None,
        "precisions": sorted(set(re.findall(r"\b(Float|Half|Int8)\(", "\n".join(formats)))),
        "skipped": len(re.findall(r"Skipping tactic \S+ due to insufficient memory", text)),
        "requested_mb": max(requested, default=None),
        "reformat_share": slow / total if total else None,
        "gpu_ms": _median(text, "GPU Compute Time"),
        "enqueue_ms": _median(text, "Enqueue Time"),
        "build_s": _number(r"Engine built in ([\d.]+) sec", text),
    }


def _median(text: str, what: str) -> float | None:
    return _number(rf"^{what}: .*median = ([\d.]+) ms", text)


def _number(pattern: str, text: str) -> float | None:
    match = re.search(pattern, text, re.MULTILINE)
    return None if match is None else float(match[1])


def parsed(text: str) -> list[tuple[int, str]]:
    """Return severity and message of each line of a trtexec log; a line without them goes on."""
    lines: list[tuple[int, str]] = []
    for line in text.splitlines():
        match = re.match(r"\[[^]]*\] \[([EWIV])\] (?:\[TRT\] )?(.*)", line)
        if match:
            lines.append((SEVERITIES[match[1]], match[2]))
        elif lines:
            lines[-1] = (lines[-1][0], f"{lines[-1][1]}\n{line}")
    return lines


# --- questions ------------------------------------------------------------------------------------


def questions(rng: Rng, keys: Sequence[str]) -> Iterator[Question]:
    """Yield a question about a log of each cause in trtexec's form, and three of an ILogger.

    keys: of the answer, which are compared. The cause of a recorded log is not asked for.
    """
    for cause in (None, *CAUSES):
        text = as_trtexec(list(_log(rng, cause)))
        want = {**figures(parsed(text)), "cause": cause}
        yield _question(f"trtexec, {cause or 'healthy'}", "build.log", text, want, keys)
    told = rng.choice(["precision", "workspace", "memory", "unfused"], 2, replace=False)
    for cause in (None, *map(str, told)):
        said = [(SEVERITIES[kind], text) for kind, by, text in _log(rng, cause) if by]
        want = {**figures(said), "cause": cause}
        yield _question(
            f"ILogger, {cause or 'healthy'}", "build.json", json.dumps(said), want, keys
        )
    for path in sorted(RECORDED.glob("trtexec_*.log.gz")) if "cause" not in keys else ():
        text = gzip.decompress(path.read_bytes()).decode()
        yield _question(path.name, "build.log", text, figures(parsed(text)), keys)


def as_trtexec(lines: Sequence[Line]) -> str:
    """Return a log as trtexec prints it."""
    return "".join(
        f"[11/03/2026-{9 + number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}] "
        f"[{severity}] {'[TRT] ' if by else ''}{message}\n"
        for number, (severity, by, message) in enumerate(lines)
    )


def _question(
    label: str, name: str, text: str, want: Mapping[str, Any], keys: Sequence[str]
) -> Question:
    asked = {key: want[key] for key in keys}
    return Question(label, (GivenFile(name, text.encode()),), partial(mismatch, asked))


def mismatch(want: Mapping[str, Any], answer: object) -> str | None:
    """Return the beginning of a sentence about the first figure that is wrong, or None."""
    given = as_message(answer)
    if given is None:
        return f"the answer is {shown(answer)}, not a dict"
    for name in want:
        if name not in given:
            return f"the answer has no {name!r}"
        if name in MEASURED:
            found = number_mismatch(
                repr(name), given[name], want[name], RELATIVE.get(name, 1e-3), 1e-6
            )
        elif same(given[name], want[name]):
            found = None
        else:
            found = f"{name!r} is {shown(given[name])}, expected {shown(want[name])}"
        if found is not None:
            return found
    return None


# --- a build --------------------------------------------------------------------------------------


def _log(rng: Rng, cause: str | None) -> Iterator[Line]:
    blocks = int(rng.integers(6, 12))
    fp16 = cause != "precision"
    flags = "--onnx=resnet.onnx --verbose --dumpProfile" + (" --fp16" if fp16 else "")
    if cause == "workspace":
        flags += f" --memPoolSize=workspace:{int(rng.integers(8, 65))}"
    yield "I", "", f"&&&& RUNNING TensorRT.trtexec # trtexec {flags}"
    yield "I", "TRT", f"Input filename:   resnet_{int(rng.integers(1000))}.onnx"
    for _ in range(int(rng.integers(1, 4))):
        yield "W", "TRT", INT64
    yield from _fusions(rng, cause, blocks)
    yield from _tactics(rng, cause, blocks, fp16)
    yield "I", "TRT", f"Total Weights Memory: {int(rng.integers(20, 60)) << 20} bytes"
    took = float(rng.uniform(20, 300))
    yield "I", "TRT", f"Engine generation completed in {took:.3f} seconds."
    yield "I", "", f"Engine built in {took + rng.uniform(0.01, 0.3):.3f} sec."
    yield from _profile(rng, cause, blocks)
    yield from _summary(rng, cause)


def _fusions(rng: Rng, cause: str | None, blocks: int) -> Iterator[Line]:
    fused = 3 * blocks if cause != "unfused" else int(rng.integers(0, blocks // 2))
    yield "V", "TRT", f"Original: {9 * blocks} layers"
    for number in range(fused):
        name = f"layer{number // 3}/conv{number % 3 + 1}"
        yield "V", "TRT", f"Fusing convolution weights from {name} with scale {name}_bn"
    # A fusion of another kind is not one of those that are counted.
    for number in range(blocks):
        yield "V", "TRT", f"ConvReluFusion: Fusing layer{number}/conv3 with layer{number}/relu"
        yield "V", "TRT", f"After ConvReluFusion: {9 * blocks - fused - number - 1} layers"
    yield "V", "TRT", f"After tensor merging: {8 * blocks - fused} layers"


def _tactics(rng: Rng, cause: str | None, blocks: int, fp16: bool) -> Iterator[Line]:
    kinds = ["Float", "Half"] if fp16 else ["Float"]
    limited = {"workspace": 0, "memory": int(rng.integers(2000, 7000))}.get(cause or "", -1)
    for number in range(blocks):
        for kind in kinds:
            strides = f"{kind}(200704,1,448,8) -> {kind}(50176,1,224,8)"
            yield (
                "V",
                "TRT",
                f"*************** Autotuning format combination: {strides} ***********",
            )
            yield (
                "V",
                "TRT",
                f"--------------- Timing Runner: layer{number}/conv1 (CaskConvolution)",
            )
            times = rng.uniform(0.01, 0.9, int(rng.integers(2, 5)))
            for tactic, time in enumerate(times):
                yield "V", "TRT", f"Tactic: {tactic} Time: {time:.6f}"
            if limited >= 0 and (number == 0 or rng.random() < 0.5):
                size = int(rng.integers(limited + 100, limited + 3000))
                if cause == "memory":
                    yield "W", "TRT", REQUEST.format(size, limited)
                yield "W", "TRT", SKIPPED.format(len(times), size, int(rng.integers(1 << 16)))
            fastest = int(np.argmin(times))
            yield "V", "TRT", f"Fastest Tactic: {fastest} Time: {times[fastest]:.6f}"
    if limited >= 0:
        yield "I", "TRT", SMALL


def _profile(rng: Rng, cause: str | None, blocks: int) -> Iterator[Line]:
    names = [f"layer{number}/conv{n} + relu" for number in range(blocks) for n in (1, 2, 3)]
    many = range(1, len(names), 2) if cause == "reformats" else (len(names) - 1,)
    for number in reversed(many):
        names.insert(number, f"Reformatting CopyNode for Input Tensor 0 to {names[number]}")
    names.append(f"{names[-1]} output reformatter 0")
    copies = np.array([any(word in name for word in REFORMAT) for name in names])
    weights = rng.uniform(0.5, 1.5, len(names)) * np.where(copies, 0.7, 1.0)
    if cause != "reformats":
        weights[copies] *= 0.05
    shares = 100 * weights / weights.sum()
    yield "I", "", "=== Profile (200 iterations ) ==="
    yield "I", "", "  Layer   Time(ms)   Avg.(ms)   Median(ms)   Time(%)"
    for name, share in zip(names, shares, strict=True):
        time = share * 4
        row = f"{time:9.2f}  {time / 200:9.4f}  {time / 201:9.4f}  {share:5.1f}"
        yield "I", "", f"  {name}   {row}"
    yield "I", "", f"  Total   {400.0:9.2f}  {2.0:9.4f}  {1.99:9.4f}  100.0 %"


def _summary(rng: Rng, cause: str | None) -> Iterator[Line]:
    gpu = float(rng.uniform(2, 9))
    enqueue = gpu * float(rng.uniform(1.0, 1.1) if cause == "host" else rng.uniform(0.05, 0.3))
    yield "I", "", f"Throughput: {1000 / max(gpu, enqueue):.3f} qps"
    for what, median in (("Latency", gpu + 0.3), ("Enqueue Time", enqueue), ("H2D Latency", 0.1)):
        yield "I", "", _row(rng, what, median)
    yield "I", "", _row(rng, "GPU Compute Time", gpu)
    if cause == "host":
        yield (
            "W",
            "",
            "* Throughput may be bound by Enqueue Time rather than GPU Compute and the GPU",
        )


def _row(rng: Rng, what: str, median: float) -> str:
    low, high, mean = (
        median * float(rng.uniform(*ends)) for ends in ((0.8, 0.95), (1.3, 3), (1, 1.2))
    )
    return (
        f"{what}: min = {low:.5f} ms, max = {high:.5f} ms, mean = {mean:.5f} ms, "
        f"median = {median:.5f} ms, percentile(99%) = {high:.5f} ms"
    )
