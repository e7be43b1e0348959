"""No scheduler: vectors in lockstep with registers by hand, and neighbors packed while they fit."""


### BEGIN SOLUTION unknown_machine.kernel
from hotloop.engines.accelerator.program import misfit

KERNEL = 1018


def _packed(texts, machine):
    """Bundles of neighbors that do not wait for each other."""
    bundles, written = [[]], set()
    for each in map(instruction, texts):
        waits = written & {*each.reads, *each.writes}
        full = len(bundles[-1]) == machine.width
        if waits or full or misfit([*bundles[-1], each], machine):
            bundles.append([])
            written = set()
        bundles[-1].append(each)
        written |= set(each.writes)
    return [" | ".join(map(str, bundle)) for bundle in bundles if bundle]


def _program(machine, shape, items, vectors, unroll):
    at, lanes = shape.layout(items), machine.lanes
    place, end, flag, acc, word, x = ([f"v{6 * u + k}" for u in range(vectors)] for k in range(6))
    each = range(vectors)
    lines = ["mov s0, 0", f"copyin s0, s0, {at['output']}", "wait 0"]
    lines += [f"mov s3, {shape.sweeps}", "sweep:", "mov s0, 0"]
    lines += [f"mov s1, {items // lanes // vectors}", "rows:"]
    first = [f"vld {place[u]}, s0, {at['starts'] + u * lanes}" for u in each]
    first += [f"vld {end[u]}, s0, {at['starts'] + 1 + u * lanes}" for u in each]
    first += [f"vmov {acc[u]}, 0" for u in each]
    first += [f"vlt {flag[u]}, {place[u]}, {end[u]}" for u in each]
    lines += [*_packed(first, machine), "entry:"]
    body = []
    for _ in range(unroll):
        body += [f"vgather {word[u]}, {place[u]}, {at['values']}" for u in each]
        body += [f"vsub {place[u]}, {place[u]}, {flag[u]}" for u in each]
        body += [f"vand {x[u]}, {word[u]}, 255" for u in each]
        body += [f"vgather {x[u]}, {x[u]}, {at['x']}" for u in each]
        body += [f"vshr {word[u]}, {word[u]}, 8" for u in each]
        body += [f"vand {word[u]}, {word[u]}, {flag[u]}" for u in each]
        body += [f"vlt {flag[u]}, {place[u]}, {end[u]}" for u in each]
        body += [f"vmul {x[u]}, {x[u]}, {word[u]}" for u in each]
        body += [f"vxor {acc[u]}, {acc[u]}, {x[u]}" for u in each]
    # Words are free behind the products, and the sum over lanes is ready when the results are.
    going = [f"vor {word[0]}, {flag[0]}, {flag[-1]}"]
    going += [f"vor {word[0]}, {word[0]}, {flag[u]}" for u in each[1:-1]]
    body = [*body[:-vectors], *going, f"vsum s2, {word[0]}", *body[-vectors:]]
    lines += [*_packed(body, machine), "bnz s2, entry"]
    lines += [f"vst s0, {at['output'] + u * lanes}, {acc[u]}" for u in each]
    lines += [f"add s0, s0, {vectors * lanes}", "sub s1, s1, 1", "bnz s1, rows", "mov s0, 0"]
    for word in range(0, items, lanes):
        v = f"v{word // lanes % 12}"
        lines += [f"vld {v}, s0, {at['output'] + word}", f"vst s0, {at['x'] + word}, {v}"]
    lines += ["sub s3, s3, 1", "bnz s3, sweep"]
    lines += [f"mov s0, {at['x']}", f"mov s1, {at['output']}", f"copyout s1, s0, {items}"]
    return "\n".join(lines)


def build(items):
    machine, kind = machines.draw(KERNEL), kinds.draw(KERNEL)
    shape, vectors = kind.draw(KERNEL), items // machine.lanes
    trial = kind.work(shape, items, random.Random(5))
    tried = []
    for together, unroll in product((1, 2, 3, 4), (1, 2, 3)):
        if vectors % together:
            continue
        text = _program(machine, shape, items, together, unroll)
        result = run(machine, assemble(text, machine), trial.memory, trial.writable, 10**6)
        tried.append((result.cycles, text))
    return min(tried)[1]


### END SOLUTION
