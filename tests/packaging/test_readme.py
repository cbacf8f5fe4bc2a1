"""The readme quotes the configs as they are and names every one of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def within(part: Any, whole: Any) -> bool:
    """Whether a shortened spec says nothing that the whole spec does not say."""
    if isinstance(part, dict):
        return all(key in whole and within(value, whole[key]) for key, value in part.items())
    if isinstance(part, list):
        return all(one in whole for one in part)
    return bool(part == whole)


def test_every_config_is_in_the_table() -> None:
    listed = re.findall(r"^\| `(\w+\.yaml)` \|", README, flags=re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in REPOSITORY.glob("configs/*.yaml"))


def test_quoted_spec_is_a_part_of_the_config() -> None:
    (quoted,) = re.findall(r"^```yaml\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    whole = yaml.safe_load((REPOSITORY / "configs/breast_cancer.yaml").read_text(encoding="utf-8"))
    assert within(yaml.safe_load(quoted), whole)


def test_every_make_target_that_is_named_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"^make ([\w-]+)", README, flags=re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_every_file_that_is_linked_exists() -> None:
    """The picture of the first page is made from the report; everything else is committed."""
    for link in re.findall(r"\]\(([^)#:]+)\)", README):
        here = link.replace("../../actions/workflows", ".github/workflows").removesuffix(
            "/badge.svg"
        )
        assert here == "docs/report.png" or (REPOSITORY / here).exists(), link
