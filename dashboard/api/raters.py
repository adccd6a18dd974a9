"""The API about raters and their ratings."""

from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.api.pagination import RatingsPagination
from dashboard.api.parameters import INCLUDE, STUDY, asked_for
from dashboard.api.ratings import Ratings
from dashboard.api.serializers.raters import RatersSerializer, RatingSerializer
from dashboard.raters.rater_list import rater_row, raters_of
from dashboard.shared.access import study_or_404
from dashboard.shared.newest_analysis import newest_analysis
from judge.queries import gold_scores
from survey.models import Rating
from survey.tidy import counted_sources, reading


class RaterList(APIView):
    """Every rater of the newest finished analysis, kept or not, and why."""

    @extend_schema(parameters=[STUDY, INCLUDE], responses=RatersSerializer)
    def get(self, request: Request, name: str) -> Response:
        run = newest_analysis(study_or_404(name), asked_for(request)).run
        rows = map(rater_row, raters_of(run)) if run else ()
        return Response(RatersSerializer({"run": run, "raters": rows}).data)


class RatingList(GenericAPIView[Rating]):
    """Every rating in the columns of ratings.csv, of raters kept or not, page by page."""

    serializer_class = RatingSerializer
    pagination_class = RatingsPagination
    queryset = Rating.objects.none()  # tells the schema what is listed

    @extend_schema(parameters=[STUDY, INCLUDE], responses=RatingSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        sources = counted_sources(asked_for(request))
        gold = gold_scores(study)
        pages = RatingsPagination()
        with reading():
            page = pages.page_of(
                Ratings(study, sources), request, sources=sources, gold=gold.source
            )
        scores = {(g.response_id, g.dimension): g.value for g in gold.scores}
        rows = RatingSerializer(page, many=True, context={"scores": scores})
        return pages.get_paginated_response(rows.data)
