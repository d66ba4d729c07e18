"""Slack's Web API, read by the official client from a server that speaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hermes.ingest.sources.contract import Page, SourceAway, SourceRefused
from hermes.ingest.sources.slack import open_source, options
from hermes.ingest.sources.slack.api import Api
from hermes.ingest.sources.slack.channels import choice
from hermes.ingest.sources.slack.web import PER_MINUTE_ELSE, TRIES, Web
from hermes.ingest.sources.sync import sync
from hermes.memory.memory import Memory
from hermes.memory.records import Item
from hermes.tests.builders.slack import HOST, Workspace, write_zip
from hermes.tests.servers.slack import SCOPES, TOKEN, SlackServer, Trouble

DAY = 86_400


def never() -> bool:
    return False


@dataclass
class Reader:
    """One source, read again and again from where it was left; no second is really waited."""

    server: SlackServer
    channels: tuple[str, ...] = ()
    direct: bool = False
    token: str = TOKEN
    cursor: str = ""
    there: dict[str, Item] = field(default_factory=dict[str, Item])
    """What memory would have now."""
    gone: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    waited: float = 0.0

    @property
    def api(self) -> Api:
        web = Web(self.token, self.server.api, sleep=self._sleep)
        return Api(web, choice(self.channels, self.direct))

    def read(self, should_stop: Callable[[], bool] = never) -> list[Item]:
        """Sync; return what came."""
        came: list[Item] = []
        self.server.calls.clear()
        for page in self.api.fetch(self.cursor, should_stop):
            came += self.take(page)
        return came

    def take(self, page: Page) -> tuple[Item, ...]:
        """Do what memory would do with a page."""
        self.cursor = page.cursor or self.cursor
        self.gone += page.gone
        self.notes += page.notes
        for ref in page.gone:
            del self.there[ref]
        self.there.update((item.ref, item) for item in page.items)
        return page.items

    def _sleep(self, seconds: float) -> None:
        self.waited += seconds


class Talk:
    """A small workspace on a server that gives few things a page."""

    def __init__(self) -> None:
        self.space = Workspace()
        self.kim = self.space.member("Kim Noor")
        self.sam = self.space.member("Sam Ito")
        self.eng = self.space.place("eng-platform", members=[self.kim, self.sam])
        self.roots: list[str] = []
        for number in range(30):
            at = number * DAY // 2
            root = self.space.say(self.eng, self.kim, f"question {number}", at=at)
            self.space.say(self.eng, self.sam, f"answer {number}", thread=root)
            self.space.say(self.eng, self.sam, f"aside {number}", at=at + 400)
            self.space.say(self.eng, self.kim, f"and {number} more")
            self.roots.append(root)

    def ref(self, ts: str) -> str:
        return f"slack:{self.eng}/{ts}"


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.fixture
def server(talk: Talk) -> Iterator[SlackServer]:
    with SlackServer(talk.space, page=7) as running:
        yield running


@pytest.fixture
def reader(server: SlackServer) -> Reader:
    return Reader(server)


def exported(talk: Talk, path: Path) -> dict[str, Item]:
    found = open_source(options({"export": str(write_zip(talk.space.files(), path))}), None, ())
    return {item.ref: item for page in found.fetch("", never) for item in page.items}


def test_what_the_api_tells_is_what_an_export_tells(
    talk: Talk, reader: Reader, tmp_path: Path
) -> None:
    gone = talk.space.say(talk.eng, talk.kim, "deleted", at=20 * DAY)
    talk.space.say(talk.eng, talk.sam, "answer to nothing", thread=gone)
    talk.space.delete(talk.eng, gone)
    alert = talk.space.notice(talk.eng, "bot_message", "p99 high", bot_id="B1", username="alerts")
    talk.space.say(talk.eng, talk.kim, "the failover", thread=alert)
    talk.space.broadcast(talk.eng, talk.kim, "also here", talk.roots[3])
    reader.read()
    told = exported(talk, tmp_path / "e.zip")
    assert reader.there.keys() == told.keys()
    for ref, item in reader.there.items():
        assert (item.text, item.title, item.people, item.changed) == (
            *(told[ref].text, told[ref].title),
            *(told[ref].people, told[ref].changed),
        )
    assert reader.there[talk.ref(talk.roots[0])].url == (
        f"https://{HOST}/archives/{talk.eng}/p{talk.roots[0].replace('.', '')}"
    )


def test_the_newest_comes_first_and_what_is_new_later_costs_little(
    talk: Talk, reader: Reader
) -> None:
    first = reader.read()
    assert first[0].time > first[-1].time
    assert len(reader.server.called("conversations.replies")) == 30
    assert reader.read() != []  # what stands alone is built anew, and is no news
    assert reader.server.called("conversations.replies") == []
    assert len(reader.server.called("conversations.history")) < 10
    late = talk.space.say(talk.eng, talk.kim, "question 30", at=15 * DAY)
    talk.space.say(talk.eng, talk.sam, "answer 30", thread=late)
    reader.read()
    assert [each["ts"] for each in reader.server.called("conversations.replies")] == [late]
    assert "answer 30" in reader.there[talk.ref(late)].text


def test_a_late_answer_an_edit_and_a_deletion_are_followed(
    talk: Talk, reader: Reader, tmp_path: Path
) -> None:
    reader.read()
    place = talk.space.places[talk.eng]
    talk.space.say(talk.eng, talk.kim, "late answer", thread=talk.roots[-3], at=15 * DAY)
    talk.space.edit(talk.eng, talk.roots[-2], "question 28, put better")
    alone = next(each["ts"] for each in place.said if each["text"] == "aside 29")
    talk.space.edit(talk.eng, alone, "aside 29, put better")
    whole = [each["ts"] for each in place.said if each["text"] in ("aside 28", "and 28 more")]
    for ts in whole:
        talk.space.delete(talk.eng, ts)
    talk.space.delete(talk.eng, place.answers(talk.roots[-1])[0]["ts"])
    reader.read()
    # A question without its answer stands alone, together with the aside that came after it.
    assert reader.gone == [talk.ref(whole[0]), talk.ref(alone)]
    assert "late answer" in reader.there[talk.ref(talk.roots[-3])].text
    assert reader.there.keys() == exported(talk, tmp_path / "e.zip").keys()
    assert {item.text for item in reader.there.values()} == {
        item.text for item in exported(talk, tmp_path / "e2.zip").values()
    }


def test_answers_to_old_threads_and_edited_answers_are_found_once_a_day(
    talk: Talk, reader: Reader
) -> None:
    reader.read()
    place = talk.space.places[talk.eng]
    talk.space.say(talk.eng, talk.kim, "weeks later", thread=talk.roots[2], at=15 * DAY)
    edited = place.answers(talk.roots[-1])[0]["ts"]
    talk.space.edit(talk.eng, edited, "answer 29, put better")
    reader.read()
    assert "weeks later" not in reader.there[talk.ref(talk.roots[2])].text
    talk.space.say(talk.eng, talk.kim, "a day on", at=16 * DAY)
    reader.read()
    assert "weeks later" in reader.there[talk.ref(talk.roots[2])].text
    assert "put better" in reader.there[talk.ref(talk.roots[-1])].text


def test_an_answer_sent_to_the_channel_leads_to_its_old_thread(talk: Talk, reader: Reader) -> None:
    reader.read()
    talk.space.broadcast(talk.eng, talk.kim, "reopened", talk.roots[0], at=15 * DAY)
    reader.read()
    assert "reopened" in reader.there[talk.ref(talk.roots[0])].text


def test_broken_off_anywhere_it_goes_on_and_brings_the_same(
    talk: Talk, server: SlackServer, tmp_path: Path
) -> None:
    whole = exported(talk, tmp_path / "e.zip")
    reader = Reader(server)
    while len(reader.there) < len(whole):
        page = next(reader.api.fetch(reader.cursor, never))
        assert page.items
        reader.take(page)
    assert reader.there.keys() == whole.keys()
    assert len(server.called("conversations.replies")) < 60
    assert reader.read() is not None
    assert reader.there.keys() == whole.keys() and reader.gone == []


def test_asked_for_patience_it_waits_and_says_so_where_that_is_long(
    talk: Talk, reader: Reader
) -> None:
    limited = Trouble("ratelimited", 429, {"Retry-After": "3"})
    reader.server.script(limited, limited)
    reader.read()
    assert 6 <= reader.waited < 70
    reader.server.script(Trouble("ratelimited", 429, {"Retry-After": "900"}))
    with pytest.raises(SourceAway) as away:
        reader.read()
    assert away.value.after == 900
    assert "900 s" in away.value.message


def test_waiting_ends_when_somebody_stops_it(reader: Reader) -> None:
    reader.server.script(Trouble("ratelimited", 429, {"Retry-After": "50"}))
    assert reader.read(lambda: reader.waited > 1) == []
    assert reader.waited < 3


def test_it_asks_no_oftener_than_the_tier_allows(talk: Talk, reader: Reader) -> None:
    for number in range(PER_MINUTE_ELSE + 10):
        root = talk.space.say(talk.eng, talk.kim, f"more {number}", at=20 * DAY + number * 2_000)
        talk.space.say(talk.eng, talk.sam, "answer", thread=root)
    reader.read()
    assert len(reader.server.called("conversations.replies")) > PER_MINUTE_ELSE
    assert reader.waited > 0


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble("internal_error"),
        Trouble("service_unavailable", 503),
        Trouble(status=502, body=b"<html>Bad gateway</html>"),
        Trouble(body=b"<html>Sign in to the proxy</html>"),
        Trouble(body=b"[]"),
        Trouble(then="cut"),
        Trouble(then="half"),
    ],
)
def test_a_failure_that_passes_is_got_over_and_one_that_does_not_is_told(
    trouble: Trouble, talk: Talk, reader: Reader
) -> None:
    reader.server.script(*[trouble] * (TRIES - 1))
    assert len(reader.read()) == 60
    reader.server.script(*[trouble] * TRIES)
    with pytest.raises(SourceAway) as away:
        reader.read()
    assert "127.0.0.1" in away.value.message and "\n" not in away.value.message
    assert TOKEN not in away.value.message


def test_a_server_that_is_not_there_is_told(talk: Talk) -> None:
    with SlackServer(talk.space) as server:
        reader = Reader(server)
    with pytest.raises(SourceAway, match=r"127\.0\.0\.1 can't be reached"):
        reader.read()


@pytest.mark.parametrize(
    "error",
    ["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"],
)
def test_a_token_that_does_not_work_waits_for_a_person(error: str, reader: Reader) -> None:
    reader.server.script(Trouble(error))
    with pytest.raises(SourceRefused, match=error) as refused:
        reader.read()
    assert refused.value.hint
    reader.token = "xoxb-wrong"
    with pytest.raises(SourceRefused, match="invalid_auth") as refused:
        reader.api.discover()
    assert "xoxb-wrong" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_that_is_not_slacks_own_is_told_as_such(status: int, reader: Reader) -> None:
    reader.server.script(Trouble(status=status, body=b"denied"))
    with pytest.raises(SourceRefused, match=f"HTTP {status}"):
        reader.read()


@pytest.mark.parametrize("scope", ["channels:read", "users:read"])
def test_a_scope_that_is_needed_and_missing_is_named(scope: str, talk: Talk) -> None:
    with SlackServer(talk.space, scopes=SCOPES - {scope}) as server:
        with pytest.raises(SourceRefused, match=scope) as refused:
            Reader(server).read()
        assert "OAuth & Permissions" in refused.value.hint


def test_a_channel_that_can_not_be_read_is_said_and_the_others_are(talk: Talk) -> None:
    talk.space.place("elsewhere", joined=False)
    with SlackServer(talk.space) as server:
        reader = Reader(server, channels=("elsewhere", "eng-platform", "pyaments"))
        assert len(reader.read()) == 60
    told = "\n".join(reader.notes)
    assert "#elsewhere is not read: the app is not in it: /invite it there" in told
    assert "#pyaments" in told
    with SlackServer(talk.space, scopes=SCOPES - {"channels:history"}) as server:
        reader = Reader(server, channels=("eng-platform",))
        reader.read()
    assert reader.notes == ["#eng-platform is not read: the token lacks the scope for it"]


def test_private_talk_is_not_asked_for_unless_it_is_named(talk: Talk) -> None:
    secret = talk.space.place("salaries", "group", [talk.kim])
    direct = talk.space.place("", "im", [talk.kim, talk.sam])
    for place in (secret, direct):
        talk.space.say(place, talk.kim, "hushed", at=DAY)
    with SlackServer(talk.space) as server:
        Reader(server).read()
        assert {each["channel"] for each in server.called("conversations.history")} == {talk.eng}
        named = Reader(server, channels=("salaries",))
        assert [item.title for item in named.read()] == ["#salaries: hushed"]
        open_to_all = Reader(server, direct=True)
        open_to_all.read()
        assert f"slack:{secret}" not in str(open_to_all.there.keys())
        assert f"slack:{direct}" in str(open_to_all.there.keys())
        told = {each.name: each for each in Reader(server).api.discover()}
    assert not told["#salaries"].wanted and "--channels" in told["#salaries"].why
    assert not told["Sam Ito"].wanted and "--direct" in told["Sam Ito"].why


def test_a_token_that_sees_public_channels_only_is_enough(talk: Talk) -> None:
    few = frozenset(["channels:read", "channels:history", "users:read"])
    with SlackServer(talk.space, scopes=few) as server:
        reader = Reader(server)
        reader.read()
        assert [each.name for each in reader.api.discover()] == ["#eng-platform"]
    assert len(reader.there) == 60
    assert {email for item in reader.there.values() for _, email in item.people} == {""}


def test_a_member_that_no_list_names_is_asked_for_once(talk: Talk, server: SlackServer) -> None:
    talk.space.say(talk.eng, "U0AFAR", "hello <@U0AFAR2>", at=20 * DAY)
    talk.space.say(talk.eng, "U0AFAR", "again")
    reader = Reader(server)
    came = reader.read()
    asked = [each["user"] for each in server.called("users.info")]
    assert sorted(asked) == ["U0AFAR", "U0AFAR2"]
    assert came[0].title == "#eng-platform: hello @U0AFAR2"


def test_a_channel_of_programs_only_is_read_down_once(talk: Talk) -> None:
    alerts = talk.space.place("alerts")
    for number in range(100):
        talk.space.notice(alerts, "bot_message", f"alert {number}", bot_id="B1", at=number * DAY)
    with SlackServer(talk.space, page=10) as server:
        reader = Reader(server, channels=("alerts",))
        assert reader.read() == []
        assert len(server.called("conversations.history")) == 10
        reader.read()
        assert len(server.called("conversations.history")) == 1


def test_no_channel_at_all_is_said(talk: Talk) -> None:
    for place in talk.space.places.values():
        place.joined = False
    with SlackServer(talk.space) as server:
        reader = Reader(server)
        assert reader.read() == []
    assert reader.notes == [
        "no channel is read: name some with --channels, or invite the app to some"
    ]


def test_whom_it_contacts_is_told_without_a_token_and_nobody_is_contacted() -> None:
    silent = open_source(options({"token": "env:SLACK_TOKEN"}), None, ())
    assert [each.host for each in silent.contacts()] == ["slack.com"]
    with pytest.raises(SourceRefused, match="asks for a token"):
        list(silent.fetch("", never))
    with pytest.raises(SourceRefused, match="asks for a token"):
        silent.discover()


def test_the_same_talk_from_an_export_and_the_api_is_in_memory_once(
    talk: Talk, server: SlackServer, tmp_path: Path
) -> None:
    path = write_zip(talk.space.files(), tmp_path / "e.zip")
    place = talk.space.places[talk.eng]
    talk.space.edit(talk.eng, place.answers(talk.roots[-1])[0]["ts"], "answer 29, put better")
    with Memory.open(tmp_path / "memory", embedder=None, write=True) as memory:
        sources = memory.index.sources
        archive = options({"export": str(path)})
        live = options({"token": "env:SLACK_TOKEN", "url": server.api})
        sources.add("slack", "slack", live, 1)
        sources.add("archive", "slack", archive, 1)
        sync(memory, sources.get("archive"), open_source(archive, None, ()), never)
        sync(memory, sources.get("slack"), open_source(live, TOKEN, ()), never)
        sources.read_again("slack")
        report = sync(memory, sources.get("archive"), open_source(archive, None, ()), never)
        assert len(memory.index.items.refs()) == 60
        item = memory.index.items.get(talk.ref(talk.roots[-1]))
        assert item is not None and "put better" in item.text
        assert report.news == 0
        assert memory.check() == []
