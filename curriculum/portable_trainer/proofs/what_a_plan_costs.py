"""Plans for published models by the rules of costs.md: memory, bubble, networks, the best."""

from __future__ import annotations

from dataclasses import replace

from hotloop.tasks.modules.portable_trainer import published, search
from hotloop.tasks.modules.portable_trainer.costs import Case, Estimate, Plan, estimate, plan_from
from hotloop.tasks.modules.portable_trainer.planning import case_from


def known(name: str) -> tuple[Case, Plan]:
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
        ("data parallel alone", Plan(1, 1, 256, 1, 0, (40,), ("full",))),
        ("its optimizer sharded", Plan(1, 1, 256, 1, 1, (40,), ("full",))),
        ("everything sharded", Plan(1, 1, 256, 1, 3, (40,), ("full",))),
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
    across = estimate(case, replace(plan, tensor=16, data=12))
    print(f"145.6B, published: {one_node.step_s:.1f} s; tensor 16: {across.step_s:.1f} s")
    assert across.step_s > 1.5 * one_node.step_s
    micro_batches = case.batch // (plan.data * plan.micro_batch)
    bubble = (plan.pipeline - 1) / (micro_batches + plan.pipeline - 1)
    print(f"  {micro_batches} micro-batches, {plan.pipeline} stages: {100 * bubble:.0f} % idle")
    fewer = (plan.pipeline - 1) / (8 + plan.pipeline - 1)
    print(f"  with 8 micro-batches it would be {100 * fewer:.0f} %")
    for name in ("18.4B", "1008.0B", "Llama 3 405B, 8192 GPUs"):
        case, plan = known(name)
        found = search.bounded(case)
        assert found is not None
        best, seconds = found
        theirs = estimate(case, plan).step_s
        ways = [f"t {p.tensor} p {p.pipeline} d {p.data} zero {p.zero}" for p in (plan, best)]
        print(f"{name}:")
        print(
            f"  published {ways[0]}: {theirs:.2f} s; best by the rules {ways[1]}: {seconds:.2f} s"
        )
    assert (best.tensor, best.pipeline, best.data) == (plan.tensor, plan.pipeline, plan.data)
    assert best.stages == plan.stages
    print("the last one is the published plan, to the layers in each stage")


if __name__ == "__main__":
    main()
