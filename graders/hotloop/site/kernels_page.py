"""The lists of the page about checked Triton kernels, made from those that the judge reads."""

from collections.abc import Iterable

from hotloop.judge import kernel_lists
from hotloop.site import markdown

SUMMARY_PLACE = "<!-- checked-kernels-summary -->"
LISTS_PLACE = "<!-- checked-kernels-lists -->"


def summary() -> str:
    """Return what stands at the head of each file of kernels."""
    return "\n".join(f"> {line}" for line in kernel_lists.SUMMARY.split("\n"))


def lists() -> str:
    """Return tables of what is allowed, left out and refused."""
    allowed = (
        ("`tl`", kernel_lists.LANGUAGE - kernel_lists.MATH - kernel_lists.DTYPES),
        ("`tl`, `tl.math`, libdevice", kernel_lists.MATH),
        ("libdevice", kernel_lists.LIBDEVICE),
        ("dtypes of `tl`", kernel_lists.DTYPES),
        ("members of tensors, dtypes and descriptors", kernel_lists.MEMBERS),
        ("`triton`", kernel_lists.TRITON),
        ("Python", kernel_lists.BUILTINS),
        ("`math`, `numpy`, in constants", kernel_lists.NUMBER_FUNCTIONS),
        ("`math`, `numpy`, `torch`, constants", kernel_lists.NUMBERS),
    )
    instead = [
        ("other functions of libdevice" if name == "libdevice" else f"`{name}`", text)
        for name, text in sorted(kernel_lists.INSTEAD.items())
    ]
    dropped = [*(f"tl.{name}" for name in kernel_lists.DROPPED), "assert", "print"]
    return "\n".join(
        [
            "## Allowed",
            "",
            *markdown.table(("of", "names"), [(of, _names(names)) for of, names in allowed]),
            "",
            "## Left out",
            "",
            f"Statements with {_names(dropped)}. Nothing that writes to memory may stand in them.",
            "",
            "## Refused, and what to write instead",
            "",
            *markdown.table(("refused", "instead"), instead),
            "",
            "Constructs of Python:",
            "",
            *(f"- {text}" for text in sorted(set(kernel_lists.CONSTRUCTS.values()))),
            "- `else` after a loop",
            "",
        ]
    )


def _names(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in sorted(names))
