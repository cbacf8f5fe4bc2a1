"""The files of a run against its manifest: altered, missing, added, or not files at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from evalreport.errors import FilesError, Location, Problem
from evalreport.record.hashing import FileRecord, record_file
from evalreport.record.manifest import NAME, Manifest

#: What a seal adds to a run after it was published; checked with the seal.
CRATE = "ro-crate-metadata.json"
ENVELOPE, PUBLIC_KEY, STAMP = "SEAL.json", "SEAL.pub.pem", "SEAL.tsr"
OF_A_SEAL = frozenset({CRATE, ENVELOPE, PUBLIC_KEY, STAMP})


def file_problems(run: Path, manifest: Manifest) -> list[Problem]:
    """Every way in which the files of a run are not those of its manifest, by name.

    Links are not followed: a link in a run is a problem whatever it leads to.
    Raises FilesError when the folder cannot be listed.
    """
    try:
        with os.scandir(run) as entries:
            there = {entry.name for entry in entries}
    except OSError as error:
        reason = error.strerror or str(error)
        where = Location(str(run))
        raise FilesError(Problem(f"the run cannot be listed: {reason}", "", where)) from error
    found = []
    for name in sorted(((there - OF_A_SEAL) | set(manifest.outputs)) - {NAME}):
        where = Location(str(run / name))
        if name not in manifest.outputs:
            found.append(Problem(f"not in {NAME}: added after the run", "", where))
        elif name not in there:
            found.append(Problem("missing", f"{NAME} records it", where))
        else:
            found += _content_problems(run / name, manifest.outputs[name])
    return found


def _content_problems(path: Path, recorded: FileRecord) -> list[Problem]:
    where = Location(str(path))
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return [Problem("not a regular file any more", f"{NAME} records a file", where)]
        actual = record_file(path)
    except OSError as error:
        return [Problem(f"cannot be looked at: {error.strerror}", "", where)]
    except FilesError as error:
        return list(error.problems)
    if actual.size != recorded.size:
        what = f"altered: {actual.size} bytes, {NAME} records {recorded.size}"
        return [Problem(what, "", where)]
    if actual.sha256 != recorded.sha256:
        what = f"altered: sha256 {actual.sha256}, {NAME} records {recorded.sha256}"
        return [Problem(what, "", where)]
    return []
