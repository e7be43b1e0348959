"""Mutation operators for CUDA C++ and C++, by patterns on code without comments and strings."""

import re
from collections.abc import Iterator

from hotloop.learn.mutation import Edit

_HIDDEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE
)

_PATTERNS: tuple[tuple[str, str, str], ...] = (
    ("part of a reduction", r"= (\w+) / 2; (\w+) > 0;", r"= \1 / 4; \2 > 0;"),
    ("part of a reduction", r"= (\d+); (\w+) > 0; \2 /= 2", r"= \1 / 2; \2 > 0; \2 /= 2"),
    ("part of a reduction", r"; (\w+) > 0; \1 /= 2", r"; \1 > 1; \1 /= 2"),
    ("block off by one", r"; (\w+) < (\w+); (\w+ \+= \w+|\+\+\w+)", r"; \1 < \2 - 1; \3"),
    ("block off by one", r"(for \([\w:<> ]*?\w+ = )(\w+)(; )", r"\g<1>\2 + 1\3"),
    ("missing rescale", r" \* (rescale|__expf|expf|std::exp)\([^()]*\)", r""),
    ("missing rescale", r" \* (scale|factor|\w*[sS]cale)\b", r""),
    ("missing shift", r"(__expf|expf|std::exp)\((.+?) - \w+\)", r"\1(\2)"),
    ("narrower type", r"\bdouble\b", "float"),
    ("narrower type", r"\bint64_t\b", "int"),
    ("narrower type", r"\bfloat (sum|total|acc\w*) =", r"__half \1 ="),
    ("swapped arguments", r"\b(\w+)\((\w+), (\w+)(?=[,)])", r"\1(\3, \2"),
    ("dropped guard", r"\bif \(([^;{}]*?)\) (return|continue|break)", r"if (false) \2"),
    ("dropped guard", r"\bif \((\w[^;{}()]*?)\) (?!return|continue|break)", r"if (true) "),
    ("dropped guard", r" == [^;?]+? \? ", r" != 12345.0f && false ? "),
    ("mask of the wrong side", r"(\w) < (\w)", r"\1 <= \2"),
    ("mask of the wrong side", r"(\w) >= (\w)", r"\1 > \2"),
    ("mask of the wrong side", r"(\w) > (\w)", r"\1 >= \2"),
    ("mask of the wrong side", r"(\w) <= (\w)", r"\1 < \2"),
    ("mask of the wrong side", r"(\w) == (\w)", r"\1 != \2"),
    ("mask of the wrong side", r"(\w) != (\w)", r"\1 == \2"),
    ("other arithmetic", r"(\w) \+ (\w)", r"\1 - \2"),
    ("other arithmetic", r"(\w) - (\w)", r"\1 + \2"),
    ("other arithmetic", r"(\w) \* (\w)", r"\1 + \2"),
    ("other arithmetic", r"(\w|\)) / (\w)", r"\1 * \2"),
    ("other arithmetic", r" \+= ", " -= "),
    ("wrong constant", r"(?<![\w.])([1-9]\d*)(?![\w.])", r"(\1 + 1)"),
    ("wrong identity", r"-CUDART_INF_F|-INFINITY", "0.0f"),
    ("wrong identity", r"-std::numeric_limits<float>::infinity\(\)", "0.0f"),
    ("wrong identity", r"= 0\.0f;", "= 1.0f;"),
    ("opposite function", r"\bfmaxf\b", "fminf"),
    ("opposite function", r"\bstd::max\b", "std::min"),
    ("opposite function", r"\bstd::min\b", "std::max"),
    ("missing barrier", r"__syncthreads\(\);", ";"),
    ("missing barrier", r"__syncwarp\(\);", ";"),
    ("wrong connective", r" && ", " || "),
    ("wrong connective", r" \|\| ", " && "),
)


def edits(text: str) -> Iterator[Edit]:
    """Yield every mistake that the operators can make in the file, one at a time."""
    shown = visible(text)
    for operator, pattern, new in _PATTERNS:
        for match in re.finditer(pattern, shown):
            changed = match.expand(new)
            if changed != match[0]:
                yield Edit(operator, match.start(), match.end(), changed)


def visible(text: str) -> str:
    """Return the text with comments, strings and preprocessor lines replaced by blanks."""
    return _HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
