"""Shipped templates as Jinja compiled them, kept as Python keeps compiled modules.

They stand in ``__pycache__`` beside the templates, where this process may write, unless Python was
told to write none (``PYTHONDONTWRITEBYTECODE``). What was compiled is known by the template's name
and the hash of its text, and by the versions of Python, of Jinja and of this program, so that
nothing stale is used. To compile them takes a tenth of a short run. ``qualify`` holds what is kept
against the templates, as it does with compiled modules.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from types import CodeType

import jinja2
from jinja2.bccache import Bucket

from evalreport.version import __version__


class CompiledTemplates(jinja2.BytecodeCache):
    """Compiled templates of one folder; those of this process are not read again."""

    def __init__(self, templates: Path) -> None:
        jinja = vars(jinja2).get("__version__") or metadata.version("jinja2")
        self._folder = templates / "__pycache__"
        self._suffix = f".{sys.implementation.cache_tag}-jinja-{jinja}-evalreport-{__version__}.bin"
        self._code: dict[tuple[str, str], CodeType] = {}

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002
        """The name of a template, by which its file is called."""
        return name

    def load_bytecode(self, bucket: Bucket) -> None:
        """The code of a template from this process or from its file; none where it is not whole."""
        bucket.code = self._code.get((bucket.key, bucket.checksum))
        if bucket.code is None:
            bucket.code = _read(self._file(bucket.key, bucket.checksum))
        self._keep(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code; in a file too, which is whole or not there."""
        self._keep(bucket)
        if sys.dont_write_bytecode:
            return
        file = self._file(bucket.key, bucket.checksum)
        new = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            try:
                new.write_bytes(marshal.dumps(bucket.code))
                new.replace(file)
            finally:
                new.unlink(missing_ok=True)

    def kept(self) -> Iterator[tuple[str, str, CodeType | None]]:
        """Name, hash of the text and code of each template that this program would use."""
        for path in sorted(self._folder.glob(f"*{self._suffix}")):
            name, _, checksum = path.name.removesuffix(self._suffix).rpartition(".")
            yield name, checksum, _read(path)

    def _file(self, name: str, checksum: str) -> Path:
        return self._folder / f"{name}.{checksum}{self._suffix}"

    def _keep(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[bucket.key, bucket.checksum] = bucket.code


def _read(file: Path) -> CodeType | None:
    """The code of a file; None where there is none or it is not whole."""
    with suppress(OSError, EOFError, ValueError, TypeError):
        code = marshal.loads(file.read_bytes())  # noqa: S302 - as trusted as compiled modules
        return code if isinstance(code, CodeType) else None
    return None


@cache
def compiled_templates(templates: Path) -> CompiledTemplates:
    """The compiled templates that stand beside those of this folder."""
    return CompiledTemplates(templates)
