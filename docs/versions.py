"""The site of docs/ for this version, beside those of others: build/site/VERSION and an index.

Run by ``make site``. Each version of the site is made from the pages of that version of the
repository and stays as it was: ``SITES`` names the folder that holds them all. The index lists
what is there, the newest first, and ``latest`` leads to it.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(.*)")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<title>evalreport: documentation by version</title></head>
<body><h1>evalreport: documentation by version</h1>
<p>Stored runs name the version that made them; its pages say what it did.</p>
<ul>
{items}
</ul></body></html>
"""


def version() -> str:
    """The version of the package in this repository."""
    text = (ROOT / "evalreport" / "version.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    assert found is not None
    return found[1]


def order(name: str) -> tuple[int, int, int, bool, str]:
    """How a version sorts: by its numbers, a release after what leads to it.

    >>> sorted(["0.10.0", "0.9.0", "1.0.0", "1.0.0rc1"], key=order)
    ['0.9.0', '0.10.0', '1.0.0rc1', '1.0.0']
    """
    found = _VERSION.fullmatch(name)
    assert found is not None, name
    one, two, three = (int(found[k]) for k in (1, 2, 3))
    return one, two, three, not found[4], found[4]


def versions_in(folder: Path) -> list[str]:
    """The versions whose pages are there, the newest first."""
    names = [
        p.parent.name for p in folder.glob("*/index.html") if _VERSION.fullmatch(p.parent.name)
    ]
    return sorted(names, key=order, reverse=True)


def write_index(folder: Path) -> None:
    """The list of versions, and the link to the newest."""
    names = versions_in(folder)
    items = "\n".join(
        f'<li><a href="{html.escape(name)}/index.html">{html.escape(name)}</a>'
        f"{' (the newest)' if place == 0 else ''}</li>"
        for place, name in enumerate(names)
    )
    (folder / "index.html").write_text(PAGE.format(items=items), encoding="utf-8")
    link = folder / "latest"
    link.unlink(missing_ok=True)
    if names:
        link.symlink_to(names[0])


def main(mkdocs: str, folder: Path) -> int:
    """Build the pages of this version and write the index again."""
    target = folder.resolve() / version()
    built = [mkdocs, "build", "--quiet", "--strict", "--clean", "--site-dir", str(target)]
    done = subprocess.run(built, cwd=ROOT, check=False)  # noqa: S603  # mkdocs
    if done.returncode == 0:
        write_index(folder)
        sys.stdout.write(f"The site: {folder / 'index.html'}, this version: {target.name}\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
