"""Bayesian linear regression on random Fourier features, measured by Thompson sampling in eight rounds."""


### BEGIN SOLUTION transformer_compilation.learned_costs
import itertools
import json
import math

import numpy as np

FEATURES = 500


class Problem:
    def __init__(self, document):
        self.space = document["space"]
        self.all = [dict(zip(self.space, values)) for values in itertools.product(*self.space.values())]
        self.columns = {key: np.array([float(s[key]) for s in self.all]) for key in self.space}

    def describe(self, shape, columns):
        m, n, k = map(float, shape)
        tm, tn, tk = columns["tile_m"], columns["tile_n"], columns["tile_k"]
        rows, cols, deep = np.ceil(m / tm), np.ceil(n / tn), np.ceil(k / tk)
        keep = columns["keep_output"]
        work = m * n * k
        traffic = np.where(keep > 0, m * k * cols + k * n * rows + 2 * m * n, m * k + k * n * rows + 2 * m * n * deep)
        parallel = columns["unroll"] * columns["vector"]
        rows_of_features = [
            np.log2(tm), np.log2(tn), np.log2(tk), np.log2(columns["unroll"]), np.log2(columns["vector"]),
            np.log2(parallel), np.log2(tm * tk + tk * tn + tm * tn),
            np.log2(rows * tm * cols * tn * deep * tk / work), np.log2(traffic / work),
            np.log2(rows * cols * deep / work), np.log2(1 / tm + 1 / tn), 2 * keep,
            np.full_like(tm, np.log2(m * k + k * n + m * n)),
        ]
        return np.stack(rows_of_features, -1)


def tune(path):
    """What to measure next, or the schedule for each shape; see the notebook."""
    with open(path) as stream:
        document = json.load(stream)
    problem = Problem(document)
    random = np.random.RandomState(len(document["measured"]) + 7)
    left, shapes, history = document["left"], document["shapes"], document["measured"]
    if not history:
        picks = random.permutation(len(problem.all))[: min(left, 48)]
        return [[shapes[i % len(shapes)], problem.all[j]] for i, j in enumerate(picks)]

    x = np.concatenate([
        problem.describe(h["shape"], {key: np.array([float(h["schedule"][key])]) for key in problem.space})
        for h in history
    ])
    y = np.array([math.log(h["seconds"]) - sum(map(math.log, h["shape"])) for h in history])
    mean, scale = x.mean(0), x.std(0) + 1e-6
    frequencies = np.random.RandomState(3).randn(x.shape[1], FEATURES) / math.sqrt(x.shape[1])
    phases = np.random.RandomState(4).uniform(0, 2 * math.pi, FEATURES)

    def lift(x):
        z = (x - mean) / scale
        waves = math.sqrt(4.0 / FEATURES) * np.cos(z @ frequencies + phases)
        return np.concatenate([waves, 0.3 * z, np.ones((len(z), 1)) * 3], 1)

    def posterior(x, y):
        phi = lift(x)
        # Of the weights, by the Woodbury identity, with unit variances before.
        gain = np.linalg.solve(phi @ phi.T + 0.004 * np.eye(len(phi)), phi).T
        return gain @ y, gain, phi

    weights, _, phi = posterior(x, y)
    residual = np.abs(y - phi @ weights)
    good = residual <= 6 * np.median(residual) + 1e-6
    weights, gain, phi = posterior(x[good], y[good])

    def thompson():
        draw = random.randn(phi.shape[1])
        return weights + draw - gain @ (phi @ draw + math.sqrt(0.004) * random.randn(len(phi)))

    if left == 0:
        return [problem.all[int(np.argmin(lift(problem.describe(s, problem.columns)) @ weights))] for s in shapes]
    asked = []
    for i in range(min(left, 16)):
        shape = shapes[i % len(shapes)]
        some = random.permutation(len(problem.all))[:500]
        columns = {key: values[some] for key, values in problem.columns.items()}
        best = int(some[np.argmin(lift(problem.describe(shape, columns)) @ thompson())])
        asked.append([shape, problem.all[best]])
    return asked
### END SOLUTION
