"""The colours of the timeline: Okabe and Ito's, which people who confuse colours can tell apart.

All are light enough for dark letters and stand out from a white page and from a dark one. Text
beside the bars takes the page's own colour.
"""

LETTERS = "#111111"
COLOURS = {
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
