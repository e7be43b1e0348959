"""Proofs about Triton kernels, and in `cuda` about CUDA C++: in bounds and without races.

`reader` reads a function that launches kernels, and the kernels, as syntax trees: nothing of the
candidate runs. Sizes, strides, blocks and program numbers are integers that z3 chooses. `values`
holds what an expression can be, `launcher` and `kernel` say what it means on the host and in a
kernel, `language` what Triton's functions mean. `access` asks whether an access can leave its
tensor and `races` whether two programs can meet. `contract` is what may be assumed of the call,
`report` what is said. Whatever is not understood ends a proof with its reason (`NotRead`).

z3 is optional: only `worker`, which runs in a process of its own, and what it imports need it.
"""
