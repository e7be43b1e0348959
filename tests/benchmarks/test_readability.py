"""Which parts of a lesson count as prose, and which as figures."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import readability

LESSON = """# Title of a lesson

About [two](https://a.b/c) *short* sentences. Call `torch.compile(model)` once.

```python
not_prose()
```

| a | table |
| --- | --- |

- one item
- another item:

<figure><img src="figures/a.svg" alt="An alternative."></figure>

--8<-- "curriculum/a/figures/b.svg"
"""


def test_prose_has_no_code_tables_headings_or_addresses() -> None:
    said = "About two short sentences. Call code once.\none item.\nanother item."
    assert readability.prose(LESSON) == said


def test_figures_are_counted_as_images_and_as_includes() -> None:
    assert len(readability.FIGURE.findall(LESSON)) == 2
