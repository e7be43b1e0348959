"""Phis become copies: all at once, on an edge of their own. Both mistakes, and both repairs."""

from __future__ import annotations

from itertools import product

Copies = list[tuple[str, str]]


def at_once(copies: dict[str, str], values: dict[str, int]) -> dict[str, int]:
    """What the phis mean: everything is read before anything is written."""
    return values | {target: values[source] for target, source in copies.items()}


def one_by_one(copies: Copies, values: dict[str, int]) -> dict[str, int]:
    """What a machine does."""
    values = dict(values)
    for target, source in copies:
        values[target] = values[source]
    return values


# --8<-- [start:sequence]
def sequence(copies: dict[str, str]) -> Copies:
    """An order for copies that happen at once; a cycle costs one copy into `spare`."""
    waiting = {target: source for target, source in copies.items() if target != source}
    done: Copies = []
    while waiting:
        free = [target for target in waiting if target not in waiting.values()]
        if free:
            done.append((free[0], waiting.pop(free[0])))
            continue
        # Only cycles are left: set one value aside, and read it from there.
        target = next(iter(waiting))
        done.append(("spare", target))
        waiting = {t: "spare" if s == target else s for t, s in waiting.items()}
    return done


# --8<-- [end:sequence]


def lost_copy(copy_before_test: bool, rounds: int) -> tuple[int, int]:
    """X = phi(0, y); y = x + 1; loop until done; return x. The answer meant, and what comes out.

    The back edge goes from a block with two successors to one with two predecessors. A copy at the
    end of that block also runs on the way out.
    """
    x = meant = 0
    for left in reversed(range(rounds)):
        meant, y = x, x + 1
        if copy_before_test:
            x = y
        if left:
            x = y
    return rounds - 1 if rounds else meant, x


def main() -> None:
    """Try every set of copies among four names, and the loop."""
    swap = {"a": "b", "b": "a"}
    start = {"a": 1, "b": 2}
    naive = one_by_one(list(swap.items()), start)
    print(f"a, b = phi(b), phi(a): meant {at_once(swap, start)}, copied in order {naive}")
    assert naive == {"a": 2, "b": 2}
    print(f"repaired: {', '.join(f'{t} = {s}' for t, s in sequence(swap))}")
    repaired = one_by_one(sequence(swap), start)
    assert {name: repaired[name] for name in "ab"} == {"a": 2, "b": 1}

    names, wrong, spare = "abcd", 0, 0
    values = {name: index for index, name in enumerate(names)}
    for sources in product(names, repeat=len(names)):
        copies = dict(zip(names, sources, strict=True))
        meant = at_once(copies, values)
        wrong += one_by_one(list(copies.items()), values) != meant
        ordered = sequence(copies)
        spare += any(target == "spare" for target, _ in ordered)
        got = one_by_one(ordered, values)
        assert {name: got[name] for name in names} == meant
    print(f"of {len(names) ** len(names)} sets of four copies, written order is wrong for {wrong}")
    print(f"the sequence is right for all, {spare} need the spare register")
    assert wrong > spare > 0

    for rounds in (1, 5):
        meant, early = lost_copy(copy_before_test=True, rounds=rounds)
        _, split = lost_copy(copy_before_test=False, rounds=rounds)
        print(
            f"loop of {rounds}: x should be {meant}; copy in the block {early}, on the edge {split}"
        )
        assert (early, split) == (meant + 1, meant)


if __name__ == "__main__":
    main()
