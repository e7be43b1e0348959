"""Graphs of tensor operators as plain data, for tasks whose answer is a graph or is about one.

    graph        the graph: nodes by the names of their results, and its validation
    builder      a random graph under construction
    evaluation   values of a graph's nodes in float64, and how two graphs' outputs differ

A module adds what its own operators need, and the text in which it hands a graph over.
"""
