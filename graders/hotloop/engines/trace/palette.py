"""The colors of the timeline: Okabe and Ito's palette, which is safe for color-blind readers.

All are light enough for dark letters and visible on white and dark pages. Text beside the bars uses
the page's own color.
"""

LETTERS = "#111111"
COLORS = {
    "step": "#999999",
    "range": "#CC79A7",
    "op": "#56B4E9",
    "launch": "#F0E442",
    "wait": "#D55E00",
    "kernel": "#E69F00",
    "copy": "#009E73",
    "memset": "#B0A0E0",
}
MEANINGS = {
    "step": "step",
    "range": "range (record_function)",
    "op": "CPU operator",
    "launch": "launch",
    "wait": "CPU waits for the GPU",
    "kernel": "kernel",
    "copy": "copy",
    "memset": "memset",
    "idle": "GPU idle",
}
