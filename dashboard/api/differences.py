"""The API about the largest differences of responses."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.labels import labels_of
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, user_of
from dashboard.api.refusals import checked
from dashboard.api.routes import Route
from dashboard.api.serializers.differences import LargestDifferencesSerializer
from dashboard.results.differences import DifferencesForm, cases_of, pair_of, rows_of
from dashboard.shared.access import role_of, study_or_404
from dashboard.shared.newest_analysis import newest_analysis
from dashboard.shared.roles import Needs, Permission
from dashboard.shared.stored_tables import in_order


class LargestDifferences(Route):
    """The responses to one scenario whose mean ratings differ most, with their texts."""

    needs = Needs(Permission.READ)

    @extend_schema(
        parameters=[
            STUDY,
            INCLUDE,
            OpenApiParameter("pair", str, description="two systems, one of `pairs`; else any"),
            OpenApiParameter("dimension", str, description="else any"),
        ],
        responses=LargestDifferencesSerializer,
    )
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        analysis = newest_analysis(study, asked_for(request))
        rows = rows_of(analysis)
        form = checked(DifferencesForm(request.query_params, rows=rows, labels=labels_of(study)))
        role = role_of(user_of(request), study.slug)
        with_comments = role is not None and role.may(Permission.ROWS)
        content = {
            "run": analysis.run.pk if analysis.run else None,
            "pairs": in_order(map(pair_of, rows)),
            "dimensions": in_order(row["dimension"] for row in rows),
            "cases": cases_of(study, analysis, form.cleaned_data, with_comments=with_comments),
        }
        return Response(LargestDifferencesSerializer(content).data)
