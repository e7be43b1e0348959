"""`python -m hotloop.site`: gather the pages and print the path of mkdocs' settings."""

from hotloop.site.pages import gather

if __name__ == "__main__":
    print(gather())
