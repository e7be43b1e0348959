"""Words for new names of callables: short, plain, and no technical terms."""

WORDS = (
    "avocet", "bittern", "bunting", "buzzard", "chough", "condor", "coot", "cormorant", "crane",
    "curlew", "dipper", "dove", "dunlin", "dunnock", "egret", "eider", "falcon", "fieldfare",
    "finch", "fulmar", "gannet", "godwit", "goldcrest", "goshawk", "grebe", "grouse", "harrier",
    "heron", "hobby", "hoopoe", "ibis", "jackdaw", "jay", "kestrel", "kite", "lapwing", "linnet",
    "magpie", "mallard", "martin", "merlin", "nightjar", "nuthatch", "oriole", "osprey", "ouzel",
    "partridge", "petrel", "pintail", "pipit", "plover", "pochard", "ptarmigan", "puffin", "quail",
    "raven", "redpoll", "redstart", "robin", "rook", "sandpiper", "serin", "shelduck", "shrike",
    "siskin", "skua", "skylark", "snipe", "sparrow", "starling", "stork", "swallow", "swift",
    "tern", "thrush", "turnstone", "twite", "wagtail", "warbler", "wheatear", "whimbrel",
    "whinchat", "wigeon", "wren", "wryneck", "yellowhammer",
)  # fmt: skip
