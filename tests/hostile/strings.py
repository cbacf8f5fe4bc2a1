"""Texts that mean something to some program on their way through a report."""

from __future__ import annotations

#: Markup, scripts and styles.
MARKUP = [
    "<script>alert(1)</script>", "</style><img src=x onerror=alert(1)>", "</script>",
    "'\"><svg onload=alert(1)>", "javascript:alert(1)", "</script>\u2028",
    "a;background:url(file:///etc/passwd)", "<!--", "-->", "<![CDATA[x]]>", "]]>", "<b>b</b>",
    "&lt;b&gt;", "&amp;", "&amp;amp;", "&#60;", "&#x3c;", "&nbsp;", "&", "<", ">", '"', "'", "`",
    "\"'<>&", "a=\"b\"", "' onmouseover='x", "\" autofocus onfocus=\"x", "<a href=//x>", "</td>",
    "</table>", "</title>", "</text>", "<svg/onload=x>", "<?xml version='1.0'?>", "<!DOCTYPE x>",
    "&copy", "&notit;", "&CounterClockwiseContourIntegral;", "<\u0000b>".replace("\0", "x"),
    "expression(alert(1))", "@import 'x'", "url(javascript:x)", "}body{display:none", "/*", "*/",
    "<iframe srcdoc=x>", "<base href=//x>", "<meta http-equiv=refresh>", "<math><mi>x",
    "<template>", "<plaintext>", "<xmp>", "<noscript>", "<textarea>", "data:text/html,x",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>", "&x;", "xlink:href", "<use href='#a'/>",
]  # fmt: skip
#: Templates, formats, expansions, queries, shells, paths.
CODE = [
    "{{7*7}}", "{% raw %}", "{# x #}", "{{ report }}", "${HOME}", "$HOME", "~", "~root", "%(x)s",
    "%s", "%n%n", "{0}", "{}", "{x!r}", "#{x}", "<%= 7*7 %>", "[[7*7]]", "`id`", "$(id)", "; id",
    "| id", "&& id", "\\", "\\\\", "\\n", "\\x41", "\\u0041", "\\N{DIGIT ONE}", "'; DROP TABLE x; --",
    "1' OR '1'='1", "x\"; --", "../..", "../../etc/passwd", "/etc/passwd", "C:\\x", "\\\\host\\x",
    "a/b", ".", "..", "-", "--help", "-rf", "*", "?", "[a]", "con", "NUL", "a\\", "__class__",
    "__proto__", "constructor", "toString", "self", "None", "null", "true", "nan", "NaN", "inf",
    "undefined", "not applicable", "infinite", "0", "-0", "1e5", "007", "1_000", "0x1f",
]  # fmt: skip
#: Spreadsheets.
FORMULAS = [
    "=1+1", "+1+1", "-1+1", "@SUM(1)", "=HYPERLINK(\"http://evil.example\",\"x\")", "+1", "-1",
    "=cmd|'/c calc'!A0", "'=1+1", " =1+1", "-", "+", "=", "@", "'", "''", "=\"a\"", "-2.5e3",
    "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20x",
]  # fmt: skip
#: Mathematics, legends, TeX.
DRAWN = [
    "$5-$10", "$\\frac{$", "_hidden", "$\\undefined$", "50%", "$x", "$x$", "$$", "\\frac", "^2",
    "a_b", "_", "__", "_nolegend_", "\\textbf{x}", "%", "#", "~", "{", "}", "\\input{/etc/passwd}",
]  # fmt: skip
#: Characters that are not what they seem, or not seen.
UNSEEN = [
    "a\tb", "line\nbreak", "a\rb", "a\r\nb", " a", "a ", "  ", "a  b", "\u00a0", "a\u00a0b",
    "\u202eabc", "\u2066x\u2069", "\u200b", "a\u200bb", "a\u200db", "\ufeffx", "a\u00adb", "\u2028",
    "a\u2029b", "\u0085", "\u007f", "\u009b31m", "\ufffd", "\ufffe", "\uffff", "\U0010ffff", "\ue000",
    "\u0301", "e\u0301", "é", "\u212b", "ﬁ", "İ", "ı", "ß", "ẞ", "ſ", "\u0130x", "日本語", "한국어",
    "العربية", "עברית", "ไทย", "हिन्दी", "\U0001f600", "\U0001f469\u200d\U0001f52c", "🇨🇭", "𝕏",
    "\U00020000", "\u0334\u0335a", "ａ１", "p\u0430ypal", "…", "−1", "–", "’", "“a”", "«", "›",
    "\U000e0041", "\u034f", "\u115f", "\u3164", "a\u20dd",
]  # fmt: skip
CONTROLS = [f"c{chr(n)}c" for n in range(1, 32)]
LONG = ["x" * 20_000, "word " * 4_000 + "end", "<b>" * 7_000, "é" * 10_000, "\u0301" * 5_000]

HOSTILE: list[str] = list(
    dict.fromkeys(MARKUP + CODE + FORMULAS + DRAWN + UNSEEN + CONTROLS + LONG)
)
