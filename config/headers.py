"""Response headers of every page."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# Nothing is loaded from other sites, and no form is sent to one: `default-src` says nothing of
# forms. People go back to Prolific by a link. Plotly sets inline styles; scripts are files only.
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: forbid the browser to contact third parties."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return middleware
