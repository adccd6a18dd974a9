from django.apps import AppConfig


class JudgeConfig(AppConfig):
    name = "judge"

    def ready(self) -> None:
        """Register the checks of settings."""
        import judge.endpoints  # noqa: F401  it imports models
