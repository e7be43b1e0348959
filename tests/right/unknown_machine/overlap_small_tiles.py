"""Tiles of one vector of rows, two of them in flight, and a loop whose body is one tile."""


### BEGIN SOLUTION unknown_machine.overlap
MACHINE = 12


def build(rows):
    machine, matrix = machines.draw(MACHINE), matrices.draw(MACHINE)
    lanes, columns = machine.lanes, matrix.columns
    vectors = next(n for n in (2, 1) if rows % (n * lanes) == 0)
    while 2 * vectors * lanes * columns + rows > machine.scratchpad:
        vectors //= 2
    tile, words = vectors * lanes, vectors * lanes * columns
    results = 2 * words
    code = []

    def line(*texts):
        code.append(" | ".join(texts))

    line("mov s0, 0", "mov s1, 0", f"mov s2, {rows // tile}")
    line(f"mov s3, {results}", "viota v0")
    line(f"vmul v0, v0, {columns}")
    line(f"copyin s1, s0, {words}", f"add s0, s0, {words}")
    code.append("tile:")
    line("wait 0", f"xor s4, s1, {words}")
    line("sub s2, s2, 1")
    line("bz s2, work")
    line(f"copyin s4, s0, {words}", f"add s0, s0, {words}")
    code.append("work:")
    line("vadd v1, v0, s1")
    # Vector u: v(2 + 3u) accumulates, v(3 + 3u) and v(4 + 3u) are words of two columns.
    for column in range(columns):
        for u in range(vectors):
            line(f"vgather v{3 + column % 2 + 3 * u}, v1, {u * lanes * columns + column}")
        for u in range(vectors):
            acc, word = f"v{2 + 3 * u}", f"v{3 + column % 2 + 3 * u}"
            line(f"vxor {acc}, {acc}, {word}" if column else f"vmov {acc}, {word}")
        for u in range(vectors):
            line(f"vmul v{2 + 3 * u}, v{2 + 3 * u}, {matrix.factor}")
    for u in range(vectors):
        line(f"vst s3, {u * lanes}, v{2 + 3 * u}")
    line("mov s1, s4", f"add s3, s3, {tile}")
    line("bnz s2, tile")
    line(f"mov s3, {results}", f"mov s0, {rows * columns}")
    line(f"copyout s0, s3, {rows}")
    return "\n".join(code)


### END SOLUTION
