"""Reads the tile sizes from the inside out; a split gives the outermost loop first.

fails: tune.figures
"""


### BEGIN SOLUTION tvm_passes.tune explain
def explain(workload, trials):
    """What a recorded tuning found, from the database's two files.

    workload, trials: paths of files as recorded_workload.json and recorded_trials.json.
    """
    records = [json.loads(line)[1] for line in Path(trials).read_text().splitlines()]
    means = [sum(times) / len(times) for _, times, *_ in records]
    good = [mean for mean in means if mean < FAILED_S]
    best = min(range(len(means)), key=means.__getitem__)
    (instructions, decisions), *_ = records[best]
    decided = dict(decisions)
    # A decision belongs to the instruction with its number, not to the one at its own place.
    loops, tiles, sampled, unroll, values = [], {}, {}, None, {}
    for number, (kind, inputs, attributes, outputs) in enumerate(instructions):
        if kind == "GetLoops" and not loops:
            loops = outputs
        if kind.startswith("Sample"):
            sampled[kind] = sampled.get(kind, 0) + 1
        if kind == "SamplePerfectTile":
            tiles["ijk"[loops.index(inputs[0])]] = decided[number][::-1]
        if kind == "SampleCategorical":
            values[outputs[0]] = attributes[0][decided[number]]
        if kind == "Annotate" and attributes == ["meta_schedule.unroll_explicit"]:
            unroll = values[inputs[1]]
    return {
        "best": best,
        "failed": len(means) - len(good),
        "speed_up": good[0] / means[best],
        "tiles": tiles,
        "sampled": sampled,
        "unroll": unroll,
    }


FAILED_S = 1e9


### END SOLUTION
