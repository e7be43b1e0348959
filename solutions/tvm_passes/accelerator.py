"""Divides a Relax graph between the host and the accelerator mac16 (accelerator.md)."""

from itertools import combinations

import mac16
import tvm
from ir_files import read_module, write_module
from tvm import relax
from tvm.relax.dpl import is_op, wildcard
from tvm.relax.transform import FuseOpsByPattern, FusionPattern, MergeCompositeFunctions


### BEGIN SOLUTION tvm_passes.partition
### STUB def partition(source, target):
### STUB     """Read a module with one dataflow block, and write it divided.
### STUB
### STUB     What goes to the accelerator is in functions with the attribute Codegen "mac16"; they
### STUB     call nothing but functions with an attribute Composite from mac16.NAMES.
### STUB     """
### STUB     raise NotImplementedError("tvm_passes.partition")
def partition(source, target):
    """Read a module with one dataflow block, and write it divided."""
    module = read_module(source)
    if not any("Codegen" in f.attrs for f in module.functions.values() if f.attrs):
        module = divided(module)
    write_module(module, target)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition carried_out
### STUB # Once it is decided: how do TVM's passes carry it out, and only that?
def divided(module):
    """Decide first, then let TVM's passes carry it out."""
    graph = Graph(module["main"])
    regions = [r for r in grown(graph) if accelerated_us(graph, r) < host_us(graph, r)]
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


### BEGIN SOLUTION tvm_passes.partition patterns
### STUB # What one composite function may hold, as patterns.
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


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition graph
### STUB # Which node produces a value, and which nodes use it?
class Graph:
    """The dataflow of "main": who makes a value, and who uses it."""

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

    def only_user(self, variable, kind):
        users = self.users.get(variable, [])
        if variable in self.outputs or len(users) != 1:
            return None
        return users[0] if mac16.kind_of(self.calls[users[0]]) == kind else None


def variables(expression):
    """The values that a call takes, or that a tuple holds."""
    if isinstance(expression, tvm.ir.Call):
        return [a for a in expression.args if not isinstance(a, relax.ShapeExpr)]
    return list(expression.fields) if isinstance(expression, tvm.ir.Tuple) else [expression]


def values(region):
    return {unit["output"] for unit in region}


def shapes(arguments):
    return [mac16.shape_of(a) for a in arguments if not isinstance(a, relax.ShapeExpr)]


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition units
### STUB # Which operators become one composite function, and which may the accelerator be given?
def found_units(graph):
    units, taken = [], set()
    for kinds, make in ((["matmul"], from_matmul), (["add", "relu"], alone)):
        for variable, call in graph.calls.items():
            if mac16.kind_of(call) not in kinds or variable in taken:
                continue
            unit = make(graph, variable)
            if supported(unit) and memory([unit]) <= mac16.MEMORY_BYTES:
                units.append(unit)
                taken |= set(unit["members"])
    return units


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition matmul
### STUB # A matmul, and what it may take along.
def from_matmul(graph, variable):
    """A matmul, and the bias and relu behind it that nobody else sees the inside of."""
    chain, inputs, name = [variable], list(graph.calls[variable].args), "mac16.matmul"
    add = graph.only_user(variable, "add")
    if add is not None:
        others = [a for a in graph.calls[add].args if a != variable]
        if others and mac16.shape_of(others[0]) == mac16.shape_of(variable)[-1:]:
            chain, inputs, name = [*chain, add], [*inputs, others[0]], name + "_bias"
    relu = graph.only_user(chain[-1], "relu")
    if relu is not None:
        chain, name = [*chain, relu], name + "_relu"
    return {"name": name, "members": chain, "inputs": inputs, "output": chain[-1]}


def alone(graph, variable):
    call = graph.calls[variable]
    return {
        "name": f"mac16.{mac16.kind_of(call)}",
        "members": [variable],
        "inputs": list(call.args),
        "output": variable,
    }


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition supported
### STUB # What the accelerator can do at all.
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
    sizes = rows <= mac16.MOST_ROWS and k <= mac16.MOST_K and columns <= mac16.MOST_COLUMNS
    return sizes and k % mac16.K_STEP == 0


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition grown
### STUB # Which units are sent away together?
def grown(graph):
    """Merge the two regions that gain most by it, as long as any gain."""
    regions = [[unit] for unit in found_units(graph)]
    while pair := best_merge(graph, regions):
        one, other = pair
        regions = [r for r in regions if r is not one and r is not other] + [one + other]
    return regions


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition merging
### STUB # Which two regions gain most when they become one, and may they?
ROUNDING_US = 1e-9


def best_merge(graph, regions):
    """The two that gain most and may be merged; None when there are none."""
    pairs = sorted(combinations(regions, 2), key=lambda pair: -gain(graph, *pair))
    gaining = (pair for pair in pairs if gain(graph, *pair) > ROUNDING_US)
    return next((pair for pair in gaining if may_merge(graph, pair, regions)), None)


def gain(graph, one, other):
    return worth(graph, one) + worth(graph, other) - worth(graph, one + other)


def may_merge(graph, pair, regions):
    one, other = pair
    touching = inputs(one) & values(other) or inputs(other) & values(one)
    if not touching or memory(one + other) > mac16.MEMORY_BYTES:
        return False
    others = [r for r in regions if r is not one and r is not other]
    return is_acyclic(graph, [*others, one + other])


def is_acyclic(graph, regions):
    """No region waits, over whatever lies between, for one that waits for it."""
    owner = {m: n for n, region in enumerate(regions) for u in region for m in u["members"]}
    waits = {}
    for variable, call in graph.calls.items():
        mine = owner.get(variable, variable)
        needs = {owner.get(v, v) for v in variables(call) if v in graph.calls}
        waits.setdefault(mine, set()).update(needs - {mine})
    while ready := {node for node, needs in waits.items() if not needs}:
        waits = {node: needs - ready for node, needs in waits.items() if node not in ready}
    return not waits


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition memory
### STUB # What a region takes of the accelerator's memory.
def inputs(region):
    return {value for unit in region for value in unit["inputs"]} - values(region)


def memory(region):
    held = inputs(region) | values(region)
    return sum(mac16.size(mac16.shape_of(value)) for value in held)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition costs
### STUB # What a region costs, there and on the host.
def results(graph, region):
    inside = {m for unit in region for m in unit["members"]}
    return {
        value
        for value in values(region)
        if value in graph.outputs or set(graph.users.get(value, [])) - inside
    }


def worth(graph, region):
    return min(accelerated_us(graph, region), host_us(graph, region))


def accelerated_us(graph, region):
    work = sum(
        mac16.unit_us(u["name"], shapes(u["inputs"]), mac16.shape_of(u["output"])) for u in region
    )
    moved = shapes([*inputs(region), *results(graph, region)])
    return mac16.LAUNCH_US + work + sum(map(mac16.transfer_us, moved))


def host_us(graph, region):
    cost = 0.0
    for variable in (m for unit in region for m in unit["members"]):
        call = graph.calls[variable]
        cost += mac16.host_us(mac16.kind_of(call), shapes(call.args), mac16.shape_of(variable))
    return cost


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition names
### STUB # The names of the regions, as they are asked for.
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
