"""Tiles for the cache and stops there: one product at a time, in one long chain.

fails: schedule.fast_512
"""


### BEGIN SOLUTION tvm_passes.schedule
def schedule(source, target):
    sch = s_tir.Schedule(read_module(source))
    i, j, k = sch.get_loops(sch.get_sblock("C"))
    i_tile, i_row = sch.split(i, [None, 32])
    j_tile, j_column = sch.split(j, [None, 32])
    sch.reorder(i_tile, j_tile, i_row, j_column, k)
    write_module(sch.mod, target)


### END SOLUTION
