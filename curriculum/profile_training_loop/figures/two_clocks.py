"""Draws one training step on host and device, with and without loss.item().

The data: the recorded output of the proof two_clocks.

cd curriculum/profile_training_loop/figures && python two_clocks.py > two_clocks.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Span, lanes, recorded


def main() -> None:
    """Print the picture."""
    rows: dict[str, list[Span]] = {}
    way = ""
    for line in recorded("profile_training_loop", "two_clocks"):
        if line.startswith("with"):
            way = line
            rows[f"host, {'with loss.item()' if 'item' in way else 'without it'}"] = []
            rows[f"device, {'with loss.item()' if 'item' in way else 'without it'}"] = []
        elif found := re.match(
            r"  (\S+) +host's clock +([\d.]+) ms +device busy +([\d.]+) ms", line
        ):
            host, device = list(rows)[-2:]
            name, on_host, on_device = found[1], float(found[2]), float(found[3])
            start = rows[host][-1].end if rows[host] else 0.0
            waits = name == "loss.item()"
            rows[host].append(
                Span(start, start + on_host, HOT if waits else COOL, "waits" if waits else "")
            )
            if on_device:
                begin = max(rows[device][-1].end if rows[device] else 0.0, start + 0.5)
                rows[device].append(Span(begin, begin + on_device, LEAF, name))
    told = (
        "With loss.item() the host waits at the end of the step. Without it the host has launched "
        "the whole step after 12 ms and goes on, while the device works on."
    )
    print("\n".join(lanes("One training step, assumed costs", rows, told)))


if __name__ == "__main__":
    main()
