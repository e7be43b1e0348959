"""What NVIDIA's compiler says of a CUDA C++ file, on a machine that may have no GPU.

nvcc compiles for GPUs that are not there. Its assembler reports registers, spills and shared memory
of each kernel, the machine code shows how wide the loads are, and from these follows how many
threads fit on a multiprocessor.
"""
