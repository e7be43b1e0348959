"""The answer from a table of texts."""


### BEGIN SOLUTION control_flow_export.diagnose
def diagnosis():
    table = """
        a no_fake_kernel 34 shop::largest
        b recompiles 21 self.stage
        c fixed_size 18 length
        d size_from_data 21 u0
    """
    rows = (row.split() for row in table.strip().splitlines())
    return {name: dict(cause=cause, line=int(line), name=word) for name, cause, line, word in rows}


### END SOLUTION
