from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "jobs"

    def ready(self) -> None:
        """Count the requests of projects that have a request quota."""
        from accounts.rights import count_requests  # models can be imported once all apps are ready
        from jobs.request_quotas import count

        count_requests(count)
