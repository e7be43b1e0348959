"""Tasks 4 to 6: an export in standard operators, one with a function, one with a custom node."""

from __future__ import annotations

from dataclasses import replace

from hotloop.core.wire import as_list
from hotloop.judge.constants import constant
from hotloop.judge.onnx.programs import Facts, facts_of
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.sparse_attention_op.files import (
    DOMAIN,
    NAME,
    OUTPUT,
    UNNAMED,
    Order,
    export,
    load,
    whole,
    wrong_ends,
    wrong_numbers,
)

DECOMPOSED = export(opset=True)
FUNCTION = export()
NODE = export()
OLDEST = 18
BLOCKS = (4, 8, 16, 32)

RIGHT = "It gives the paper's output, whatever the batch, the length and the thresholds."


def standard(file: GivenFile, order: Order, session: Session) -> str | None:
    """Check the file's structure: standard operators only, the ordered opset, free sizes."""
    facts = facts_of(file, session)
    mismatch = whole(facts)
    if mismatch is not None:
        return mismatch
    if facts["opset"] != order.opset:
        return f"the file says opset {shown(facts['opset'])}"
    foreign = [f"function {f['domain']}::{f['name']}" for f in facts["functions"]]
    foreign += [f"{n['domain']}::{n['name']}" for n in facts["foreign"]]
    if foreign:
        return f"it has what is not ONNX's own: {shown(foreign)}"
    return wrong_ends(facts, order)


def correct(file: GivenFile, order: Order, session: Session) -> str | None:
    """Run the file and compare its outputs."""
    return wrong_numbers(load(file, session), order, session)


def one_function(file: GivenFile, order: Order, session: Session) -> str | None:
    """Check the file's structure: one custom node and a model-local function of that name."""
    facts = facts_of(file, session)
    version = constant("FUNCTION_VERSION", 0, range(2, 1000))
    if version and facts["version"] != version:
        return f"its model_version is {shown(facts['version'])} and should be {version}"
    mismatch = whole(facts) or _other_than_one_node(facts, order) or wrong_ends(facts, order)
    if mismatch is not None:
        return mismatch
    named = [f for f in facts["functions"] if (f["domain"], f["name"]) == (DOMAIN, NAME)]
    if not named:
        return f"there is no function {DOMAIN}::{NAME} in the file"
    if not {"block", "causal"} <= set(map(str, as_list(named[0]["attributes"]))):
        return f"the function has the attributes {shown(named[0]['attributes'])}"
    for function in facts["functions"]:
        if function["foreign"]:
            return f"the function has foreign operators: {shown(function['foreign'])}"
    return None


def other_attributes(file: GivenFile, order: Order, session: Session) -> str | None:
    """Run the file with a different block size, then with causal inverted."""
    rng = session.rng()
    block = int(rng.choice([b for b in BLOCKS if b != order.block]))
    for other in (replace(order, block=block), replace(order, causal=not order.causal)):
        process = load(file, session, "load_with", other.block, int(other.causal))
        mismatch = wrong_numbers(process, other, session)
        if mismatch is not None:
            return f"with block {other.block} and causal {int(other.causal)}: {mismatch}"
    return None


def bare_node(file: GivenFile, order: Order, session: Session) -> str | None:
    """Check the file's structure: one custom node and no functions."""
    facts = facts_of(file, session)
    if facts["functions"]:
        return "there are functions in it: nothing should stand behind the node"
    mismatch = whole(facts) or _other_than_one_node(facts, order) or wrong_ends(facts, order)
    if mismatch is None and UNNAMED in facts["outputs"][0][2]:
        return f"{OUTPUT} has the shape {shown(facts['outputs'][0][2])}: name its batch and length"
    return mismatch


def correct_with_ours(file: GivenFile, order: Order, session: Session) -> str | None:
    """Run the file with the judge's implementation of the node and compare the outputs."""
    return wrong_numbers(load(file, session, "load_with_ours"), order, session)


def _other_than_one_node(facts: Facts, order: Order) -> str | None:
    if facts["opset"] < OLDEST:
        return f"its opset is {shown(facts['opset'])}; {OLDEST} or later is required"
    if facts["domains"].get(DOMAIN) != 1:
        return f"it imports {shown(facts['domains'])}, and version 1 of {DOMAIN} is required"
    names = [f"{n['domain']}::{n['name']}" for n in facts["foreign"]]
    if names != [f"{DOMAIN}::{NAME}"]:
        return f"of nodes that are not ONNX's own it has {shown(names)}"
    wanted = {"block": order.block, "causal": int(order.causal)}
    attributes = {name: facts["foreign"][0]["attributes"].get(name) for name in wanted}
    if attributes != wanted:
        return f"the node has the attributes {shown(attributes)} and should have {shown(wanted)}"
    return None
