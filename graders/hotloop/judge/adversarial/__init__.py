"""Inputs that no part of a computation can leave out unnoticed.

Random inputs let wrong kernels pass by chance: where every element is about as large as the others,
the maximum over half of a row is as good as the maximum over all of it. The builders here place the
numbers that decide a result, so that each part of an axis that a kernel may handle on its own (a
half, a lane, a warp, a block, the tail) decides some row alone.

    reductions   sums, maxima, norms, softmax, matrix products: along one axis
    recurrences  scans and running maxima, which carry a state from block to block
    gathers      what is addressed through indices
    attention    queries and keys, by the scores that they give

Sources: the parts are those of the reductions in Mark Harris, "Optimizing Parallel Reduction in
CUDA" (NVIDIA, 2007), and of the CUDA C++ Programming Guide's warp shuffles. Test data that must
distinguish a program from its faulty neighbors: DeMillo, Lipton and Sayward, "Hints on Test Data
Selection" (Computer 11(4), 1978).
"""
