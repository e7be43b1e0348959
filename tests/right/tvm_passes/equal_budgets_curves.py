"""Curves as one NumPy table of running minima; a plain loop finds the trial."""


### BEGIN SOLUTION tvm_passes.equal_budgets
def compare(searches):
    recorded = json.loads(Path(searches).read_text())
    budget = min(min(map(len, recorded[name])) for name in ("random", "xgb"))
    curves = {
        name: np.median(
            [[min(times[: n + 1]) for n in range(budget)] for times in recorded[name]], axis=0
        )
        for name in ("random", "xgb")
    }
    goal, end = float(curves["random"][-1]), float(curves["xgb"][-1])
    trials = None
    for n, best in enumerate(curves["xgb"], start=1):
        if best <= goal:
            trials = n
            break
    return {"budget": budget, "random": goal, "xgb": end, "ratio": goal / end, "trials": trials}


### END SOLUTION
