"""A random forest by xgboost on the logarithm of the time, with the blocks' features as they come."""


### BEGIN SOLUTION tvm_passes.cost_model compare
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


### BEGIN SOLUTION tvm_passes.cost_model model
class Data:
    """What was seen of one program."""

    def __init__(self):
        self.rows, self.logs = [], []

    def labels(self):
        done = [log for log in self.logs if log is not None]
        slowest = max(done, default=0.0)
        centered = np.array([slowest if log is None else log for log in self.logs])
        return -(centered - centered.mean())


@derived_object
class Forest(of_tvm.PyCostModel):
    def __init__(self):
        super().__init__()
        self.data = {}
        self.forest = None

    def rows(self, context, candidates):
        found = PerStoreFeature().extract_from(context, candidates)
        return [each.numpy().max(axis=0) for each in found]

    def update(self, context, candidates, results):
        data = self.data.setdefault(context.mod.script(), Data())
        data.rows.extend(self.rows(context, candidates))
        for result in results:
            seconds = result.run_secs
            data.logs.append(np.log(min(map(float, seconds))) if seconds else None)
        rows = np.stack([row for each in self.data.values() for row in each.rows])
        labels = np.concatenate([each.labels() for each in self.data.values()])
        settings = {
            "num_parallel_tree": 200,
            "learning_rate": 1.0,
            "subsample": 0.7,
            "colsample_bynode": 0.3,
            "max_depth": 8,
            "nthread": 1,
        }
        self.forest = xgboost.train(settings, xgboost.DMatrix(rows, labels), num_boost_round=1)

    def predict(self, context, candidates):
        return self.forest.predict(xgboost.DMatrix(np.stack(self.rows(context, candidates)))).astype(
            np.float64
        )


def cost_model():
    return Forest()


### END SOLUTION
