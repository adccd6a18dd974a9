"""Hostile requests, drawn from a seed: every part of a request of ours, replaced by what nobody
ought to send.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote_from_bytes, urlencode

from tests.hostile.targets import CSRF, Fields
from tests.hostile.wire import Header, Request
from tests.prolific import prolific_id

#: What would run if a page repeated it as it is. No page of ours has this word.
PROBE = b"hostile()"
SCRIPTS = [
    b"<script>hostile()</script>",
    b"'\"><script>hostile()</script>",
    b"</textarea><script>hostile()</script>",
    b"<img src=x onerror=hostile()>",
    b"javascript:hostile()",
    b"[a](javascript:hostile())",
]
TEXTS = [
    *SCRIPTS,
    *(b"", b" ", b"\x00", b"a\x00b", b"\r\nX-Injected: yes", b"%0d%0aX-Injected: yes", b"\n" * 50),
    *(b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf1", b"\xf4\x90\x80\x80"),
    *(t.encode() for t in ("\u202eevil", "\ufffe", "１", "٣", "²", "é" * 300, "👩‍👩‍👧" * 50, "ﬀ")),
    *(b"-1", b"0", b"00", b"+1", b"1e309", b"NaN", b"Infinity", b"0x10", b"1_000", b"1.0", b" 1 "),
    *(b"9" * 19, b"9" * 400, b"9" * 5000, b"-" + b"9" * 25, b"2147483648", b"9223372036854775808"),
    *(b"true", b"null", b"None", b"[]", b"{}", b"[" * 5000, b'{"a":' * 3000, b'"\\ud800"'),
    *(b"' OR 1=1 --", b"'; DROP TABLE survey_rating; --", b"%", b"%s%n", b"\\", b"\\'", b"*", b"_"),
    *(b"../../../etc/passwd", b"..%2f..%2f", b"/etc/passwd", b"//elsewhere.example", b"C:\\x"),
    *(b"http://elsewhere.example/", b"file:///etc/passwd", b"{{7*7}}", b"{% debug %}", b"${7*7}"),
    *(b"=1+1", b"@SUM(A1)", b"__class__", b"constructor", b"self.study", b"A" * 3000),
]
NUMBERS = [0, -1, 1e308, -1e308, 1e18, 2**63, 2**70, 10**400, 0.1, -0.0]
METHODS = b"GET POST HEAD PUT DELETE PATCH OPTIONS TRACE PROPFIND get X-Y".split()
HEADERS = b"""Accept Accept-Charset Accept-Encoding Accept-Language Authorization Content-Encoding
    Content-Language Cookie DNT Expect Forwarded From Host If-Match If-Modified-Since If-None-Match
    If-Range Origin Range Referer TE User-Agent Via X-CSRFToken X-Forwarded-For X-Forwarded-Host
    X-Forwarded-Proto X-HTTP-Method-Override X-Requested-With X-Simulated X-Forwarded-Port
    X-Real-IP X-Original-URL Content-Disposition Upgrade-Insecure-Requests""".split()
LANGUAGES = [b"zh-CN", b"zh-hans;q=0.5,en", b"en;q=2", b"a" * 600, b",;q=,;", b"x-" * 300, b"*"]
FORM = b"application/x-www-form-urlencoded"
TYPES = [
    *(FORM, FORM + b"; charset=utf-16", FORM + b"; charset=base64", FORM + b"; charset=\x00"),
    *(
        b"application/json",
        b"text/plain",
        b"application/xml",
        b"multipart/form-data",
        b"",
        b"x",
        b";",
    ),
    *(b"multipart/form-data; boundary=", b"multipart/form-data; boundary=" + b"b" * 300),
    *(b"multipart/form-data; boundary=\xff", b"multipart/mixed; boundary=b", b"text/html; a=\x01"),
]


@dataclass(frozen=True)
class Page:
    """A page of ours, as somebody may ask for it or answer it."""

    path: str
    cookies: Mapping[str, str]
    fields: Fields | None = None
    queries: Sequence[str] = ()
    token: str = ""


class Cases:
    """An endless supply of hostile requests against `pages`."""

    def __init__(self, pages: Sequence[Page], logins: Sequence[Page], *, seed: str) -> None:
        self.random = random.Random(seed)
        self.pages, self.logins = pages, logins
        self.forms = [page for page in pages if page.fields is not None]

    def next(self) -> Request:
        """One more."""
        make: Callable[[], Request] = self.random.choices(
            [
                *(self._fields, self._multipart, self._query, self._path, self._header),
                *(self._cookies, self._method, self._content, self._login),
                self._large,
            ],
            [35, 10, 15, 10, 10, 8, 5, 6, 1, 0.5],
        )[0]
        return make()

    def text(self) -> bytes:
        """A value that no field wants."""
        roll = self.random.random()
        if roll < 0.15:
            return self.random.choice(SCRIPTS)
        if roll < 0.75:
            return self.random.choice(TEXTS)
        if roll < 0.85:
            return self._json()
        if roll < 0.95:
            return self.random.choice(TEXTS) + self.random.choice(TEXTS)
        return self.random.randbytes(self.random.randrange(1, 60))

    def _json(self) -> bytes:
        """What the page's script might send, gone wrong."""
        names = ["shown", "visible", "hidden", "responses", "changes", "ms", "width", "height", "a"]
        choices: list[object] = [*NUMBERS, None, True, "", "x", [], {}, [[[]]], "\ud800", "\x00"]

        def value(depth: int) -> object:
            kind = self.random.random()
            if depth and kind < 0.4:
                return {self.random.choice(names): value(depth - 1) for _ in range(3)}
            if depth and kind < 0.6:
                return [value(depth - 1) for _ in range(2)]
            return self.random.choice(choices)

        return json.dumps(value(3)).encode()

    def _request(
        self,
        page: Page,
        *,
        method: bytes = b"GET",
        target: bytes = b"",
        headers: Sequence[Header] = (),
        body: bytes = b"",
    ) -> Request:
        given = {name.lower() for name, _ in headers}
        own: list[Header] = []
        if b"cookie" not in given:
            cookies = "; ".join(f"{name}={value}" for name, value in page.cookies.items())
            own.append((b"Cookie", cookies.encode()))
        if page.token and b"authorization" not in given:
            own.append((b"Authorization", b"Token " + page.token.encode()))
        return Request(method, target or page.path.encode(), (*own, *headers), body)

    def _sent(self, page: Page) -> list[tuple[bytes, bytes]]:
        """The fields of a form with up to three of them spoilt."""
        fields = [(name.encode(), value.encode()) for name, value in page.fields or []]
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            place = self.random.randrange(len(fields)) if fields else None
            roll = self.random.random()
            if place is None or roll < 0.1:
                fields.append((self.text(), self.text()))
            elif roll < 0.2:
                del fields[place]
            elif roll < 0.3:
                fields[place] = (self.text(), fields[place][1])
            elif roll < 0.4:
                fields.append((fields[place][0], self.text()))
            else:
                fields[place] = (fields[place][0], self.text())
        if self.random.random() < 0.97:
            fields.append((b"csrfmiddlewaretoken", CSRF.encode()))
        self.random.shuffle(fields)
        return fields

    def _fields(self) -> Request:
        page = self.random.choice(self.forms)
        body = b"&".join(
            quote_from_bytes(name).encode() + b"=" + quote_from_bytes(value).encode()
            for name, value in self._sent(page)
        )
        return self._request(page, method=b"POST", headers=[(b"Content-Type", FORM)], body=body)

    def _multipart(self) -> Request:
        return self.upload(self.random.choice(self.forms))

    def upload(self, page: Page) -> Request:
        """A form as browsers send files, with files where none or others belong."""
        parts = []
        for name, value in self._sent(page):
            safe = name.replace(b'"', b"%22").replace(b"\r", b"%0D").replace(b"\n", b"%0A")
            file, content = b"", value
            if name == b"file" or self.random.random() < 0.2:
                file = b'; filename="' + self.text().replace(b"\n", b"") + b'"'
                file += self.random.choice([b"", b"\r\nContent-Type: text/csv"])
                content = self.random.choice([value, self._csv(), self._csv(), self._csv()])
            head = b'Content-Disposition: form-data; name="' + safe + b'"' + file
            parts.append(b"--limit\r\n" + head + b"\r\n\r\n" + content + b"\r\n")
        body = b"".join(parts) + self.random.choice([b"--limit--\r\n", b"--limit", b""])
        content_type = (b"Content-Type", b"multipart/form-data; boundary=limit")
        return self._request(page, method=b"POST", headers=[content_type], body=body)

    def _csv(self) -> bytes:
        """A recruiter's list of submissions, gone wrong."""
        columns = [b"Submission id", b"Participant id", b"Status", b"Started at"]
        if self.random.random() < 0.3:
            columns[self.random.randrange(4)] = self.text()
        status = self.random.choice([b"RETURNED", b"APPROVED", b"TIMED-OUT", self.text()])
        rows = [columns]
        for number in range(self.random.randint(0, 4)):
            person = self.random.choice([prolific_id(f"attacker{number}").encode(), self.text()])
            rows.append([b"s%d" % number, person, status, self.text()])
        if self.random.random() < 0.3:
            rows[-1] = rows[-1][: self.random.randrange(4)]
        lines = [b",".join(b'"' + cell.replace(b'"', b'""') + b'"' for cell in row) for row in rows]
        start = self.random.choice([b"", b"\xef\xbb\xbf", b"\xff\xfe", b'"'])
        return start + self.random.choice([b"\r\n", b"\n", b"\r"]).join(lines)

    def _query(self) -> Request:
        page = self.random.choice(self.pages)
        names = [name.encode() for name in page.queries] or [b"page", b"next"]
        pairs = []
        for _ in range(self.random.randint(1, 4)):
            name = self.random.choice(names) if self.random.random() < 0.9 else self.text()
            raw = self.random.random() < 0.1
            text = self.text()
            value = (
                text.replace(b"\r", b"").replace(b"\n", b"").replace(b" ", b"")
                if raw
                else (quote_from_bytes(text).encode())
            )
            pairs.append(quote_from_bytes(name).encode() + b"=" + value)
        target = page.path.encode() + b"?" + b"&".join(pairs)
        return self._request(page, target=target[:60_000])

    def _path(self) -> Request:
        """An address of which one part is something else."""
        page = self.random.choice(self.pages)
        parts = page.path.strip("/").encode().split(b"/")
        place = self.random.randrange(len(parts))
        parts[place] = quote_from_bytes(self.text()[:4000], safe="").encode()
        target = b"/" + b"/".join(parts) + self.random.choice([b"/", b""])
        method = self.random.choice([b"GET", b"GET", b"POST"])
        return self._request(page, method=method, target=target)

    def _header(self) -> Request:
        page = self.random.choice(self.pages)
        headers = []
        for name in self.random.sample(HEADERS, self.random.randint(1, 3)):
            text = self.random.choice(LANGUAGES) if name == b"Accept-Language" else self.text()
            value = text.replace(b"\r\n", b" ").replace(b"\n", b" ")
            if self.random.random() < 0.9:
                value = value.replace(b"\x00", b"0")
            headers.append((name, value[:7000]))
        return self._request(page, headers=headers)

    def _cookies(self) -> Request:
        page = self.random.choice(self.pages)
        cookies = dict(page.cookies)
        name = self.random.choice([*cookies, "sessionid", "messages", "django_language", "x"])
        pairs = [
            key.encode() + b"=" + value.encode() for key, value in cookies.items() if key != name
        ]
        value = self.text()[:5000].replace(b"\r", b"").replace(b"\n", b"").replace(b"\x00", b"")
        pairs.insert(self.random.randint(0, len(pairs)), name.encode() + b"=" + value)
        separator = self.random.choice([b"; ", b";", b",", b" "])
        method = self.random.choice([b"GET", b"POST"])
        return self._request(page, method=method, headers=[(b"Cookie", separator.join(pairs))])

    def _method(self) -> Request:
        return self._request(self.random.choice(self.pages), method=self.random.choice(METHODS))

    def _content(self) -> Request:
        """A body that is not what its type says."""
        page = self.random.choice(self.forms)
        body = self.random.choice(
            [self.text(), self._json(), b"--b\r\n" + self.text(), self._csv()]
        )
        headers = [(b"Content-Type", self.random.choice(TYPES))]
        if self.random.random() < 0.5:
            headers.append((b"X-CSRFToken", CSRF.encode()))
        return self._request(page, method=b"POST", headers=headers, body=body)

    def _large(self) -> Request:
        """More than anybody writes: a body of megabytes, thousands of fields, or of files."""
        page = self.random.choice(self.forms)
        body, content_type = self.random.choice(
            [
                (b"text-why=" + b"x" * 3_000_000, FORM),
                (b"&".join(b"f%d=1" % number for number in range(5000)), FORM),
                (b"csrfmiddlewaretoken=" + b"a" * 100_000, FORM),
                (b"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" * 3000, b"b"),
                (
                    b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' * 300,
                    b"b",
                ),
            ]
        )
        if content_type == b"b":
            content_type = b"multipart/form-data; boundary=b"
        headers = [(b"Content-Type", content_type), (b"X-CSRFToken", CSRF.encode())]
        return self._request(page, method=b"POST", headers=headers, body=body)

    def _login(self) -> Request:
        """Few names, so that all but the first tries are refused without computing a password."""
        page = self.random.choice(self.logins)
        names = ["admin", "<script>hostile()</script>"]
        fields = [("username", self.random.choice(names)), ("password", "wrong"), ("next", "//x")]
        if self.random.random() < 0.5:
            fields.pop(self.random.randrange(3))
        body = urlencode([*fields, ("csrfmiddlewaretoken", CSRF)]).encode()
        return self._request(page, method=b"POST", headers=[(b"Content-Type", FORM)], body=body)
