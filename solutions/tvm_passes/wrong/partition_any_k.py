"""Sends a matmul away whatever its K is.

fails: partition.sound
"""


### BEGIN SOLUTION tvm_passes.partition supported
def supported(unit):
    """Whether the accelerator can do it, by its name and the shapes."""
    inputs, out = shapes(unit["inputs"]), mac16.shape_of(unit["output"])
    if any(len(shape) != 2 for shape in [*inputs[:2], out]):
        return False
    if unit["name"] == "mac16.relu":
        return True
    if unit["name"] == "mac16.add":
        return all(shape == out for shape in inputs)
    (rows, k), (_, columns) = inputs[:2]
    return rows <= mac16.MOST_ROWS and k <= mac16.MOST_K and columns <= mac16.MOST_COLUMNS


### END SOLUTION
