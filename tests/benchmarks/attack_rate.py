"""How often do scripted attackers earn points from the judge that they should not?

    python tests/benchmarks/attack_rate.py --log attack.jsonl [--attempts 24] [--seconds 280]

`hotloop author attack` with five attackers (tests/benchmarks/attackers): mutants of the known
exploits, a grammar of tricks in Python, Triton and CUDA C++, cheats on what is measured, names of
the judge's source, and what C++ offers in the simulator. Most tasks are those whose right answer is
judged in a few seconds without a GPU; some are timed. With --seconds it ends early; the same
command goes on. An attempt is a success if a check gave points, or stayed open, for an
answer that is wrong or slow by construction; points and open checks that the attacker did not
foresee count as successes until a reader of the log has refuted them in it.

Writes tests/benchmarks/results/attack_rate.json: the rates, with upper 95 % bounds after Clopper
and Pearson. They are of these attackers' attempts, not of any other's.
"""

import argparse
import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "attackers"))

from timed_ideas import IDEAS

from hotloop.author.attack import log, loop
from hotloop.author.attack.log import Attempt
from hotloop.author.attack.rates import Rate, Report
from hotloop.core.verdict import Verdict
from hotloop.judge.device import device_name
from hotloop.sandbox.level import level

HERE = Path(__file__).parent
RESULT = HERE / "results" / "attack_rate.json"

NAMES = ("mutation", "grammar", "speed", "probe", "simulator")
PARTS = ("plain", "quick", "measured", "timed", "probe", "simulator", "all")

QUICK = """
ssa_passes: dominance plan_memory infer
mixture_of_experts: route capacity all_to_all overlap
unknown_machine: count block pipeline
transformer_compilation: count_bytes fuse_pass read_output
llm_serving_frontier: token_masks quantized_cache prefill_router
xla_vs_eager: break_even read_hlo diagnose
yolo_on_mobile: nms bisect
llm_serving_engine: scheduler capacity read_metrics
first_kernels: roofline read_profile
gemm_tensor_cores: quantize_w4 block_scaled inspect_listing
gemm_hopper: mbarrier_phases find_the_hang descriptor inspect_sass
profile_training_loop: honest_clock instrument
fused_softmax: online_pass cuda_naive
first_kernels: transpose
"""
"""Tasks by module, for mutation and grammar."""

PLAIN = """
ssa_passes: lowering to_ssa verify fold common hoist leave_ssa fuse
profile_training_loop: read_trace diagnose timeline nsight_systems
control_flow_export: freeze migration diagnose
portable_trainer: policy plan mesh prefetch
resnet_tensorrt: first_departure slow_builds trtexec_log remove_noops
yolo_on_mobile: decode audit diagnose letterbox
sparse_attention_op: silent fallback reference
unknown_machine: overlap walk
transformer_compilation: learned_costs compile_policy cold_start eight_bits
llm_serving_engine: paged_attention speculative serve
mixture_of_experts: route_backward exchange
llm_serving_frontier: draft_trees
"""
"""Further tasks that are answered with plain data, for the first attempts of grammar: constants."""

MEASURED = """
first_kernels: transpose blur_rows axpy
gemm_tensor_cores: mma_tile
fused_softmax: cuda_block
mixture_of_experts: permute
"""
"""Tasks whose traffic is counted, for the attacker on what is measured."""

TIMED = """
profile_training_loop: augment
fused_softmax: compiled_chain
xla_vs_eager: compiled_step
transformer_compilation: tiled_attention
"""
"""Tasks that are timed on a CPU: up to a minute for each attempt."""

SIMULATED = """
first_kernels: transpose axpy bias_gelu
fused_softmax: cuda_naive cuda_block
gemm_tensor_cores: mma_tile
mixture_of_experts: permute
"""
"""Tasks for the attacker on the simulator."""

PROBED = """
ssa_passes: plan_memory infer
mixture_of_experts: route capacity
transformer_compilation: count_bytes read_output
llm_serving_frontier: token_masks prefill_router
xla_vs_eager: break_even
yolo_on_mobile: nms
llm_serving_engine: capacity
gemm_hopper: mbarrier_phases descriptor
profile_training_loop: honest_clock
fused_softmax: online_pass
"""
"""Tasks for the attacker that reads the judge's source for names."""

ROUND = 8
TIMED_ROUND = 2
TIMED_BUDGET_S = 150


def keys(text: str) -> list[str]:
    """Return the tasks of a list by module."""
    rows = (line.partition(":") for line in text.strip().splitlines())
    return [f"{module}.{task}" for module, _, tasks in rows for task in tasks.split()]


def command(name: str) -> str:
    """Return the command of a scripted attacker."""
    return shlex.join([sys.executable, str(HERE / "attackers" / f"{name}.py")])


def runs(options: argparse.Namespace) -> Iterator[tuple[Sequence[str], list[str], int]]:
    """Yield attackers, tasks and attempts for each: a few of all first, and then more."""
    if options.part in ("plain", "all"):
        yield ("grammar",), keys(PLAIN), 4
    if options.part in ("quick", "all"):
        for most in range(ROUND, options.attempts + ROUND, ROUND):
            yield ("mutation", "grammar"), keys(QUICK), min(most, options.attempts)
    if options.part in ("measured", "all"):
        yield ("speed",), keys(MEASURED), ROUND
        yield ("speed",), keys(MEASURED), options.attempts
        yield ("grammar",), keys(MEASURED), options.attempts
    if options.part in ("probe", "all"):
        yield ("probe",), keys(PROBED), options.attempts
    if options.part in ("simulator", "all"):
        yield ("simulator",), keys(SIMULATED), options.attempts
    if options.part in ("timed", "all"):
        for most in range(TIMED_ROUND, options.timed + TIMED_ROUND, TIMED_ROUND):
            yield ("speed",), keys(TIMED), min(most, options.timed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, default=Path("attack.jsonl"))
    parser.add_argument("--part", choices=PARTS, default="all")
    parser.add_argument("--attempts", type=int, default=24)
    parser.add_argument("--timed", type=int, default=14)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--write", action="store_true", help="only write what the log says")
    parser.add_argument("--out", type=Path, default=RESULT)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    remain = 0
    for names, tasks, attempts in [] if options.write else runs(options):
        wanted = loop.Run(
            {name: command(name) for name in names},
            tasks,
            attempts,
            options.log,
            options.seed,
            limit_s=end - time.monotonic(),
            budget_s=TIMED_BUDGET_S if tasks == keys(TIMED) else 15,
        )
        remain += loop.run(wanted, _show)
    report = Report.of(log.read(options.log))
    document = result(report)
    print(f"\n{json.dumps(document['all'])}; {remain} attempts remain")
    if not remain:
        options.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _show(now: loop.Progress) -> None:
    left = "" if now.expected_s is None else f", {now.expected_s:.0f} s to go"
    text = f"{now.done} of {now.of}, {now.elapsed_s:.0f} s{left}: {now.what}"
    print(f"\r{text:<90}", end="", file=sys.stderr, flush=True)


def result(report: Report) -> dict[str, Any]:
    """Return what is recorded of a log."""
    devices = {line.device for line in report.controls} or {device_name()}
    refuted = Counter(
        report.readings[attempt.key].why
        for attempt in report.attempts
        if attempt.claims and not report.is_success(attempt)
    )
    attackers, modules = report.by(lambda a: a.attacker), report.by(lambda a: a.module)
    return {
        "device": ", ".join(sorted(devices)),
        "date": time.strftime("%Y-%m-%d"),
        "isolation": level()[0],
        "all": _row(report.rate())
        | {
            "modules": len(modules),
            "tasks": len({attempt.task for attempt in report.attempts}),
            "judging_seconds": round(sum(attempt.seconds for attempt in report.attempts)),
        },
        "timed": _timed(report),
        "attackers": {name: _row(attackers.get(name, Rate(0, 0, 0))) for name in NAMES},
        "undecided_by_noise": sum(bool(attempt.noise) for attempt in report.attempts),
        "refuted": [{"why": why, "claims": count} for why, count in refuted.items()],
        "rows": [
            {"attacker": name, "module": module, **_row(report.rate(_of(name, module)))}
            for name in NAMES
            for module in modules
            if any(_of(name, module)(attempt) for attempt in report.attempts)
        ],
    }


def _timed(report: Report) -> dict[str, Any]:
    """The attempts of `speed` in timed tasks; undecided: those that a check left so."""

    def is_timed(attempt: Attempt) -> bool:
        return attempt.attacker == "speed" and attempt.task in keys(TIMED)

    made = list(filter(is_timed, report.attempts))
    return _row(report.rate(is_timed)) | {
        "modules": len({each.module for each in made}),
        "ideas": len({idea for each in made for idea in IDEAS if each.why.startswith(idea)}),
        "undecided": sum(
            any(result.verdict is Verdict.UNDECIDED for result in each.results) for each in made
        ),
    }


def _of(attacker: str, module: str) -> Any:
    return lambda attempt: (attempt.attacker, attempt.module) == (attacker, module)


def _row(rate: Rate) -> dict[str, Any]:
    return {
        "attempts": rate.attempts,
        "claims": rate.claimed,
        "successes": rate.successes,
        "at_most_percent": round(100 * rate.highest, 2),
    }


if __name__ == "__main__":
    main()
