"""A copy of Hotloop with the benchmarks' own module in it, and courses on that module."""
