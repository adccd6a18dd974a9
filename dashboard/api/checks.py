"""Checks of a study by the API: Prolific's rules, and what is against opening it."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.parameters import STUDY
from dashboard.api.routes import Route
from dashboard.design.policy import policy_findings
from dashboard.overview.opening import against, only_stand_in, refused
from dashboard.shared.access import study_or_404
from dashboard.shared.roles import Needs, Permission
from survey.definition.findings import CHANGE, OK, REFUSE, REMEMBER, StudyFinding
from survey.definition.policy import on_prolific
from survey.definition.settings import Settings


class FindingSerializer(serializers.Serializer[StudyFinding]):
    """The result of one rule."""

    rule = serializers.CharField()
    state = serializers.ChoiceField(choices=[OK, CHANGE, REMEMBER, REFUSE])
    text = serializers.CharField()
    key = serializers.SerializerMethodField(help_text="in study.yaml, such as `tasks.0.name`")
    quote = serializers.CharField(help_text="of a text of the study")
    line = serializers.IntegerField(help_text="of responses.csv; 0 for none")

    def get_key(self, finding: StudyFinding) -> str:
        return ".".join(map(str, finding.key))


class PolicySerializer(serializers.Serializer[object]):
    """What the rules say of a study's texts, checks and endings."""

    on_prolific = serializers.BooleanField(help_text="if not, only general rules are checked")
    to_change = serializers.IntegerField(help_text="findings that ask for a change")
    findings = FindingSerializer(many=True)


class Policy(Route):
    """The study, checked against Prolific's rules."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY], responses=PolicySerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        findings = policy_findings(study)
        content = {
            "on_prolific": on_prolific(Settings.model_validate(study.settings)) is not None,
            "to_change": sum(finding.state == CHANGE for finding in findings),
            "findings": findings,
        }
        return Response(PolicySerializer(content).data)


class ChecklistSerializer(serializers.Serializer[object]):
    """What a check before opening found."""

    state = serializers.CharField(help_text="of the study")
    may_open = serializers.BooleanField(help_text="whether nothing prevents opening")
    only_stand_in = serializers.BooleanField(
        help_text="whether the gold scores of a stand-in judge are all that prevents it"
    )
    findings = FindingSerializer(many=True)


class Checklist(Route):
    """Problems to look at before the study is opened for real people; reasons to refuse first."""

    needs = Needs(Permission.CHANGE)

    @extend_schema(parameters=[STUDY], responses=ChecklistSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        findings = against(study)
        content = {
            "state": study.state,
            "may_open": not refused(findings),
            "only_stand_in": only_stand_in(findings),
            "findings": findings,
        }
        return Response(ChecklistSerializer(content).data)
