"""`python -m hotloop.site`: writes the pages, and prints the path of mkdocs' settings."""

from hotloop.site.gather import gather

if __name__ == "__main__":
    print(gather())
