"""Saved models and templates of strangers: refused or bounded, and nothing happens."""

from __future__ import annotations

import io
import json
import os
import pickle
import socket
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hostile.command import TRACES, Outcome, Workshop
from hostile.outside import OUTSIDE

from evalreport.errors import LimitError, RenderingError
from evalreport.publish.installed import Extra
from evalreport.render import limited
from evalreport.render.html import fill_untrusted
from evalreport.render.locate import Template

pytestmark = [pytest.mark.long_but_first, pytest.mark.requirement("R11")]

# -- 53: saved models ------------------------------------------------------------------------


class Payload:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, ("touch /tmp/EVALREPORT_PWNED_pickle",)


def skops_file(*types: tuple[str, str]) -> bytes:
    """A skops archive whose object is an instance of each of these types, made by hand."""
    module, name = types[0]
    schema = {
        "__class__": name, "__module__": module, "__loader__": "ObjectNode", "__id__": 1,
        "content": None, "protocol": 2, "_skops_version": "0.16.0",
    }  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
    return out.getvalue()


def function_skops(module: str, name: str) -> bytes:
    schema = {
        "__class__": name, "__module__": module, "__loader__": "FunctionNode", "__id__": 1,
        "content": {"module_path": module, "function": name}, "protocol": 2,
        "_skops_version": "0.16.0",
    }  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
    return out.getvalue()


MODELS: dict[str, tuple[bytes, str]] = {
    "pickle": (pickle.dumps(Payload()), "pickle"),
    "pickle, protocol 0": (pickle.dumps(Payload(), protocol=0), ""),
    "posix.system": (function_skops("posix", "system"), "posix.system"),
    "builtins.eval": (function_skops("builtins", "eval"), "builtins.eval"),
    "unknown class": (skops_file(("evil", "Classifier")), "evil.Classifier"),
    "empty": (b"", ""),
    "text": (b"hello", ""),
    "zip without schema": (b"PK\x05\x06" + b"\0" * 18, ""),
    "zip cut off": (skops_file(("evil", "C"))[:40], ""),
}


@pytest.mark.long
@pytest.mark.nightly_but_each(2)
@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_saved_model_is_refused(workshop: Workshop, name: str) -> None:
    content, word = MODELS[name]
    workshop.file("f.csv", "x,y\n" + "1,a\n2,b\n" * 5)
    workshop.file("m.skops", content)
    workshop.spec(path="f.csv", model="{skops: m.skops, features: [x]}")
    workshop.refused(3, "m.skops", word)


def test_a_pickle_by_any_suffix_is_refused(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalreport.publish.installed._ONNX", Extra("onnx", (), ""))
    workshop.file("f.csv", "x,y\n" + "1,a\n2,b\n" * 5)
    for source in ("skops: m.skops", "skops: m.pkl", "skops: m.joblib", "onnx: m.onnx"):
        workshop.file(source.split(": ")[1], pickle.dumps(Payload()))
        workshop.spec(path="f.csv", model=f"{{{source}, features: [x]}}")
        found = workshop.run()
        assert found.status in (2, 3), found.err


def test_a_model_file_that_is_no_file(workshop: Workshop) -> None:
    workshop.file("f.csv", "x,y\n" + "1,a\n2,b\n" * 5)
    os.mkfifo(workshop.folder / "pipe.skops")
    for name in ("pipe.skops", "absent.skops"):
        workshop.spec(path="f.csv", model=f"{{skops: {name}, features: [x]}}")
        workshop.refused(4, name)


# -- 54, 55: templates -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results.json to draw again."""
    made = Workshop(tmp_path_factory.mktemp("results"))
    made.file("a.csv", "y,p\ncat,cat\ndog,dog\ncat,dog\n")
    made.spec()
    return made.done().latest / "results.json"


def drawn(workshop: Workshop, results: Path, template: str, formats: str = "html") -> Outcome:
    path = workshop.file("t.html.j2", template)
    return workshop.call("render", results, "--template", path, "-o", workshop.folder / "out",
                         "--formats", formats)  # fmt: skip


REFUSED = {
    "globals of cycler": "{{ cycler.__init__.__globals__.os.popen('touch /tmp/EVALREPORT_PWNED_a') }}",
    "globals of joiner": "{{ joiner.__init__.__globals__ }}",
    "globals of lipsum": "{{ lipsum.__globals__['os'].system('touch /tmp/EVALREPORT_PWNED_b') }}",
    "classes": "{{ ''.__class__.__mro__ }}",
    "classes of the report": "{{ report.__class__.__base__.__subclasses__() }}",
    "attr filter": "{{ ''|attr('__class__')|attr('__mro__') }}",
    "attr of the report": "{{ report|attr('__class__') }}",
    "format": "{{ '{0.__class__.__mro__}'.format(report) }}",
    "format_map": "{{ '{x.__class__}'.format_map({'x': report}) }}",
    "format filter": "{{ '%s' | format(''.__class__) }}",
    "self": "{{ self.__init__.__globals__ }}",
    "self through a block": "{{ self._TemplateReference__context }}",
    "namespace": "{{ namespace.__init__.__globals__ }}",
    "range": "{{ range.__class__ }}",
    "item of a class": "{{ ''['__class__'] }}",
    "object methods": "{{ df.to_csv('/tmp/EVALREPORT_PWNED_csv') }}{{ arr.tofile('/tmp/EVALREPORT_PWNED_bin') }}",
    "change of the report": "{% set _ = report.update({'title': 'x'}) %}",
    "change of a list": "{{ report.sections.append(1) }}",
    "change by clear": "{{ report.clear() }}",
    "include of a file": "{% include '/etc/passwd' %}",
    "include above": "{% include '../../../../etc/passwd' %}",
    "import": "{% import 'os' as os %}",
    "extends": "{% extends '/etc/passwd' %}",
    "undefined": "<p>Accuracy: {{ acuracy }}</p>",
    "undefined attribute": "<p>{{ report.titel }}</p>",
    "syntax": "{{ report.title",
    "unknown tag": "{% python %}",
    "unknown filter": "{{ report | pickle }}",
    "itself": "{% include 't.html.j2' %}",
    "deep recursion": "{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}",
    "division by zero": "{{ 1 / 0 }}",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_template_is_refused(name: str) -> None:
    """By the sandbox, which fills it in this process: no payload may run, nothing may be read."""
    report = {"title": "t", "sections": [1]}
    template = Template("mine", {"t.html.j2": REFUSED[name]}, trusted=False, main="t.html.j2")
    with pytest.raises(RenderingError) as refused:
        fill_untrusted(template, report)
    told = str(refused.value)
    assert "t.html.j2" in told or "/etc/passwd" in told or "'os'" in told
    assert "root:" not in told
    assert report == {"title": "t", "sections": [1]}
    assert not list(Path("/tmp").glob(TRACES))


@pytest.mark.parametrize(
    "name", ["change of the report", "globals of cycler", "include of a file", "undefined"]
)
def test_the_command_refuses_a_template(workshop: Workshop, results: Path, name: str) -> None:
    before = results.read_bytes()
    found = drawn(workshop, results, REFUSED[name])
    assert found.status == 4, found.err
    assert "t.html.j2" in found.err or "/etc/passwd" in found.err or "'os'" in found.err
    assert not (workshop.folder / "out").exists()
    assert "root:" not in found.err
    assert results.read_bytes() == before


def test_an_undefined_name_is_told_with_its_line(workshop: Workshop, results: Path) -> None:
    found = drawn(workshop, results, "<p>\n\nAccuracy: {{ acuracy }}</p>")
    assert "t.html.j2:3: " in found.err
    assert "'acuracy'" in found.err


ENDLESS = {
    "loop": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "power": "{{ 9 ** (9 ** 9) }}",
    "power in parts": "{{ ((((9**9)**9)**9)**9)**9 }}",
}
LARGE = {
    "2 GB string": "{{ 'a' * 2000000000 }}",
    "64 GB string": "{{ 'a' * 64000000000 }}",
    "centred": "{{ 'a' | center(9000000000) }}",
    "padded": "{{ '%9000000000d' % 1 }}",
    "doubled": "{% set n = namespace(s='aaaaaaaa') %}{% for i in range(40) %}"
               "{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}",
    "long range": "{% for a in range(99999999999) %}x{% endfor %}",
    "justified": "{{ 'a'.ljust(9000000000) }}",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.nightly_but_each(2)
@pytest.mark.parametrize("name", sorted(ENDLESS))
def test_an_endless_template_is_stopped(
    workshop: Workshop, results: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(limited.SECONDS, "html", 1)
    found = drawn(workshop, results, ENDLESS[name])
    assert found.status == 4
    assert "1 seconds" in found.err or "memory" in found.err or "digits" in found.err


@pytest.mark.parametrize(
    "name",
    [
        name
        if name in ("2 GB string", "doubled")
        else pytest.param(name, marks=pytest.mark.nightly)
        for name in LARGE
    ],
)
def test_a_large_template_is_stopped(workshop: Workshop, results: Path, name: str) -> None:
    found = drawn(workshop, results, LARGE[name])
    assert found.status == 4, found.err
    assert "t.html.j2" in found.err or "memory" in found.err
    assert not (workshop.folder / "out").exists()


@pytest.fixture
def listener() -> Any:
    """A server that only counts who comes."""
    server = socket.create_server(("127.0.0.1", 0))
    visits: list[Any] = []

    def serve() -> None:
        while True:
            try:
                visits.append(server.accept())
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield server.getsockname()[1], visits
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(5)


#: Tried with the command; all of them, and what browsers make of them, in test_templates_outside.
TRIED = ("attachment", "image without scheme", "refresh", "a drawing in base64")


@pytest.mark.parametrize("name", TRIED)
def test_a_reference_out_of_the_page_is_refused(
    workshop: Workshop, results: Path, listener: tuple[int, list[Any]], name: str
) -> None:
    """55: refused by both formats, or harmless in both: nobody is asked, nothing embedded."""
    port, visits = listener
    found = drawn(
        workshop, results, OUTSIDE[name].replace("0PORT0", str(port)) + "<p>x", "html,pdf"
    )
    assert visits == []
    assert found.status == 4, found.err
    assert not (workshop.folder / "out").exists() or not list((workshop.folder / "out").iterdir())
    assert "root:" not in found.err


@pytest.mark.long
def test_a_page_of_a_stranger_has_the_policy_first(workshop: Workshop, results: Path) -> None:
    """Whatever the check overlooks, a browser loads nothing."""
    for head in ("<!DOCTYPE html>", " <!doctype html>", ""):
        assert drawn(workshop, results, head + "<p>x").status == 0
        page = (workshop.folder / "out" / "report.html").read_text()
        first = '<!DOCTYPE html><meta http-equiv="Content-Security-Policy"'
        assert page.startswith(first)
        assert "default-src 'none'" in page


def test_a_template_folder_with_a_link_out_of_it(workshop: Workshop, results: Path) -> None:
    folder = workshop.folder / "mine"
    folder.mkdir()
    (folder / "style.css").symlink_to("/etc/passwd")
    found = workshop.call("render", results, "--template", folder, "-o", workshop.folder / "out")
    assert found.status == 4
    assert "link" in found.err


def test_a_spec_with_a_hostile_template_publishes_the_results(workshop: Workshop) -> None:
    """The template fails, the rest is published, and the status is 4."""
    workshop.file("mine/report.html.j2", "{{ cycler.__init__.__globals__ }}")
    workshop.spec(more="report: {template: mine, formats: [html]}")
    found = workshop.done(status=4, formats="html")
    assert {p.name for p in found.latest.iterdir()} == {
        "results.json", "measures.csv", "MANIFEST.json"
    }  # fmt: skip
    assert found.measure("accuracy")["denominator"] == 4
    assert "report.html.j2" in found.err


# -- limits of the PDF -----------------------------------------------------------------------


@pytest.mark.long
def test_a_page_that_takes_too_long_is_stopped(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTML and JSON are published all the same."""
    monkeypatch.setitem(limited.SECONDS, "pdf", 1)
    workshop.file("mine/report.html.j2", "<table>" + "<tr><td colspan=1000000>x" * 50)
    workshop.spec(more="report: {template: mine, formats: [html, pdf]}")
    found = workshop.done(status=4, formats="html,pdf")
    assert "PDF" in found.err
    assert {p.name for p in found.latest.iterdir()} == {
        "results.json", "measures.csv", "MANIFEST.json", "report.html"
    }  # fmt: skip


@pytest.mark.nightly
def test_a_page_that_needs_too_much_memory_is_stopped(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of 99,999 cells: by time or by memory."""
    monkeypatch.setattr(limited, "SECONDS", {"html": 20, "pdf": 20})
    workshop.file("mine/report.html.j2", "<table><tr>{% for i in range(99999) %}<td>x{% endfor %}")
    workshop.spec(more="report: {template: mine, formats: [html, pdf]}")
    found = workshop.done(status=4, formats="html,pdf")
    assert "PDF" in found.err
    assert (found.latest / "report.html").exists()


@pytest.mark.long
def test_nesting_is_refused_or_laid_out(workshop: Workshop) -> None:
    workshop.file("mine/report.html.j2", "<div>" * 3_000 + "x")
    workshop.spec(more="report: {template: mine, formats: [html, pdf]}")
    found = workshop.done(status=4, formats="html,pdf")
    assert "nested" in found.err or "PDF" in found.err
    assert (found.latest / "report.html").exists()


def test_a_child_that_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "MEMORY", {"html": 1 << 20, "pdf": 1 << 20})
    for status in (-9, -24, 137, 152):
        assert isinstance(limited._died("pdf", status, 1), LimitError)
    assert not isinstance(limited._died("pdf", 1, 1), LimitError)


@pytest.mark.long
def test_long_labels_are_laid_out_in_time(workshop: Workshop) -> None:
    """50: labels of 20,000 characters, which stop WeasyPrint for minutes uncut."""
    labels = ["x" * 20_000, "y " * 10_000, "<td colspan=1000000>" * 1_000, "z"]
    rows = "".join(f'"{label}","{label}"\n' for label in labels)
    workshop.file("a.csv", "y,p\n" + rows)
    workshop.spec()
    found = workshop.done(formats="html,pdf")
    assert (found.latest / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.long
def test_nothing_of_a_foreign_file_is_in_any_output(workshop: Workshop) -> None:
    secret = "zebra-quartz-42"
    workshop.file("secret.txt", secret)
    for body in (f"<link rel=attachment href='file://{workshop.folder}/secret.txt'>",
                 f"{{% include '{workshop.folder}/secret.txt' %}}"):  # fmt: skip
        workshop.file("mine/report.html.j2", body)
        workshop.spec(more="report: {template: mine, formats: [html, pdf]}")
        found = workshop.done(status=4, formats="html,pdf")
        for path in found.latest.iterdir():
            assert secret.encode() not in path.read_bytes()
