"""Tasks 4 to 6: an export in standard operators, one with a function, one with a bare node."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hotloop.checks.sparse_attention_op.files import (
    DOMAIN,
    NAME,
    Export,
    Facts,
    Made,
    facts_of,
    load,
    whole,
    wrong_ends,
    wrong_numbers,
)
from hotloop.core.wire import as_list
from hotloop.judge.questions import shown
from hotloop.judge.rung import Rung
from hotloop.judge.session import Session

FILE = "export_ops.py"
DECOMPOSED = Export("decomposed", opset=True)
FUNCTION = Export("as_function")
NODE = Export("as_node")
OLDEST = 18
BLOCKS = (4, 8, 16, 32)

RIGHT = "It gives the paper's output, whatever the batch, the length and the thresholds."


def decomposition_rungs() -> dict[str, Rung]:
    """Any runtime of that opset can read it; then what it computes."""
    return {
        "standard": DECOMPOSED.stands(standard, "Operators of ONNX's own, and free sizes."),
        "correct": DECOMPOSED.stands(correct, RIGHT, "standard"),
    }


def function_rungs(version: int = 0) -> dict[str, Rung]:
    """One node and its meaning in the same file; then the meaning for other attributes.

    version: what the model has as its model_version; 0 if that does not matter.
    """
    return {
        "whole": FUNCTION.stands(
            partial(one_function, version=version), "One node, and the function behind it."
        ),
        "correct": FUNCTION.stands(correct, RIGHT, "whole"),
        "attributes": FUNCTION.stands(
            other_attributes,
            "Another block length in the node is another one in the function.",
            "correct",
        ),
    }


def node_rungs() -> dict[str, Rung]:
    """One node and nothing else; then what it computes with a meaning of ours."""
    return {
        "node": NODE.stands(bare_node, "One node with its attributes, version and free sizes."),
        "correct": NODE.stands(correct_with_ours, RIGHT, "node"),
    }


def standard(made: Made, session: Session) -> str | None:
    """The file, looked at from outside."""
    told = facts_of(made.given, session)
    complaint = whole(told)
    if complaint is not None:
        return complaint
    if told["opset"] != made.order.opset:
        return f"the file says opset {shown(told['opset'])}"
    if told["functions"] or told["foreign"]:
        return f"it has what is not ONNX's own: {shown(_strangers(told))}"
    return wrong_ends(told, made.order)


def correct(made: Made, session: Session) -> str | None:
    """The file, run as it stands."""
    return wrong_numbers(load(made.given, session), made.order, session)


def one_function(made: Made, session: Session, version: int = 0) -> str | None:
    """The file, looked at from outside: the node, and the one function with that name."""
    told = facts_of(made.given, session)
    if version and told["version"] != version:
        return f"its model_version is {shown(told['version'])} and should be {version}"
    complaint = whole(told) or _other_than_one_node(told, made) or wrong_ends(told, made.order)
    if complaint is not None:
        return complaint
    named = [f for f in told["functions"] if (f["domain"], f["name"]) == (DOMAIN, NAME)]
    if not named:
        return f"there is no function {DOMAIN}::{NAME} in the file"
    if not {"block", "causal"} <= set(map(str, as_list(named[0]["attributes"]))):
        return f"the function has the attributes {shown(named[0]['attributes'])}"
    for function in told["functions"]:
        if function["foreign"]:
            return f"the function has foreign operators: {shown(function['foreign'])}"
    return None


def other_attributes(made: Made, session: Session) -> str | None:
    """The file with other attributes in its node, run."""
    rng = session.rng()
    block = int(rng.choice([b for b in BLOCKS if b != made.order.block]))
    for asked in (replace(made.order, block=block), replace(made.order, causal=_not(made))):
        process = load(made.given, session, "load_with", asked.block, int(asked.causal))
        complaint = wrong_numbers(process, asked, session)
        if complaint is not None:
            return f"with block {asked.block} and causal {int(asked.causal)}: {complaint}"
    return None


def bare_node(made: Made, session: Session) -> str | None:
    """The file, looked at from outside: the node, and no function."""
    told = facts_of(made.given, session)
    if told["functions"]:
        return "there are functions in it: nothing should stand behind the node"
    return whole(told) or _other_than_one_node(told, made) or wrong_ends(told, made.order)


def correct_with_ours(made: Made, session: Session) -> str | None:
    """The node as we understand it, run."""
    return wrong_numbers(load(made.given, session, "load_with_ours"), made.order, session)


def _not(made: Made) -> bool:
    return not made.order.causal


def _other_than_one_node(told: Facts, made: Made) -> str | None:
    if told["opset"] < OLDEST:
        return f"its opset is {shown(told['opset'])}; {OLDEST} or later is asked for"
    if told["domains"].get(DOMAIN) != 1:
        return f"it imports {shown(told['domains'])}, and version 1 of {DOMAIN} is asked for"
    names = [f"{n['domain']}::{n['name']}" for n in told["foreign"]]
    if names != [f"{DOMAIN}::{NAME}"]:
        return f"of nodes that are not ONNX's own it has {shown(names)}"
    wanted = {"block": made.order.block, "causal": int(made.order.causal)}
    found = {name: told["foreign"][0]["attributes"].get(name) for name in wanted}
    if found != wanted:
        return f"the node has the attributes {shown(found)} and should have {shown(wanted)}"
    return None


def _strangers(told: Facts) -> list[str]:
    functions = [f"function {f['domain']}::{f['name']}" for f in told["functions"]]
    return [*functions, *(f"{n['domain']}::{n['name']}" for n in told["foreign"])]
