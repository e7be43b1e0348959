"""`python -m hotloop.site`: gathers the pages, and prints where mkdocs finds its settings."""

from hotloop.site.gather import gather

if __name__ == "__main__":
    print(gather())
