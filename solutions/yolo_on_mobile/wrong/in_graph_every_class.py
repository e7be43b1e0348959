"""Lets a box have a score for each class: one disc comes out as red and as blue.

fails: in_graph.boxes
"""


### BEGIN SOLUTION yolo_on_mobile.in_graph suppression
def suppression(most):
    ids = ", ".join(map(str, range(len(CLASSES))))
    return f"""<ir_version: 8, opset_import: ["": 17]>
tail (float[1, 1008, 11] table, float[1] floor, float[1] overlap)
    => (float[1, {most}, 6] boxes, int64[1] count)
<int64[1] i0 = {{0}}, int64[1] i1 = {{1}}, int64[1] i2 = {{2}}, int64[1] i4 = {{4}},
 int64[1] i5 = {{5}}, int64[1] end = {{999}}, float half = {{0.5}}, int64[1] most = {{{most}}},
 int64[1, 1, {len(CLASSES)}] ids = {{{ids}}}> {{
    centre = Slice(table, i0, i2, i2)
    size = Slice(table, i2, i4, i2)
    seen = Slice(table, i4, i5, i2)
    likely = Slice(table, i5, end, i2)
    reach = Mul(size, half)
    low = Sub(centre, reach)
    high = Add(centre, reach)
    corners = Concat <axis = 2> (low, high)
    highest = ReduceMax <axes = [2]> (likely)
    which = ArgMax <axis = 2> (likely)
    score = Mul(seen, highest)
    scores = Mul(seen, likely)
    by_class = Transpose <perm = [0, 2, 1]> (scores)
    selected = NonMaxSuppression(corners, by_class, most, overlap, floor)
    chosen = Slice(selected, i2, end, i1)
    place = Squeeze(chosen, i1)
    class_number = Cast <to = 1> (which)
    rows = Concat <axis = 2> (corners, score, class_number)
    flat = Squeeze(rows, i0)
    kept = Gather <axis = 0> (flat, place)
    column = Slice(kept, i4, i5, i1)
    surest = Squeeze(column, i1)
    there = Shape(surest)
    count = Min(there, most)
    values, order = TopK(surest, count)
    sorted = Gather <axis = 0> (kept, order)
    missing = Sub(most, count)
    pads = Concat <axis = 0> (i0, i0, missing, i0)
    padded = Pad(sorted, pads)
    boxes = Unsqueeze(padded, i0)
}}"""


### END SOLUTION
