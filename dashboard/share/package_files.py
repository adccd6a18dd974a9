"""Packages and the files in them over HTTP, for pages and API alike."""

import mimetypes
from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from django.http import FileResponse, Http404, StreamingHttpResponse

from analysis.models import AnalysisRun
from dashboard.share import packages
from dashboard.share.models import Package
from dashboard.shared.access import first_or_404
from survey.models import Study
from survey.refusals import RefusalKind, RequestRefused

#: A report has scripts of its own in the page. It may run them, and do nothing else: it has no
#: cookies, and can ask nobody for anything.
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "frame-ancestors 'none'; form-action 'none'"
)
REPORT = "report.html"
CHUNK = 1 << 20
#: Machines differ in what they call it.
KINDS = {".tex": "text/x-tex"}
UNKNOWN = "application/octet-stream"


class NoFile(RequestRefused):
    """A package has no file, or not yet; the text says why, and what to do."""

    kind = RefusalKind.NOT_FOUND
    unchanged = ""


def package_or_404(study: Study, package: int) -> Package:
    """A package of any analysis of a study."""
    rows = packages.packages_of(study).filter(pk=package)
    return first_or_404(rows, f"{study} has no download {package}.")


def zip_response(package: Package) -> FileResponse:
    """The zip. Raises NoFile."""
    try:
        file = package.path.open("rb")
    except OSError:
        raise NoFile(_why_gone(package)) from None
    return FileResponse(file, as_attachment=True, filename=package.file_name)


def file_names(package: Package) -> list[str]:
    """The files of the analysis in a package; none without its zip."""
    folder = _folder(package)
    try:
        with _packed(package) as packed:
            names = packed.namelist()
    except NoFile:
        return []
    return [name.removeprefix(folder) for name in names if name.startswith(folder)]


def file_response(package: Package, file: str) -> StreamingHttpResponse:
    """A file of the analysis in a package: its report to be read, others to be saved.

    Raises NoFile, and Http404 for a file that is not in it.
    """
    member, packed = f"{_folder(package)}{file}", _packed(package)
    if member not in packed.namelist():
        packed.close()
        raise Http404(f"There is no {file} in this package.")
    kind = KINDS.get(Path(file).suffix) or mimetypes.guess_type(file)[0] or UNKNOWN
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    response = StreamingHttpResponse(_chunks(packed, member), content_type=kind)
    if file == REPORT:
        response["Content-Security-Policy"] = REPORT_POLICY
    else:
        response["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


def newest_with(study: Study, run: AnalysisRun, file: str) -> Package | None:
    """The newest package of a run that can be downloaded and has this file of the analysis."""
    made = packages.packages_of(study).filter(run=run, state=Package.State.DONE)
    return next((each for each in made if file in file_names(each)), None)


def images_of(study: Study, run: AnalysisRun) -> set[str]:
    """The files of the newest package of a run that can be downloaded and has images."""
    made = packages.packages_of(study).filter(run=run, state=Package.State.DONE, images=True)
    return next((set(names) for each in made if (names := file_names(each))), set())


def _folder(package: Package) -> str:
    return f"{Path(package.file_name).stem}/analysis/"


def _packed(package: Package) -> ZipFile:
    try:
        return ZipFile(package.path)
    except (OSError, BadZipFile):
        raise NoFile(_why_gone(package)) from None


def _chunks(packed: ZipFile, member: str) -> Iterator[bytes]:
    with packed, packed.open(member) as content:
        while chunk := content.read(CHUNK):
            yield chunk


def _why_gone(package: Package) -> str:
    if package.is_done:
        return "The file of this download is gone. Prepare it again."
    if package.state == Package.State.FAILED:
        return f"The download failed: {package.error}"
    if package.state == Package.State.STOPPED:
        return f"{package.error} Prepare the download again."
    return "This download is not ready yet."
