"""Pictures of each kind of page at two widths, in light and dark, to be looked at.

python tests/browser/site_pictures.py FOLDER                 of the site that `make site` built
python tests/browser/site_pictures.py FOLDER PAGE.html…      of other pages: feedback, a report
"""

from __future__ import annotations

import argparse
import base64
from pathlib import Path

from site_pages import DESKTOP, PHONE, Browser, sample

SITE = Path(__file__).resolve().parents[2] / "build" / "site"
HEIGHT = 2600
"""Of one picture; more would be too small when it is looked at as a whole."""


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("pages", type=Path, nargs="*")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    given = {page.stem: page.resolve() for page in arguments.pages}
    browser = Browser.start()
    for kind, page in (given or sample(SITE)).items():
        for size in (DESKTOP, PHONE):
            for scheme in ("light", "dark"):
                browser.open(page, size, scheme)
                name = f"{kind.replace(' ', '-')}-{size[0]}-{scheme}.png"
                (arguments.folder / name).write_bytes(picture(browser, size[0]))
    browser.driver.quit()


def picture(browser: Browser, width: int) -> bytes:
    """The page from its top."""
    clip = {"x": 0, "y": 0, "width": width, "height": HEIGHT, "scale": 1}
    asked = {"captureBeyondViewport": True, "clip": clip}
    taken = browser.driver.execute_cdp_cmd("Page.captureScreenshot", asked)
    return base64.b64decode(taken["data"])


if __name__ == "__main__":
    main()
