"""Ancestors as bits of an int; the next look is the one nearest to half of the suspects."""


### BEGIN SOLUTION yolo_on_mobile.bisect
import json


def next_look(path):
    with open(path) as file:
        told = json.load(file)
    names = list(told["tensors"])
    bit = {name: 1 << number for number, name in enumerate(names)}
    closure = {}
    for name in names:
        closure[name] = bit[name]
        for before in told["tensors"][name]:
            closure[name] |= closure[before]
    suspects, departed = (1 << len(names)) - 1, False
    for name, error in told["looked"].items():
        if error > told["tolerance"]:
            suspects &= closure[name]
            departed = True
        else:
            suspects &= ~closure[name]
    left = [name for name in names if bit[name] & suspects]
    if not left:
        return dict(departs=None)
    if departed and len(left) == 1:
        return dict(departs=left[0])
    half = len(left) / 2
    return dict(look=min(left, key=lambda n: abs((closure[n] & suspects).bit_count() - half)))


### END SOLUTION
