"""The largest differences, case by case."""

from rest_framework import serializers


class DifferenceSideSerializer(serializers.Serializer[object]):
    """One of the two responses of a case."""

    model = serializers.CharField()
    condition = serializers.CharField()
    text = serializers.CharField()
    mean = serializers.FloatField()
    low = serializers.FloatField(allow_null=True, help_text="of the 95 % interval of the mean")
    high = serializers.FloatField(allow_null=True)


class CommentSerializer(serializers.Serializer[object]):
    """A free answer about the page."""

    question = serializers.CharField()
    text = serializers.CharField()


class DifferenceCaseSerializer(serializers.Serializer[object]):
    """Two responses to one scenario and set."""

    dimension = serializers.CharField()
    scenario = serializers.CharField()
    set = serializers.CharField(source="set_name")
    prompt = serializers.CharField()
    earlier = serializers.CharField(source="context", help_text="context above the prompt")
    sides = DifferenceSideSerializer(many=True, help_text="a, then b")
    n = serializers.IntegerField(help_text="included raters who rated both")
    difference = serializers.FloatField(help_text="mean of a minus mean of b")
    low = serializers.FloatField(allow_null=True, help_text="of the 95 % interval")
    high = serializers.FloatField(allow_null=True)
    cases = serializers.IntegerField(help_text="cases of this pair, of which this is a large one")
    comments = serializers.SerializerMethodField(
        help_text="of included raters; empty for viewers, who may not read answers row by row"
    )

    def get_comments(self, case: object) -> list[dict[str, str]]:
        told: list[tuple[str, str]] = getattr(case, "comments", [])
        return [{"question": question, "text": text} for question, text in told]


class LargestDifferencesSerializer(serializers.Serializer[object]):
    """The largest of many differences are overestimated: chance helped to make them the largest."""

    run = serializers.IntegerField(allow_null=True, help_text="the analysis; null without one")
    pairs = serializers.ListField(child=serializers.CharField(), help_text="values of `pair`")
    dimensions = serializers.ListField(child=serializers.CharField())
    cases = DifferenceCaseSerializer(many=True)
