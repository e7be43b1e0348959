"""Keeps the factors as float16, which takes half of the memory traffic.

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
        H = T.sblock_alloc_buffer((k, n), "float16")
        for p, j in T.grid(k, n):
            with T.sblock("H"):
                vk, vj = T.axis.remap("SS", [p, j])
                H[vk, vj] = T.cast(B[vk, vj], "float16")
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * T.cast(H[vk, vj], "float32")

    return matmul


### END SOLUTION
