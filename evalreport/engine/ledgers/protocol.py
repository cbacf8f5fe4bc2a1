"""The protocol that a spec cites: whole, and held against the criteria of the run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from evalreport.data.source import open_source, reading
from evalreport.errors import DataError, Location, Problem
from evalreport.plan.criteria import criteria_words
from evalreport.results.records import CitedProtocol
from evalreport.spec.load import LoadedSpec

SCHEMA = "evalreport/design/1"
#: No protocol is larger.
MOST_BYTES = 16 << 20


def read_protocol(loaded: LoadedSpec) -> CitedProtocol | None:
    """The protocol that a spec names, None where it names none.

    Raises FilesError where the file cannot be read, DataError where it is no protocol, or one
    that does not have the hash it states.
    """
    cited = loaded.spec.protocol
    if cited is None:
        return None
    name = str(cited.path)
    with reading(open_source(Path(loaded.folder or ".") / name, name)) as file:
        content = bytes(file.read(MOST_BYTES + 1))
    body = _body(content, loaded.where(("protocol", "path")), name)
    fixed = [str(one["text"]) for one in body["criteria"]]
    judged = list(criteria_words(loaded.spec))
    return CitedProtocol(
        name=Path(name).name,
        sha256=body["sha256"],
        bytes=len(content),
        file_sha256=hashlib.sha256(content).hexdigest(),
        fixed=cited.fixed,
        criteria=tuple(one for one in judged if one in fixed),
        post_hoc=tuple(one for one in judged if one not in fixed),
        not_judged=tuple(one for one in fixed if one not in judged),
    )


def _body(content: bytes, where: Location | None, name: str) -> dict[str, Any]:
    try:
        body = dict(json.loads(content.decode("utf-8") if len(content) <= MOST_BYTES else ""))
        known = {key: value for key, value in body.items() if key != "sha256"}
        right = body["schema"] == SCHEMA and all(str(one["text"]) for one in body["criteria"])
    except (ValueError, RecursionError, KeyError, TypeError):
        right, body, known = False, {}, {}
    if not right:
        hint = "the protocol.json of `evalreport design -o FOLDER`"
        raise DataError(Problem(f"{name}: it is no protocol", hint, where))
    text = json.dumps(known, sort_keys=True, ensure_ascii=False)
    if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != body.get("sha256"):
        what = f"{name}: it does not have the hash that it states: it was altered"
        raise DataError(Problem(what, "the protocol as it was written", where))
    return body
