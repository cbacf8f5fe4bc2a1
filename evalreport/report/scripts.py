"""Scripts that no font of the report has: who reads the page needs fonts of their own for them."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from functools import cache

from evalreport.report.words import listed
from evalreport.results.lookup import Results

#: The last letter of Latin Extended-A; up to there no font is asked.
LATIN = 0x17F


def script_note(results: Results) -> str:
    """That names are in scripts which no shipped font has, with a few letters; empty without any.

    What is not in these fonts is drawn by those of the computer that shows or prints the page,
    and as boxes where it has none.
    """
    told = {f"{t.labels} {t.subgroup}" for t in results.tables}
    text = json.dumps(results.spec, ensure_ascii=False) + results.title + "".join(sorted(told))
    found: dict[str, list[str]] = {}
    has = letters() if any(ord(sign) > LATIN for sign in text) else {}
    for sign in sorted(set(text)):
        if ord(sign) > LATIN and unicodedata.category(sign)[0] in "LM" and ord(sign) not in has:
            script = unicodedata.name(sign, "UNKNOWN").split()[0]
            found.setdefault(script if script == "CJK" else script.capitalize(), []).append(sign)
    if not found:
        return ""
    scripts = [f"{script} ({' '.join(signs[:3])})" for script, signs in found.items()]
    return (
        f"No font of this report has the letters of {listed(scripts)}. They are drawn with fonts "
        "of the computer that shows or prints it, and are boxes where it has none."
    )


@cache
def letters() -> Mapping[int, str]:
    """The signs that the font of text and charts has, by their number."""
    from fontTools.ttLib import TTFont

    from evalreport.report.charts.style import font_path

    found: Mapping[int, str] = TTFont(font_path("report-sans-400.ttf")).getBestCmap()
    return found
