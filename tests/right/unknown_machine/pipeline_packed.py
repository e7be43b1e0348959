"""Four vectors an iteration, and the loop's body packed by the scheduler of the block task."""


### BEGIN SOLUTION unknown_machine.pipeline
import dataclasses

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
    from scheduler import pack

    machine, walk = machines.draw(MACHINE), walks.without_table(walks.draw(MACHINE))
    count = next(n for n in (8, 4, 2, 1) if items % (n * machine.lanes) == 0)
    body = [f"vld v{2 * u}, s0, {u * machine.lanes}" for u in range(count)]
    for u in range(count):
        for _ in range(walk.descents):
            for operation in _operations(machine, walk):
                body.append(operation.format(v=f"v{2 * u}", t=f"v{2 * u + 1}"))
    body += [f"vst s0, {u * machine.lanes}, v{2 * u}" for u in range(count)]
    body += [f"add s0, s0, {count * machine.lanes}", "sub s3, s3, 1"]
    drawn = dataclasses.asdict(machine)
    bundles = [" | ".join(bundle) for bundle in pack(body, ["s0", "s2", "s3"], drawn)]
    lines = ["mov s0, 0", f"copyin s0, s0, {1 + items}"]
    lines += [f"mov s3, {items // machine.lanes // count}", "wait 0", "ld s2, s0, 0", "mov s0, 1"]
    lines += ["group:", *bundles, "bnz s3, group"]
    lines += ["mov s0, 1", f"mov s1, {1 + items}", f"copyout s1, s0, {items}"]
    return "\n".join(lines)


### END SOLUTION
