"""Scales the box first and takes the padding off afterwards, in pixels of the wrong picture.

fails: letterbox.boxes
"""


### BEGIN SOLUTION yolo_on_mobile.letterbox boxes
def to_frame(left, top, right, bottom, height, width, side):
    tall, wide, above, before = placed(height, width, side)
    left, right = (min(max(x * width / wide - before, 0.0), float(width)) for x in (left, right))
    top, bottom = (min(max(y * height / tall - above, 0.0), float(height)) for y in (top, bottom))
    return [left, top, right, bottom]


### END SOLUTION
