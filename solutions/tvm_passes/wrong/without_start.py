"""Has no T.init: the sum begins with whatever lies in the memory.

fails: naive_matmul.correct
"""


### BEGIN SOLUTION tvm_passes.naive_matmul naive
def naive_matmul(m, n, k):
    @T.prim_func(s_tir=True)
    def matmul(
        A: T.Buffer((m, k), "float32"),
        B: T.Buffer((k, n), "float32"),
        C: T.Buffer((m, n), "float32"),
    ):
        T.func_attr({"global_symbol": "main", "tirx.noalias": True})
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    return matmul


### END SOLUTION
