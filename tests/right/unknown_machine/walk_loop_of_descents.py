"""Text and string templates: a loop of descents inside a loop of groups, masks instead of `vsel`."""


### BEGIN SOLUTION unknown_machine.walk
from scheduler import NoRoom, schedule

MACHINE = 12


def _hash_texts(walk, machine, v, w, t):
    """Instructions that leave the hash of register w in w; t is free."""
    for kind, c, s in walk.hash:
        if kind == "multiply":
            yield from (f"vmul {w}, {w}, {c}", f"vadd {w}, {w}, {s}")
        elif kind == "fold":
            yield from (f"vshr {t}, {w}, {s}", f"vxor {w}, {w}, {t}")
        elif kind == "spread":
            yield from (f"vshl {t}, {w}, {s}", f"vadd {w}, {w}, {c}", f"vxor {w}, {w}, {t}")
        elif "rotl" in machine.fused:
            yield from (f"vrotl {w}, {w}, {s}", f"vadd {w}, {w}, {c}")
        else:
            yield from (f"vshl {t}, {w}, {s}", f"vshr {w}, {w}, {32 - s}")
            yield from (f"vor {w}, {w}, {t}", f"vadd {w}, {w}, {c}")


def _descent(walk, machine, u, kept):
    """One descent of vector u, whose value is in the register `kept`; names are made anew."""
    v, k, ended = kept, "", ""
    fanout = (1 << walk.bits) - 1
    for level, first in enumerate(walk.offsets):
        w, t, n = f"vw{u}_{level}", f"vt{u}_{level}", f"vn{u}_{level}"
        if level:
            yield f"vgather {n}, {k}, {first}"
            word = n
        else:
            word = "s2"
        yield f"v{walk.combine} {w}, {v}, {word}"
        yield from _hash_texts(walk, machine, v, w, t)
        last = level + 1 == len(walk.offsets)
        if ended or last:
            new = kept if last else f"vv{u}_{level}"
            yield f"vsel {new}, {ended}, {v}, {w}" if ended else f"vmov {new}, {w}"
            v = new
        else:
            v = w
        if last:
            return
        if level and walk.stop:
            e = f"ve{u}_{level}"
            yield from (f"vand {e}a, {n}, {walk.stop}", f"veq {e}b, {e}a, 0")
            if ended:
                yield f"vor {e}c, {ended}, {e}b"
            ended = f"{e}c" if ended else f"{e}b"
        q = f"vq{u}_{level}"
        yield from (f"vshr {q}a, {v}, {walk.shift}", f"vand {q}b, {q}a, {fanout}")
        if level:
            yield from (f"vshl {q}c, {k}, {walk.bits}", f"vadd {q}d, {q}c, {q}b")
        k = f"{q}d" if level else f"{q}b"


def _parsed(texts):
    for text in texts:
        name, _, rest = text.partition(" ")
        yield Instruction(name, tuple(part.strip() for part in rest.split(",")))


def _program(machine, walk, items, streams, reserve):
    group = streams * machine.lanes
    values, table = walk.table, walk.table
    groups = -(-items // group)
    kept = [f"v{machine.vectors - 1 - u}" for u in range(streams)]
    texts = [text for u in range(streams) for text in _descent(walk, machine, u, kept[u])]
    fixed = ["s0", "s1", "s2", "s3", *kept]
    body = schedule(
        list(_parsed(texts)), machine, fixed=fixed, memory_in_order=False, gather=2, reserve=reserve
    )
    lines = ["mov s0, 0", f"copyin s0, s0, {table + items}", "wait 0", "ld s2, s0, 0"]
    lines += [f"mov s0, {values}", f"mov s1, {groups}", "group:"]
    lines += [f"vld {v}, s0, {u * machine.lanes}" for u, v in enumerate(kept)]
    lines += [f"mov s3, {walk.descents}", "descent:", "sub s3, s3, 1"]
    lines += [" | ".join(map(str, bundle)) for bundle in body]
    lines += ["bnz s3, descent"]
    lines += [f"vst s0, {u * machine.lanes}, {v}" for u, v in enumerate(kept)]
    lines += [f"add s0, s0, {group} | sub s1, s1, 1", "bnz s1, group"]
    lines += [f"mov s0, {values}", f"mov s1, {table + items}", f"copyout s1, s0, {items}"]
    return "\n".join(lines)


def build(items):
    machine, walk = machines.draw(MACHINE), walks.draw(MACHINE)
    trial = walks.work(walk, items, random.Random(5))
    tried = []
    for streams, reserve in [(s, r) for s in range(1, 9) for r in range(5)]:
        try:
            text = _program(machine, walk, items, streams, reserve)
            program = assemble(text, machine)
        except NoRoom:
            continue
        result = run(machine, program, trial.memory, trial.writable, 10**6)
        tried.append((result.cycles, text))
    return min(tried)[1]


### END SOLUTION
