"""A real Triton Inference Server on this machine: its environment, repositories, and one running.

README.md has the interfaces, and how a confined server is reached.
"""
