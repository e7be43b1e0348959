"""The product as a tensor expression; the function is read by recursion over the printed nodes' types."""


### BEGIN SOLUTION tvm_passes.naive_matmul naive
from tvm import te


def naive_matmul(m, n, k):
    a = te.placeholder((m, k), "float32", "A")
    b = te.placeholder((k, n), "float32", "B")
    p = te.reduce_axis((0, k), "p")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, p] * b[p, j], p), "C")
    return te.create_prim_func([a, b, c])


### END SOLUTION
