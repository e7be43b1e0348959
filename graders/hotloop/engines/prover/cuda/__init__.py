"""Proofs about kernels in CUDA C++: one thread is read, for all threads, blocks and sizes.

What is read is clang's LLVM IR of the device code, without any optimization and for pointers of 64
bits: templates, lambdas, macros, overloads and references are clang's business, every conversion
and every access of the source is an instruction, and few kinds of instructions are left. Syntax
trees would be longer to follow, and optimized code lacks accesses that the source has. The bytes
are the learner's: whatever is not understood ends a proof with its reason.

`listing` reads the text. `state` is what a thread knows at a place, `facts` and `numbers` what is
known of integers, `instructions` and `thread` say what happens. `prove` asks, with the questions
about accesses that Triton's kernels are asked.
"""
