"""Searches the text for what usually breaks a graph, and takes an if on a size for one.

fails: graph_breaks.found
"""


### BEGIN SOLUTION control_flow_export.graph_breaks
def breaks(path):
    """By words in the source."""
    from pathlib import Path

    words = ("print(", ".item()", "log.warning", "tolist", "graph_break", "nonzero", "if x")
    text = Path(path).read_text().splitlines()
    lines = [n for n, line in enumerate(text, 1) if any(word in line for word in words)]
    return {"graphs": len(lines) + 1, "lines": lines}


### END SOLUTION
