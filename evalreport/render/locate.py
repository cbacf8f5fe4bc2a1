"""Where templates are: shipped with the package, or a folder or file of the user's own.

A user's folder may hold any of the shipped files under the same names; what it
does not hold is taken from the standard template.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evalreport.errors import FilesError, Location, Problem, UsageError, did_you_mean
from evalreport.render.shipped import fonts_css, templates_folder
from evalreport.report.logo import MOST_BYTES as MOST_LOGO_BYTES
from evalreport.report.logo import SUFFIXES as SUFFIXES_OF_LOGO
from evalreport.report.logo import data_address
from evalreport.report.wording import TEMPLATES

MAIN = "report.html.j2"
#: A file of a user's folder that names the shipped template whose sections and words it keeps.
BASE = "base.txt"
SUFFIXES = (".j2", ".css", ".html")
#: No template file is larger.
MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Template:
    """The texts of a template by name; ``trusted`` where all of them are shipped."""

    name: str
    files: dict[str, str]
    trusted: bool
    main: str = MAIN
    logo: str = ""


def find_template(template: str | Path | None) -> Template:
    """The template of this name, or in this folder or file.

    Raises UsageError for an unknown name, FilesError for files that cannot be used.
    """
    files = _shipped("standard")
    if template is None or str(template) in TEMPLATES:
        name = str(template or "standard")
        own = _shipped(name) if name != "standard" and (templates_folder() / name).is_dir() else {}
        return Template(name, files | own, trusted=True)
    path = Path(template)
    if path.is_dir():
        own = files | _folder(path)
        return Template(_base(path), own, trusted=False, logo=_logo(path))
    if path.is_file():
        return Template("standard", files | {path.name: _text(path)}, trusted=False, main=path.name)
    raise UsageError(
        Problem(
            f"there is no template {str(template)!r}",
            did_you_mean(str(template), TEMPLATES, "templates") + ", or give a folder or a file",
        )
    )


def shipped_page() -> Template:
    """The frame of a page that is no report, with the blocks and the style of one."""
    files = _shipped("standard") | _shipped("history")
    return Template("history", files, trusted=True, main="page.html.j2")


def _base(folder: Path) -> str:
    """The template that a user's folder was made from; the standard one where it does not say."""
    path = folder / BASE
    if not path.is_file():
        return "standard"
    name = _text(path).strip()
    if name not in TEMPLATES:
        raise UsageError(
            Problem(
                f"there is no template {name!r} to build on",
                did_you_mean(name, TEMPLATES, "templates"),
                Location(str(path)),
            )
        )
    return name


def _shipped(name: str) -> dict[str, str]:
    fonts = {
        "fonts.css": fonts_css(),
        "basic_fonts.css": fonts_css(basic=True),
        "paper_fonts.css": fonts_css(paper=True),
    }
    return _folder(templates_folder() / name) | fonts


def _folder(folder: Path) -> dict[str, str]:
    """The template files of a folder, none of them reached through a link out of it."""
    inside = folder.resolve()
    found = {}
    for path in sorted(folder.iterdir()):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        _refuse_link(path, inside)
        found[path.name] = _text(path)
    return found


def _refuse_link(path: Path, inside: Path) -> None:
    if not path.resolve().is_relative_to(inside):
        raise FilesError(
            Problem(
                "a template file is a link out of its folder",
                "copy the file itself",
                Location(str(path)),
            )
        )


def _logo(folder: Path) -> str:
    """The picture ``logo.png`` or ``logo.svg`` of a user's folder, made safe; "" without one."""
    for suffix in SUFFIXES_OF_LOGO:
        path = folder / f"logo{suffix}"
        if path.is_file():
            _refuse_link(path, folder.resolve())
            with path.open("rb") as file:
                return data_address(file.read(MOST_LOGO_BYTES + 1), str(path))
    return ""


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise FilesError(
                Problem(
                    f"a template of more than {MOST_BYTES} bytes",
                    f"the limit is {MOST_BYTES}",
                    Location(str(path)),
                )
            )
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FilesError(
            Problem(
                f"cannot read the template: {error}",
                "give a readable UTF-8 file",
                Location(str(path)),
            )
        ) from None
