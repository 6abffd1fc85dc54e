"""`apieval models`: what is configured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Final

from apieval.cli import options, output
from apieval.cli.options import option
from apieval.config import file as configuration
from apieval.config.file import Providers
from apieval.config.models import Embedded

NO_ADDRESS: Final = {"embedded": "embedded, no network", "litellm": "through litellm"}


def models(
    config: options.Config = None,
    schema: Annotated[
        bool, option("--schema", help="Print the JSON schema of providers.yaml instead.")
    ] = False,
    json: options.Json = False,
) -> None:
    """List the configured models, where each is reached, and whether its key is set."""
    if schema:
        output.document(configuration.json_schema())
        return
    path = configuration.find_file(config, Path.cwd())
    providers = configuration.load(path)
    rows = [_describe(providers, name) for name in providers.names()]
    if json:
        output.document({"config": str(path), "models": rows})
        return
    output.say(f"from {path}")
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        where = ", ".join(row["base_url"]) or NO_ADDRESS[row["provider"]]
        output.line(f"{row['name']:<{width}}  {row['model']}  {where}{_key(row)}")


def _describe(providers: Providers, name: str) -> dict[str, Any]:
    model = providers.find(name)
    mine = None if isinstance(model, Embedded) else model
    variable = mine.api_key_env if mine else None
    return {
        "name": name,
        "provider": model.provider,
        "model": model.model,
        "base_url": list(mine.addresses) if mine else [],
        "params": providers.params(model),
        "api_key_env": variable,
        "api_key_set": variable in os.environ if variable else None,
        "headers_env": dict(mine.headers_env) if mine else {},
    }


def _key(row: dict[str, Any]) -> str:
    variables = [row["api_key_env"], *row["headers_env"].values()]
    shown = [f"{each}{'' if each in os.environ else ' (not set)'}" for each in variables if each]
    return f"  key: {', '.join(shown)}" if shown else ""
