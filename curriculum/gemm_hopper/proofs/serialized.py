"""What ptxas says of kernels whose products it serializes, and of one where it does not."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from kit.machine_code import compiled, find


def main() -> None:
    """Print the lines about each kernel, without numbers of lines of PTX."""
    tools = find()
    if tools is None:
        return
    log, listing = compiled(tools, "serialized.cu", "sm_90a")
    for kernel in ("early", "called", "right"):
        lines = [x for x in log.splitlines() if "(C75" in x and f"{len(kernel)}{kernel}" in x]
        said = {re.sub(r".*\((C\d+)\)\s*|around line \d+ ", r"\1 ", x) for x in lines}
        print(f"{kernel}:" if said else f"{kernel}: nothing")
        for words in sorted(re.sub(r" in (?:the )?function.*", "", x) for x in said):
            words = re.sub(r"\s+", " ", words)
            print(textwrap.fill(words, 96, initial_indent="  ", subsequent_indent="    "))
    codes = {x.partition(",")[0].strip(): x for x in listing.split(".section\t.text.")}
    for kernel in ("early", "right"):
        (code,) = [text for name, text in codes.items() if f"{len(kernel)}{kernel}" in name]
        products, waits = code.count("HGMMA"), code.count("WARPGROUP.DEPBAR")
        print(f"{kernel}: {products / waits:.0f} HGMMA for each WARPGROUP.DEPBAR")
    assert "C7514" in log
    assert "C7510" in log


if __name__ == "__main__":
    main()
