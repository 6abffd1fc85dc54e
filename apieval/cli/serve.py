"""`apieval serve-baseline`: the baseline as an OpenAI-compatible server on loopback."""

from __future__ import annotations

from typing import Annotated

from apieval.cli import options, output
from apieval.cli.options import option
from apieval.rebus.baseline.lexicon import Lexicon
from apieval.rebus.baseline.solver import MODEL


def serve(
    host: Annotated[
        str, option("--host", help="A loopback address.", metavar="ADDRESS")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        option("--port", help="The port; 0 takes a free one.", metavar="PORT", min=0, max=65535),
    ] = 8017,
    lexicon: options.Lexicon = None,
    words: options.Words = None,
    json: options.Json = False,
) -> None:
    """Serve the baseline as an OpenAI-compatible server on loopback, until Ctrl-C."""
    # aiohttp takes 0.2 s to import: no command but a run or a server pays for it
    from apieval.rebus.baseline.server import serve_forever  # noqa: PLC0415

    def ready(url: str) -> None:
        output.say(f"serving the baseline at {url}; Ctrl-C ends it")
        output.say(f"to try it, in another terminal: apieval run {url}#{MODEL}")
        if json:
            output.document({"base_url": url})

    serve_forever(Lexicon.load(lexicon, words), host, port, ready)
