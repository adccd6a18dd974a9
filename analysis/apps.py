from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from analysis.erasure import erase_results
        from survey.withdrawal import erasers

        erasers.append(erase_results)
