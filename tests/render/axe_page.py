"""A page under axe in headless Chromium, with nothing else installed than axe itself.

The page is shown in a frame of the wanted width, so that its rules for narrow screens
hold; axe runs inside it, and its findings are written where Chromium prints the page.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

from programs import lacks, program

ROOT = Path(__file__).parents[2]
#: Where ``make axe`` puts it; EVALREPORT_AXE names another folder node_modules.
MODULES = Path(os.environ.get("EVALREPORT_AXE") or ROOT / "build" / "axe" / "node_modules")
AXE = MODULES / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

_RUN = """
<script>
addEventListener("load", async () => {
  let found;
  try {
    if (%(zoom)d !== 100) document.body.style.zoom = "%(zoom)d%%";
    const run = await axe.run(document, {runOnly: %(rules)s, resultTypes: ["violations"]});
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    // values and outcomes: those of the first table on the screen, others there or in a box
    // that scrolls by keyboard and has a name
    const off = (e) => { const b = e.getBoundingClientRect();
      return b.width && (b.right > innerWidth + 1 || b.left < -1); };
    const numbers = [...document.querySelectorAll("main .st, main [data-value]")];
    found = {
      results: numbers.length,
      off: numbers.filter(off)
        .filter((e) => e.closest(".results") || !e.closest('.scroll[tabindex="0"][aria-label]'))
        .slice(0, 5).map((e) => e.parentNode.outerHTML.slice(0, 200)),
      violations: run.violations.map((v) =>
        [v.id, v.nodes.slice(0, 5).map((n) => n.html.slice(0, 200))]),
      passes: run.passes.length,
      twice: ids.filter((id, k) => ids.indexOf(id) !== k),
      wide: wide,
      width: innerWidth,
    };
  } catch (error) { found = {error: String(error)}; }
  parent.postMessage(JSON.stringify(found), "*");
});
</script>
"""
_FRAME = """<!DOCTYPE html><title>frame</title><body>
<iframe src="%s" style="width:%dpx;height:900px;border:0"></iframe><pre id="found"></pre>
<script>addEventListener("message", (e) => {
  document.getElementById("found").textContent = "FOUND" + e.data + "END"; });</script>
"""


#: What the page asks for its dark colours.
DARK = "@media screen and (prefers-color-scheme:dark)"


def findings(
    page: str, folder: Path, width: int, zoom: int = 100, dark: bool = False
) -> dict[str, Any]:
    """What axe finds wrong in a page of this width, ids that stand twice, sideways overflow.

    ``dark``: as it is drawn for those who prefer dark colours.
    """
    if dark:
        assert DARK in page
        page = page.replace(DARK, "@media screen")
    if not AXE.is_file():
        lacks("axe-core (make axe)")
    axe = AXE.read_text(encoding="utf-8").replace("</script", "<\\/script")
    run = _RUN % {"rules": json.dumps(RULES), "zoom": zoom}
    return in_frame(page, folder, width, f"<script>{axe}</script>{run}")


def in_frame(page: str, folder: Path, width: int, scripts: str) -> dict[str, Any]:
    """What scripts find in a page of this width, and post to the page around it as JSON."""
    # The page's own policy forbids scripts, so they are tried on a copy without it.
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    end = page.rindex("</body>")
    (folder / "page.html").write_text(f"{page[:end]}{scripts}{page[end:]}", encoding="utf-8")
    frame = folder / "frame.html"
    frame.write_text(_FRAME % ("page.html", width), encoding="utf-8")
    done = subprocess.run(
        [
            program("chromium"), "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={folder / 'profile'}", f"--window-size={max(width, 800)},900",
            "--virtual-time-budget=120000", "--dump-dom", frame.as_uri(),
        ],
        capture_output=True, check=True, timeout=180,
    )  # fmt: skip
    told = re.search(r"FOUND(.*?)END", done.stdout.decode("utf-8"), re.DOTALL)
    assert told, done.stderr.decode("utf-8", "replace")[-2000:]
    found: dict[str, Any] = json.loads(unescape(told[1]))
    assert "error" not in found, found
    return found
