"""What the page of a stranger's template may hold: the lists that it is judged against."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


#: Elements of HTML that only show something. Nothing that loads, runs, sends, or is read by
#: other rules than the rest (``noscript``, ``template``, ``textarea``, ``select``).
ELEMENTS = names(
    "html head meta title style body header footer main nav section article aside search "
    "hgroup h1 h2 h3 h4 h5 h6 address p hr pre blockquote ol ul menu li dl dt dd figure "
    "figcaption div center a em strong small s strike cite q dfn abbr acronym ruby rb rt rtc "
    "rp data time code var samp kbd tt sub sup i b u big mark bdi bdo span font br wbr nobr "
    "ins del img map area table caption colgroup col tbody thead tfoot tr td th details "
    "summary dialog label input button output progress meter fieldset legend svg"
)
#: Elements of a drawing, likewise.
DRAWN = names(
    "svg g defs symbol use title desc metadata a switch path rect circle ellipse line "
    "polyline polygon text tspan textPath image linearGradient radialGradient stop pattern "
    "clipPath mask marker style filter feBlend feColorMatrix feComponentTransfer feComposite "
    "feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood "
    "feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset "
    "fePointLight feSpecularLighting feSpotLight feTile feTurbulence"
)
#: Attributes of HTML that only describe or lay out. ``href``, ``src``, ``style``, ``content``
#: and ``http-equiv`` are looked at by themselves; ``aria-`` and ``data-`` may be anything.
ATTRIBUTES = names(
    "id class lang dir title hidden tabindex role translate inert popover popovertarget "
    "accesskey spellcheck part is itemscope itemprop itemtype itemid about property typeof "
    "alt width height align valign char bgcolor color face size border frame rules summary "
    "cellpadding cellspacing nowrap compact noshade clear colspan rowspan scope headers abbr "
    "axis span start reversed type value datetime open name for checked disabled readonly "
    "min max step low high optimum placeholder usemap ismap shape coords loading decoding "
    "text link vlink alink charset media prefix xmlns version hreflang"
)
#: Attributes of drawings that are text; every other may hold a paint, a mask or a filter.
WORDS = frozenset(("id", "class", "lang", "title", "role", "tabindex", "d", "points", "xmlns"))
EQUIVALENTS = frozenset(
    ("content-security-policy", "content-type", "content-language", "x-ua-compatible")
)
#: Elements that load, run, send, move or change how what follows is read: none of them may
#: stand in the text at all, wherever a reader of broken markup may find it.
NOWHERE = names(
    "script noscript template iframe frame frameset fencedframe portal object embed applet "
    "param base link form textarea select option optgroup keygen isindex xmp plaintext listing "
    "noembed noframes math mglyph annotation-xml foreignobject animate animatemotion "
    "animatetransform animatecolor set discard handler audio video source track picture canvas "
    "bgsound marquee slot model feimage"
)
