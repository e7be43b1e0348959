"""What runs or reads a learner's work beside the worker.

`simulate` runs CUDA C++ as WebAssembly, `nvcc` compiles it, `serving` starts a Triton server, and
`trace` reads profiler traces.
"""
