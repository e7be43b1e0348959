"""Sends a matmul away whatever its K is.

fails: partition.sound
"""


### BEGIN SOLUTION tvm_passes.partition
def partition(source, target):
    """Read a module with one dataflow block, and write it divided."""
    module = read_module(source)
    if not any("Codegen" in f.attrs for f in module.functions.values() if f.attrs):
        module = divided(module)
    write_module(module, target)


def divided(module):
    """Decide first, then let TVM's passes carry it out."""
    graph = Graph(module["main"])
    regions = [r for r in graph.grown() if graph.accelerated_us(r) < graph.host_us(r)]
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


def patterns():
    x, w, bias = wildcard(), wildcard(), wildcard()
    matmul = is_op("relax.matmul")(x, w)
    biased = is_op("relax.add")(matmul, bias) | is_op("relax.add")(bias, matmul)
    relu = is_op("relax.nn.relu")
    return {
        "matmul_bias_relu": relu(biased),
        "matmul_bias": biased,
        "matmul_relu": relu(matmul),
        "matmul": matmul,
        "add": is_op("relax.add")(wildcard(), wildcard()),
        "relu": relu(wildcard()),
    }


PATTERNS = patterns()
ROUNDING_US = 1e-9


class Graph:
    """The dataflow of "main": who makes a value, who uses it, and what may become a unit."""

    def __init__(self, main):
        self.calls = {}
        outputs = set()
        for binding in mac16.bindings(main):
            if isinstance(binding.value, tvm.ir.Call):
                self.calls[binding.var] = binding.value
            else:  # the tuple that is returned
                outputs |= set(variables(binding.value))
        self.outputs = outputs | set(variables(main.body.body))
        self.users = {}
        for variable, call in self.calls.items():
            for value in set(variables(call)):
                self.users.setdefault(value, []).append(variable)
        self.units = self.found_units()

    # --- units: what one composite function does ---

    def found_units(self):
        units, taken = [], set()
        for kinds, make in ((["matmul"], self.from_matmul), (["add", "relu"], self.alone)):
            for variable, call in self.calls.items():
                if mac16.kind_of(call) not in kinds or variable in taken:
                    continue
                unit = make(variable)
                if supported(unit) and self.memory([unit]) <= mac16.MEMORY_BYTES:
                    units.append(unit)
                    taken |= set(unit["members"])
        return units

    def from_matmul(self, variable):
        """A matmul, and the bias and relu behind it that nobody else sees the inside of."""
        chain, inputs, name = [variable], list(self.calls[variable].args), "mac16.matmul"
        add = self.only_user(variable, "add")
        if add is not None:
            others = [a for a in self.calls[add].args if a != variable]
            if others and mac16.shape_of(others[0]) == mac16.shape_of(variable)[-1:]:
                chain, inputs, name = [*chain, add], [*inputs, others[0]], name + "_bias"
        relu = self.only_user(chain[-1], "relu")
        if relu is not None:
            chain, name = [*chain, relu], name + "_relu"
        return {"name": name, "members": chain, "inputs": inputs, "output": chain[-1]}

    def alone(self, variable):
        call = self.calls[variable]
        return {
            "name": f"mac16.{mac16.kind_of(call)}",
            "members": [variable],
            "inputs": list(call.args),
            "output": variable,
        }

    def only_user(self, variable, kind):
        users = self.users.get(variable, [])
        if variable in self.outputs or len(users) != 1:
            return None
        return users[0] if mac16.kind_of(self.calls[users[0]]) == kind else None

    # --- regions: units that are sent away together ---

    def grown(self):
        """Merge the two regions that gain most by it, as long as any gain."""
        regions = [[unit] for unit in self.units]
        while pair := self.best_merge(regions):
            one, other = pair
            regions = [r for r in regions if r is not one and r is not other] + [one + other]
        return regions

    def best_merge(self, regions):
        """The two that gain most and may be merged; None when there are none."""
        pairs = sorted(combinations(regions, 2), key=lambda pair: -self.gain(*pair))
        gaining = (pair for pair in pairs if self.gain(*pair) > ROUNDING_US)
        return next((pair for pair in gaining if self.may_merge(pair, regions)), None)

    def gain(self, one, other):
        return self.worth(one) + self.worth(other) - self.worth(one + other)

    def may_merge(self, pair, regions):
        one, other = pair
        touching = self.inputs(one) & values(other) or self.inputs(other) & values(one)
        if not touching or self.memory(one + other) > mac16.MEMORY_BYTES:
            return False
        others = [r for r in regions if r is not one and r is not other]
        return self.is_acyclic([*others, one + other])

    def is_acyclic(self, regions):
        """No region waits, over whatever lies between, for one that waits for it."""
        owner = {m: n for n, region in enumerate(regions) for u in region for m in u["members"]}
        waits = {}
        for variable, call in self.calls.items():
            mine = owner.get(variable, variable)
            needs = {owner.get(v, v) for v in variables(call) if v in self.calls}
            waits.setdefault(mine, set()).update(needs - {mine})
        while ready := {node for node, needs in waits.items() if not needs}:
            waits = {node: needs - ready for node, needs in waits.items() if node not in ready}
        return not waits

    # --- what a region holds and costs ---

    def inputs(self, region):
        return {value for unit in region for value in unit["inputs"]} - values(region)

    def results(self, region):
        inside = {m for unit in region for m in unit["members"]}
        return {
            value
            for value in values(region)
            if value in self.outputs or set(self.users.get(value, [])) - inside
        }

    def memory(self, region):
        held = self.inputs(region) | values(region)
        return sum(mac16.size(mac16.shape_of(value)) for value in held)

    def worth(self, region):
        return min(self.accelerated_us(region), self.host_us(region))

    def accelerated_us(self, region):
        work = sum(
            mac16.unit_us(u["name"], shapes(u["inputs"]), mac16.shape_of(u["output"]))
            for u in region
        )
        moved = shapes([*self.inputs(region), *self.results(region)])
        return mac16.LAUNCH_US + work + sum(map(mac16.transfer_us, moved))

    def host_us(self, region):
        cost = 0.0
        for variable in (m for unit in region for m in unit["members"]):
            call = self.calls[variable]
            cost += mac16.host_us(mac16.kind_of(call), shapes(call.args), mac16.shape_of(variable))
        return cost


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


def variables(expression):
    """The values that a call takes, or that a tuple holds."""
    if isinstance(expression, tvm.ir.Call):
        return [a for a in expression.args if not isinstance(a, relax.ShapeExpr)]
    return list(expression.fields) if isinstance(expression, tvm.ir.Tuple) else [expression]


def values(region):
    return {unit["output"] for unit in region}


def shapes(arguments):
    return [mac16.shape_of(a) for a in arguments if not isinstance(a, relax.ShapeExpr)]


@relax.expr_functor.mutator
class Renamer(relax.PyExprMutator):
    """Takes the regions' numbers out of the attributes again."""

    def visit_function_(self, function):
        function = super().visit_function_(function)
        for key in ("Codegen", "Composite"):
            if function.attrs and key in function.attrs:
                _, _, rest = str(function.attrs[key]).partition(".")
                function = function.with_attr(key, f"mac16.{rest}" if rest else "mac16")
        return function


def renamed(module):
    renamer = Renamer(module)
    for variable, function in module.functions.items():
        renamer.builder_.update_func(variable, renamer.visit_expr(function))
    return renamer.builder_.get()


### END SOLUTION
