"""A right answer."""


def coalesce(indices, values):
    sums = {}
    for index, value in zip(indices, values, strict=True):
        sums[index] = sums.get(index, 0) + value
    ordered = sorted(sums)
    return {"indices": ordered, "values": [sums[index] for index in ordered]}
