"""Braun's construction: variables are looked up backwards, phis are made on demand and removed."""


### BEGIN SOLUTION ssa_passes.to_ssa
@ir.on_text
def to_ssa(function):
    return Braun(function).function


class Braun:
    def __init__(self, function):
        self.function, self.types = function, function.types
        self.before = function.predecessors
        self.current = {block.name: {} for block in function.blocks}
        self.phis = {block.name: {} for block in function.blocks}
        self.count, self.alias, self.sealed, self.filled = Counter(), {}, set(), set()
        self.current[function.entry] = {name: name for name, _ in function.params}
        for block in self.order():
            if self.before[block.name] and set(self.before[block.name]) <= self.filled:
                self.seal(block.name)
            self.fill(block)
            self.filled.add(block.name)
            for other in self.current:
                if other not in self.sealed and set(self.before[other]) <= self.filled:
                    self.seal(other)
        for block in function.blocks:
            made = [p for p in self.phis[block.name].values() if p.to not in self.alias]
            block.instrs[:0] = made
        function.replace(self.alias)

    def order(self):
        seen, done = set(), []

        def visit(label):
            seen.add(label)
            for follower in self.function.block(label).successors:
                if follower not in seen:
                    visit(follower)
            done.append(self.function.block(label))

        visit(self.function.entry)
        return done[::-1]

    def fill(self, block):
        kept, here = [], self.current[block.name]
        for instr in block.instrs:
            instr.replace_operands(
                lambda o: o if ir.is_constant(o) else self.read(o, block.name)
            )
            if instr.op == "copy":
                here[instr.to] = instr.args[0]
                continue
            if instr.to:
                here[instr.to] = instr.to = self.fresh(instr.to)
            kept.append(instr)
        block.instrs = kept

    def fresh(self, variable):
        self.count[variable] += 1
        return f"{variable}_{self.count[variable]}"

    def resolved(self, value):
        while value in self.alias:
            value = self.alias[value]
        return value

    def read(self, variable, label):
        here = self.current[label]
        if variable in here:
            return self.resolved(here[variable])
        if label not in self.sealed:
            here[variable] = self.phi(variable, label).to
        elif len(self.before[label]) == 1:
            here[variable] = self.read(variable, self.before[label][0])
        else:
            phi = self.phi(variable, label)
            here[variable] = phi.to
            here[variable] = self.complete(phi, variable, label)
        return self.resolved(here[variable])

    def phi(self, variable, label):
        phi = ir.Instr("phi", [], self.fresh(variable), self.types[variable])
        self.phis[label][variable] = phi
        return phi

    def seal(self, label):
        self.sealed.add(label)
        for variable, phi in list(self.phis[label].items()):
            if not phi.args:
                self.complete(phi, variable, label)

    def complete(self, phi, variable, label):
        for before in self.before[label]:
            phi.args += [before, self.read(variable, before)]
        return self.without_trivial(phi)

    def without_trivial(self, phi):
        values = {self.resolved(value) for value in phi.operands} - {phi.to}
        if len(values) != 1:
            return phi.to
        self.alias[phi.to] = values.pop()
        for others in self.phis.values():
            for other in others.values():
                complete = len(other.args) == 2 * len(self.before[self.home(other)])
                users = {self.resolved(value) for value in other.operands}
                if other.to not in self.alias and self.resolved(phi.to) in users and complete:
                    self.without_trivial(other)
        return self.resolved(phi.to)

    def home(self, phi):
        return next(label for label, phis in self.phis.items() if phi in phis.values())


### END SOLUTION
