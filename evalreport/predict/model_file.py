"""What a model file is, by its content: formats that run code when read are refused.

So is an ONNX file that is not whole. A tensor may say that its values lie in another file, by a
path and an offset: a runtime would read that file, whatever it is, and its bytes could come out
as names of classes. The file is walked as protocol buffers lay it out
(https://protobuf.dev/programming-guides/encoding) by the numbers of the fields in
``onnx.proto``; values are passed over, not read.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Literal, cast

from evalreport.data.limits import Limits, check_archive
from evalreport.errors import DataError, LimitError, Location, Problem

#: Where a message holds other messages that can come to a tensor: field number -> its kind.
_INSIDE: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
#: Of a tensor: its name, the entries that say where its values lie, and that they lie elsewhere.
_NAME, _EXTERNAL_DATA, _DATA_LOCATION = 8, 13, 14
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
#: Graphs within graphs: deeper ones are no model.
_DEEPEST = 64
#: A format of onnxruntime's own, which is not read here.
_RUNTIME_FORMAT = b"ORTM"


def tensors_elsewhere(content: bytes) -> list[str]:
    """The names of the tensors whose values lie in other files, in the order of the file.

    Raises ValueError where the bytes are no ONNX model.

    >>> tensors_elsewhere(b"")
    []
    """
    if content[4:8] == _RUNTIME_FORMAT:
        raise ValueError("it is a model in the format of onnxruntime")
    found: list[str] = []
    waiting = [("model", memoryview(content), 0)]
    while waiting:
        kind, part, depth = waiting.pop()
        if depth > _DEEPEST:
            raise ValueError("its graphs lie too deep in one another")
        if kind == "tensor":
            name = _elsewhere(part)
            found += [] if name is None else [name]
            continue
        inside = _INSIDE[kind]
        waiting += [
            (inside[number], value, depth + 1)
            for number, value in _fields(part)
            if number in inside and isinstance(value, memoryview)
        ][::-1]
    return found


def _elsewhere(tensor: memoryview) -> str | None:
    """The name of a tensor whose values are not in it; None if they are."""
    fields = list(_fields(tensor))
    away = any(n == _EXTERNAL_DATA or (n == _DATA_LOCATION and value) for n, value in fields)
    names = [bytes(v) for n, v in fields if n == _NAME and isinstance(v, memoryview)]
    return (names[-1] if names else b"").decode("utf-8", "replace") if away else None


def _fields(part: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Numbers and values of the fields of a message."""
    at = 0
    while at < len(part):
        key, at = _varint(part, at)
        number, wire = key >> 3, key & 7
        if not number:
            raise ValueError("it is not laid out as one")
        size = {_FIXED64: 8, _FIXED32: 4}.get(wire)
        if wire == _VARINT:
            value, at = _varint(part, at)
            yield number, value
            continue
        if wire == _BYTES:
            size, at = _varint(part, at)
        if size is None or at + size > len(part):
            raise ValueError("it is not laid out as one")
        yield number, part[at : at + size]
        at += size


def _varint(part: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for place in range(10):
        if at >= len(part):
            break
        byte = part[at]
        at += 1
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, at
    raise ValueError("it is not laid out as one")


Format = Literal["skops", "onnx"]

#: Bytes of a model file, and of what a skops archive holds unpacked.
LARGEST_FILE = 1 << 30
_LIMITS = Limits(bytes=2 << 30)

#: Object streams of protocol 2 and later say so in two bytes; older ones start in text.
_BINARY = re.compile(rb"\x80[\x02-\x05]")
_TEXT = re.compile(rb"\(?(c[\w.]+\r?\n[\w.]+\r?\n|[dl]p\d+\r?\n|i[\w.]+\r?\n[\w.]+\r?\n)")
_HEAD = 4096
_LZMA = (b"\xfd7z", b"\x5d\x00")


def _gunzipped(stream: io.BytesIO) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))


#: First bytes of a compression, and what undoes it.
_OPENERS: tuple[tuple[bytes, Callable[[io.BytesIO], IO[bytes]]], ...] = (
    (b"\x1f\x8b", _gunzipped),
    (b"BZ", bz2.BZ2File),
)

#: Memory that undoing a compression may take to see its first bytes.
_DICTIONARY = 64 << 20

_WHY = (
    "reading it can run any code, so it is refused whatever its name",
    "save the model with skops.io.dump, or as ONNX",
)


def check_model_file(content: bytes, wanted: Format, name: str) -> None:
    """Raise DataError unless the bytes are what they are said to be.

    Pickle and joblib files are named as such, with the reason why they are refused;
    so are ONNX models that keep values in other files. LimitError for archives that unpack
    to too much.
    """
    where = Location(name)
    if len(content) > LARGEST_FILE:
        raise LimitError(
            Problem(f"the model has {len(content):,} bytes", f"at most {LARGEST_FILE:,}", where)
        )
    kind = object_stream(content)
    if kind is not None:
        raise DataError(Problem(f"the file is a {kind}: {_WHY[0]}", _WHY[1], where))
    if wanted == "skops":
        _check_skops(content, where)
    elif not content or content[:2] == b"PK":
        found = "is empty" if not content else "is a zip archive"
        raise DataError(Problem(f"the file {found}, no ONNX model", "give an .onnx file", where))
    else:
        _check_onnx(content, where)


def object_stream(content: bytes) -> str | None:
    """``pickle``, ``joblib file``, an archive with either inside, or None.

    >>> import pickle
    >>> object_stream(pickle.dumps([1])), object_stream(b"PK..")
    ('pickle', None)
    """
    if _BINARY.match(content) or _TEXT.match(content):
        return "joblib file" if b"joblib" in content[:_HEAD] else "pickle"
    head = _decompressed_head(content)
    if head is not None and (_BINARY.match(head) or _TEXT.match(head)):
        return "compressed joblib file or pickle"
    if content.startswith((b"ZF0x", b"\x04\x22\x4d\x18")):
        return "compressed joblib file"
    return "zip archive with a pickle inside" if _pickles_inside(content) else None


def _decompressed_head(content: bytes) -> bytes | None:
    """The first bytes behind a compression, as joblib writes it; None if not compressed."""
    stream = io.BytesIO(content)
    try:
        if content.startswith(b"\x78"):
            return zlib.decompressobj().decompress(content[:_HEAD], _HEAD)
        if content.startswith(_LZMA):
            # A dictionary is made as large as the file says, so that is limited.
            undone = lzma.LZMADecompressor(memlimit=_DICTIONARY)
            return undone.decompress(content[:_HEAD], 64)
        for magic, opener in _OPENERS:
            if content.startswith(magic):
                with opener(stream) as opened:
                    return opened.read(64)
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        return None
    return None


def _pickles_inside(content: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return any(
                _BINARY.match(_first_bytes(archive, entry)) for entry in archive.infolist()[:1000]
            )
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, zlib.error, EOFError):
        return False


def _first_bytes(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(entry) as stream:
            return stream.read(8)
    except RuntimeError:
        return b""  # an encrypted entry says nothing of itself


def _check_onnx(content: bytes, where: Location) -> None:
    try:
        elsewhere = tensors_elsewhere(content)
    except ValueError as error:
        raise DataError(
            Problem(f"the file is not an ONNX model: {error}", "give an .onnx file", where)
        ) from None
    if elsewhere:
        shown = ", ".join(map(repr, elsewhere[:3])) + (", ..." if len(elsewhere) > 3 else "")
        raise DataError(
            Problem(
                f"the model keeps tensors in other files, which are not read: {shown}",
                "save it as one file, as onnx.save(model, path, save_as_external_data=False) does",
                where,
            )
        )


def _check_skops(content: bytes, where: Location) -> None:
    instead = "give a file written by skops.io.dump"
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError):
        raise DataError(Problem("the file is not a skops model", instead, where)) from None
    if "schema.json" not in {entry.filename for entry in entries}:
        raise DataError(
            Problem("the file is a zip archive without schema.json, no skops model", instead, where)
        )
    check_archive(where.file, entries, len(content), _LIMITS)
