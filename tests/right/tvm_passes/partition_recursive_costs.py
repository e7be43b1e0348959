"""Regions grow from any pair that gains, the first one in order; costs by generators."""


### BEGIN SOLUTION tvm_passes.partition grown
def grown(graph):
    regions = [[unit] for unit in found_units(graph)]
    for pair in sorted(combinations(regions, 2), key=lambda p: -gain(graph, *p)):
        if gain(graph, *pair) > 1e-9 and may_merge(graph, pair, regions):
            rest = [r for r in regions if all(r is not p for p in pair)]
            return regrown(graph, [*rest, pair[0] + pair[1]])
    return regions


def regrown(graph, regions):
    pair = best_merge(graph, regions)
    if pair is None:
        return regions
    rest = [r for r in regions if all(r is not p for p in pair)]
    return regrown(graph, [*rest, pair[0] + pair[1]])


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition matmul
def from_matmul(graph, variable):
    unit = {"name": "mac16.matmul", "members": [variable], "output": variable}
    unit["inputs"] = [*graph.calls[variable].args]
    for kind, suffix in (("add", "_bias"), ("relu", "_relu")):
        following = graph.only_user(unit["output"], kind)
        if following is None:
            continue
        if kind == "add":
            own = [a for a in graph.calls[following].args if not a.same_as(unit["output"])]
            if len(own) != 1 or mac16.shape_of(own[0]) != mac16.shape_of(variable)[1:]:
                continue
            unit["inputs"] += own
        unit["members"].append(following)
        unit["name"] += suffix
        unit["output"] = following
    return unit


def alone(graph, variable):
    call = graph.calls[variable]
    name = "mac16." + mac16.kind_of(call)
    return dict(name=name, members=[variable], inputs=list(call.args), output=variable)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition costs
def results(graph, region):
    inside = {m for unit in region for m in unit["members"]}

    def leaves(value):
        return value in graph.outputs or any(u not in inside for u in graph.users.get(value, ()))

    return {unit["output"] for unit in region if leaves(unit["output"])}


def accelerated_us(graph, region):
    def parts():
        yield mac16.LAUNCH_US
        for unit in region:
            yield mac16.unit_us(unit["name"], shapes(unit["inputs"]), mac16.shape_of(unit["output"]))
        for value in inputs(region) | results(graph, region):
            yield mac16.transfer_us(mac16.shape_of(value))

    return sum(parts())


def host_us(graph, region):
    return sum(
        mac16.host_us(mac16.kind_of(call), shapes(call.args), mac16.shape_of(member))
        for unit in region
        for member, call in ((m, graph.calls[m]) for m in unit["members"])
    )


def worth(graph, region):
    return min(host_us(graph, region), accelerated_us(graph, region))


### END SOLUTION
