"""`python -m bench.labeling.prepare SAMPLES PEOPLE`: a platform with a dataset on an empty database; tokens.

The samples have rows of images and no bytes: labelling reads none.
"""

import json
import os
import sys

CLASSES = ["a", "b"]
DATASET = "bench"


def main() -> None:
    """Needs the environment of a platform."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from accounts.models import Role
    from accounts.services import create_user

    samples, people = int(sys.argv[1]), int(sys.argv[2])
    owner, token = create_user("owner", role=Role.OWNER)
    tokens = [token, *(create_user(f"a{n}", role=Role.ANNOTATOR)[1] for n in range(people))]
    _dataset(owner, samples)
    print(json.dumps(tokens))


def _dataset(owner: object, samples: int) -> None:
    from accounts.models import User
    from bench.versioning.rows import blobs
    from catalog.changes.sets import ChangeSet, SampleChange
    from catalog.versions.commit import commit
    from catalog.versions.datasets import create_dataset

    assert isinstance(owner, User)
    images = blobs()
    dataset = create_dataset(DATASET, task="classification", classes=CLASSES, description="", author=owner)
    changes = [SampleChange(f"{n:07d}.jpg", blob=images[n % len(images)], split="pool") for n in range(samples)]
    commit(dataset, ChangeSet(changes), author=owner)


if __name__ == "__main__":
    main()
