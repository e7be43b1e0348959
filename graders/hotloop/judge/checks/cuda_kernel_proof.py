"""What is proved of a task's CUDA kernel, beside what its cases tested.

As for Triton's kernels it gives no points and takes none, and a counterexample is told only after
the simulator found that fault at its sizes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.prover.contract import Contract, PlainArgument, Symbol, TensorArgument
from hotloop.engines.prover.report import COUNTEREXAMPLE, PROVED, Claim, Report
from hotloop.engines.simulate.orders import ORDERS
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.triton_kernel_proof import (
    BUSY,
    Proofs,
    case_of,
    no_proofs,
    odd_sizes,
    unconfirmed,
)
from hotloop.judge.cuda_kernel import CudaLaunch, Fault, KernelProcess, sentence
from hotloop.judge.kernel_contract import KindOfCall, NoContract, kinds_of_call
from hotloop.judge.session import Session

PROOF_S = 15.0
"""Time for a kernel, on a core."""
RUN_S = 20.0

COST = "No hidden case of this check shows it: it costs no points here."
"""Another check of the task may look for races, in more orders of the threads."""

_FAULTS = {"bounds": "out_of_bounds", "races": "race", "shared": "race"}
"""What the simulator calls that which a counterexample to a claim must show."""


def told(
    how: CudaLaunch, calls: Sequence[CallSpec], simulated: KernelProcess, session: Session
) -> str:
    """Note what is proved of the kernel, and return it in a sentence that begins with a space."""
    try:
        claims = _asked(how, calls, simulated, session)
    except NoContract as reason:
        claims = no_proofs(str(reason))
    except Ruling as ruling:
        if ruling.verdict is Verdict.NOT_MEASURED:
            return ""  # practice, without processes
        claims = no_proofs(ruling.sentence)  # no time is left
    except Exception as error:  # noqa: BLE001 - whatever happens here must cost no points
        session.log_exception(error)
        claims = no_proofs("the prover was stopped")
    session.note(proofs=claims.evidence)
    return claims.sentence


def _asked(
    how: CudaLaunch, calls: Sequence[CallSpec], simulated: KernelProcess, session: Session
) -> Proofs:
    kinds = kinds_of_call(calls, names_of(how, calls[0]), multiples=True)
    listing = simulated.listing()
    if not listing:
        raise NoContract("the file is not read as it is run")
    session.progress("proving the kernel for every size")
    worker = session.trusted(None, {}, ("-m", "hotloop.engines.prover.worker"))
    claims: dict[str, Claim] = {}
    broken, left_s = "", PROOF_S
    try:
        for kind in kinds:
            contract, launch = of_kernel(kind, how)
            request = {
                "op": "prove_cuda",
                "listing": listing,
                "kernel": session.name,
                "contract": contract.to_message(),
                "launch": launch,
                "seconds": left_s,
            }
            reply = worker.request(request, session.timeout(BUSY * PROOF_S))
            report = Report.from_message(reply["report"])
            left_s -= report.seconds
            for claim in report.claims:
                spec = calls[next(iter(kind.values))]
                odd = odd_sizes(claim, kinds)
                fault = "" if odd else _run(claim, kind, spec, simulated, session)
                broken = broken or fault
                if claim.result == COUNTEREXAMPLE and not fault:
                    claim = unconfirmed(claim, odd)
                if claim.about not in claims or claims[claim.about].result == PROVED:
                    claims[claim.about] = claim
    finally:
        worker.close()
    assumed = "; ".join(dict.fromkeys(kind.contract.in_words() for kind in kinds))
    return Proofs(list(claims.values()), assumed, broken, COST)


def names_of(how: CudaLaunch, call: CallSpec) -> list[str]:
    """Return the names of a call's arguments and output."""
    tensors = iter(how.parameters[:-1])
    arguments = [
        next(tensors) if isinstance(one, TensorSpec) else f"argument {number}"
        for number, one in enumerate(call.arguments, 1)
    ]
    return [*arguments, how.parameters[-1]]


def of_kernel(kind: KindOfCall, how: CudaLaunch) -> tuple[Contract, dict[str, Any]]:
    """Return the contract of the kernel's own arguments, in its order, and its launch.

    Raises NoContract for what the kernel gets as a tensor map.
    """
    if how.tiles:
        raise NoContract("tensor maps are not followed")
    out = kind.contract.arguments[-1]
    assert isinstance(out, TensorArgument)
    tensors = [one for one in kind.contract.arguments if isinstance(one, TensorArgument)]
    plain = [one for one in kind.contract.arguments if isinstance(one, PlainArgument)]
    extents = [PlainArgument(f"{out.name}.shape", text=text) for text in out.sizes]
    contract = replace(kind.contract, arguments=[*tensors, *extents, *plain])
    counts: list[str] = []
    for text, each in ((out.sizes[0], how.rows_a_block), (out.sizes[-1], how.columns_a_block)):
        contract, count = _blocks(contract, text, each, f"blocks{len(counts)}_")
        counts.append(count)
    if how.most_blocks is not None:
        few = Symbol("blocks")
        contract = replace(
            contract,
            symbols={**contract.symbols, "few_": few},
            at_least=[*contract.at_least, (str(how.most_blocks), "few_"),
                      (f"({counts[0]})*({counts[1]})", "few_")],
        )  # fmt: skip
        counts = ["few_", "1"]
    grid = [count for count in counts if count != "1"] or ["1"]
    if counts[0] == "1" and counts[1] != "1":
        grid = counts
    return contract, {"grid": grid, "block": how.block, "dynamic": how.dynamic}


def _blocks(contract: Contract, text: str, each: int | None, name: str) -> tuple[Contract, str]:
    """Return the number of blocks for a size, `each` of which a block computes; None: all."""
    if each is None:
        return contract, "1"
    if each == 1:
        return contract, text
    if text.isdecimal():
        return contract, str(-(-int(text) // each))
    inner = text.removeprefix(f"{each}*")
    if inner != text and inner in contract.symbols:
        return contract, inner
    symbols: Mapping[str, Symbol] = {**contract.symbols, name: Symbol("blocks")}
    return replace(contract, symbols=symbols, tiles=[*contract.tiles, (name, text, each)]), name


def _run(
    claim: Claim, kind: KindOfCall, spec: CallSpec, simulated: KernelProcess, session: Session
) -> str:
    """Return what the simulator finds at the counterexample's sizes; "" if it is not that."""
    example = claim.counterexample
    case = None if example is None else case_of(example, kind, spec)
    if case is None or example is None:
        return ""
    where = ", ".join(
        f"{symbol.label} = {example.values[name]}" for name, symbol in kind.contract.symbols.items()
    )
    for order in ORDERS:
        try:
            found = simulated.run(case, session.timeout(RUN_S), order).findings
        except Fault as fault:
            found = [fault.finding]
        except Ruling:
            return ""
        for finding in found:
            if finding.get("kind") == _FAULTS[claim.about]:
                return f"The smallest sizes that break it ({where}): {sentence(finding)}"
    return ""
