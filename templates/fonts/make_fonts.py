"""Cut the report's fonts out of their upstream releases.

The upstream files are not kept here. Fetch and unpack them once, then run:

    npm pack source-sans@3.52.0 source-serif@4.5.1 source-code-pro@2.42.0
    python make_fonts.py FOLDER     # the folder holding the three .tgz files

The same upstream files and the same fontTools and brotli give the same bytes.
The families are renamed because "Source" is a reserved font name (OFL 1.1, section 3).
"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
from dataclasses import dataclass, replace
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = Path(__file__).resolve().parent

ASCII = range(0x20, 0x7F)
LATIN_1 = range(0xA0, 0x100)
LATIN_EXTENDED_A = range(0x100, 0x180)
GREEK = [*range(0x384, 0x3CF), 0x3D5]
CYRILLIC = [*range(0x400, 0x460), 0x490, 0x491]
PUNCTUATION = [*range(0x2009, 0x200B), *range(0x2010, 0x2016), *range(0x2018, 0x2023), 0x2026]
PUNCTUATION += [
    0x202F,
    0x2030,
    0x2032,
    0x2033,
    0x2039,
    0x203A,
    0x2044,
    0x2060,
    0x20AC,
    0x2116,
    0x2122,
]
DIGITS = [ord(c) for c in "⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉₊₋½¼¾⅓⅔"]
MATHS = [ord(c) for c in "−×÷±≤≥≠≈√∑∏∂∆∞∫∩¬←↑→↓↔"]
MARKS = [ord(c) for c in "●○■□▲△▼▽◆✓✔✗✘☐☑"]
SYMBOLS = [*PUNCTUATION, *DIGITS, *MATHS, *MARKS]

ARCHIVES = {  # name and sha256
    "source-sans-3.52.0.tgz": "49cf78ddd79b436591ee696785222b54ff28102922e3d3df297fe382d7fdfa88",
    "source-serif-4.5.1.tgz": "19a448df98f4aa777de3452b0a1e29aa7ffe29252fe552c8a2d2531702d80746",
    "source-code-pro-2.42.0.tgz": (
        "51f898e0712c5f1b3f583b63c9ab7d51daaa9bae1d4c8dc63dc2a4b6a72d7ae4"
    ),
}
LICENCES = {
    "source-sans-3.52.0.tgz": "report-sans-OFL.txt",
    "source-serif-4.5.1.tgz": "report-serif-OFL.txt",
    "source-code-pro-2.42.0.tgz": "report-mono-OFL.txt",
}
TEXT_FEATURES = ("kern", "mark", "mkmk", "ccmp", "locl", "liga", "tnum", "lnum")


@dataclass(frozen=True)
class Face:
    """One file to write: where it comes from, what it keeps and what it is called."""

    target: str
    archive: str
    member: str
    family: str
    style: str
    characters: tuple[int, ...]
    features: tuple[str, ...] = TEXT_FEATURES


def _sans(
    target: str,
    source: str,
    style: str,
    characters: list[int],
    features: tuple[str, ...] = TEXT_FEATURES,
) -> Face:
    archive, member = "source-sans-3.52.0.tgz", f"package/TTF/SourceSans3-{source}.ttf"
    return Face(target, archive, member, "Report Sans", style, tuple(characters), features)


def _serif(target: str) -> Face:
    archive, member = "source-serif-4.5.1.tgz", "package/TTF/SourceSerif4-Semibold.ttf"
    characters = (*LATIN, *PUNCTUATION, *MATHS)
    return Face(target, archive, member, "Report Serif", "Semibold", characters)


def _mono(target: str) -> Face:
    archive, member = "source-code-pro-2.42.0.tgz", "package/TTF/SourceCodePro-Regular.ttf"
    characters = (*ASCII, *LATIN_1, *PUNCTUATION, *MATHS)
    return Face(target, archive, member, "Report Mono", "Regular", characters, ("ccmp",))


LATIN = [*ASCII, *LATIN_1, *LATIN_EXTENDED_A]
TEXT = [*LATIN, *GREEK, *CYRILLIC, *SYMBOLS]

FACES = (
    _sans("report-sans-400.woff2", "Regular", "Regular", TEXT),
    _sans("report-sans-600.woff2", "Semibold", "Semibold", TEXT),
    # The page's own words alone stand in italics, no names and no text of the spec.
    _sans("report-sans-400-italic.woff2", "It", "Italic", [*ASCII, *LATIN_1, *SYMBOLS], ("kern",)),
    # Charts and paper are laid out with these: unpacking a woff2 takes a tenth of a second.
    _sans("report-sans-400.ttf", "Regular", "Regular", TEXT),
    _sans("report-sans-600.ttf", "Semibold", "Semibold", TEXT),
    # On paper no letter may come from the fonts of a machine.
    _sans("report-sans-400-italic.ttf", "It", "Italic", [*LATIN, *GREEK, *SYMBOLS]),
    *(_serif(f"report-serif-600.{kind}") for kind in ("woff2", "ttf")),
    *(_mono(f"report-mono-400.{kind}") for kind in ("woff2", "ttf")),
)
# Most pages have no other letters: these are half as large, and have every sign of the whole ones.
BASIC = {*ASCII, *map(ord, "ΔΣ")}
FACES += tuple(
    replace(
        face,
        target=face.target.replace(".woff2", "-basic.woff2"),
        characters=tuple(c for c in face.characters if c in BASIC or not chr(c).isalpha()),
    )
    for face in FACES
    if face.target.endswith(".woff2")
)


def main(arguments: list[str]) -> int:
    """Write every face and licence beside this script."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    archives = {name: _checked(folder / name, digest) for name, digest in ARCHIVES.items()}
    for face in FACES:
        data = _cut(face, _member(archives[face.archive], face.member))
        (HERE / face.target).write_bytes(data)
        print(f"{face.target}: {len(data)} bytes")
    for name, target in LICENCES.items():
        text = _member(archives[name], "package/LICENSE.md").decode("utf-8")
        (HERE / target).write_text(text.replace("\r\n", "\n"), encoding="utf-8", newline="\n")
    return 0


def _checked(path: Path, digest: str) -> bytes:
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        sys.exit(f"{path.name}: sha256 is {found}, expected {digest}")
    return data


def _member(archive: bytes, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        stream = opened.extractfile(name)
        if stream is None:
            sys.exit(f"{name}: not a file")
        return stream.read()


def _cut(face: Face, source: bytes) -> bytes:
    options = subset.Options()
    options.layout_features = list(face.features)
    options.hinting = False  # browsers and PDF viewers draw unhinted outlines
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.recalc_timestamp = False
    options.flavor = "woff2" if face.target.endswith(".woff2") else None
    font = TTFont(io.BytesIO(source), recalcTimestamp=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=face.characters)
    subsetter.subset(font)
    _rename(font, face)
    output = io.BytesIO()
    subset.save_font(font, output, options)
    return output.getvalue()


def _rename(font: TTFont, face: Face) -> None:
    table = font["name"]
    kept = {record.nameID: record.toUnicode() for record in table.names}
    postscript = f"{face.family}-{face.style}".replace(" ", "")
    in_four = face.style in {"Regular", "Italic"}  # styles that old programs know
    names = {
        0: kept[0],
        1: face.family if in_four else f"{face.family} {face.style}",
        2: face.style if in_four else "Regular",
        3: f"{postscript};{kept[5]}",
        4: f"{face.family} {face.style}",
        5: kept[5],
        6: postscript,
        13: kept[13],
        14: kept[14],
        16: face.family,
        17: face.style,
    }
    table.names = []
    for identifier, text in sorted(names.items()):
        table.setName(text, identifier, 3, 1, 0x409)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
