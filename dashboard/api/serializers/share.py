"""Files to share."""

from rest_framework import serializers

from dashboard.api.serializers.results import RunSerializer


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
