"""A product in TileLang, and nothing beside it."""

import tilelang.language as T  # noqa: N812 - its documentation calls it so


# --8<-- [start:kernel]
def product(rows, columns, depth, tile=128, step=32):
    """Return the program of a @ b, float16, summed in float32."""

    @T.prim_func
    def kernel(
        a: T.Tensor((rows, depth), "float16"),
        b: T.Tensor((depth, columns), "float16"),
        c: T.Tensor((rows, columns), "float16"),
    ):
        with T.Kernel(T.ceildiv(columns, tile), T.ceildiv(rows, tile), threads=128) as (x, y):
            left = T.alloc_shared((tile, step), "float16")
            right = T.alloc_shared((step, tile), "float16")
            total = T.alloc_fragment((tile, tile), "float32")
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(depth, step), num_stages=3):
                T.copy(a[y * tile, k * step], left)
                T.copy(b[k * step, x * tile], right)
                T.gemm(left, right, total)
            T.copy(total, c[y * tile, x * tile])

    return kernel


# --8<-- [end:kernel]
