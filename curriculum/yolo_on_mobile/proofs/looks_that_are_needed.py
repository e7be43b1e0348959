"""Looks that find where a network with branches departs: halving its list, or its suspects."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from detecting.kit import given


def detector_graph() -> dict[str, list[str]]:
    """Layers of a YOLOv5, with the two ways of each C3, and three ends."""
    graph: dict[str, list[str]] = {"stem": []}
    last = "stem"

    def after(name: str, *inputs: str) -> str:
        graph[name] = list(inputs)
        return name

    def c3(name: str, start: str) -> str:
        one = after(f"{name}.cv1", start)
        for step in ("a", "b", "c"):
            one = after(f"{name}.{step}", one)
        return after(f"{name}.cv3", one, after(f"{name}.cv2", start))

    stages = []
    for stage in range(4):
        last = c3(f"stage{stage}", after(f"down{stage}", last))
        stages.append(last)
    middle = c3("neck1", after("up1", last, stages[2]))
    small = c3("neck2", after("up2", middle, stages[1]))
    again = c3("neck3", after("back3", small, middle))
    large = c3("neck4", after("back4", again, last))
    for name, start in (("small", small), ("middle", again), ("large", large)):
        after(f"{name}.scores", after(f"{name}.conv", start))
    return graph


def looks_of_suspects(graph: dict[str, list[str]], departing: set[str]) -> tuple[str | None, int]:
    """What the task's reference finds, and in how many looks."""
    departure = given("departure")
    looked: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conversion.json"
        while True:
            told = {"tensors": graph, "tolerance": 1e-3, "looked": looked}
            path.write_text(json.dumps(told), encoding="utf-8")
            answer = departure.next_look(path)
            if "departs" in answer:
                return answer["departs"], len(looked)
            looked[answer["look"]] = 1.0 if answer["look"] in departing else 0.0


def found_in_list(graph: dict[str, list[str]], departing: set[str]) -> str:
    """By halving the order of the file."""
    names = list(graph)
    low, high = 0, len(names)
    while low < high:
        half = (low + high) // 2
        low, high = (low, half) if names[half] in departing else (half + 1, high)
    return names[min(low, len(names) - 1)]


def main() -> None:
    """Every tensor as the fault, once."""
    graph = detector_graph()
    upstream = given("departure").with_all_before(graph)
    worst, astray = 0, 0
    for fault in graph:
        departing = {name for name, before in upstream.items() if fault in before}
        found, looks = looks_of_suspects(graph, departing)
        assert found == fault
        worst = max(worst, looks)
        astray += found_in_list(graph, departing) != fault
    found, looks = looks_of_suspects(graph, set())
    assert found is None
    print(f"{len(graph)} tensors")
    print(f"bisecting the suspects: always right, at most {worst} comparisons")
    print(f"lower bound for any method: {math.ceil(math.log2(len(graph) + 1))}")
    print(f"to see that all agree: {looks} comparisons")
    print(f"bisecting the list of layers: wrong about {astray} of {len(graph)} faults")
    assert astray > len(graph) // 5


if __name__ == "__main__":
    main()
