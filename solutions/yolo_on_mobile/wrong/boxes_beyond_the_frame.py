"""Does not clip: a box that reaches into the padding reaches beyond the frame.

fails: letterbox.boxes
"""


### BEGIN SOLUTION yolo_on_mobile.letterbox boxes
def to_frame(left, top, right, bottom, height, width, side):
    tall, wide, above, before = placed(height, width, side)
    left, right = ((x - before) * width / wide for x in (left, right))
    top, bottom = ((y - above) * height / tall for y in (top, bottom))
    return [left, top, right, bottom]


### END SOLUTION
