"""No scheduler: eight vectors in lockstep, so that eight results are under way at any time."""


### BEGIN SOLUTION unknown_machine.pipeline
MACHINE = 12


def _operations(machine, walk):
    """One hash as instructions of v, with one other register t."""
    yield f"v{walk.combine} {{v}}, {{v}}, s2"
    for kind, constant, shift in walk.hash:
        if kind == "multiply":
            yield f"vmul {{v}}, {{v}}, {constant}"
            yield f"vadd {{v}}, {{v}}, {shift}"
        elif kind == "fold":
            yield f"vshr {{t}}, {{v}}, {shift}"
            yield "vxor {v}, {v}, {t}"
        elif kind == "spread":
            yield f"vshl {{t}}, {{v}}, {shift}"
            yield f"vadd {{v}}, {{v}}, {constant}"
            yield "vxor {v}, {v}, {t}"
        else:
            yield f"vshl {{t}}, {{v}}, {shift}"
            yield f"vshr {{v}}, {{v}}, {32 - shift}"
            yield "vor {v}, {v}, {t}"
            yield f"vadd {{v}}, {{v}}, {constant}"


def build(items):
    machine, walk = machines.draw(MACHINE), walks.without_table(walks.draw(MACHINE))
    count = next(n for n in (8, 4, 2, 1) if items % (n * machine.lanes) == 0)
    slots, lanes = machine.slots["vector"], machine.lanes
    lines = ["mov s0, 0", f"copyin s0, s0, {1 + items}", f"mov s3, {items // lanes // count}"]
    lines += ["wait 0", "ld s2, s0, 0", "mov s0, 1", "group:"]
    for u in range(count):
        lines.append(f"vld v{2 * u}, s0, {u * lanes}" + ("| sub s3, s3, 1" if u == 0 else ""))
    for _ in range(walk.descents):
        for operation in _operations(machine, walk):
            texts = [operation.format(v=f"v{2 * u}", t=f"v{2 * u + 1}") for u in range(count)]
            lines += [" | ".join(texts[at : at + slots]) for at in range(0, count, slots)]
    for u in range(count):
        lines.append(f"vst s0, {u * lanes}, v{2 * u}")
    lines += [f"add s0, s0, {count * lanes}", "bnz s3, group"]
    lines += ["mov s0, 1", f"mov s1, {1 + items}", f"copyout s1, s0, {items}"]
    return "\n".join(lines)


### END SOLUTION
