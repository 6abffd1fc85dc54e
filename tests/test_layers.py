"""The house of DESIGN.md, section 4: a module imports only from layers below its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import apieval

PACKAGE = Path(apieval.__file__).parent

LAYERS = {
    "errors": 0,
    "loading": 0,
    "patterns": 0,
    "version": 0,
    "files": 0,
    "wording": 0,
    "records": 0,
    "signature": 1,
    "config": 1,
    "results": 2,
    "rebus": 3,
    "providers": 3,
    "run": 4,
    "analysis": 4,
    "hub": 4,
    "hub_download": 5,  # the process that `hub` starts
    "report": 5,
    "commands": 6,
    "evaluate": 7,
    "cli": 8,
    "__init__": 8,  # the other door, for notebooks
}

LATE = {
    "analysis.dependence": {"numpy", "wordfreq"},
    "analysis.diagnosis": {"rapidfuzz.distance"},
    "analysis.paired_tests": {"numpy"},
    "analysis.intervals": {"numpy"},
    "cli.cache": {"apieval.run.cache"},
    "cli.data": {"apieval.hub"},
    "cli.serve": {"apieval.rebus.baseline.server"},
    "commands.datasets": {"apieval.hub"},
    "evaluate": {
        "apieval.commands.check",
        "apieval.commands.run",
        "apieval.commands.report",
        "apieval.run.cache",
        "apieval.run.model",
        "apieval.commands.side_by_side",
    },
    "providers.clients": {"apieval.providers.hosted", "apieval.providers.openai_compatible"},
    "rebus.custom_prompt": {"jinja2", "jinja2.sandbox"},
    "rebus.tables": {"pyarrow", "pyarrow.parquet"},
    "rebus.describe": {"tokenizers"},
    "report.answer_table": {"pyarrow", "pyarrow.parquet"},
    "report.figures.canvas": {"matplotlib", "matplotlib.backends"},
    "report.page.writing": {"jinja2"},
    "run.model": {"apieval.rebus.baseline.server"},
    "commands.export": {"apieval.commands.export_eee"},
}
"""The only imports inside a function: heavy or optional, each at one named place."""

NETWORK = {"aiohttp", "asyncio", "http", "httpx", "litellm", "socket", "ssl", "urllib.request"}


@dataclass(frozen=True)
class Import:
    source: str
    target: str
    late: bool


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def targets(node: ast.AST) -> Iterator[str]:
    """Yield what an import statement names; a name that is a module of ours goes by that module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports hide the layer"
        source = node.module or ""
        for alias in node.names:
            inner = f"{source}.{alias.name}"
            yield inner if inner.removeprefix("apieval.") in MODULES else source


def statements(node: ast.AST, late: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every import below a node, and whether it stands in a function; no expression has one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, late
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from statements(child, inside)


def imports(module: str) -> Iterator[Import]:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for node, late in statements(tree):
        for target in targets(node):
            yield Import(module, target, late)


IMPORTS = [each for module in MODULES for each in imports(module)]
OWN = [
    Import(
        each.source, each.target.removeprefix("apieval.").replace("apieval", "__init__"), each.late
    )
    for each in IMPORTS
    if each.target.partition(".")[0] == "apieval"
]


def room(module: str) -> str:
    return module.partition(".")[0]


def test_every_module_stands_in_a_known_room() -> None:
    assert not [module for module in MODULES if room(module) not in LAYERS]


def test_every_room_is_there() -> None:
    assert {room(module) for module in MODULES} == set(LAYERS)


def test_a_module_imports_from_its_own_room_and_from_layers_below() -> None:
    wrong = [
        f"{each.source} (layer {LAYERS[room(each.source)]}) imports {each.target}"
        for each in OWN
        if room(each.target) != room(each.source)
        and LAYERS[room(each.target)] >= LAYERS[room(each.source)]
    ]
    assert not wrong, "\n".join(wrong)


def test_no_import_cycle() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for each in OWN:
        graph[each.source].add(each.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_imports_inside_functions_stand_at_their_named_places_alone() -> None:
    found: dict[str, set[str]] = {}
    for each in IMPORTS:
        if each.late:
            found.setdefault(each.source, set()).add(each.target)
    assert found == LATE


SERVER = "rebus.baseline.server"  # the baseline answers over HTTP like any other model


def test_right_of_the_store_is_no_network() -> None:
    wrong = [
        f"{each.source} imports {each.target}"
        for each in IMPORTS
        if room(each.source) in {"rebus", "analysis", "report"}
        and each.source != SERVER
        and {each.target, each.target.partition(".")[0]} & NETWORK
    ]
    assert not wrong, "\n".join(wrong)


def test_the_finder_finds() -> None:
    assert Import("rebus.dataset", "rebus.tables", late=False) in OWN
    assert Import("config.file", "config.strict_yaml", late=False) in OWN
    assert any(each.late for each in IMPORTS)
