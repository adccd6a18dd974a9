from django.apps import AppConfig


class DashboardConfig(AppConfig):
    name = "dashboard"

    def ready(self) -> None:
        from config.backup.data_in_use import use_data
        from dashboard.accounts import changes  # noqa: F401  it listens to signals
        from dashboard.payments.orders import erase_texts
        from dashboard.raters.stored_submissions import erase_submissions
        from dashboard.share import packages  # noqa: F401  it removes files with their rows
        from dashboard.shared.chunk_counts import erase_counts
        from survey.withdrawal import erasers, key_erasers

        use_data()
        erasers.append(erase_counts)
        key_erasers += [erase_texts, erase_submissions]
