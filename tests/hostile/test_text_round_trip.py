"""More than 200 hostile texts through every way out, and exactly back again."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from pathlib import Path
from typing import Any
from unicodedata import bidirectional
from xml.etree import ElementTree

import pytest
from hostile.command import Outcome, Workshop
from hostile.pages import Element, parsed
from hostile.rows import csv_bytes
from hostile.strings import CODE, DRAWN, FORMULAS, HOSTILE, LONG, MARKUP, UNSEEN
from programs import program

from evalreport.render.html import fill
from evalreport.render.locate import Template
from evalreport.report.csv import neutral
from evalreport.report.words import visible

pytestmark = pytest.mark.long_but_first


BATCH = 40
#: Beside +1 and 0 these would be the same class written in two ways, which is refused.
APART = ["true", "-0"]
TOGETHER = [text for text in HOSTILE if text not in APART]
BATCHES = [TOGETHER[i : i + BATCH] for i in range(0, len(TOGETHER), BATCH)]
BATCHES += [[text, "yy", "zz"] for text in APART]
#: Everything a run may hold: no name comes from a label.
FILES = {"MANIFEST.json", "results.json", "measures.csv", "report.html", "report.pdf", "tables.csv",
         "summary.md", "criteria.xml"}  # fmt: skip


def test_there_are_enough() -> None:
    assert len(HOSTILE) >= 200


def as_yaml(text: str) -> str:
    """A text as a quoted scalar, every character that is not plain written as an escape."""
    return '"' + "".join(
        c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in text
    ) + '"'  # fmt: skip


def label_of(cell: Element) -> str:
    return cell.attributes.get("data-label", cell.text)


@pytest.fixture(scope="module", params=range(len(BATCHES)))
def batch(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[str], Outcome]:
    """A run whose classes are a batch of hostile labels, each right once, one wrong."""
    labels = BATCHES[request.param]
    workshop = Workshop(tmp_path_factory.mktemp("labels"))
    rows = [(label, label) for label in labels] + [(labels[0], labels[1])]
    workshop.file("a.csv", csv_bytes(["y", "p"], rows))
    workshop.spec(metrics="[accuracy, recall]")
    return labels, workshop.done(formats="html,csv,markdown,junit")


def test_labels_in_json(batch: tuple[list[str], Outcome]) -> None:
    labels, found = batch
    table = found.results["tables"][0]
    assert sorted(table["labels"]) == sorted(labels)
    assert sum(map(sum, table["counts"])) == len(labels) + 1
    recalls = {
        m["label"]: m["value"]
        for m in found.results["measures"]
        if m["metric"] == "recall" and m["average"] is None
    }
    assert recalls == dict.fromkeys(labels, 1.0) | {labels[0]: 0.5}


def test_labels_in_the_page(batch: tuple[list[str], Outcome]) -> None:
    labels, found = batch
    page = parsed(found.page)
    results = found.results
    tables = {t["id"]: t for t in results["tables"]}
    table = next(page.all("table", data_table=results["tables"][0]["id"]))
    for scope in ("row", "col"):
        cells = [c for c in table.all("th", scope=scope) if "data-total" not in c.attributes]
        assert [label_of(c) for c in cells] == tables[table.attributes["data-table"]]["labels"]
    measures = {m["id"]: m for m in results["measures"]}
    seen = set()
    for tag in ("div", "section", "tr", "td", "li", "article", "p", "span"):
        for element in page.all(tag, data_measure=None, data_label=None):
            of = measures[element.attributes["data-measure"]]
            assert element.attributes["data-label"] == (of["label"] or "")
            seen.add(of["label"])
    assert seen >= set(labels)


def test_no_text_becomes_an_element(batch: tuple[list[str], Outcome]) -> None:
    _, found = batch
    page = parsed(found.page)
    for tag in ("script", "iframe", "base", "object", "embed", "form", "textarea", "xmp",
                "plaintext", "noscript", "template", "math", "link"):  # fmt: skip
        assert not list(page.all(tag)), tag
    attributes = set(
        re.findall(r"<[a-zA-Z][^<>]*?\s(on[a-z]+)=", re.sub(r'"[^"]*"', '""', found.page))
    )
    assert attributes == set()
    (policy,) = page.all("meta", http_equiv="Content-Security-Policy")
    assert "default-src 'none'" in policy.attributes["content"]
    assert "script-src" not in policy.attributes["content"]
    assert not re.search(r'(?:src|href|xlink:href)="(?!#|data:)', found.page)
    # No control character stands in the page as itself.
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", re.sub(r'="[^"]*"', "", found.page))


def test_labels_in_measures_csv(batch: tuple[list[str], Outcome]) -> None:
    labels, found = batch
    with (found.latest / "measures.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    written = {row["label"] for row in rows if row["metric"] == "recall" and row["label"]}
    assert written == {neutral(label) for label in labels}
    risky = tuple("=+-@\t\r\n＝＋－＠")
    number = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")
    for name in ("measures.csv", "tables.csv"):
        with (found.latest / name).open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file, strict=True):
                for cell in row:
                    assert not cell.startswith(risky) or number.fullmatch(cell)


def test_labels_name_no_file(batch: tuple[list[str], Outcome]) -> None:
    _, found = batch
    assert {p.name for p in found.latest.iterdir()} <= FILES
    assert {p.name for p in found.latest.parent.iterdir() if p.is_dir()} >= {"latest"}
    assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{8}(-\d+)?", found.latest.resolve().name)


def test_long_labels_are_cut_on_the_page_only(batch: tuple[list[str], Outcome]) -> None:
    labels, found = batch
    shown = re.sub(r'="[^"]*"', "", found.page)
    longest = max((len(word) for word in re.findall(r">([^<]*)<", shown)), default=0)
    if set(labels) & set(LONG):
        assert not any(label[:300] in shown for label in LONG)
    assert longest < 200_000


PLAIN = "<p title=\"{{ report.t }}\" style='x'>{{ report.t }}</p><text>{{ report.t }}</text>"


@pytest.mark.parametrize("trusted", [True, False])
def test_texts_in_a_template(trusted: bool) -> None:
    template = Template("x", {"report.html.j2": PLAIN}, trusted=trusted)
    for text in HOSTILE:
        (made,) = [e for e in parsed(fill(template, {"t": text})).children if e.tag == "p"]
        assert (made.attributes["title"], made.text) == (text, text)


def drawings_of(page: str) -> list[bytes]:
    """The drawings of a page, which stand in it as elements."""
    found = re.findall(r'<svg class="chart" .*?</svg>', page, re.DOTALL)
    assert found
    return [drawing.encode("utf-8") for drawing in found]


# The spec admits no invisible characters, but data may.
NAMES = [
    "plain",
    "net 1.257 w",
    *MARKUP[:24],
    *CODE[:40],
    *FORMULAS[:8],
    *DRAWN[:10],
    *UNSEEN[31:45],
]


@pytest.mark.long
@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("start", range(0, len(NAMES), 6))
def test_names_everywhere_else(workshop: Workshop, start: int) -> None:
    """Titles, datasets, models, columns, groups, free text; page, drawings, JSON, CSV."""
    names = [n for n in NAMES[start : start + 6] if n.strip() == n]
    title, *models = names
    rows = [(str(i % 2), names[i % len(names)], (i * 7 % 10) / 10) for i in range(40)]
    workshop.file("a.csv", csv_bytes(["y", "g", "s"], rows))
    listed = "".join(f"  {as_yaml(name)}: {{score: s}}\n" for name in models)
    workshop.spec(
        f"evalreport: 1\ntitle: {as_yaml(title)}\nabout: {{question: {as_yaml(title)}}}\n"
        f"datasets:\n  {as_yaml(title)}: {{path: a.csv, target: y}}\nmodels:\n{listed}"
        "metrics: [accuracy, roc_auc]\nsubgroups: [g]\n"
    )
    found = workshop.done(formats="html,csv")
    results = found.results
    assert results["title"] == title
    assert {m["model"] for m in results["measures"]} == set(models)
    assert {m["dataset"] for m in results["measures"]} == {title}
    assert {m["subgroup"].get("g") for m in results["measures"]} == {None, *names}
    page = parsed(found.page)
    (heading,) = page.all("title")
    assert " ".join(title.split()) in " ".join(heading.text.split())
    assert not list(page.all("script"))
    assert "49" not in {h.text.strip() for h in page.all("h1")}
    charts = [ElementTree.fromstring(svg) for svg in drawings_of(found.page)]
    drawn = "".join("".join(chart.itertext()) for chart in charts)
    # Words from right to left are drawn as shapes, and told beside them.
    beside = "".join(chart.attrib["aria-label"] for chart in charts)
    for model in models:
        name = visible(model, 40)
        assert name in (beside if from_right_to_left(name) else drawn)
    texts = {" ".join(e.text.split()) for e in page.all("bdi")}
    assert {" ".join(m.split()) for m in models} <= texts


def from_right_to_left(text: str) -> bool:
    return any(bidirectional(sign) in ("R", "AL") for sign in text)


def printable(text: str) -> bool:
    return text.isascii() and text.isprintable() and 0 < len(text) < 25 and "  " not in text


@pytest.mark.long
def test_labels_in_the_pdf(workshop: Workshop) -> None:
    """Every printable text reads the same in the text of the PDF, spaces and breaks aside."""
    labels = [t for t in TOGETHER if printable(t) and t.strip() == t]
    chosen = labels[:: max(1, len(labels) // 20)][:20]
    workshop.file("a.csv", csv_bytes(["y", "p"], [(label, label) for label in chosen]))
    workshop.spec(metrics="[accuracy, recall]", title=as_yaml("<b>&amp; {{7*7}} $x$ _y"))
    found = workshop.done(formats="pdf")
    done = subprocess.run(
        [program("pdftotext"), "-enc", "UTF-8", "-layout", found.latest / "report.pdf", "-"],
        capture_output=True, check=True,
    )  # fmt: skip
    text = re.sub(r"[\s\u00ad\u200b]+", "", done.stdout.decode())
    assert "<b>&amp;{{7*7}}$x$_y" in text
    missing = [label for label in chosen if re.sub(r"\s+", "", label) not in text]
    assert missing == []


@pytest.mark.long
@pytest.mark.browser
def test_nothing_runs_in_a_browser(workshop: Workshop, tmp_path: Path) -> None:
    """The page as Chromium reads it: exact labels, no script ran, nothing was asked for."""
    payloads = [
        f"<img src=http://127.0.0.1:9/{n} onerror=document.title='PWNED'>" for n in range(3)
    ] + ["<script>document.title='PWNED'</script>", "'\"><svg onload=document.title='PWNED'>",
         "a\rb", "a\r\nb", " a", "line\nbreak", "\u2028x"]  # fmt: skip
    workshop.file("a.csv", csv_bytes(["y", "p"], [(p, p) for p in payloads]))
    workshop.spec(title="'<script>document.title=\"PWNED\"</script>'")
    page = workshop.done(formats="html").latest / "report.html"
    done = subprocess.run(
        [program("chromium"), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/c",
         "--virtual-time-budget=2000", "--dump-dom", f"file://{page.resolve()}"],
        capture_output=True, timeout=90, check=False,
    )  # fmt: skip
    dom = parsed(done.stdout.decode(), as_read=False)
    (title,) = list(dom.all("title"))[:1]
    assert not title.text.startswith("PWNED")
    assert not list(dom.all("script"))
    table = next(dom.all("table", data_table=None))
    cells = [c for c in table.all("th", scope="col") if "data-total" not in c.attributes]
    assert {label_of(c).replace("\u00a0", " ") for c in cells} == set(payloads)


def test_results_json_is_plain_json(batch: tuple[list[str], Outcome]) -> None:
    _, found = batch
    data = (found.latest / "results.json").read_bytes()

    def refuse(name: str) -> Any:
        raise AssertionError(name)

    content = json.loads(data, parse_constant=refuse)
    again = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert data.decode() == again + "\n"
