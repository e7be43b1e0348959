"""The server of `hotloop mcp`: what the learner's own assistant may call.

No tool takes a path or a file: modules, tasks and questions are named by their keys, and the answer
that is checked is the one in the learner's folder. Nothing here reads a solution.
"""
