"""Settings for mkdocs: site/mkdocs.yml, and the parts that depend on the pages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from hotloop.site import content_policy

NAME = "mkdocs.yml"


def write(source: Path, root: Path, navigation: Sequence[Any], unlisted: Sequence[str]) -> Path:
    """Write build/mkdocs.yml below `root`; return its path.

    unlisted: pages that are linked from other pages only.
    """
    common = cast("dict[str, Any]", yaml.safe_load(source.read_text(encoding="utf-8")))
    extensions = cast("list[Any]", common["markdown_extensions"])
    # A lesson's code is included from the files that the tests run.
    snippets = {"base_path": [str(root)], "check_paths": True, "dedent_subsections": True}
    whole = common | {
        "docs_dir": "pages",
        "site_dir": "site",
        "nav": list(navigation),
        "not_in_nav": "\n".join(f"/{name}" for name in unlisted),
        "hooks": [content_policy.__file__],
        "markdown_extensions": [*extensions, {"pymdownx.snippets": snippets}],
    }
    target = root / "build" / NAME
    target.write_text(yaml.safe_dump(whole, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return target
