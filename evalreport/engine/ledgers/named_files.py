"""What a spec names beside its data, as the results tell of it: models, a logo, a protocol.

Of models stands what the spec says of each, with the hash of what was read; the logo is kept
as an address that holds it; the protocol is kept whole and held against the criteria of the run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalreport.data.pictures import MOST_BYTES, data_address
from evalreport.data.source import open_source, opened, reading
from evalreport.errors import DataError, FilesError, Location, Problem
from evalreport.plan.criteria import criteria_words
from evalreport.results.records import CitedProtocol, Logo, ModelIdentity
from evalreport.spec.load import LoadedSpec
from evalreport.spec.model import Spec
from evalreport.spec.models import Model, OnnxModel, SkopsModel


def model_identities(spec: Spec, folder: Path) -> tuple[ModelIdentity, ...]:
    """The models of a spec that something is known of, in its order.

    A saved model has the hash of its file. Raises FilesError where that cannot be read,
    DataError where the spec declares another hash.
    """
    return tuple(_identities(spec, folder))


def _identities(spec: Spec, folder: Path) -> Iterator[ModelIdentity]:
    for name, model in spec.models.items():
        file = model.skops if isinstance(model, SkopsModel) else getattr(model, "onnx", None)
        sha256 = model.sha256
        if isinstance(model, SkopsModel | OnnxModel):
            from evalreport.predict.models_run_here import saved_content

            sha256 = hashlib.sha256(saved_content(model, folder)).hexdigest()
        if file is not None or _tells(model):
            yield ModelIdentity(
                model=name,
                version=model.version,
                sha256=None if sha256 is None else sha256.lower(),
                sha256_of=None if sha256 is None else "declared" if file is None else "file",
                file=None if file is None else Path(str(file)).name,
                repository=model.repository,
                revision=model.revision,
                trained_on=model.trained_on,
            )


def _tells(model: Model) -> bool:
    return any((model.version, model.sha256, model.repository, model.revision))


def read_logo(loaded: LoadedSpec) -> Logo | None:
    """Name, hash and content of the logo, None where the spec names none.

    Raises FilesError for a file that cannot be read, DataError for one that is no
    PNG or SVG picture.
    """
    name = loaded.spec.report.logo
    if name is None:
        return None
    where = loaded.where(("report", "logo"))
    try:
        with opened(open_source(Path(loaded.folder or ".") / name, name)) as file:
            content = file.read(MOST_BYTES + 1)
    except FilesError as error:
        what = f"the logo {name} cannot be used: it {error.problems[0].what}"
        raise FilesError(Problem(what, "a PNG or SVG file beside the spec", where)) from None
    try:
        address = data_address(content, name)
    except DataError as error:
        problem = error.problems[0]
        raise DataError(Problem(f"{name}: {problem.what}", problem.instead, where)) from None
    shown = Path(name).name if Path(name).is_absolute() else name
    return Logo(shown, hashlib.sha256(content).hexdigest(), address)


SCHEMA = "evalreport/design/1"
#: No protocol is larger.
MOST_BYTES_OF_A_PROTOCOL = 16 << 20


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
        content = bytes(file.read(MOST_BYTES_OF_A_PROTOCOL + 1))
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
        body = dict(
            json.loads(content.decode("utf-8") if len(content) <= MOST_BYTES_OF_A_PROTOCOL else "")
        )
        known = {key: value for key, value in body.items() if key != "sha256"}
        right = body["schema"] == SCHEMA and all(str(one["text"]) for one in body["criteria"])
    except (ValueError, RecursionError, KeyError, TypeError):
        right, body, known = False, {}, {}
    if not right:
        hint = "the protocol.json of `evalreport design -o FOLDER`"
        raise DataError(Problem(f"{name}: it is not a protocol", hint, where))
    text = json.dumps(known, sort_keys=True, ensure_ascii=False)
    if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != body.get("sha256"):
        what = f"{name}: it does not have the hash that it states: it was altered"
        raise DataError(Problem(what, "the protocol as it was written", where))
    return body
