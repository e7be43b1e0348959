"""Text templates, a row in each lane, and as many vectors together as divide the rows."""


### BEGIN SOLUTION unknown_machine.kernel
from scheduler import NoRoom, schedule

KERNEL = 1018


def _parsed(texts):
    for text in texts:
        name, _, rest = text.partition(" ")
        yield Instruction(name, tuple(part.strip() for part in rest.split(",")))


def _bundles(texts, machine, fixed):
    code = schedule(
        list(_parsed(texts)), machine, fixed=fixed, memory_in_order=False, gather=2, reserve=1
    )
    return [" | ".join(map(str, bundle)) for bundle in code]


def _entry(at, u, step, place, end, flag, acc):
    own = f"{u}_{step}"
    yield f"vgather vw{own}, {place}, {at['values']}"
    yield f"vand vc{own}, vw{own}, 255"
    yield f"vgather vx{own}, vc{own}, {at['x']}"
    yield f"vshr vv{own}, vw{own}, 8"
    yield f"vand vm{own}, vv{own}, {flag}"
    yield f"vmul vp{own}, vm{own}, vx{own}"
    yield f"vxor {acc}, {acc}, vp{own}"
    yield f"vsub {place}, {place}, {flag}"
    yield f"vlt {flag}, {place}, {end}"


def _program(machine, shape, items, streams, unroll):
    at, lanes = shape.layout(items), machine.lanes
    names = [[f"v{4 * u + k}" for k in range(4)] for u in range(streams)]
    fixed = {"s0", "s1", "s2", "s3", *(name for four in names for name in four)}
    lines = ["mov s0, 0", f"copyin s0, s0, {at['output']}", "wait 0"]
    lines += [f"mov s3, {shape.sweeps}", "sweep:", "mov s0, 0"]
    lines += [f"mov s1, {items // lanes // streams}", "rows:"]
    first = []
    for u, (place, end, flag, acc) in enumerate(names):
        first += [f"vld {place}, s0, {at['starts'] + u * lanes}"]
        first += [f"vld {end}, s0, {at['starts'] + 1 + u * lanes}"]
        first += [f"vlt {flag}, {place}, {end}", f"vmov {acc}, 0"]
    lines += [*_bundles(first, machine, fixed), "entry:"]
    body = [
        t
        for step in range(unroll)
        for u, four in enumerate(names)
        for t in _entry(at, u, step, *four)
    ]
    going = names[0][2]
    for u, (_, _, flag, _) in enumerate(names[1:]):
        body.append(f"vor vg{u}, {going}, {flag}")
        going = f"vg{u}"
    body.append(f"vsum s2, {going}")
    lines += [*_bundles(body, machine, fixed), "bnz s2, entry"]
    lines += [f"vst s0, {at['output'] + u * lanes}, {four[3]}" for u, four in enumerate(names)]
    lines += [f"add s0, s0, {streams * lanes}", "sub s1, s1, 1", "bnz s1, rows"]
    lines.append("mov s0, 0")
    copy = []
    for word in range(0, items, lanes):
        copy += [f"vld vy{word}, s0, {at['output'] + word}", f"vst s0, {at['x'] + word}, vy{word}"]
    lines += [*_bundles(copy, machine, fixed), "sub s3, s3, 1", "bnz s3, sweep"]
    lines += [f"mov s0, {at['x']}", f"mov s1, {at['output']}", f"copyout s1, s0, {items}"]
    return "\n".join(lines)


def build(items):
    machine, kind = machines.draw(KERNEL), kinds.draw(KERNEL)
    shape = kind.draw(KERNEL)
    trial = kind.work(shape, items, random.Random(5))
    tried = []
    for streams, unroll in product((1, 2, 3, 4, 5), (1, 2, 3)):
        if items // machine.lanes % streams:
            continue
        try:
            text = _program(machine, shape, items, streams, unroll)
        except NoRoom:
            continue
        result = run(machine, assemble(text, machine), trial.memory, trial.writable, 10**6)
        tried.append((result.cycles, text))
    return min(tried)[1]


### END SOLUTION
