"""`python -m hotloop.site`: gathers the pages, and prints where mkdocs finds its settings."""

from __future__ import annotations

from hotloop.site.gather import gather

if __name__ == "__main__":
    print(gather())
