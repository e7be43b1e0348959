"""Runs a real Triton Inference Server: environment, model repositories and server processes.

README.md documents the interfaces and how to reach a sandboxed server.
"""
