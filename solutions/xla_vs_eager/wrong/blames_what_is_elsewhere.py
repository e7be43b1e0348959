"""Looks for the cause anywhere in the program, not between the two.

fails: read_hlo.unfused
"""


### BEGIN SOLUTION xla_vs_eager.read_hlo unfused
def why_not_fused(path, first, second):
    operations = [each["op"] for each in computations(path)["ENTRY"].values()]
    for op, cause in (("custom-call", "opaque"), ("reduce", "reduction"), ("copy", "layout")):
        if op in operations:
            return cause
    return "returned"


### END SOLUTION
