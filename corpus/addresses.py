"""Mail addresses, web addresses and phone numbers in a text. Pure.

They consist of letters with case, digits and signs. So letters of other scripts may stand right
beside them and are no part of them: `电话13812345678`, `a@b.com으로`. They are looked for in a copy
of the text with usual digits and signs in place of full-width and other ones, each in its place.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum

import regex

from survey.definition.word_edges import BEGINS, CASED, ENDS

#: Full-width forms of ASCII (U+FF01 to U+FF5E) and the ideographic space.
HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
#: Full-width signs that end a sentence or enclose an address are no part of it.
_USUAL = {
    full: half
    for full, half in HALF_WIDTH.items()
    if chr(half).isalnum() or chr(half) in "@.:/-_+#=&%?"
}
_BRACKETS = {ord("（"): "(", ord("）"): ")"}
_OTHER_DIGIT = regex.compile(r"[^\P{Nd}0-9]")
_DASH = re.compile("(?<=[0-9)])[\u2010-\u2012\u2212\u30fc\uff70](?=[0-9(])")

# Parts of addresses have limits, as on the Internet: without them, a text of nothing but dashes or
# digits takes minutes.
_LABEL = rf"[{CASED}](?:[{CASED}-]{{0,61}}[{CASED}])?"
_IN_URL = rf"[{CASED}\-.~:/?#@!$&'()*+,;=%]"
#: With http:// or www. A domain may be in letters without case, as `https://例子.中国`.
_LINK = regex.compile(
    rf"{BEGINS}(?:(?:https?|ftp)://|www\.(?=\w))(?:(?![{CASED}])[\w.-]+)?{_IN_URL}*",
    regex.IGNORECASE,
)
_DOMAIN = regex.compile(
    rf"(?<![@.\-{CASED}])(?:{_LABEL}\.){{1,10}}"
    r"(?:com|org|net|edu|gov|info|io|cn|de|fr|uk|eu|ca|au|jp|kr|th|tw|hk|sg|vn|ru|ua|рф)"
    rf"{ENDS}(?!@)(?::[0-9]{{1,5}}(?![0-9]))?(?:[/?#]{_IN_URL}*)?",
    regex.IGNORECASE,
)
#: Every address without :// has one.
_DOT = re.compile(r"\.\w")
_AFTER_LINK = ".,;:!?'*_"
_MAIL = regex.compile(
    # A name in letters without case has no edge before it: what stands before it goes, too.
    rf"(?:[{CASED}][{CASED}.+-]{{0,63}}|[\w.+-]{{0,63}}[^\W{CASED}])@{_LABEL}(?:\.{_LABEL}){{1,10}}"
    r"|[\w.+-]{1,64}@[\w-]{1,63}\.(?:中国|中國|公司|网络|香港|台湾|台灣|コム|みんな|한국|닷컴|ไทย|คอม|भारत"
    r"|امارات|السعودية|مصر)"
)

#: Any number to call has so many digits near to each other.
_SOME_DIGITS = re.compile(r"(?:[0-9][^0-9]{0,4}){7}[0-9]")
_BEFORE_DIGITS = rf"{BEGINS}(?<![0-9][.\-/])"
#: Numbers of mobile telephones, as they are written in China, Japan, Korea and Thailand.
_MOBILE = regex.compile(
    rf"{_BEFORE_DIGITS}(?:"
    r"(?:\(?(?:\+|00)86\)?[ -]?)?1[3-9][0-9][ -]?[0-9]{4}[ -]?[0-9]{4}"
    r"|(?:\(?(?:\+|00)81\)?[ -]?\(?0?\)?|0)[5789]0[ -]?[0-9]{4}[ -]?[0-9]{4}"
    r"|(?:\(?(?:\+|00)82\)?[ -]?\(?0?\)?|0)1[016789][ -]?[0-9]{3,4}[ -]?[0-9]{4}"
    r"|(?:\(?(?:\+|00)66\)?[ -]?\(?0?\)?|0)[689](?:[0-9][ -]?[0-9]{3}|[ -]?[0-9]{4})[ -]?[0-9]{4}"
    rf"){ENDS}(?![.-]?[0-9])"
)
#: Digits in groups, without times; `_is_phone` says which of them are a number to call.
_DIGITS = regex.compile(
    rf"{BEGINS}(?<![0-9]:)(?<!(?<![0-9])[0-9]{{1,3}}[.,])(?:\+|\(\+?)?"
    rf"[0-9](?:[\s().\-/]{{0,4}}[0-9])*{ENDS}(?!:[0-9])"
)
#: What parts several numbers, the widest first.
_PARTS = (re.compile(r"[\r\n]+"), re.compile(r"\s*/\s*|\s{2,}"), re.compile(r"\s"))
_DATE = re.compile(
    r"(?:19|20)\d\d|\d{1,2}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:[0-2]\d[0-5]\d(?:[0-5]\d)?)?"
)
_IN_PAIRS = re.compile(r"0[1-9](?:[ .-][0-9]{2}){4}")
#: 12.000.000.000, 3.1415926535 and one billion.
_QUANTITY = re.compile(
    r"[1-9]\d{0,2}([\s.])\d{3}(?:\1\d{3}){2,}|(?:0|[1-9]\d*)\.\d+|[1-9]\d*?0{6,}"
)
_BEFORE_MONEY = tuple("¥￥$€£₩฿₹")
_AFTER_MONEY = ("元", "円", "원", "บาท", "€", "%")
_ISBN = re.compile(r"ISBN(?:-?1[03])?[\s:]*\Z", re.IGNORECASE)


Span = tuple[int, int]


class Kind(StrEnum):
    """What an address is."""

    MAIL = "mail"
    PHONE = "phone"
    URL = "url"


def addresses_in(text: str, *, with_urls: bool = False) -> list[tuple[int, int, Kind]]:
    """Start, end and kind of each address of a text, in order; not of web addresses if the text is
    to be left `with_urls`.
    """
    usual = usual_signs(text)
    found: list[tuple[int, int, Kind]] = []

    def find(spans: Iterable[Span], kind: Kind) -> None:
        nonlocal usual
        spans = list(spans)
        found.extend((start, end, kind) for start, end in spans)
        usual = _hidden(usual, spans)

    # A link may have a mail address in it, and this has a domain in it.
    if not with_urls:
        find(_links_in(usual), Kind.URL)
    if "@" in usual:
        find((match.span() for match in _MAIL.finditer(usual)), Kind.MAIL)
    if not with_urls:
        find(_domains_in(usual), Kind.URL)
    find(_phones_in(usual), Kind.PHONE)
    return sorted(found)


def url_in(text: str) -> str:
    """The first web address of a text, or its beginning; empty without one."""
    usual = usual_signs(text)
    start, end = min([*_links_in(usual), *_domains_in(usual)], default=(0, 0))
    return text[start:end]


def usual_signs(text: str) -> str:
    """A text with ASCII digits, and with half-width letters and signs of addresses. Each character
    stays in its place.
    """
    if text.isascii():
        return text
    usual = text.translate(_USUAL)
    return str(_OTHER_DIGIT.sub(lambda found: str(unicodedata.digit(found[0])), usual))


def in_place_of(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """A text with something else in place of some spans, which are in order."""
    parts, at = [], 0
    for start, end, instead in spans:
        parts += [text[at:start], instead]
        at = end
    return "".join([*parts, text[at:]])


def _hidden(text: str, spans: Iterable[Span]) -> str:
    """A text with NUL in place of each character of some spans."""
    return in_place_of(text, ((start, end, "\0" * (end - start)) for start, end in sorted(spans)))


def _links_in(usual: str) -> Iterator[Span]:
    if "://" in usual or "www." in usual.lower():
        for found in _LINK.finditer(usual):
            yield found.start(), found.start() + _length_of_link(found[0])


def _domains_in(usual: str) -> Iterator[Span]:
    if _DOT.search(usual):
        for found in _DOMAIN.finditer(usual):
            yield found.start(), found.start() + _length_of_link(found[0])


def _length_of_link(link: str) -> int:
    """The length of a web address without the brackets around it and the sentence's punctuation."""
    depth = 0
    for place, character in enumerate(link):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            link = link[:place]
            break
    return len(link.rstrip(_AFTER_LINK))


def _phones_in(usual: str) -> list[Span]:
    """Where the phone numbers of a text are."""
    if not usual.isascii():
        usual = _DASH.sub("-", usual.translate(_BRACKETS))
    if not _SOME_DIGITS.search(usual):
        return []
    mobile = [
        found.span() for found in _MOBILE.finditer(usual) if not _QUANTITY.fullmatch(found[0])
    ]
    usual = _hidden(usual, mobile)
    others = [
        place
        for found in _DIGITS.finditer(usual)
        for place in _phones_of(usual, found.start(), found.end())
    ]
    return mobile + others


def _phones_of(usual: str, start: int, end: int, parts: int = 0) -> Iterator[Span]:
    """The phone numbers in groups of digits: all groups together or, if these are none, parts."""
    if _is_phone(usual, start, end):
        yield start, end
    elif parts < len(_PARTS):
        at = start
        for between in [*_PARTS[parts].finditer(usual, start, end), None]:
            to = between.start() if between else end
            yield from _phones_of(usual, at, to, parts + 1)
            at = between.end() if between else end


def _is_phone(usual: str, start: int, end: int) -> bool:
    """Whether digits are a phone number: 9 to 15 of them (8 after a +), and neither dates, nor
    quantities, nor the number of a book.
    """
    found = usual[start:end]
    groups = re.findall(r"[0-9]+", found)
    digits = "".join(groups)
    if "+" in found:
        return 8 <= len(digits) <= 15
    if not 9 <= len(digits) <= 15:
        return False
    if _IN_PAIRS.fullmatch(found):
        return True
    if all(map(_DATE.fullmatch, groups)) or _QUANTITY.fullmatch(found):
        return False
    is_money = usual[:start].rstrip(" ").endswith(_BEFORE_MONEY) or (
        digits[0] != "0" and usual.startswith(_AFTER_MONEY, end)
    )
    return not is_money and not _is_of_a_book(digits, usual[max(0, start - 12) : start])


def _is_of_a_book(digits: str, before: str) -> bool:
    """Whether digits are an ISBN: it is called so, or it has the prefix and the check digit."""
    if _ISBN.search(before):
        return True
    if len(digits) != 13 or not digits.startswith(("978", "979")):
        return False
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0
