"""Tiles of two levels and a fused parallel loop; no cache for the sums, no unrolling."""


### BEGIN SOLUTION tvm_passes.schedule
def schedule(source, target):
    sch = s_tir.Schedule(read_module(source))
    block = sch.get_sblock("C")
    rows, columns, inner = sch.get_loops(block)
    row_tile, row = sch.split(rows, factors=[None, 32])
    column_tile, column = sch.split(columns, factors=[None, 32])
    strip, step = sch.split(inner, factors=[None, 16])
    sch.reorder(row_tile, column_tile, strip, row, step, column)
    sch.parallel(sch.fuse(row_tile, column_tile))
    sch.vectorize(column)
    sch.decompose_reduction(block, strip)
    write_module(sch.mod["main"], target)


### END SOLUTION
