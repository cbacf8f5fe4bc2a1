"""Which letters no font has, neither those of the report nor those of the system."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from evalreport.report.scripts import letters

#: Letters named in a message before the rest is only counted.
SHOWN = 5
#: Spaces, controls and marks have no shape of their own.
_SHAPELESS = ("Z", "C", "M")
#: Fonts that are installed with the system, as fontconfig counts its sets.
_SYSTEM = 0


class _FontSet(ctypes.Structure):
    """``FcFontSet`` of fontconfig."""

    _fields_ = (
        ("nfont", ctypes.c_int),
        ("sfont", ctypes.c_int),
        ("fonts", ctypes.POINTER(ctypes.c_void_p)),
    )


def font_warning(content: object) -> str | None:
    """What to tell where letters of the texts in plain data have no font on this machine.

    None where all have one, or where the fonts of the system cannot be asked for.
    """
    foreign = {sign for text in _texts(content) for sign in text if not sign.isascii()}
    foreign = {sign for sign in foreign if ord(sign) not in letters()}
    signs = sorted(sign for sign in foreign if unicodedata.category(sign)[0] not in _SHAPELESS)
    has = _in_system_fonts() if signs else None
    lacking = [] if has is None else [sign for sign in signs if not has(sign)]
    if not lacking:
        return None
    shown = ", ".join(lacking[:SHOWN])
    more = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
    return (
        f"no installed font has {shown}{more}: the PDF shows empty boxes in their place; install a "
        "font that has them, such as the package fonts-noto-cjk or fonts-noto-core"
    )


def _texts(content: object) -> Sequence[str]:
    if isinstance(content, str):
        return [content]
    if isinstance(content, Mapping):
        return [text for pair in content.items() for one in pair for text in _texts(one)]
    if isinstance(content, Sequence):
        return [text for one in content for text in _texts(one)]
    return []


@cache
def _in_system_fonts() -> Callable[[str], bool] | None:
    """Whether a font of the system has a letter; None where fontconfig is not there."""
    name = (
        "libfontconfig.so.1" if sys.platform == "linux" else ctypes.util.find_library("fontconfig")
    )
    try:
        library = ctypes.CDLL(name or "libfontconfig.dylib")
    except OSError:
        return None
    library.FcInitLoadConfigAndFonts.restype = ctypes.c_void_p
    library.FcConfigGetFonts.restype = ctypes.POINTER(_FontSet)
    library.FcConfigGetFonts.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.FcPatternGetCharSet.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)
    ]  # fmt: skip
    library.FcCharSetHasChar.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    found = library.FcConfigGetFonts(library.FcInitLoadConfigAndFonts(), _SYSTEM)
    sets: list[Any] = []
    for place in range(found.contents.nfont if found else 0):
        charset = ctypes.c_void_p()
        font = found.contents.fonts[place]
        if library.FcPatternGetCharSet(font, b"charset", 0, ctypes.byref(charset)) == 0:
            sets.append(charset)
    return lambda sign: any(library.FcCharSetHasChar(one, ord(sign)) for one in sets)
