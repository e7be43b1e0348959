"""Proofs about kernels in CUDA C++: one thread is read, for all threads, blocks and sizes.

What is read is clang's LLVM IR of the device code, without any optimization and for pointers of 64
bits: templates, lambdas, macros, overloads and references are clang's business, every conversion
and every access of the source is an instruction, and about thirty kinds of instructions are all
there is. `listing` reads the text, `thread` says what it means, `prove` asks.
"""
