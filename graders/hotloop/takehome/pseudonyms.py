"""What a candidate is called until the scorecard is filed: `quiet-otter-41`.

Drawn at random, never from the name: whoever knows the name cannot compute the pseudonym. The words
say nothing of origin, age or sex.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection

_ADJECTIVES = (
    "amber brisk broad bright calm candid clear copper coral crisp early even fair fleet fond "
    "frosty gentle glad golden hazel hidden humble indigo jolly keen kind level light lively "
    "lucid mellow merry mild misty modest neat nimble noble olive open patient pearl plain polite "
    "prompt proud quick quiet ready rosy ruby rustic sandy scarlet serene silver sober solid "
    "steady sunny swift tidy timely upbeat vivid warm wise witty"
)
_ANIMALS = (
    "badger beaver bison bittern bunting buzzard civet condor coot crane curlew dipper dolphin "
    "dormouse dove dunlin eagle egret falcon ferret finch fulmar gannet gecko godwit goose grebe "
    "grouse gull hare harrier hedgehog heron hobby hoopoe ibex ibis jackdaw kestrel kite lark "
    "lemur linnet lynx magpie marten merlin moose newt ocelot oriole osprey otter ouzel owl panda "
    "petrel pipit plover puffin quail raven robin salmon seal shrike siskin skylark snipe "
    "sparrow starling stoat stork swallow swan swift tapir teal tern thrush tortoise turtle vole "
    "wagtail warbler weasel whale whimbrel widgeon wombat wren zebra"
)
ADJECTIVES = tuple(_ADJECTIVES.split())
ANIMALS = tuple(_ANIMALS.split())
ATTEMPTS = 1000


def draw(taken: Collection[str]) -> str:
    """A pseudonym that is not among those `taken`."""
    for _ in range(ATTEMPTS):
        number = 10 + secrets.randbelow(90)
        pseudonym = f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}-{number}"
        if pseudonym not in taken:
            return pseudonym
    raise RuntimeError(f"{len(taken)} pseudonyms are taken: begin another team's folder")
