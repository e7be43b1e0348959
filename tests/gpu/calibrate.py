"""What the GPU judge assumes, measured on the card at hand: `python tests/gpu/calibrate.py --json`.

Every line is a question that reasoning cannot answer: whether device memory can be lent to a
confined process, whether the probe sees a neighbour, what the protocol costs, and whether a
window's time is that of CUDA events in one process. A part that fails says why; the others run.
Without a GPU it says so, measures nothing, and exits with status 0.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from hotloop.checks.fused_softmax import tasks
from hotloop.judge.budget import Budget
from hotloop.judge.calls import CallSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.gpu.card import Card, NoCard, open_card
from hotloop.judge.gpu.ceiling import FILE as LIMITS
from hotloop.judge.gpu.ceiling import measure
from hotloop.judge.gpu.length import lengthen, limits
from hotloop.judge.gpu.memory import Layout
from hotloop.judge.gpu.window import DeviceSide
from hotloop.judge.gpu.workers import trusted_worker
from hotloop.judge.launcher import Launcher
from hotloop.judge.rungs.gpu_correct import ask
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import Session
from hotloop.sandbox import seccomp
from hotloop.sandbox.level import level

HERE = Path(__file__).parent
BASELINES = Path(tasks.__file__).parent / "baselines.py"
PROBES = 40
WINDOWS = 10

Result = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    as_json = parser.parse_args().json
    found = calibrate()
    print(json.dumps(found, indent=1) if as_json else table(found))


def calibrate() -> Result:
    """All parts, or the reason why there is nothing to measure."""
    try:
        card = open_card()
    except NoCard as missing:
        return {"not_measured": str(missing)}
    card.clocks.expected_clients = 2
    parts: Mapping[str, Callable[[Card], Result]] = {
        "card": describe,
        "sharing": sharing,
        "idle_probe": idle_probe,
        "limits": card_limits,
        "protocol": protocol,
        "windows": windows,
    }
    return {name: attempt(part, card) for name, part in parts.items()}


def attempt(part: Callable[[Card], Result], card: Card) -> Result:
    print(f"{part.__name__.strip('<>_')} …", file=sys.stderr, flush=True)
    started = time.monotonic()
    try:
        result = part(card)
    except Exception as error:  # noqa: BLE001 - the other parts shall still run
        result = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
    return result | {"took_s": round(time.monotonic() - started, 1)}


def describe(card: Card) -> Result:
    facts, state = card.facts, card.clocks.state()
    return {
        "name": facts.name,
        "driver_cuda": facts.driver,
        "capability": list(facts.capability),
        "l2_bytes": facts.l2_bytes,
        "total_bytes": facts.total_bytes,
        "free_bytes": card.free_bytes,
        "granularity": card.driver.granularity(),
        "clock": state.words(),
        "clients": state.clients,
        "probe_alone_ms": card.probe.alone_s * 1e3,
    }


def sharing(card: Card) -> Result:
    """Memory lent to a worker, filled there, and read back; confined and not."""
    available, reason = level()
    levels = ["none"] + ([available] if available != "none" else [])
    found = {name: attempt(lambda c, n=name: _share(c, n), card) for name in levels}
    if available != "none":
        with memfd_denied():
            found["without memfd_create"] = attempt(lambda c: _share(c, available), card)
    return {**found, "sandbox": reason}


def _share(card: Card, isolation: str) -> Result:
    rung = tasks.triton_forward.rungs["gpu_correct"]
    ours = Candidate("five_ops", BASELINES.name, "destination")
    with session(isolation) as judge, trusted_worker(judge, BASELINES.parent, card) as link:
        link.resolve(ours.name, ours.file, 120)
        seeds = Seeds()
        case = next(iter(rung.cases(seeds.generator())))
        answer = ask(case, ours, link, card.driver, seeds, 120)
    return {"works": answer.shape == case.out.shape}


@contextmanager
def memfd_denied() -> Iterator[None]:
    """Sandboxes that are started inside deny memfd_create even where there are devices."""
    with mock.patch.object(seccomp, "ALLOWED_WITH_DEVICES", frozenset()):
        seccomp.program.cache_clear()
        try:
            yield
        finally:
            seccomp.program.cache_clear()


def idle_probe(card: Card) -> Result:
    """The probe's ratio alone and beside three kinds of neighbours; it must tell them apart."""
    found: Result = {"alone": _ratios(card)}
    for how in ("idle", "busy", "sleep"):
        with neighbour(how):
            found[how] = _ratios(card) | {"clients": card.clocks.state().clients}
    return found


def _ratios(card: Card) -> Result:
    ratios = sorted(card.probe.ratio() for _ in range(PROBES))
    return {"least": ratios[0], "median": statistics.median(ratios), "most": ratios[-1]}


def card_limits(card: Card) -> Result:
    with session("none") as judge, trusted_worker(judge, LIMITS.parent, card) as link:
        found = measure(link, matmul=True)
    return {"copy_gb_per_s": found.bytes_per_s / 1e9, "matmul_tflops": found.flops_per_s / 1e12}


def protocol(card: Card) -> Result:
    """Milliseconds of a leg without calls, by gigabytes lent."""
    found: Result = {}
    with side_on(card, "five_ops") as side:
        one = Layout.of([side.workload.spec(Seeds().generator(), 0)])
        size = one.input_bytes + one.output_bytes
        _, most = limits(side, one.calls[0].spec)
        for calls in sorted({1, min(4, most), min(16, most), most}):
            layout = Layout.of([one.calls[0].spec] * calls)
            cost, spread = side.protocol_cost(layout)
            found[f"{calls * size / 1e9:.2f} GB"] = {"ms": cost * 1e3, "quartiles_ms": spread * 1e3}
    return found


def windows(card: Card) -> Result:
    """A window's time against CUDA events in one process, and two functions' ratio in both ways."""
    mine, theirs = {}, {}
    found: Result = {}
    for name in ("five_ops", "copy"):
        with side_on(card, name) as side:
            lengthen(side)
            cost, spread = side.protocol_cost(side.layout)
            side.leg_cost_s = cost
            count = len(side.calls)
            made = [side.window([i % 4 == 1 for i in range(count)]) for _ in range(WINDOWS)]
            seconds = [w.seconds / count for w in made if w.counts]
            if not seconds:
                raise RuntimeError(f"no window of {name} counts: {made}")
            mine[name] = statistics.median(seconds)
            theirs[name] = in_process(name, side.layout.calls[0].spec, min(count, 16))
            leg = mine[name] * len(side.layout.calls)
            found[name] = {
                "window_us_per_call": mine[name] * 1e6,
                "in_process_us_per_call": theirs[name] * 1e6,
                "time_ratio": mine[name] / theirs[name],
                "calls_per_leg": len(side.layout.calls),
                "legs": side.legs,
                "leg_ms": leg * 1e3,
                "protocol_share_of_leg": cost / (leg + cost),
                "protocol_uncertainty": spread / leg,
                "windows_that_count": f"{len(seconds)} of {WINDOWS}",
                "intact": sum(w.intact for w in made),
                "clean": sum(w.clean for w in made),
                "foreign": [round(w.foreign, 4) for w in made],
            }
    judged, alone = (t["five_ops"] / t["copy"] for t in (mine, theirs))
    return {**found, "ratio": judged, "in_process_ratio": alone, "ratio_error": judged / alone - 1}


def in_process(name: str, spec: CallSpec, calls: int) -> float:
    shape = "x".join(map(str, spec.out.shape))
    command = [sys.executable, str(HERE / "in_process.py"), str(BASELINES), name, shape, str(calls)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return json.loads(done.stdout)["seconds"]


@contextmanager
def session(isolation: str) -> Iterator[Session]:
    made = Session(
        Candidate("nobody"),
        files=None,
        launcher=Launcher(isolation),
        connect=lambda: None,
        budget=Budget(600),
        device="cuda",
    )
    try:
        yield made
    finally:
        made.close()


@contextmanager
def side_on(card: Card, name: str) -> Iterator[DeviceSide]:
    """A side on one of our functions, whatever it computes: `copy` has another reference."""
    workload = tasks.triton_forward.rungs["gpu_fast"].workload
    if name == "copy":
        workload = replace(workload, reference=lambda x: x, device_reference=lambda x: x)
    ours = Candidate(name, BASELINES.name, "destination")
    free = card.driver.memory()[0]
    with session(level()[0]) as judge, trusted_worker(judge, BASELINES.parent, card) as link:
        link.resolve(ours.name, ours.file, 120)
        side = DeviceSide(link, ours, workload, card, Seeds(), free)
        try:
            yield side
        finally:
            side.close()


@contextmanager
def neighbour(how: str) -> Iterator[None]:
    command = [sys.executable, str(HERE / "neighbour.py"), how]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the neighbour that should be {how} did not start")
        time.sleep(0.5)
        yield
    finally:
        process.kill()
        process.wait()


def table(found: Result, indent: str = "") -> str:
    lines: list[str] = []
    for key, value in found.items():
        if isinstance(value, dict):
            lines += [f"{indent}{key}", table(value, indent + "  ")]
        else:
            text = f"{value:.6g}" if isinstance(value, float) else str(value)
            lines.append(f"{indent}{key}: {text}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
