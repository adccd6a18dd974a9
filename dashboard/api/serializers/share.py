"""Files to share: exports, and zips of an analysis with its data."""

from rest_framework import serializers
from rest_framework.reverse import reverse

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.serializers.results import JobRow, RunSerializer
from dashboard.share import packages
from dashboard.share.models import Package
from dashboard.share.package_files import file_names
from dashboard.share.packages import PackageOptions
from survey.tidy import not_counted_among


class ExportSerializer(serializers.Serializer[object]):
    """A file that can be downloaded, or why it can't."""

    file = serializers.CharField()
    about = serializers.CharField(help_text="its contents")
    absent = serializers.CharField(help_text="why it is not available, or empty")
    url = serializers.URLField(allow_null=True)


class ExportsSerializer(serializers.Serializer[object]):
    """Export files as the newest finished analysis filtered them; `run` is null before it."""

    run = RunSerializer(allow_null=True)
    files = ExportSerializer(many=True)


class PackageSerializer(JobRow, serializers.ModelSerializer[Package]):
    """A zip of a finished analysis and its data, or a request for one."""

    run = serializers.IntegerField(
        source="run_id",
        help_text="id of the analysis; another one if data change before it is made",
    )
    include = serializers.SerializerMethodField(help_text="who is in it besides those who count")
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="what to know before sharing it"
    )
    kept_until = serializers.SerializerMethodField(help_text="null: there is no file")
    url = serializers.SerializerMethodField(help_text="of the zip; null: there is none")

    class Meta:
        model = Package
        fields = [
            *("id", "run", "include", "recipe", "images", "state", "stage", "percent", "error"),
            *("requested_at", "finished_at", "size", "notes", "kept_until", "url"),
        ]

    def get_include(self, package: Package) -> list[str]:
        return not_counted_among(package.run.sources)

    def get_kept_until(self, package: Package) -> str | None:
        there = packages.has_file(package)
        return packages.kept_until(package).isoformat() if there else None

    def get_url(self, package: Package) -> str | None:
        return self.address(package, "package-zip") if packages.has_file(package) else None

    def address(self, package: Package, name: str, *rest: str) -> str:
        """The address of something of a package."""
        of = [package.run.study, package.pk, *rest]
        return str(reverse(f"api:{name}", args=of, request=self.context["request"]))


class PackageDetailSerializer(PackageSerializer):
    """A zip with the addresses of the single files of its analysis."""

    files = serializers.SerializerMethodField(help_text="addresses by name")

    class Meta(PackageSerializer.Meta):
        fields = [*PackageSerializer.Meta.fields, "files"]

    def get_files(self, package: Package) -> dict[str, str]:
        names = file_names(package)
        return {name: self.address(package, "package-file", name) for name in names}


class PreparePackageSerializer(OptionsSerializer):
    """What a zip is to have."""

    options = PackageOptions
