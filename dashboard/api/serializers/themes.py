"""The code book, and codes of open answers."""

from rest_framework import serializers

from analysis.models import ThemeCode
from analysis.theme_coding import ThemeOptions
from dashboard.api.option_serializers import OptionsSerializer


class ThemeCodeSerializer(serializers.ModelSerializer[ThemeCode]):
    """A code of the code book."""

    class Meta:
        model = ThemeCode
        fields = ["id", "name", "definition"]


class NewThemeSerializer(OptionsSerializer):
    """A code to add, or what to call it from now on."""

    options = ThemeOptions


class CoderSerializer(serializers.Serializer[object]):
    """How far a coder is; tables call coders by letters."""

    coder = serializers.CharField()
    answers = serializers.IntegerField()


class ThemesSerializer(serializers.Serializer[object]):
    """The code book, and how far coders are."""

    codes = ThemeCodeSerializer(many=True)
    answers = serializers.IntegerField(help_text="open answers there are")
    coders = CoderSerializer(many=True)


class CodingSerializer(serializers.Serializer[object]):
    """An open answer with the caller's own codes."""

    answer = serializers.IntegerField()
    participant = serializers.CharField()
    scenario = serializers.CharField(allow_null=True)
    set = serializers.CharField(allow_null=True)
    question = serializers.CharField()
    text = serializers.CharField()
    codes = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="null: not decided yet; empty: nothing fits",
    )


class CodingDecisionSerializer(serializers.Serializer[object]):
    """What the caller decided about an answer: names of codes; none means that nothing fits."""

    answer = serializers.IntegerField(min_value=1, max_value=10**18)
    codes = serializers.ListField(child=serializers.CharField(), allow_empty=True)


class DecisionsSerializer(serializers.Serializer[object]):
    """Decisions about several answers: all are kept, or none."""

    decisions = CodingDecisionSerializer(many=True, allow_empty=False)


class CodedSerializer(serializers.Serializer[object]):
    """About how many answers a decision was kept."""

    answers = serializers.IntegerField()
