"""Runs CUDA C++ on a CPU, and says what is wrong with it.

A source goes through `translate` (the preprocessor, then a few constructs rewritten), `build` (g++,
cached by content) and `run`; `report` is what comes back. The simulator itself is C++, in `cpp/`.
What it shows is evidence that a kernel is correct and moves little, never how fast a GPU runs it.
"""
