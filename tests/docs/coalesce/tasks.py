"""How coalesce(indices, values) is judged; it returns a dict of two lists, by index."""

from hotloop.tasks import authoring as hl


def question(label, indices, values):
    sums = dict.fromkeys(sorted(indices), 0)
    for index, value in zip(indices, values, strict=True):
        sums[index] += value
    want = {"indices": list(sums), "values": list(sums.values())}

    def mismatch(got):
        return None if got == want else f"it returned {str(got)[:80]}, expected {str(want)[:80]}"

    return hl.Question(label, (indices, values), mismatch)


def questions(rng):
    yield question("An empty vector", [], [])
    for count in (1, 10, 1000):
        indices = [int(i) for i in rng.integers(0, 1 + count // 2, count)]
        values = [0.5 * int(v) for v in rng.integers(-9, 9, count)]
        yield question(f"{count} values", indices, values)


def too_short(rng):
    yield hl.PlainCase("An index without a value", ([3, 1], [0.5]))
    yield hl.PlainCase("A value without an index", ([3], [0.5, 1.5]))


coalesce = hl.returns_data(
    correct=hl.Answers(questions),
    refuses=hl.RaisesErrorForData(too_short),
)
