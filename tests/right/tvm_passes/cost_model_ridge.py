"""A linear ridge regression of the logarithm of time, which ranks by it."""

### BEGIN SOLUTION tvm_passes.cost_model
@derived_object
class Linear(of_tvm.PyCostModel):
    def __init__(self):
        super().__init__()
        self.programs = {}

    def update(self, context, candidates, results):
        xs, ys = self.programs.setdefault(hash(context.mod.script()), ([], []))
        for matrix, result in zip(PerStoreFeature().extract_from(context, candidates), results):
            xs.append(self.vector(matrix))
            ys.append(np.log(float(result.run_secs[0])) if result.run_secs else np.nan)

    def vector(self, matrix):
        return np.hstack([matrix.numpy().max(axis=0), matrix.numpy().sum(axis=0)])

    def predict(self, context, candidates):
        xs, ys = [], []
        for x, y in self.programs.values():
            x, y = np.array(x), np.array(y)
            y = np.where(np.isnan(y), np.nanmax(y), y)
            xs.append(x - x.mean(0))
            ys.append(y - y.mean())
        x, y = np.concatenate(xs), np.concatenate(ys)
        spread = x.std(0) + 1e-2
        x = x / spread
        slope = x.T @ np.linalg.solve(x @ x.T + 20 * np.eye(len(x)), y)
        asked = [self.vector(m) for m in PerStoreFeature().extract_from(context, candidates)]
        return -(np.array(asked) / spread) @ slope


def cost_model():
    return Linear()


### END SOLUTION
