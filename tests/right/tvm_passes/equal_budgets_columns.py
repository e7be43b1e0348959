"""Fills one column of bests for each number of trials, search by search."""


### BEGIN SOLUTION tvm_passes.equal_budgets
def compare(searches):
    recorded = json.loads(Path(searches).read_text())
    kinds = [recorded["random"], recorded["xgb"]]
    budget = min(len(times) for kind in kinds for times in kind)
    best = [[[] for _ in range(budget)] for _ in kinds]
    for kind, column in zip(kinds, best, strict=True):
        for times in kind:
            so_far = float("inf")
            for n in range(budget):
                so_far = min(so_far, times[n])
                column[n].append(so_far)
    random, xgb = ([float(np.median(each)) for each in column] for column in best)
    trials = next((n + 1 for n in range(budget) if xgb[n] <= random[-1]), None)
    return {
        "trials": trials,
        "budget": budget,
        "random": random[-1],
        "xgb": xgb[-1],
        "ratio": random[-1] / xgb[-1],
    }


### END SOLUTION
