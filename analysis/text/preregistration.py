"""A locked plan as text for the forms of OSF and AsPredicted: the words are in `templates/`.

What the analyses do is said in the words of the report's methods. Pure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from analysis.deviations import HOW_MANY, PlanContent
from analysis.quality_rules import BY_GOLD, STEP_LABELS
from analysis.recipe import MOST_CATEGORIES, RESAMPLES, Recipe, Scale
from analysis.tables.resampling import resampling
from analysis.text.cells import Sentence, plain
from analysis.text.sentences import ENVIRONMENT, GIVEN_BACK, Sentences
from survey.definition.contrast import comparison_of
from survey.definition.labels import GivenLabels, Labels, usual_of
from survey.definition.study import StudyDefinition
from survey.definition.tasks import AskedTask
from survey.files.markdown_text import literal, literal_line

#: The forms that a plan is written for, with the ending of their files; `json` is the plan itself.
TEXTS = {"osf": "md", "aspredicted": "txt", "json": "json"}
#: How choices are held against chance; which of them, the number of choices decides.
CHOICE_TESTS = ("chi_squared", "permuted_within_pages", "permuted_by_rater")
say = Sentences("preregistration/answers.j2")
say_methods = Sentences("methods/recipes.j2")


def preregistration(text: str, sha256: str, form: str) -> str:
    """A locked plan, given as its JSON, as text for one of TEXTS."""
    if form == "json":
        return text
    content = PlanContent.from_text(text)
    plan = PlanWords(content, sha256)
    is_markdown = TEXTS[form] == "md"
    title = content.content["title"]
    answers = {
        name: "\n\n".join(
            literal(plain(each)) if is_markdown else plain(each) for each in sentences
        )
        for name, sentences in plan.answers().items()
    }
    if is_markdown:
        title = literal_line(title)
    template: Any = ENVIRONMENT.get_template(f"preregistration/{form}.j2")
    written = plain(template.module.document(title=title, p=answers))
    return written.translate(GIVEN_BACK).strip("\n") + "\n"


@dataclass(frozen=True)
class PlanWords:
    """A plan in paragraphs, by what they are about."""

    plan: PlanContent
    sha256: str

    def answers(self) -> dict[str, list[Sentence]]:
        """The paragraphs of each answer; both forms ask for most of them."""
        return {
            "question": [self._question()],
            "hypotheses": list(self._hypotheses()),
            "study_type": [say("study_type")],
            "blinding": [say("blinding")],
            "design": [self._design()],
            "manipulated": list(self._conditions()),
            "randomisation": [say("randomisation", order=self.study.order)],
            "existing_data": list(self._existing_data()),
            "procedures": list(self._procedures()),
            "sample_size": [say("sample_size", **self._places)],
            "stopping": [say("stopping", places=any(self._places.values()))],
            "rationale": [Sentence.escape(self.said.sample_size or "")],
            "measured": list(self._measures()),
            "indices": [*self._composites(), self._gold()],
            "analyses": list(self._analyses()),
            "main_analysis": list(self._main_analysis()),
            "secondary": [say("secondary", recipes=list(self.planned.recipes))],
            "transformations": [say("transformations", rated=self.rated)],
            "inference": list(self._inference()),
            "exclusion": list(self._exclusions()),
            "missing": [say("missing", rated=self.rated)],
            "exploratory": [
                *(say("given_exploratory", text=text) for text in self.said.exploratory),
                say("exploratory"),
            ],
            "other": list(self._other()),
        }

    # ── What is read from the plan ──

    @cached_property
    def content(self) -> Mapping[str, Any]:
        return self.plan.content

    @cached_property
    def said(self) -> Any:
        return self.plan.preregistration

    @cached_property
    def planned(self) -> Any:
        return self.plan.planned

    @cached_property
    def study(self) -> StudyDefinition:
        return StudyDefinition.model_validate(self.content["definition"])

    @property
    def rated(self) -> bool:
        return self.study.rating is not None

    @cached_property
    def systems(self) -> list[tuple[str, str]]:
        """Each model in a condition, in the order of the study."""
        shown = (response for block in self.content["blocks"] for response in block["responses"])
        return list(dict.fromkeys((each["model"], each["condition"]) for each in shown))

    @cached_property
    def models(self) -> list[str]:
        """Models that have both conditions of the contrast; without one, all."""
        pair = {self.study.condition_a, self.study.condition_b}
        models = list(dict.fromkeys(model for model, _ in self.systems))
        if None in pair:
            return models
        return [m for m in models if pair <= {c for model, c in self.systems if model == m}]

    @cached_property
    def dimensions(self) -> dict[str, str]:
        """Rated dimensions and composites with their labels."""
        return {name: self.labels.text("dimensions", name) for name in self._rated}

    @property
    def _rated(self) -> list[str]:
        names = [d.name for d in self.study.rating.dimensions] if self.study.rating else []
        return [*names, *self.planned.composites]

    @cached_property
    def labels(self) -> Labels:
        study = self.study
        known = {
            "conditions": usual_of(study.conditions),
            "models": usual_of([model for model, _ in self.systems]),
            "dimensions": usual_of(self._rated),
            "rules": STEP_LABELS,
        }
        given = GivenLabels.model_validate(self.content["labels"])
        return Labels.of(given, known, (study.condition_a, study.condition_b))

    @property
    def sides(self) -> dict[str, str]:
        """What is compared, empty where the study names no two conditions."""
        there = self.study.condition_a is not None
        return {"a": self.labels.a if there else "", "b": self.labels.b if there else ""}

    @cached_property
    def recipe(self) -> Recipe | None:
        """The recipe of the main analysis."""
        chosen: Recipe | None = self.planned.recipes.get(self.said.primary.recipe)
        return chosen or self.planned.by_raters

    @property
    def _kind(self) -> dict[str, bool]:
        return {"rated": self.rated, "ranked": bool(self.study.answers_in("rank"))}

    @property
    def _scenarios(self) -> int:
        return len({block["scenario"] for block in self.content["blocks"]})

    @property
    def _places(self) -> dict[str, int | None]:
        return {key: getattr(self.planned.places, key) for key in HOW_MANY}

    @property
    def _within(self) -> bool:
        """Whether a participant may see both conditions on one page."""
        apart = self.study.between_subjects in ("system", "condition")
        return not apart and (self.study.systems_per_page != 1 or self.study.spread_over_pages)

    @property
    def _is_within_models(self) -> bool:
        """Whether the contrast, if there is one, compares each model with itself."""
        named = self.study.condition_a, self.study.condition_b
        comparison = comparison_of(self.systems, *named)
        return comparison is None or comparison.is_within

    @property
    def _effects(self) -> dict[str, list[str]]:
        """The factors of raters and of scenarios, as `tables.fits` has them: an effect of its own
        where it tells something apart, of raters where one sees several, and none of raters who
        give one rating each.
        """
        conditions = {condition for _, condition in self.systems}
        nested = ["condition"] if len(conditions) > 1 else []
        nested += ["system"] if len(self.systems) > len(conditions) else []
        seen_by_one = {"system": ["condition", "system"], "condition": ["condition"]}
        apart = self.study.between_subjects or ""
        of_raters = [name for name in nested if name not in seen_by_one.get(apart, [])]
        alone = self.study.systems_per_page == 1 and not self.study.spread_over_pages
        one_response = alone or apart == "system"
        single = self.study.blocks_per_participant == 1 and one_response
        return {
            "rater": [] if single else ["rater", *of_raters],
            "scenario": ["scenario", *nested],
        }

    @cached_property
    def _about(self) -> list[str]:
        """The dimensions that the hypothesis is about, by their labels."""
        chosen = self.said.primary.dimension
        return [label for name, label in self.dimensions.items() if chosen in (None, name)]

    # ── Paragraphs ──

    def _question(self) -> Sentence:
        if self.said.question:
            return Sentence.escape(self.said.question)
        return say("question", systems=len(self.systems), **self._compared, **self._kind)

    def _hypotheses(self) -> Iterator[Sentence]:
        for number, text in enumerate(self.said.hypotheses, start=1):
            yield say("given_hypothesis", number=number, text=text)
        chosen = self.said.primary.model
        model = self.labels.text("models", chosen) if chosen else ""
        yield say(
            "hypothesis",
            number=len(self.said.hypotheses) + 1,
            dimensions=self._about if len(self.dimensions) > 1 else [],
            model=model,
            models=len(self.models),
            **self._compared,
            **self._kind,
        )

    def _existing_data(self) -> Iterator[Sentence]:
        yield say("existing_data", locked_at=self.content["locked_at"])
        if self.planned.gold != "none":
            yield say("existing_gold", gold=self.planned.gold)

    def _design(self) -> Sentence:
        blocks = self.content["blocks"]
        sizes = [len(block["responses"]) for block in blocks] or [0]
        return say(
            "design",
            systems=len(self.systems),
            scenarios=self._scenarios,
            blocks=len(blocks),
            fewest=min(sizes),
            most=max(sizes),
            study=self.study,
            within=self._within,
        )

    @property
    def _compared(self) -> dict[str, str]:
        """What is compared: two conditions, or where the study names none, each system with the
        reference.
        """
        return {**self.sides, "reference": "" if self.sides["a"] else self._reference}

    @property
    def _reference(self) -> str:
        reference = self.study.reference
        return self._system(reference.model, reference.condition) if reference else ""

    def _conditions(self) -> Iterator[Sentence]:
        yield say(
            "conditions",
            conditions=[self.labels.text("conditions", name) for name in self.study.conditions],
            reference=self._reference,
            **self.sides,
        )
        yield say("systems", names=[self._system(*system) for system in self.systems])

    def _system(self, model: str, condition: str) -> str:
        called = self.labels.text("models", model), self.labels.text("conditions", condition)
        return f"{called[0]} ({called[1]})"

    def _procedures(self) -> Iterator[Sentence]:
        study = self.study
        yield say("recruitment", ways=self.content["ways_in"], minutes=study.estimated_minutes)
        for question in study.screening:
            yield say("screening", question=question.question, eligible=question.eligible)
        if study.comprehension:
            asked = study.comprehension
            yield say("comprehension", n=len(asked.questions), attempts=asked.attempts)
        if study.training_items:
            yield say("training", n=len(study.training_items))
        if study.attention_checks:
            yield say("attention", n=len(study.attention_checks))

    def _composites(self) -> Iterator[Sentence]:
        for name, parts in self.planned.composites.items():
            labels = [self.dimensions[part] for part in parts]
            yield say("composite", label=self.dimensions[name], parts=labels)

    def _measures(self) -> Iterator[Sentence]:
        study = self.study
        asked: list[AskedTask] = [*study.asked_on_blocks, *study.closing]
        for task in asked:
            for said in task.measures(self.labels):
                yield say("measure", said=said)
        for source, questions in (
            ("demographics", study.asked_demographics),
            ("prolific_demographics", study.prolific_demographics),
        ):
            called = [self.labels.text("characteristics", each.name) for each in questions]
            if called:
                yield say(source, names=called)

    def _gold(self) -> Sentence:
        if self.planned.gold == "none":
            return say("no_gold")
        judge = self.content["gold"]["judge"] or {}
        return say(
            "gold",
            source=self.planned.gold,
            model=judge.get("model", ""),
            replicates=judge.get("replicates", 1),
            filtered=BY_GOLD in self.planned.rules.order and self.rated,
        )

    def _exclusions(self) -> Iterator[Sentence]:
        rules = self.planned.rules.applied(rated=self.rated)
        yield say("rules" if rules.order else "no_rule")
        for number, name in enumerate(rules.order, start=1):
            yield say("rule", number=number, who=rules.rule(name).in_words())
        yield say("decisions")

    def _main_analysis(self) -> Iterator[Sentence]:
        """The main analysis alone: its units, and what comes first of its methods."""
        if self.recipe is None:
            return
        mixed = self.recipe.mixed_models is not None
        yield say("main", recipe=self.recipe, mixed=mixed, contrast=bool(self.sides["a"]))
        yield from islice(self._methods(self.recipe), 2)

    def _analyses(self) -> Iterator[Sentence]:
        if self.recipe is None:
            return
        yield from self._main_analysis()
        yield from islice(self._methods(self.recipe), 2, None)
        for recipe in self.planned.recipes.values():
            if recipe.name != self.recipe.name:
                yield say("other", recipe=recipe)
                yield from self._methods(recipe)

    def _methods(self, recipe: Recipe) -> Iterator[Sentence]:
        """What the report's methods say of a recipe, as far as the plan tells; the main first."""
        recipe = recipe.on(Scale.of(self.study.rating))
        of_raters = recipe.unit == "participant"
        if of_raters:
            yield say_methods("raters_are_units", recipe=recipe, rated=self.rated)
        elif self.rated:
            yield say_methods("ratings_are_units")
        else:
            yield say("nothing_rated")
            return
        if self.rated and of_raters:
            yield from self._methods_of_raters(recipe)
        elif self.sides["a"] and self.models and self._within:
            yield say_methods("signed_ranks", models=len(self.models) > 1, **self.sides)
        if self.rated:
            yield from self._methods_of_each(recipe)
        if of_raters:
            yield from self._methods_without_ratings(recipe)

    def _methods_of_raters(self, recipe: Recipe) -> Iterator[Sentence]:
        several = len(self.models) > 1
        there = bool(self.sides["a"])
        if recipe.mixed_models is not None:
            links = recipe.mixed_models.fitted
            yield say_methods(
                "mixed_models",
                several=len(self.systems) > 1,
                effects=self._effects,
                ordinal=[link for link in links if link != "linear"],
                linear="linear" in links,
                tests=len(self.systems) > 1,
                contrasts=there,
                models=there and several,
                groups=[] if self._is_within_models else [*self.sides.values()],
                by_scale=self.planned.recipes[recipe.name].mixed_models.links is None,
                most=MOST_CATEGORIES,
            )
        original = self.planned.recipes[recipe.name]
        margin = recipe.margins.reference
        several_systems = len(self.systems) > 2
        if recipe.mixed_models is not None and len(self.systems) > 1:
            if self.study.reference is not None:
                yield say_methods(
                    "reference_contrasts", recipe=original, margin=margin, several=several_systems
                )
            yield say_methods("system_pairs", several=several_systems)
            drawn = resampling(original)
            draws, seed = drawn["resamples"], drawn["seed"]
            yield say_methods("system_groups", several=True, draws=draws, seed=seed)
        if there and self.models and self._within:
            yield say_methods("contrasts", models=several, **self.sides)
            yield say_methods("paired", models=several)
        if self.study.reference is not None and margin is not None and self._within:
            yield say_methods(
                "to_reference", recipe=original, margin=margin, several=several_systems
            )

    def _methods_of_each(self, recipe: Recipe) -> Iterator[Sentence]:
        """What recipes of ratings do, too."""
        original = self.planned.recipes[recipe.name]
        if self.sides["a"] and self.models:
            yield say_methods(
                "wins_tests",
                recipe=recipe,
                points=self.study.reference is not None,
                bootstrap=recipe.bootstrap,
            )
        asked = {question.name for question in self.study.demographics}
        groups = [name for name, group in recipe.groups.items() if group.column in asked]
        if groups:
            conditions = recipe.each_condition and len({c for _, c in self.systems}) > 1
            scenarios = recipe.each_scenario and self._scenarios > 1
            within = {
                "condition": conditions,
                "scenario": scenarios,
                "both": conditions and scenarios and recipe.conditions_in_scenarios,
            }
            yield say_methods(
                "group_tests",
                recipe=original,
                same="",
                factors={name: self.labels.text("characteristics", name) for name in groups},
                within=[name for name, each in within.items() if each],
                families=len(self.models) > 1 or recipe.adjust_over != ["model"],
                single=len(self.models) == 1,
                margin=recipe.margins.groups if recipe.unit == "participant" else None,
            )
        factors = [name for name in recipe.anova if name in asked or "state" in asked]
        if factors:
            called = [self.labels.text("characteristics", name) for name in factors]
            each = recipe.each_scenario
            yield say_methods(
                "anova", factors=called, scenarios=each, several=each and self._scenarios > 1
            )

    def _methods_without_ratings(self, recipe: Recipe) -> Iterator[Sentence]:
        if self.study.answers_in("rank"):
            yield say_methods(
                "ranking_tests",
                friedman=self.study.shows_whole_blocks,
                permuted=self.study.shows_whole_blocks,
                sets=len({block["set"] for block in self.content["blocks"]}) > 1,
                pairs=True,
                signed_ranks_said=self.rated and bool(self.sides["a"] and self.models),
            )
        if self.study.answers_in("choice"):
            yield say_methods(
                "choice_tests",
                used=CHOICE_TESTS,
                permutations=[],
                seed=None,
                scenarios=self._scenarios > 1,
            )
            resamples = recipe.bootstrap.resamples if recipe.bootstrap else RESAMPLES
            yield say_methods("choices", recipe=recipe, resamples=resamples)

    def _inference(self) -> Iterator[Sentence]:
        if self.recipe is None:
            return
        yield say("inference", recipe=self.recipe)
        yield say(
            "multiple",
            models=len(self.models) if self.rated and self.sides["a"] else 1,
            dimensions=list(self.dimensions.values()),
            named=self._about if self.said.primary.dimension else [],
        )

    def _other(self) -> Iterator[Sentence]:
        if self.content["note"]:
            yield Sentence.escape(self.content["note"])
        if self.content["replaces"]:
            yield say("replaces", reason=self.content["replaces"]["reason"])
        yield say(
            "provenance",
            study=self.content["study"],
            version=self.content["version"],
            sha256=self.sha256,
            locked_at=self.content["locked_at"],
            fivefold=self.content["software"].get("fivefold", ""),
        )
        code = self.content["software"]["analysis"]
        yield say("content", sha256=self.content["content_hash"], code=code)
