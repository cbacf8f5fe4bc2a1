"""The pages of docs: no link leads nowhere, every page is in the site, and every spec loads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from evalreport.spec.load import parse_spec

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md")])
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_YAML = re.compile(r"^```yaml\n(evalreport: 1\n.*?)^```", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The places of a page that can be linked to, as GitHub and the site name them."""
    found = set()
    for line in _FENCE.sub("", page.read_text()).splitlines():
        if line.startswith("#"):
            plain = re.sub(r"[^\w\s-]", "", line.lstrip("#").strip().lower())
            found.add(re.sub(r"\s", "-", plain))
    return found | set(re.findall(r'(?:id|name)="([^"]+)"', page.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_leads_nowhere(page: Path) -> None:
    dead = []
    for link in _LINK.findall(_FENCE.sub("", page.read_text())):
        # badges lead to the workflows of the place that shows the page
        if re.match(r"[a-z]+:|\.\./\.\./actions/", link):
            continue
        path, _, place = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (
            place and target.suffix == ".md" and place not in anchors(target)
        ):
            dead.append(link)
    assert dead == []


def test_every_page_is_in_the_site_and_the_tutorial_comes_first() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    listed = []

    def walk(node) -> None:
        if isinstance(node, str):
            listed.append(node)
        for part in (
            node if isinstance(node, list) else node.values() if isinstance(node, dict) else ()
        ):
            walk(part)

    walk(site["nav"])
    assert listed[1] == "tutorial.md"
    assert all((ROOT / "docs" / name).is_file() for name in listed)
    pages = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    decisions = {name for name in pages if name.startswith("decisions/")}
    assert pages - decisions <= set(listed)
    assert site["plugins"] == ["search"]


HOW_TO = sorted((ROOT / "docs" / "howto").glob("*.md"))


@pytest.mark.parametrize("page", HOW_TO, ids=lambda page: page.stem)
def test_the_specs_of_how_to_pages_load(page: Path) -> None:
    specs = _YAML.findall(page.read_text())
    assert specs
    for text in specs:
        assert parse_spec(text).spec.metrics
