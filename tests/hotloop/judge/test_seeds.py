"""Secrets are new for each judging and reproducible from the record."""

from hotloop.judge.seeds import Seeds


def test_the_root_repeats_everything() -> None:
    first = Seeds()
    again = Seeds(first.root)
    assert [first.generator().integers(1 << 60) for _ in range(3)] == [
        again.generator().integers(1 << 60) for _ in range(3)
    ]
    assert first.pattern() == again.pattern()


def test_no_two_uses_share_a_stream() -> None:
    seeds = Seeds()
    drawn = {int(seeds.generator().integers(1 << 62)) for _ in range(100)}
    assert len(drawn) == 100
    assert Seeds().root != Seeds().root


def test_shapes_are_the_same_within_a_judging_and_others_in_the_next() -> None:
    seeds = Seeds()
    drawn = [int(seeds.shapes().integers(1 << 60)) for _ in range(3)]
    assert len(set(drawn)) == 1
    assert int(Seeds().shapes().integers(1 << 60)) != drawn[0]
