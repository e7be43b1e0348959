"""What runs or reads a learner's work beside the worker.

`simulate` runs CUDA C++ as WebAssembly, `nvcc` compiles it, `serving` starts a Triton server,
`trace` reads profiler traces, and `accelerator` is a family of simulated machines.
"""
