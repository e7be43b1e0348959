"""CUDA C++ without a GPU: kernels run as WebAssembly, and each of their accesses is checked."""
