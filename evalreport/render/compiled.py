"""Shipped templates as Jinja compiled them, kept as Python keeps compiled modules.

They stand in ``__pycache__`` beside the templates, where this process may write, unless Python was
told to write none (``PYTHONDONTWRITEBYTECODE``). What was compiled is known by the template's name
and the hash of its text, and by the versions of Python, of Jinja and of this program, so that
nothing stale is used. To compile them takes a tenth of a short run.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from pickle import UnpicklingError
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

    def load_bytecode(self, bucket: Bucket) -> None:
        """The code of a template from this process or from its file; none where it is not whole."""
        bucket.code = self._code.get((bucket.key, bucket.checksum))
        if bucket.code is None:
            with suppress(OSError, EOFError, UnpicklingError):
                bucket.bytecode_from_string(self._file(bucket).read_bytes())
        self._keep(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code; in a file too, which is whole or not there."""
        self._keep(bucket)
        if sys.dont_write_bytecode:
            return
        file = self._file(bucket)
        new = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            try:
                new.write_bytes(bucket.bytecode_to_string())
                new.replace(file)
            finally:
                new.unlink(missing_ok=True)

    def _file(self, bucket: Bucket) -> Path:
        return self._folder / (bucket.key + self._suffix)

    def _keep(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[bucket.key, bucket.checksum] = bucket.code


@cache
def compiled_templates(templates: Path) -> CompiledTemplates:
    """The compiled templates that stand beside those of this folder."""
    return CompiledTemplates(templates)
