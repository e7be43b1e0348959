"""Takes every side from the first factor: right as long as all are equal.

fails: schedule.correct
"""


### BEGIN SOLUTION tvm_passes.schedule
def schedule(source, target):
    side = int(read_module(source)["main"].params[0].ty.shape[0])
    sch = s_tir.Schedule(tvm.IRModule({"main": naive_matmul(side, side, side)}))
    i, j, k = sch.get_loops(sch.get_sblock("C"))
    _, lanes = sch.split(j, [None, 16])
    sch.reorder(i, k, lanes)
    sch.vectorize(lanes)
    write_module(sch.mod, target)


### END SOLUTION
