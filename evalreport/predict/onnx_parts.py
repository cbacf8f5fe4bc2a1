"""Whether an ONNX file is whole: tensors kept in other files are found without loading it.

A tensor may say that its values lie in another file, by a path and an offset. A runtime
would read that file, whatever it is, and its bytes could come out as names of classes. The
file is walked as protocol buffers lay it out (https://protobuf.dev/programming-guides/encoding)
by the numbers of the fields in ``onnx.proto``; values are passed over, not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
