"""Time and memory of a large analysis, what it leaves for later, and its refusal without memory."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analysis import execution
from analysis.models import AnalysisRun
from analysis.recipe import shipped_recipes
from analysis.runs import request_run
from analysis.size import AnalysisSize, TooLarge
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import likes_tuned
from tests.factories import add_participant, make_study

GIB = 2**30
LATER = {"order_conclusions", "order_effects", "strengths", "order_agreement", "fragility"}


class TestSize:
    def test_says_how_long_and_how_much(self) -> None:
        large = AnalysisSize(1_000_000, everything=False)
        assert str(large).startswith("an analysis of 1,000,000 ratings takes about ")
        assert large.bytes > AnalysisSize(500_000, everything=False).bytes
        assert large.seconds < AnalysisSize(1_000_000, everything=True).seconds

    def test_only_a_large_one_leaves_something(self) -> None:
        assert not AnalysisSize(17_000, everything=False).leaves_some
        assert AnalysisSize(1_000_000, everything=False).leaves_some
        assert not AnalysisSize(1_000_000, everything=True).leaves_some

    def test_is_refused_in_one_line_where_memory_is_short(self) -> None:
        large = AnalysisSize(5_800_000, everything=False)
        large.refuse_without_memory(free=large.bytes)
        large.refuse_without_memory(free=None)
        with pytest.raises(TooLarge, match=r"5,800,000 .* only 1.0 GiB are free: stop") as refused:
            large.refuse_without_memory(free=GIB)
        assert "\n" not in str(refused.value)


@pytest.fixture
def study(db: None) -> Study:
    study = make_study(slug="rated", recipes=list(shipped_recipes().values()))
    for name in ("ann", "ben", "cat", "dan"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    return study


@pytest.mark.embedded
class TestAnalysis:
    """With a limit by which these few ratings are a large study."""

    @pytest.fixture(autouse=True)
    def many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("analysis.size.LARGE", 10)

    def analyze(self, folder: Path, *given: str) -> dict[str, object]:
        call_command("analyze", "rated", "--out", str(folder), "--no-images", *given)
        manifest: dict[str, object] = json.loads((folder / "manifest.json").read_text())
        return manifest

    def test_says_before_what_it_takes_and_leaves_some_for_later(
        self, study: Study, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        manifest = self.analyze(tmp_path / "out")
        said = capfd.readouterr().err
        assert said.startswith("Note: an analysis of 48 ratings takes about a minute and 0.3 GiB")
        assert "left for later (--all makes them)" in said.splitlines()[0]
        left = manifest["left_for_later"]
        assert isinstance(left, list) and set(left) == LATER
        assert not (tmp_path / "out" / "order_effects.csv").exists()
        absent = manifest["absent"]
        assert isinstance(absent, dict)
        assert absent["fragility"].endswith("`manage.py analyze --all` makes it")

    def test_makes_them_if_asked_to_and_keeps_them(self, study: Study, tmp_path: Path) -> None:
        self.analyze(tmp_path / "some")
        manifest = self.analyze(tmp_path / "all", "--all")
        assert manifest["left_for_later"] == []
        assert (tmp_path / "all" / "order_effects.csv").exists()
        assert self.analyze(tmp_path / "again")["run"] == manifest["run"]

    def test_fails_before_it_reads_anything_where_memory_is_short(
        self,
        study: Study,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        monkeypatch.setattr(execution, "free_memory", lambda: 1000)
        said = r"^an analysis of \d+ ratings .* only 0.0 GiB are free: stop other .*$"
        with pytest.raises(CommandError, match=said):
            self.analyze(tmp_path / "out")
        assert not caplog.records
        assert not (tmp_path / "out").exists()
        run = AnalysisRun.objects.get()
        assert run.state == AnalysisRun.State.FAILED and not run.results.exists()

    def test_notes_what_it_takes_for_pages_while_it_waits(self, study: Study) -> None:
        run = request_run(study=study, sources=counted_sources())
        takes = run.manifest["takes"]
        assert takes.startswith("an analysis of 48 ratings takes about a minute")
