"""Plain Python: savings of each program are kept and added to with each call, and start again after a purchase."""


### BEGIN SOLUTION transformer_compilation.compile_policy
import json
from dataclasses import dataclass


@dataclass
class Market:
    """What things cost."""

    eager: list
    static: list
    dynamic: list
    compile_static_s: float
    compile_dynamic_s: float
    load_s: float
    most_static: int
    longest: int

    def call(self, program, length):
        if program is None:
            return self.eager[0] + self.eager[1] * length
        if program == 0:
            return self.dynamic[0] + self.dynamic[1] * length
        return self.static[0] + self.static[1] * program if program >= length else float("inf")

    def entry(self, program, compiled):
        if program in compiled:
            return self.load_s
        return self.compile_dynamic_s if program == 0 else self.compile_static_s


GRID = 16


def decide(prices, memory, call):
    """Memory and way, as JSON; see the notebook."""
    market, call = Market(**json.loads(prices)), json.loads(call)
    memory = json.loads(memory)
    if memory is None:
        memory = {"life": 0, "saved": {}}
    alive, compiled, length = call["alive"], set(call["compiled"]), call["length"]
    saved = memory["saved"]

    here = min([None, *alive], key=lambda program: market.call(program, length))
    cost = market.call(here, length)
    rounded = min(market.longest, -(-length // GRID) * GRID)
    wanted = {0, length} | set(range(rounded, market.longest + 1, GRID)) | {p for p in compiled if p >= length}
    for program in wanted.difference(alive):
        gain = cost - market.call(program, length)
        if gain > 0:
            saved[str(program)] = round(saved.get(str(program), 0.0) + gain, 5)

    full = sum(1 for program in alive if program) >= market.most_static
    affordable = [
        (saved[str(program)] / market.entry(program, compiled), program)
        for program in wanted.difference(alive)
        if str(program) in saved and not (program and full) and market.call(program, length) < cost
    ]
    if affordable:
        ratio, program = max(affordable)
        if ratio >= 1:
            here = program
            memory["saved"] = {}
    if len(memory["saved"]) > 600:
        memory["saved"] = dict(sorted(saved.items(), key=lambda item: -item[1])[:300])
    way = {"run": "eager"} if here is None else {"run": "static", "size": here} if here else {"run": "dynamic"}
    return json.dumps([memory, way])
### END SOLUTION
