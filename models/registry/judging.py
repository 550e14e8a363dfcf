"""What is judged by the test split of a dataset version: models, and the runs and uploads that go on."""

from collections.abc import Collection, Iterator

from catalog.models import Version
from catalog.splits import judging
from jobs.models import Job
from registry.ensembles import KIND as ENSEMBLE
from registry.models import ModelVersion, Run
from registry.uploads import KIND as UPLOAD


def models_judged(datasets: Collection[int]) -> Iterator[tuple[int, str]]:
    """Yield for each model version that was evaluated on a version of the datasets the id of that one, and its name;
    then for runs, ensembles and uploads that are still to be."""
    rows = ModelVersion.objects.filter(dataset_version__dataset__in=datasets).order_by("pk")
    for judged_on, model, number in rows.values_list("dataset_version", "model__name", "number"):
        yield judged_on, f"{model}@{number}"
    runs = Run.objects.filter(dataset__in=datasets, job__state__in=Job.OPEN, model_version=None).order_by("pk")
    for judged_on, run, model in runs.values_list("version", "pk", "model__name"):
        yield judged_on, f"run {run} of {model}"
    jobs = Job.objects.filter(kind__in=(ENSEMBLE, UPLOAD), state__in=Job.OPEN).order_by("pk")
    on = {job.params["dataset_version"]: job for job in jobs if job.params.get("dataset_version")}
    for version in Version.objects.filter(pk__in=on, dataset__in=datasets):
        yield version.pk, f"job {on[version.pk].pk} ({on[version.pk].title})"


judging.register("models", models_judged)
