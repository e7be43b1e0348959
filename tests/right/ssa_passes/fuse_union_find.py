"""Kernels as classes of a union-find; merges the first pair that pays; `best` by recursion."""


### BEGIN SOLUTION ssa_passes.fuse
class Fusion:
    def __init__(self, text):
        self.graph = read(text)
        self.of = {made: made for made in self.graph.ops}

    def kernels(self):
        groups = {}
        for made in self.graph.ops:
            groups.setdefault(self.of[made], []).append(made)
        return tuple(map(tuple, groups.values()))

    def joined(self, one, other):
        return {made: one if home == other else home for made, home in self.of.items()}

    def grow(self):
        now = moved(self.graph, self.kernels())
        for one, other in combinations(sorted(set(self.of.values())), 2):
            before, self.of = self.of, self.joined(one, other)
            if scheduled(self.graph, self.kernels()) and moved(self.graph, self.kernels()) < now:
                return True
            self.of = before
        return False


def is_kernel(graph, kernel):
    def loop(made):
        return graph.shapes[graph.reads[made][0]] if graph.ops[made] == "sum" else graph.shapes[made]

    if len({loop(made) for made in kernel}) != 1:
        return False
    if [graph.ops[made] for made in kernel].count("matmul") > 1:
        return False
    return not any(
        name in kernel and (graph.ops[made] == "matmul" or graph.ops[name] == "sum")
        for made in kernel
        for name in graph.reads[made]
    )


def scheduled(graph, kernels):
    if not all(is_kernel(graph, kernel) for kernel in kernels):
        return None
    done, order, left = set(graph.inputs), [], list(kernels)
    while left:
        ready = [k for k in left if {n for m in k for n in graph.reads[m]} <= done | set(k)]
        if not ready:
            return None
        order += ready
        done.update(*ready)
        left = [k for k in left if k not in ready]
    return order


def fuse(text):
    fusion = Fusion(text)
    while fusion.grow():
        pass
    return scheduled(fusion.graph, fusion.kernels())


def best(text):
    graph = read(text)
    names = list(graph.ops)
    found = []

    def place(number, kernels):
        if number == len(names):
            order = scheduled(graph, kernels)
            if order is not None:
                found.append(order)
            return
        for at in range(len(kernels)):
            place(number + 1, [*kernels[:at], (*kernels[at], names[number]), *kernels[at + 1 :]])
        place(number + 1, [*kernels, (names[number],)])

    place(0, [])
    return min(found, key=lambda order: moved(graph, order))


### END SOLUTION
