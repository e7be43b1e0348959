"""Compiles CUDA C++ files with nvcc and explains its output, with or without a GPU.

nvcc can compile for GPUs that the machine does not have. ptxas reports registers, spills and shared
memory of each kernel, the machine code shows the width of loads and stores, and occupancy follows
from these.
"""
