"""The product by TVM's IRBuilder, frame by frame, with each index an axis of its own."""


### BEGIN SOLUTION tvm_passes.naive_matmul naive
def naive_matmul(m, n, k):
    from tvm.script.ir_builder import IRBuilder
    from tvm.script.ir_builder import tirx as build

    with IRBuilder() as builder, build.prim_func(s_tir=True):
        build.func_name("main")
        a = build.arg("A", build.buffer((m, k), "float32"))
        b = build.arg("B", build.buffer((k, n), "float32"))
        c = build.arg("C", build.buffer((m, n), "float32"))
        with build.grid(m, n, k) as (i, j, p), build.sblock("C"):
            row, column = build.axis.spatial(m, i), build.axis.spatial(n, j)
            inner = build.axis.reduce(k, p)
            with build.init():
                build.buffer_store(c, 0.0, [row, column])
            value = c[row, column] + a[row, inner] * b[inner, column]
            build.buffer_store(c, value, [row, column])
    return builder.get()


### END SOLUTION
