"""Deadlines from the end first, then a bundle each cycle, an empty one if nothing issues."""


### BEGIN SOLUTION unknown_machine.block
def pack(block, live, machine):
    code = [instruction(text) for text in block]
    cost = [machine["latency"].get(each.latency, 1) for each in code]
    needs = [{} for _ in code]  # index: (of which, cycles)
    value, sources, store, loads = {}, [], None, []
    last = {}
    for i, each in enumerate(code):
        sources.append({name: value.get(name) for name in each.reads})
        for made in sources[i].values():
            if made is not None:
                needs[i][made] = max(needs[i].get(made, 0), cost[made])
        if each.unit in ("load", "store"):
            if store is not None:
                needs[i][store] = max(needs[i].get(store, 0), 1)
            if each.unit == "store":
                for load in loads:
                    needs[i].setdefault(load, 0)
                store, loads = i, []
            else:
                loads.append(i)
        for name in each.writes:
            value[name] = last[name] = i
    behind = [0] * len(code)
    for i in reversed(range(len(code))):
        behind[i] += cost[i]
        for j in needs[i]:
            behind[j] = max(behind[j], behind[i])
    inputs = {n for i in range(len(code)) for n, made in sources[i].items() if made is None}
    readers = [0] * len(code)
    for each in sources:
        for made in each.values():
            if made is not None:
                readers[made] += 1
    taken = inputs | set(live)
    pool = {
        "s": [f"s{n}" for n in range(machine["scalars"]) if f"s{n}" not in taken],
        "v": [f"v{n}" for n in range(machine["vectors"]) if f"v{n}" not in taken],
    }
    waiting = {n: sum(n in each and each[n] is None for each in sources) for n in inputs}
    home, when, bundles, cycle = {}, {}, [], 0
    todo = sorted(range(len(code)), key=lambda i: (-behind[i], i))
    while todo:
        bundle, slots, freed = [], dict(machine["slots"]), []
        for i in list(todo):
            each = code[i]
            if len(bundle) == machine["width"] or not slots[each.unit]:
                continue
            if any(j not in when or when[j] + c > cycle for j, c in needs[i].items()):
                continue
            final = [n for n in each.writes if n in live and last[n] == i]
            if any(waiting.get(n, 0) - (n in sources[i]) > 0 for n in final):
                continue  # somebody still reads what was there before the block
            if each.writes and not final and not pool[each.writes[0][0]]:
                continue
            names = {n: n if m is None else home[m] for n, m in sources[i].items()}
            operands = list(each.operands)
            start = 1 if each.writes else 0
            operands[start:] = [names.get(o, o) for o in operands[start:]]
            if each.writes:
                home[i] = final[0] if final else pool[each.writes[0][0]].pop(0)
                operands[0] = home[i]
            bundle.append(f"{each.name} {', '.join(operands)}")
            slots[each.unit] -= 1
            when[i] = cycle
            todo.remove(i)
            for n, m in sources[i].items():
                if m is None:
                    waiting[n] -= 1
                else:
                    readers[m] -= each.reads.count(n) and 1
                    if not readers[m] and home[m] not in live:
                        freed.append(home[m])
            if each.writes and not readers[i] and not final:
                freed.append(home[i])
        for name in freed:
            pool[name[0]].append(name)
        bundles.append(bundle)
        cycle += 1
    return bundles


### END SOLUTION
