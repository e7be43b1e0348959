"""Medians from sorted lists, and the best within a budget asked anew for each number of trials, without NumPy."""


### BEGIN SOLUTION tvm_passes.equal_budgets
def middle(numbers):
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else sum(ordered[half - 1 : half + 1]) / 2


def compare(searches):
    with open(searches) as file:
        recorded = json.load(file)
    kinds = {name: recorded[name] for name in ("random", "xgb")}
    budget = min(len(times) for kind in kinds.values() for times in kind)

    def after(name, trials):
        return middle(min(times[:trials]) for times in kinds[name])

    best = {name: after(name, budget) for name in kinds}
    needed = [n for n in range(1, budget + 1) if after("xgb", n) <= best["random"]]
    return {
        **best,
        "budget": budget,
        "ratio": best["random"] / best["xgb"],
        "trials": needed[0] if needed else None,
    }


### END SOLUTION
