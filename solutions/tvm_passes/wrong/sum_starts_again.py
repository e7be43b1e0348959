"""Starts the sum again in every tile of k: what came before is lost.

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
        for i, p_tile, j, p in T.grid(m, k // 32, n, 32):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                vt, vp = T.axis.remap("RR", [p_tile, p])
                if vp == 0:
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vt * 32 + vp] * B[vt * 32 + vp, vj]

    return matmul


### END SOLUTION
