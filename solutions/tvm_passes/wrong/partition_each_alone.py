"""Sends each unit away by itself: what one region would keep travels back and forth.

fails: partition.cheap
"""


### BEGIN SOLUTION tvm_passes.partition grown
def grown(graph):
    """One region for each unit."""
    return [[unit] for unit in found_units(graph)]


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition carried_out
def divided(module):
    """Decide first, then let TVM's passes carry it out."""
    graph = Graph(module["main"])
    regions = grown(graph)
    # The name before the dot is the region's: what has the same one is merged, and nothing else.
    patterns = [
        FusionPattern(f"mac16_{number}.{name}", pattern, {}, is_one_of(region, name))
        for number, region in enumerate(regions)
        for name, pattern in PATTERNS.items()
    ]
    module = FuseOpsByPattern(patterns, bind_constants=False)(module)
    module = MergeCompositeFunctions()(module)
    return renamed(module)


def is_one_of(region, name):
    """Accepts a match when it is just one of the region's units."""
    wanted = {members(unit) for unit in region if unit["name"] == f"mac16.{name}"}
    return lambda match: frozenset(match.matched_bindings) in wanted


def members(unit):
    return frozenset(unit["members"])


### END SOLUTION
