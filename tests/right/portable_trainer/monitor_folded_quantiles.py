"""A sketch of relative accuracy with a JSON array of pairs, as DDSketch."""

### BEGIN SOLUTION portable_trainer.monitor sketch
ACCURACY = 0.004


def sketch(path, target):
    gamma = (1 + ACCURACY) / (1 - ACCURACY)
    bins = {}
    pending = False
    for event in read_events(path):
        if event["event"] in ("compile", "restart"):
            pending = event["event"] == "compile"
        if event["event"] == "step":
            if not pending:
                key = math.ceil(math.log(event["seconds"]) / math.log(gamma))
                bins[key] = bins.get(key, 0) + 1
            pending = False
    pairs = [[key, bins[key]] for key in sorted(bins)]
    with open(target, "w") as file:
        json.dump({"gamma": gamma, "bins": pairs}, file)


def merged_quantiles(*paths):
    merged = Counter()
    for path in paths:
        with open(path) as file:
            told = json.load(file)
        for key, count in told["bins"]:
            merged[key] += count
    gamma, total = told["gamma"], sum(merged.values())

    def value(q):
        needed = math.ceil(q * total)
        for key, count in sorted(merged.items()):
            needed -= count
            if needed <= 0:
                return 2 * gamma**key / (gamma + 1)

    return {name: value(q) for name, q in QUANTILES.items()}


### END SOLUTION
