"""Check that nothing unexpected runs when the interpreter of an environment starts.

Python runs the `import` lines of every `*.pth` file in site-packages, and `sitecustomize` and
`usercustomize`, before the first line of any program; a malicious release has come as such a
file. So each one has to be known here by its exact name and content. Standard library only: it
also checks environments that hold nothing of ours.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OWN = "_apieval.pth"

# SHA-256 of each content we have read, by file name. A new release of the package that brings
# one may change it: read the new file, then put its digest here.
KNOWN = {
    # setuptools, which `python -m venv` puts into an environment up to Python 3.11
    "distutils-precedence.pth": {
        "2638ce9e2500e572a5e0de7faed6661eb569d1b696fcba07b0dd223da5f5d224",
    },
    # coverage, which measures subprocesses by it; silent unless two variables of its own are set
    "a1_coverage.pth": {
        "ef2ed06d19867ec669c09a804060666a9cd5e383af0a9d11aa2de79b77d448e8",
    },
}


def site_folders(environment: Path) -> list[Path]:
    """List the site-packages folders of an environment, each once."""
    patterns = ("lib*/python*/site-packages", "Lib/site-packages")
    return sorted({one.resolve() for pattern in patterns for one in environment.glob(pattern)})


def startup_files(environment: Path) -> Iterator[Path]:
    """Yield each file of an environment that Python runs at its start."""
    for folder in site_folders(environment):
        for pattern in ("*.pth", "sitecustomize*", "usercustomize*"):
            yield from sorted(folder.glob(pattern))


def fault(path: Path, root: Path) -> str | None:
    """Say what is wrong with one start-up file, None where it is a known one."""
    content = path.read_bytes() if path.is_file() else b""
    if path.name == OWN:
        named = Path(content.decode("utf-8", "replace").strip())
        return None if named == root else f"{path}: names {str(named)!r}, expected {str(root)!r}"
    if path.name not in KNOWN:
        return f"{path}: unexpected; Python runs it at every start. Find out which package put it"
    digest = hashlib.sha256(content).hexdigest()
    if digest not in KNOWN[path.name]:
        return f"{path}: unknown content, sha256 {digest}; read it, then see KNOWN in this tool"
    return None


def check(environment: Path, root: Path = ROOT) -> list[str]:
    """Return the faults of all start-up files of an environment."""
    if not site_folders(environment):
        return [f"{environment}: no environment: it has no site-packages"]
    found = [fault(path, root) for path in startup_files(environment)]
    return [one for one in found if one is not None]


def main(arguments: list[str] | None = None) -> int:
    """Check the environments named, or the running one; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("environments", nargs="*", type=Path, default=[Path(sys.prefix)])
    options = parser.parse_args(arguments)
    faults = [one for environment in options.environments for one in check(environment)]
    for one in faults:
        print(one, file=sys.stderr)
    if not faults:
        names = [path.name for one in options.environments for path in startup_files(one)]
        print(f"start-up files: {', '.join(names) or 'none'}; all known")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
