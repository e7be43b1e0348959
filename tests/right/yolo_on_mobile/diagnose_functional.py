"""Figures by small functions over all pictures; the diagnosis computes its values from the files."""


### BEGIN SOLUTION yolo_on_mobile.diagnose
import json

from metrics import mean_average_precision


def iou(a, b):
    wide = min(a[2], b[2]) - max(a[0], b[0])
    high = min(a[3], b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return wide * high / (sum(areas) - wide * high)


def read_run(path):
    with open(path) as file:
        pictures = json.load(file)["pictures"]
    found, true = ([p[key] for p in pictures] for key in ("found", "true"))

    def one_class(boxes):
        return [[[*box[:-1], 0] for box in each] for each in boxes]

    sure = [[box for box in each if box[4] > 0.25] for each in found]
    best = [max([iou(t, b) for b in boxes], default=0) for boxes, ts in zip(sure, true) for t in ts]
    return {
        "map": mean_average_precision(found, true, 6),
        "blind": mean_average_precision(one_class(found), one_class(true), 1),
        "levels": len({box[4] for each in found for box in each}),
        "overlap": sum(best) / len(best),
        "boxes": sum(map(len, sure)) / len(pictures),
        "brightest": max(p["input"]["high"] for p in pictures),
    }


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.diagnose diagnosis
def diagnosis():
    evidence = {
        "a": ("scale", "levels"),
        "b": ("colors", "blind"),
        "c": ("suppression", "boxes"),
        "d": ("decoding", "overlap"),
    }
    return {
        name: {"cause": cause, "evidence": key, "value": read_run(f"run_{name}.json")[key]}
        for name, (cause, key) in evidence.items()
    }


### END SOLUTION
