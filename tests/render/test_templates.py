"""A user's own template: what it may change, and what it can never do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from plain_results import render_html
from report.example_results import states

from evalreport.errors import ExitStatus, FilesError, LimitError, RenderingError, UsageError
from evalreport.render import limited

pytestmark = pytest.mark.long_but_first


def _template(folder: Path, text: str) -> Path:
    path = folder / "mine.html.j2"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.long
def test_a_folder_overrides_single_files_and_blocks(tmp_path):
    (tmp_path / "style.css").write_text("body{background:pink}", encoding="utf-8")
    page = render_html(states(), tmp_path)
    assert "body{background:pink}" in page
    assert 'data-metric="precision"' in page
    own = _template(
        tmp_path,
        '{% extends "report.html.j2" %}{% block front %}'
        "<h1>Mine: {{ report.title }}</h1>{% endblock %}",
    )
    assert "<h1>Mine: States</h1>" in render_html(states(), own)


@pytest.mark.parametrize(
    "text",
    [
        "{{ cycler.__init__.__globals__.os.popen('touch PWNED').read() }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ report.__class__.__base__ }}",
        "{{ report.sections.append(1) }}",
        "{{ self.__init__.__globals__ }}",
        "{{ ''['format']('{0.__class__}') }}{{ '{0.__class__.__mro__}'.format('') }}",
        "{{ report.clear() }}",
    ],
)
def test_a_template_cannot_leave_its_sandbox(tmp_path, text):
    with pytest.raises(RenderingError) as caught:
        render_html(states(), _template(tmp_path, f"<p>{text}</p>"))
    assert caught.value.status == ExitStatus.FILES
    assert not (tmp_path / "PWNED").exists()


def test_methods_of_objects_are_out_of_reach(tmp_path):
    with pytest.raises(RenderingError, match="plain values"):
        render_html(states(), _template(tmp_path, f"{{{{ df.to_csv('{tmp_path}/PWNED') }}}}"))
    assert not (tmp_path / "PWNED").exists()


def test_an_undefined_name_is_told_with_its_line(tmp_path):
    with pytest.raises(RenderingError) as caught:
        render_html(states(), _template(tmp_path, "<p>\n\nAccuracy: {{ acuracy }}</p>"))
    (problem,) = caught.value.problems
    assert "acuracy" in problem.what
    assert (problem.where.file, problem.where.line) == ("mine.html.j2", 3)


def test_a_mistake_of_syntax_is_told_with_its_line(tmp_path):
    with pytest.raises(RenderingError) as caught:
        render_html(states(), _template(tmp_path, "a\n{% if %}"))
    (problem,) = caught.value.problems
    assert (problem.where.file, problem.where.line) == ("mine.html.j2", 2)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ('<link rel=attachment href="file:///etc/passwd">', "file:///etc/passwd"),
        ('<img src="http://127.0.0.1:8765/x">', "http://127.0.0.1:8765/x"),
        ("<style>@import url(http://127.0.0.1:8765/c);</style>", "http://127.0.0.1:8765/c"),
        ("<style>p{background:url(file:///etc/passwd)}</style>", "file:///etc/passwd"),
        ('<svg><image href="http://127.0.0.1:8765/s"/></svg>', "http://127.0.0.1:8765/s"),
        ('<object data="x.svg"></object>', "x.svg"),
        ("<script>alert(1)</script>", "<script>"),
        ('<a href="javascript:alert(1)">x</a>', "javascript:alert(1)"),
        ('<p onclick="alert(1)">x</p>', "onclick=alert(1)"),
        ('<base href="http://127.0.0.1/">', "http://127.0.0.1/"),
        ('<img srcset="http://127.0.0.1/a 2x">', "http://127.0.0.1/a 2x"),
    ],
)
def test_the_first_reference_out_of_the_page_is_named(tmp_path, text, reference):
    with pytest.raises(RenderingError) as caught:
        render_html(states(), _template(tmp_path, f"<p>one</p>{text}"))
    assert reference in str(caught.value)


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "style.css").symlink_to(secret)
    with pytest.raises(FilesError, match="link out of its folder"):
        render_html(states(), folder)


@pytest.mark.long
def test_an_endless_loop_meets_a_limit(tmp_path, monkeypatch):
    monkeypatch.setitem(limited.SECONDS, "html", 1)
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(LimitError):
        render_html(states(), _template(tmp_path, loop))


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux")
def test_a_string_of_many_gigabytes_meets_a_limit(tmp_path):
    with pytest.raises(LimitError, match="memory"):
        render_html(states(), _template(tmp_path, "{{ 'a' * 9999999999 }}"))


def test_an_unknown_template_is_a_wrong_call():
    with pytest.raises(UsageError, match="did you mean 'standard'"):
        render_html(states(), "standrad")


def test_the_title_is_text_whatever_it_holds():
    results = states()
    results["title"] = "{{7*7}} {% raw %} <b>"
    assert "{{7*7}} {% raw %} &lt;b&gt;" in render_html(results)


def test_a_shipped_template_is_compiled_once(monkeypatch):
    first = render_html(states(), "standard")
    monkeypatch.setattr(
        "jinja2.Environment.compile", lambda *_a, **_k: pytest.fail("compiled a second time")
    )
    assert render_html(states(), "standard") == first
