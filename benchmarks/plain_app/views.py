"""A survey as one would write it in an afternoon: one view for all its pages."""

import random

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from benchmarks.plain_app.models import Block, Participant, Presentation, Rating

SCALE = [
    (1, "Not empathetic at all"),
    (2, "Slightly empathetic"),
    (3, "Moderately empathetic"),
    (4, "Very empathetic"),
    (5, "Extremely empathetic"),
]
VALUES = {str(value): value for value, _ in SCALE}


def arrive(request: HttpRequest) -> HttpResponse:
    """Note who comes, and draw their orders."""
    with transaction.atomic():
        participant = Participant.objects.create(person=request.GET["PROLIFIC_PID"])
        presentations: list[Presentation] = []
        for block in Block.objects.order_by("?").prefetch_related("responses"):
            order = [response.pk for response in block.responses.all()]
            random.shuffle(order)
            presentations.append(
                Presentation(
                    participant=participant,
                    block=block,
                    page=len(presentations) + 1,
                    response_order=order,
                )
            )
        Presentation.objects.bulk_create(presentations)
    request.session["participant"] = participant.pk
    request.session["pages"] = len(presentations)
    return redirect("page", 1)


def page(request: HttpRequest, number: int) -> HttpResponse:
    """Show a block, or store its answers and go on."""
    total = request.session["pages"]
    if number > total:
        return render(request, "plain_app/end.html")
    presentation = get_object_or_404(
        Presentation.objects.select_related("block"),
        participant=request.session["participant"],
        page=number,
    )
    order = presentation.response_order
    error = ""
    if request.method == "POST":
        values = {pk: VALUES.get(request.POST.get(f"r-{pk}", "")) for pk in order}
        if None not in values.values():
            with transaction.atomic():
                Rating.objects.bulk_create(
                    Rating(presentation=presentation, response_id=pk, value=value)
                    for pk, value in values.items()
                )
                presentation.answered_at = timezone.now()
                presentation.save(update_fields=["answered_at"])
            return redirect("page", number + 1)
        error = "Please rate every response."
    responses = sorted(presentation.block.responses.all(), key=lambda r: order.index(r.pk))
    return render(
        request,
        "plain_app/page.html",
        {
            "number": number,
            "total": total,
            "prompt": presentation.block.prompt,
            "responses": responses,
            "scale": SCALE,
            "error": error,
        },
    )
