"""The one number of this release. Knows nothing else."""

VERSION = "0.1.0"
