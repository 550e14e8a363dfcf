"""`python -m embedded.object_store FOLDER`: run the S3 server of the embedded profile as that of deploy/compose.yaml;
it replaces this process. Its name, keys and origins come from the environment."""

import os
import sys
from pathlib import Path

from embedded.seaweed import SeaweedConfig, command


def main() -> None:
    os.umask(0o077)
    made = command(
        SeaweedConfig(
            data_dir=Path(sys.argv[1]),
            access_key=os.environ["MOTHERLODE_S3_ACCESS_KEY"],
            secret_key=os.environ["MOTHERLODE_S3_SECRET_KEY"],
            s3_port=8333,
            master_port=9333,
            volume_port=9340,
            filer_port=8888,
            admin_port=23646,
            allowed_origins=os.environ["MOTHERLODE_TRUSTED_ORIGINS"],
            name=os.environ["MOTHERLODE_S3_NAME"],
            bind="0.0.0.0",  # noqa: S104 - of a container whose ports are not published
        )
    )
    os.chdir(made.cwd)
    os.execve(made.argv[0], made.argv, made.env)  # noqa: S606 - our own program, without a shell


if __name__ == "__main__":
    main()
