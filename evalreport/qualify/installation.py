"""IQ: what is installed, held against the release and against what was tested.

The record of a wheel (RECORD, https://packaging.python.org/specifications/binary-distribution-format)
names each of its files with the sha256. It lies beside the files: who changes both alike is found
by the cases with known answers, where it changes an answer, and by installing again, else not.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import marshal
import sys
from collections.abc import Iterator
from importlib import resources
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path, PurePosixPath
from types import CodeType

from evalreport.qualify.checks import FAILED, NOT_DONE, PASSED, Finding, Step
from evalreport.version import __version__

PRODUCT = "evalreport"
#: Of altered files so many are named; of more the number is said.
MOST_NAMES = 100
#: Lengths of the head of a compiled file.
HEAD = 16


def installation(step: Step) -> Iterator[Finding]:
    """Every check of the installation."""
    versions, tested_on = tested_versions()
    yield _python(tested_on)
    yield from product()
    for place, (name, version) in enumerate(sorted(versions.items())):
        if not place:
            step("looking through the dependencies", len(versions))
        yield dependency(name, version)
    yield _pango()
    yield _fonts()


def tested_versions() -> tuple[dict[str, str], str]:
    """The version of each dependency in the lock of this Python, and which Python that is of.

    A Python newer than all has the lock of the newest; told beside it.
    """
    locks = json.loads((resources.files(PRODUCT) / "qualify" / "tested.json").read_bytes())
    newest = max(locks, key=_minor)
    own = f"3.{sys.version_info.minor}"
    tag = own if own in locks else newest
    return dict(locks[tag]), tag


def _minor(tag: str) -> int:
    return int(tag.partition(".")[2])


def _python(tested_on: str) -> Finding:
    own = f"3.{sys.version_info.minor}"
    found = ".".join(map(str, sys.version_info[:3]))
    outcome = PASSED if own == tested_on else FAILED
    reason = "" if own == tested_on else f"the tool was not tested with Python {own}"
    return Finding("R2", "Python", f"{tested_on}, as tested", found, outcome, reason=reason)


# -- the product ---------------------------------------------------------------------------


def product() -> Iterator[Finding]:
    """The product's own files, its compiled files, and that it is the one that runs."""
    try:
        own = importlib.metadata.distribution(PRODUCT)
    except PackageNotFoundError:
        reason = "it runs from a folder and is not installed: nothing records its files"
        yield Finding("R1", PRODUCT, __version__, "not installed", FAILED, reason=reason)
        return
    same = own.version == __version__
    reason = "" if same else "what is installed is not what runs"
    outcome = PASSED if same else FAILED
    yield Finding("R1", "version", own.version, __version__, outcome, reason=reason)
    package = Path(str(resources.files(PRODUCT)))
    if is_editable(own):
        reason = "an editable install: its files are in a folder that may change at any time"
        yield Finding("R1", "files of the product", "as in the wheel's RECORD", "editable install",
                      NOT_DONE, reason=reason)  # fmt: skip
    else:
        yield _files(own, PRODUCT, "R1", "files of the product", package)
    yield _compiled(package)


def is_editable(own: Distribution) -> bool:
    """Whether a distribution only points to a folder."""
    address = own.read_text("direct_url.json")
    return bool(address and json.loads(address).get("dir_info", {}).get("editable"))


def _compiled(package: Path) -> Finding:
    """Compiled files beside the sources: what Python runs is what the sources say."""
    wrong, number = [], 0
    for path in sorted(package.rglob("__pycache__/*.pyc")):
        source = path.parent.parent / f"{path.name.split('.')[0]}.py"
        if f".{sys.implementation.cache_tag}" not in path.name or "pytest" in path.name:
            continue
        number += 1
        if not source.is_file():
            wrong.append(f"{path.name}: it has no source")
        elif _runs_otherwise(path, source):
            wrong.append(f"{source.relative_to(package.parent)}: compiled, it is something else")
    found = f"{number} as their sources" if not wrong else f"{len(wrong)} of {number} are not"
    return Finding("R1", "compiled files", "as their sources", found, FAILED if wrong else PASSED,
                   reason=named(wrong))  # fmt: skip


def _runs_otherwise(compiled: Path, source: Path) -> bool:
    """Whether Python would run a compiled file, and it is not that of the source."""
    try:
        data, text = compiled.read_bytes(), source.read_bytes()
        flags = int.from_bytes(data[4:8], "little")
        if not flags:
            state = source.stat()
            times = int.from_bytes(data[8:12], "little"), int.from_bytes(data[12:16], "little")
            if times != (int(state.st_mtime) & 0xFFFFFFFF, state.st_size & 0xFFFFFFFF):
                return False  # out of date: Python compiles again
        level = {"opt-1": 1, "opt-2": 2}.get(compiled.name.split(".")[-2], 0)
        code = marshal.loads(data[HEAD:])  # noqa: S302  # read and compared, never run
        return not (
            isinstance(code, CodeType)
            and code == compile(text, str(source), "exec", dont_inherit=True, optimize=level)
        )
    except (OSError, ValueError, EOFError, TypeError, SyntaxError):
        return True


# -- dependencies --------------------------------------------------------------------------


def dependency(name: str, tested: str) -> Finding:
    """A dependency: its version against the lock, its files against its own record."""
    try:
        own = importlib.metadata.distribution(name)
    except PackageNotFoundError:
        return Finding("R2", name, tested, "not installed", FAILED, reason=f"{name}: missing")
    files = _files(own, name, "R2", name, None)
    reasons = [] if own.version == tested else [f"{name}: {own.version} is not what was tested"]
    if files.outcome == FAILED:
        reasons.append(files.reason)
    found = f"{own.version}, {files.found}"
    outcome = FAILED if reasons else files.outcome
    reason = "; ".join(reasons) or files.reason
    return Finding("R2", name, f"{tested}, files as recorded", found, outcome, reason=reason)


def _files(
    own: Distribution, name: str, requirement: str, what: str, package: Path | None
) -> Finding:
    """The files of a distribution against its record; with ``package`` also what was added."""
    recorded = [one for one in own.files or () if one.hash is not None]
    expected = "as in its RECORD"
    if not recorded:
        reason = f"{name}: it has no record of its files"
        return Finding(requirement, what, expected, "no record", FAILED, reason=reason)
    wrong = []
    for one in recorded:
        path = Path(str(own.locate_file(one)))
        assert one.hash is not None
        try:
            digest = hashlib.new(one.hash.mode, path.read_bytes()).digest()
        except (OSError, ValueError) as error:
            wrong.append(f"{one}: {getattr(error, 'strerror', None) or error}")
            continue
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != one.hash.value:
            wrong.append(f"{one}: altered")
    if package is not None:
        wrong += _added(own, package)
    if wrong:
        found = f"{len(wrong)} files otherwise"
        return Finding(requirement, what, expected, found, FAILED, reason=named(wrong))
    return Finding(requirement, what, expected, f"{len(recorded)} files as recorded", PASSED)


def _added(own: Distribution, package: Path) -> list[str]:
    """Files in the package's folder that its record does not name."""
    known = {Path(str(own.locate_file(one))).resolve() for one in own.files or ()}
    there = (p for p in package.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return [
        f"{PurePosixPath(path.relative_to(package.parent))}: added"
        for path in sorted(there)
        if path.resolve() not in known
    ]


def named(names: list[str]) -> str:
    """The first few of a list, and how many more there are."""
    more = len(names) - MOST_NAMES
    return "; ".join(names[:MOST_NAMES]) + (f"; {more} more" if more > 0 else "")


# -- libraries and fonts -------------------------------------------------------------------


def _pango() -> Finding:
    from evalreport.render.paper import pango_problem, pango_version

    missing = pango_problem()
    if missing is not None:
        return Finding("R15", "Pango", "there", "missing", FAILED, reason=str(missing))
    return Finding("R15", "Pango", "there", str(pango_version()), PASSED)


def _fonts() -> Finding:
    """The shipped fonts are there and are fonts; their bytes are held by the record."""
    from evalreport.render.shipped import FACES, templates_folder

    folder = templates_folder() / "fonts"
    wrong = []
    for _, _, _, name in FACES:
        try:
            start = (folder / name).read_bytes()[:4]
        except OSError as error:
            wrong.append(f"{name}: {error.strerror}")
            continue
        if start != b"wOF2":
            wrong.append(f"{name}: not a font")
    found = f"{len(FACES) - len(wrong)} of {len(FACES)}"
    outcome = FAILED if wrong else PASSED
    return Finding("R15", "shipped fonts", f"{len(FACES)} of {len(FACES)}", found, outcome,
                   reason=named(wrong))  # fmt: skip
