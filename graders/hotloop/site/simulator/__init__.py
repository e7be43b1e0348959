"""The CUDA simulator in a page: `bundle` makes its files, `static/` are its scripts."""
