"""Which models were evaluated: what the spec says of each, and the hash of what was read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from evalreport.predict.made_here import saved_content
from evalreport.results.records import ModelIdentity
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
