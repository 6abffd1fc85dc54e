"""The version of the package; read by the build, so it stands here alone."""

VERSION = "0.2.0"
