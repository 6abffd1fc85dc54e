"""One model's check: one real request end to end, before money is spent on thousands.

Nothing is written to a run's folder, and the cache is neither read nor filled: an answer out of
the cache would show a server that was well some time ago, and one put there would stand in for an
answer of a run that nobody had asked for yet. What it needs is imported with this module, and
this module only when a check begins.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count, product
from typing import Any, Final, NoReturn

from apieval.commands.options import RunOptions
from apieval.config.file import Providers
from apieval.config.models import Embedded, Hosted, OpenAICompatible, Params
from apieval.errors import ApievalError, AttemptFailed, did_you_mean
from apieval.providers.masking import Mask
from apieval.providers.openai_compatible import served_models
from apieval.rebus import conversation
from apieval.rebus.dataset import Selection
from apieval.rebus.prompts import Prompt
from apieval.records import Rebus, Request
from apieval.run import check_steps
from apieval.run.model import Prepared, connected, without_key
from apieval.run.session import drive, stopping_on_signals
from apieval.run.steps import Check, Step
from apieval.run.trial import Trial, attempt_once

AT_ONCE: Final = 8
"""So many models are asked at once, where all are."""
UNKNOWN_MODEL: Final = frozenset({400, 404, 422})
"""The statuses by which servers say that they have no such model."""
WAITING_S: Final = 10.0
"""As often a check says that it still waits for the answer."""
_SHOWN: Final = 5

Tell = Callable[[str, Step], None]
Say = Callable[[str], None]


class _Ended(Exception):  # no error: the steps after this one make no sense
    """End a check."""


@dataclass(frozen=True, slots=True)
class Question:
    """What every model is asked in a check, and the run whose forecast it serves."""

    options: RunOptions
    chosen: Params
    selection: Selection
    prompt: Prompt
    rebus: Rebus

    def as_json(self) -> dict[str, Any]:
        """Return which question it is."""
        setting = self.options.settings[0]
        return {"data": self.selection.data.name, "id": self.rebus.id, "setting": setting}


@dataclass(slots=True)
class OneCheck:
    """One model's check, from its configuration to the forecast of its run."""

    name: str
    providers: Providers
    environ: Mapping[str, str]
    question: Question
    tell: Tell
    say: Say = lambda _: None
    _steps: list[Step] = field(default_factory=list)
    _mask: Mask = field(default_factory=Mask)

    @property
    def hosted(self) -> bool:
        """Say whether the model, which is configured, is reached through litellm."""
        return isinstance(self.providers.find(self.name), Hosted)

    async def carry_out(self) -> Check:
        """Ask once; a step that fails ends the check, but for an answer that is merely bad."""
        with suppress(_Ended):
            await self._through()
        return Check(self.name, tuple(self._steps))

    async def _through(self) -> None:
        prepared = self._with_key(self._configured())
        self._mask = prepared.mask
        setting, rebus = self.question.options.settings[0], self.question.rebus
        prompt = self.question.prompt
        given = self.question.options.given
        said = prepared.conversation(prompt, given)
        request = conversation.request(rebus, setting, 0, prepared.identity, said)
        found = await self._asked(prepared, request)
        remedy = await self._remedy(prepared, found.failure) if found.failure else ""
        window = await self._window(prepared) if found.reply else None
        self._step(check_steps.reply(prepared, request, found, remedy, window))
        await self._other_servers(prepared, request)
        if found.reply is None:
            return
        self._step(check_steps.answer(found.reply))
        self._step(check_steps.parse(found.reply, found.outcome, rebus, setting, given))
        options, chosen = self.question.options, self.question.selection.rebuses
        whole = product(options.settings, chosen, range(options.samples))
        lengths = (conversation.lengths(each, s, prompt, given) for s, each, _ in whole)
        asked = conversation.lengths(rebus, setting, prompt, given)
        self._step(check_steps.outlook(prepared, lengths, asked, found, window))

    def _step(self, step: Step) -> None:
        """Take a step down and show it, without the key: an answer holds what the server put there."""
        shown = replace(step, facts=self._mask.value(step.facts))
        self._steps.append(shown)
        self.tell(self.name, shown)

    def _fail(self, name: str, error: ApievalError, **facts: object) -> NoReturn:
        self._step(Step(name, facts, (str(error),), fault_code=error.exit_code))
        raise _Ended

    def _configured(self) -> Prepared:
        question = self.question
        try:
            found = without_key(
                self.name,
                self.providers,
                question.options.lexicon,
                question.chosen,
                question.options.given,
                question.options.words,
            )
        except ApievalError as error:
            self._fail("configuration", error)
        self._step(check_steps.configuration(found))
        return found

    def _with_key(self, prepared: Prepared) -> Prepared:
        model = prepared.model
        variable = None if isinstance(model, Embedded) else model.api_key_env
        known = None if variable is None else variable in self.environ
        facts = {"variable": variable, "set": known}
        try:
            ready = prepared.with_key(self.environ)
        except ApievalError as error:
            self._fail("key", error, **facts, sent=False)
        self._step(Step("key", {**facts, "sent": ready.key is not None}))
        return ready

    async def _asked(self, prepared: Prepared, request: Request) -> Trial:
        try:
            async with connected(_at(prepared, 0)) as provider:
                wire = await provider.shown(request)
                asked = {"question": self.question.as_json()}
                self._step(Step("request", {**asked, "sent": wire._asdict() if wire else None}))
                async with self._saying_that_it_waits():
                    return await attempt_once(provider, request, self.question.options.timeout_s)
        except AttemptFailed as error:  # litellm refuses before there is a provider to ask
            self._fail("request", error)

    @asynccontextmanager
    async def _saying_that_it_waits(self) -> AsyncIterator[None]:
        """Say now and then that the answer has not come yet: a model that thinks takes minutes."""
        most = self.question.options.timeout_s

        async def say() -> None:
            for times in count(1):
                await asyncio.sleep(WAITING_S)
                waited = times * WAITING_S
                self.say(
                    f"{self.name}: waiting for the answer, {waited:,.0f} s so far, at most {most:,.0f} s "
                    "(--timeout)"
                )

        saying = asyncio.create_task(say())
        try:
            yield
        finally:
            saying.cancel()
            await asyncio.wait([saying])

    async def _remedy(self, prepared: Prepared, failure: AttemptFailed) -> str:
        """Return what helps to understand a failure, but for what it says itself."""
        model = prepared.model
        if failure.status in {401, 403} and not isinstance(model, Embedded):
            variable = model.api_key_env
            if prepared.key is None:
                return "; no key was sent, since api_key_env is not set for this model"
            return f"; the key is that of {variable}"
        if failure.status not in UNKNOWN_MODEL or not isinstance(model, OpenAICompatible):
            return ""
        names = [self._mask.text(name) for name in await _listed(prepared, model)]
        if not names or model.model in names:
            return ""
        more = ", ..." if len(names) > _SHOWN else ""
        return (
            f"; the server does not list {model.model!r}{did_you_mean(model.model, names)}, but "
            f"{', '.join(names[:_SHOWN])}{more}"
        )

    async def _window(self, prepared: Prepared) -> int | None:
        """Return how many tokens the server gives prompt and answer together, where it says so."""
        model = prepared.model
        if not isinstance(model, OpenAICompatible):
            return None
        listed = await _listed(prepared, model)
        (only,) = listed.values() if len(listed) == 1 else (None,)  # served by another name
        return listed.get(model.model, only)

    async def _other_servers(self, prepared: Prepared, request: Request) -> None:
        """Ask every other server of the model the same question, all at once."""
        model = prepared.model
        if not isinstance(model, OpenAICompatible) or len(model.base_url) == 1:
            return

        async def asked(number: int) -> Trial:
            async with connected(_at(prepared, number)) as provider:
                return await attempt_once(provider, request, self.question.options.timeout_s)

        found = await asyncio.gather(*map(asked, range(1, len(model.base_url))))
        by_url = zip(model.base_url[1:], found, strict=True)
        self._step(check_steps.other_servers(dict(by_url)))


async def _listed(prepared: Prepared, model: OpenAICompatible) -> Mapping[str, int | None]:
    """Return the models that the first server lists, with their windows."""
    headers = {**model.headers, **prepared.secret_headers}
    return await served_models(model.base_url[0], headers, prepared.key)


def _at(prepared: Prepared, number: int) -> Prepared:
    """Return a model at one of its servers alone, so that no other can answer in its place."""
    model = prepared.model
    if not isinstance(model, OpenAICompatible):
        return prepared
    alone = model.model_copy(update={"base_url": [model.base_url[number]]})
    return replace(prepared, model=alone)


def carry_out(batches: Sequence[Sequence[OneCheck]]) -> list[Check]:
    """Carry out checks, batch after batch, and return them in this order.

    Those of a batch are carried out together, at most `AT_ONCE`.

    Raises:
        KeyboardInterrupt: where the user has enough of it.
    """
    found: list[Check] = []
    under_way: list[asyncio.Future[list[Check]]] = []

    async def work() -> None:
        free = asyncio.Semaphore(AT_ONCE)

        async def one(check: OneCheck) -> Check:
            async with free:
                return await check.carry_out()

        with stopping_on_signals(stop):
            for batch in batches:
                under_way.append(asyncio.gather(*map(one, batch)))
                found.extend(await under_way[-1])

    def stop() -> None:
        for each in under_way:
            each.cancel()

    try:
        drive(work(), stop)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    return found


def batches(checks: Sequence[OneCheck]) -> list[list[OneCheck]]:
    """Part checks by what may run at the same time.

    Those through litellm come last: its import would slow down every clock that runs meanwhile.
    """
    hosted = [each for each in checks if each.hosted]
    return [[each for each in checks if not each.hosted], hosted]
