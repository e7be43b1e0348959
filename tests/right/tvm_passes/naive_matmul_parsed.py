"""A function written as a text with the sizes filled in, and parsed."""


### BEGIN SOLUTION tvm_passes.naive_matmul naive
SOURCE = """
# from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def main(A: T.Buffer(({m}, {k}), "float32"), B: T.Buffer(({k}, {n}), "float32"),
         C: T.Buffer(({m}, {n}), "float32")):
    for row in range({m}):
        for column in range({n}):
            for inner in range({k}):
                with T.sblock("C"):
                    r = T.axis.spatial({m}, row)
                    c = T.axis.spatial({n}, column)
                    s = T.axis.reduce({k}, inner)
                    with T.init():
                        C[r, c] = 0.0
                    C[r, c] += A[r, s] * B[s, c]
"""


def naive_matmul(m, n, k):
    return tvm.script.from_source(SOURCE.format(m=m, n=n, k=k))


### END SOLUTION
