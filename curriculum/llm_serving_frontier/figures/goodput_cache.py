"""Draws goodput by load for four routers of conversations, from the recorded output of a proof.

cd curriculum/llm_serving_frontier/figures && python goodput_cache.py > goodput_cache.svg
"""

from __future__ import annotations

from hotloop.site.charts import Axis, Series, curves, recorded
from hotloop.site.drawing import COLORS


def table(title: str) -> tuple[list[int], dict[str, list[float]]]:
    """The rates, and the mean goodput at each of them by policy."""
    lines = recorded("llm_serving_frontier", "routers")
    (first,) = (n for n, words in enumerate(lines) if words.startswith(title))
    rates = [int(word) for word in lines[first].split()[2:]]
    found = {
        words[:26].strip(): [float(part.split("±")[0]) for part in _parts(words[26:])]
        for words in lines[first + 1 : first + 5]
    }
    return rates, found


def _parts(words: str) -> list[str]:
    return [words[start : start + 9] for start in range(0, len(words), 9)]


def chart(title: str, name: str) -> list[str]:
    """The curves of one table."""
    rates, policies = table(title)
    series = [
        Series(policy, list(zip(rates, shares, strict=True)), color)
        for color, (policy, shares) in zip(COLORS, policies.items(), strict=True)
    ]
    up = Axis("% of requests within both limits", (0, 25, 50, 75, 100))
    told = "; ".join(f"{s.name}: {', '.join(f'{y:.0f} %' for _, y in s.points)}" for s in series)
    told = f"At {', '.join(map(str, rates))} requests/s. {told}."
    return curves(name, Axis("requests/s", rates), up, series, told)


if __name__ == "__main__":
    print("\n".join(chart("conversations", "Goodput of conversations by router")))
