"""NCHW to NHWC: transposes around each convolution, pushed until they cancel; a wrong flatten."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
TO_LAST, TO_FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
POINTWISE = {"relu", "add"}


@dataclass(frozen=True)
class Node:
    """name = kind(inputs); kinds conv, relu, add, flatten, and the two transposes."""

    name: str
    kind: str
    inputs: tuple[str, ...]


NET = [
    Node("a", "conv", ("x",)),
    Node("b", "relu", ("a",)),
    Node("c", "conv", ("b",)),
    Node("d", "add", ("c", "b")),
    Node("e", "relu", ("d",)),
    Node("f", "conv", ("e",)),
    Node("y", "flatten", ("f",)),
]


def around_each(net: list[Node]) -> list[Node]:
    """What a converter writes that looks at one operator at a time."""
    out: list[Node] = []
    for node in net:
        if node.kind != "conv":
            out.append(node)
            continue
        out += [
            Node(f"{node.name}.in", "last", node.inputs),
            Node(f"{node.name}.conv", "conv", (f"{node.name}.in",)),
            Node(node.name, "first", (f"{node.name}.conv",)),
        ]
    return out


# --8<-- [start:push]
def pushed(net: list[Node]) -> list[Node]:
    """Each value in channels-last for as long as nobody needs channels first."""
    out: list[Node] = []
    last: dict[str, str] = {}
    for node in net:
        if node.kind == "conv" or (node.kind in POINTWISE and all(i in last for i in node.inputs)):
            inputs: list[str] = []
            for name in node.inputs:
                if name not in last:
                    last[name] = f"{name}.last"
                    out.append(Node(last[name], "last", (name,)))
                inputs.append(last[name])
            last[node.name] = f"{node.name}.last"
            out.append(Node(last[node.name], node.kind, tuple(inputs)))
            continue
        out += [Node(name, "first", (last[name],)) for name in node.inputs if name in last]
        out.append(node)
    return out


# --8<-- [end:push]


def run(net: list[Node], x: Array, weight: Array, channels_last: bool) -> Array:
    """A convolution of 1 by 1, in the layout that the net is in."""
    values = {"x": x}
    equation = "nhwc,dc->nhwd" if channels_last else "nchw,dc->ndhw"
    for node in net:
        given = [values[name] for name in node.inputs]
        match node.kind:
            case "conv":
                found = np.einsum(equation, given[0], weight)
            case "relu":
                found = np.maximum(given[0], 0)
            case "add":
                found = given[0] + given[1]
            case "flatten":
                found = given[0].reshape(len(x), -1)
            case _:
                found = given[0].transpose(TO_LAST if node.kind == "last" else TO_FIRST)
        values[node.name] = found
    return values["y"]


def transposes(net: list[Node]) -> int:
    """How many are left."""
    return sum(node.kind in {"last", "first"} for node in net)


def main() -> None:
    """Count, and compare with the network as it was."""
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((2, 8, 5, 5)), rng.standard_normal((8, 8)) / 3
    truth = run(NET, x, weight, channels_last=False)
    each, few = around_each(NET), pushed(NET)
    print(
        f"three convolutions: {transposes(each)} transposes written, {transposes(few)} after "
        f"pushing"
    )
    assert (transposes(each), transposes(few)) == (6, 2)
    for net in (each, few):
        assert np.allclose(run(net, x, weight, channels_last=True), truth)
    no_last = [node for node in few if node.kind != "first"]
    rest = [Node("y", "flatten", ("f.last",)) if n.kind == "flatten" else n for n in no_last]
    wrong = run(rest, x, weight, channels_last=True)
    print(
        f"flatten in channels-last: same numbers {np.allclose(np.sort(wrong), np.sort(truth))}, "
        f"same order {np.allclose(wrong, truth)}"
    )
    assert not np.allclose(wrong, truth)
    dense = rng.standard_normal((truth.shape[1], 10))
    moved = dense.reshape(8, 5, 5, 10).transpose(1, 2, 0, 3).reshape(-1, 10)
    print(
        f"the next layer's weights permuted once, offline: equal "
        f"{np.allclose(wrong @ moved, truth @ dense)}"
    )
    assert np.allclose(wrong @ moved, truth @ dense)
    one = 2 * 56 * 56 * 256 * 2
    print(
        f"one transpose of 256 × 56 × 56 in fp16: {one:,} bytes, {one / 50e9 * 1e6:.0f} µs at "
        f"50 GB/s"
    )
    assert one == 3_211_264


if __name__ == "__main__":
    main()
