"""Adversarial inputs: every part of a computation determines some part of the result.

With random inputs, wrong kernels pass by chance: if all elements are about equally large, the
maximum over half of a row is as good as the maximum over all of it. The builders here place the
numbers that determine a result, so that each part of an axis that a kernel may handle separately (a
half, a lane, a warp, a block, the tail) alone determines some row.

    reductions   sums, maxima, norms, softmax, matrix products: along one axis
    recurrences  scans and running maxima, which carry a state from block to block
    gathers      memory accesses through indices
    attention    queries and keys with chosen scores

Sources: the parts are those of the reductions in Mark Harris, "Optimizing Parallel Reduction in
    CUDA" (NVIDIA, 2007), and of the CUDA C++ Programming Guide's warp shuffles. Test data that must
    distinguish a program from its faulty neighbors: DeMillo, Lipton and Sayward, "Hints on Test
    Data Selection" (Computer 11(4), 1978).
"""
