"""Counts what goes in and what comes out, and forgets what lies in between in the memory.

fails: partition.sound
"""


### BEGIN SOLUTION tvm_passes.partition memory
def inputs(region):
    return {value for unit in region for value in unit["inputs"]} - values(region)


def memory(region):
    read = {value for unit in region for value in unit["inputs"]}
    held = inputs(region) | (values(region) - read)
    return sum(mac16.size(mac16.shape_of(value)) for value in held)


### END SOLUTION
