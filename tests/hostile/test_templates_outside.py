"""A template of a stranger tries to send the report away: by the parser, and in a browser."""

from __future__ import annotations

import html
import re
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hostile.outside import LEADING, LOADED, OUTSIDE
from plain_results import render_html
from programs import program
from report.example_results import two_models

from evalreport.errors import RenderingError
from evalreport.render.html import fill_untrusted
from evalreport.render.locate import Template
from evalreport.render.references import POLICY, blocked_reference, guarded
from evalreport.report.wording import TEMPLATES

pytestmark = [pytest.mark.long_but_first, pytest.mark.requirement("R13")]

PORT = "8765"


def filled(markup: str) -> str:
    template = Template("mine", {"mine.html.j2": markup}, trusted=False, main="mine.html.j2")
    return fill_untrusted(template, {"title": "87 of 97"})


@pytest.mark.parametrize("name", sorted(OUTSIDE))
@pytest.mark.parametrize("around", ["{}", "<!DOCTYPE html><html><head>{}</head><body>x", "<p>x{}"])
def test_no_reference_leaves_the_page(name: str, around: str) -> None:
    with pytest.raises(RenderingError, match="which a report may not load"):
        filled(around.replace("{}", OUTSIDE[name].replace("0PORT0", PORT)))


HARMLESS = {
    "links of the author": '<a href="https://example.org/guide" target="_blank" rel="noopener">x</a>',
    "mail": "<a href='mailto:a@example.org'>x</a>",
    "anchors": "<a href='#x'>x</a><svg><a href='#x'><text>x</text></a></svg>",
    "pictures of the page": "<img src='data:image/png;base64,AAAA' alt='x' width=9>",
    "a drawing": "<svg viewBox='0 0 9 9'><defs><path id=a d='M0 0' /><linearGradient id=g><stop "
    "offset=0 /></linearGradient></defs><use href='#a'/><rect fill='url(#g)' width=9 height=9 /></svg>",
    "styles": "<style>@font-face{font-family:x;src:url(data:font/woff2;base64,AA) format('woff2')}"
    "@media (400px<width){p::before{content:'url(http://a) ' attr(title)}}"
    "p{background:url( 'data:image/png;base64,AA' );color:var(--x,red)} /* @import 'x' */</style>",
    "words": "<p title='url(http://a)' aria-label='@import x'>http://a/b &lt;script&gt; a < b, 1 < 2</p>",
    "head": "<!DOCTYPE html><html lang=en><head><meta charset=UTF-8><meta name=viewport content='width=1'>"
    "<title>x</title></head><body class=x><details open><summary>x</summary></details></body></html>",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_what_stays_in_the_page_is_drawn(name: str) -> None:
    assert filled(HARMLESS[name]).endswith(HARMLESS[name].removeprefix("<!DOCTYPE html>"))


@pytest.mark.long
@pytest.mark.parametrize("template", TEMPLATES)
def test_shipped_pages_hold_the_policy_before_anything_it_is_for(template: str) -> None:
    page = render_html(two_models(), template)
    policy = re.search(r'content="(default-src[^"]*)"', POLICY)
    assert policy
    head = page[: page.index(policy[1])]
    assert re.findall(r"<(\w+)", head) == ["html", "head", "meta", "meta"]
    assert blocked_reference(page) is None


@pytest.fixture(scope="module")
def heard() -> Any:
    """A server on loopback that notes the paths it is asked for."""
    paths: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/wait":
                time.sleep(2)
            else:
                paths.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1], paths
    server.shutdown()
    server.server_close()
    thread.join(5)


def shown(folder: Path, port: int, pages: dict[str, str]) -> None:
    """Every page in a frame of its own, in one start of Chromium, which waits two seconds."""
    for place, page in enumerate(pages.values()):
        (folder / f"{place}.html").write_bytes(page.encode("utf-8"))
    frames = "".join(
        f"<iframe src='{place}.html' title='{html.escape(name)}'></iframe>"
        for place, name in enumerate(pages)
    )
    (folder / "all.html").write_text(
        f"<!DOCTYPE html><img src='http://127.0.0.1:{port}/wait'>{frames}", encoding="utf-8"
    )
    done = subprocess.run(
        [program("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         f"--user-data-dir={folder / 'profile'}", "--timeout=12000", "--dump-dom",
         (folder / "all.html").as_uri()],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    assert b"<iframe" in done.stdout


@pytest.mark.long
@pytest.mark.browser
def test_a_browser_asks_for_nothing_even_where_the_check_is_passed_by(
    tmp_path: Path, heard: tuple[int, list[str]]
) -> None:
    """The policy alone holds all that is loaded; what leads away it does not, so that is refused.

    The same markup without the policy shows that the listener would have heard.
    """
    port, paths = heard

    def at(text: str, name: str, kind: str) -> str:
        place = f"0PORT0/{kind}/{name.replace(' ', '-')}/"
        return f"<p>x{text}".replace("0PORT0/", place).replace("0PORT0", str(port))

    shown(tmp_path, port, {
        **{f"held {name}": guarded(at(text, name, "held")) for name, text in LOADED.items()},
        **{f"bare {name}": at(text, name, "bare") for name, text in LOADED.items()},
        **{f"led {name}": guarded(at(text, name, "led")) for name, text in LEADING.items()},
    })  # fmt: skip
    told = {tuple(path.split("/")[1:3]) for path in paths}
    assert [path for path in paths if path.startswith("/held/")] == []
    bare = {name for kind, name in told if kind == "bare"}
    assert {"image", "import", "frame-of-its-own", "style-that-stays-open", "base"} <= bare
    assert len(bare) > 40
    assert {("led", "refresh"), ("led", "refresh-in-a-drawing")} <= told
