"""Calls the sum's axis spatial, so that its loop may be parallel: a race.

fails: schedule.correct
"""


### BEGIN SOLUTION tvm_passes.schedule
def schedule(source, target):
    a, b, _ = read_module(source)["main"].params
    (m, k), n = map(int, a.ty.shape), int(b.ty.shape[1])
    write_module(product_of(m, n, k), target)


def product_of(m, n, k):
    @T.prim_func(s_tir=True)
    def matmul(
        A: T.Buffer((m, k), "float32"),
        B: T.Buffer((k, n), "float32"),
        C: T.Buffer((m, n), "float32"),
    ):
        T.func_attr({"global_symbol": "main", "tirx.noalias": True})
        for i, j in T.grid(m, n):
            with T.sblock("start"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.float32(0)
        for p in T.parallel(k):
            for i, j in T.grid(m, n):
                with T.sblock("C"):
                    vi, vj, vk = T.axis.remap("SSS", [i, j, p])
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    return matmul


### END SOLUTION
