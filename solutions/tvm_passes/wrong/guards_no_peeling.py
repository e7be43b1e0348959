"""Takes out what is decided everywhere, and peels nothing.

fails: tir_pass.complete
"""


### BEGIN SOLUTION tvm_passes.tir_pass loop
def rewritten_loop(loop, ranges, facts):
    """The loop; in two parts when its last iteration keeps a guard from being decided."""
    whole = {**ranges, loop.loop_var: Range.from_min_extent(loop.min, loop.extent)}
    body = rewritten(loop.body, whole, facts)
    return with_body(loop, loop.extent, body)


### END SOLUTION
