"""What a style sheet would load, found among its tokens as a browser reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: Functions whose text is an address. What they are given must be written out in them:
#: `var()`, `attr()` and functions of the page's own could put any address there.
ADDRESSES = frozenset(
    ("url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade")
)
#: Functions within those whose text is no address.
_KINDS = frozenset(("type", "format", "tech", "crossorigin", "integrity", "referrerpolicy"))
_FILLED_LATER = frozenset(("var", "attr", "env", "if", "inherit"))


def style_reference(text: str) -> str | None:
    r"""The first address out of the page that a style sheet or declarations name, or None.

    Escapes are resolved and comments left out by the tokenizer; strings count in functions
    that load them, and every ``@import`` counts.

    >>> style_reference("p{background:u\\72l(http://a/b)}")
    'http://a/b'
    >>> style_reference("p{background:image-set('//a/b' 1x)}")
    '//a/b'
    >>> style_reference("@import 'a.css';")
    'a.css'
    >>> style_reference("p{content:'url(http://a)'; fill:url(#f)} @font-face{src:url(data:,x)}")
    """
    from tinycss2 import parse_component_value_list

    return next(_found(parse_component_value_list(text)), None)


def is_inside(address: str) -> bool:
    """Whether an address lies within the page: nothing, a fragment, or data.

    >>> is_inside(" #top"), is_inside("data:image/png;base64,AA"), is_inside("//a/b")
    (True, True, False)
    """
    return address.strip().lower().startswith(("data:", "#")) or not address.strip()


def _found(tokens: list[Any]) -> Iterator[str]:
    """Addresses out of the page, in their order; without recursion, as nesting has no end.

    Each level waits with its rest of tokens and whether its text is an address.
    """
    waiting = [(iter(tokens), False)]
    imported = False
    while waiting:
        items, loading = waiting[-1]
        token = next(items, None)
        if token is None:
            waiting.pop()
            continue
        if imported and token.type not in ("whitespace", "comment"):
            yield str(getattr(token, "value", "") or "@import")
        yield from _address(token, loading)
        imported = (token.type == "at-keyword" and token.lower_value == "import") or (
            imported and token.type in ("whitespace", "comment")
        )
        within = _within(token)
        if within is not None:
            waiting.append((iter(within), _loads(token, loading)))
    if imported:
        yield "@import"


def _address(token: Any, loading: bool) -> Iterator[str]:
    """The address out of the page that a token is."""
    if token.type == "url" or (token.type == "string" and loading):
        if not is_inside(token.value):
            yield token.value.strip()
    elif token.type == "function" and loading:
        name = token.lower_name
        if name in _FILLED_LATER or name.startswith("--"):
            yield f"{name}() within an address"


def _within(token: Any) -> list[Any] | None:
    """The tokens that a token holds."""
    found: list[Any] | None = getattr(token, "arguments", None)
    return found if token.type == "function" else getattr(token, "content", None)


def _loads(token: Any, loading: bool) -> bool:
    """Whether text within a token is an address."""
    if token.type != "function":
        return loading
    return token.lower_name in ADDRESSES or (loading and token.lower_name not in _KINDS)
