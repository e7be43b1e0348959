"""Sums in float64 to be on the safe side: that is another program.

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
        S = T.sblock_alloc_buffer((m, n), "float64")
        for i, j, p in T.grid(m, n, k):
            with T.sblock("S"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    S[vi, vj] = T.float64(0)
                S[vi, vj] = S[vi, vj] + T.cast(A[vi, vk], "float64") * T.cast(B[vk, vj], "float64")
        for i, j in T.grid(m, n):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.cast(S[vi, vj], "float32")

    return matmul


### END SOLUTION
