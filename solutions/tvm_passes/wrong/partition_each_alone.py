"""Sends each unit away by itself: what one region would keep travels back and forth.

fails: partition.cheap
"""


### BEGIN SOLUTION tvm_passes.partition grown
def grown(graph):
    """One region for each unit."""
    return [[unit] for unit in found_units(graph)]


### END SOLUTION
