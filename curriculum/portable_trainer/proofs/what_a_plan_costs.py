"""Plans for published models by the rules of costs.md: memory, bubble, networks, the best."""

from __future__ import annotations

from dataclasses import replace

from hotloop.tasks.modules.portable_trainer import published, search
from hotloop.tasks.modules.portable_trainer.costs import (
    Estimate,
    Plan,
    TrainingCase,
    Way,
    estimate,
    plan_from,
)
from hotloop.tasks.modules.portable_trainer.planning import case_from


def known(name: str) -> tuple[TrainingCase, Plan]:
    """A published model's case and plan."""
    told = published.published(name)
    plan = plan_from(told["plan"])
    assert plan is not None
    return case_from(told), plan


def gigabytes(said: Estimate) -> tuple[float, float]:
    """State and activations of the device that has most."""
    both = zip(said.state_bytes, said.activation_bytes, strict=True)
    state, activations = max(both, key=sum)
    return state / 1e9, activations / 1e9


def main() -> None:
    """Print the figures that answers quote."""
    case, plan = known("18.4B")
    print(f"18.4B, 16 bytes a parameter: {16 * case.model.parameters / 1e9:.0f} GB of state")
    for label, other in (
        ("data parallel alone", Plan(Way(1, 1, 256, 1, 0), (40,), ("full",))),
        ("its optimizer sharded", Plan(Way(1, 1, 256, 1, 1), (40,), ("full",))),
        ("everything sharded", Plan(Way(1, 1, 256, 1, 3), (40,), ("full",))),
        ("published, tensor 8", plan),
    ):
        said = estimate(case, other)
        state, activations = gigabytes(said)
        fits = "fits" if said.fits else "does not fit"
        print(f"  {label:22} {state:5.1f} + {activations:4.1f} GB, {fits}")
    bytes_a_second, operations_a_second = case.cluster.slow.bandwidth, case.cluster.flops
    tokens = [2 * sent * operations_a_second / (6 * bytes_a_second) for sent in (1, 3)]
    print(f"  hidden behind computing: a scatter by {tokens[0]:,.0f} tokens a device,")
    print(f"  two gathers and a scatter by {tokens[1]:,.0f}")
    case, plan = known("145.6B")
    one_node = estimate(case, plan)
    across = estimate(case, replace(plan, way=plan.way._replace(tensor=16, data=12)))
    print(f"145.6B, published: {one_node.step_s:.1f} s; tensor 16: {across.step_s:.1f} s")
    assert across.step_s > 1.5 * one_node.step_s
    micro_batches = case.batch // (plan.way.data * plan.way.micro_batch)
    bubble = (plan.way.pipeline - 1) / (micro_batches + plan.way.pipeline - 1)
    print(f"  {micro_batches} micro-batches, {plan.way.pipeline} stages: {100 * bubble:.0f} % idle")
    fewer = (plan.way.pipeline - 1) / (8 + plan.way.pipeline - 1)
    print(f"  with 8 micro-batches it would be {100 * fewer:.0f} %")
    for name in ("18.4B", "1008.0B", "Llama 3 405B, 8192 GPUs"):
        case, plan = known(name)
        found = search.bounded(case)
        assert found is not None
        best, seconds = found
        theirs = estimate(case, plan).step_s
        ways = [
            f"t {way.tensor} p {way.pipeline} d {way.data} zero {way.zero}"
            for way in (plan.way, best.way)
        ]
        print(f"{name}:")
        print(
            f"  published {ways[0]}: {theirs:.2f} s; best by the rules {ways[1]}: {seconds:.2f} s"
        )
    assert (best.way.tensor, best.way.pipeline, best.way.data) == (
        plan.way.tensor,
        plan.way.pipeline,
        plan.way.data,
    )
    assert best.stages == plan.stages
    print("the last one is the published plan, to the layers in each stage")


if __name__ == "__main__":
    main()
