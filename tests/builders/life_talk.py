"""What people and robots say in a made-up life."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hermes.memory.records import Item, ItemKind

from .life_records import BOT, DAY, Person, Truths
from .life_words import CHATTER, Words


class Talk:
    """Discussions, which are kept, and what is true of them."""

    def __init__(
        self, dice: random.Random, words: Words, people: Sequence[Person], truths: Truths
    ) -> None:
        self.items: list[Item] = []
        self.dice = dice
        self.words = words
        self.people = people
        self.truths = truths

    def say(
        self, at: int, text: str, people: Sequence[Person], tickets: Sequence[str] = ()
    ) -> Item:
        number = len(self.items) + 1
        item = Item(
            *("slack", f"slack:C0{number % 4}/{at}.{number:06}", ItemKind.THREAD, ""),
            title=text.partition("\n")[0],
            text=text,
            author=people[0][0],
            email=people[0][1],
            time=at,
            changed=at + 600 * text.count("\n\n"),
            url=f"https://chat.example/C0{number % 4}/p{number}",
            tickets=tuple(tickets),
            people=tuple(dict.fromkeys(people)),
        )
        self.items.append(item)
        return item

    def discuss(self, at: int, worker: Person, other: Person, thing: str, key: str) -> None:
        """Let two, and perhaps a third, discuss a ticket."""
        people = [worker, other, self.dice.choice(self.people)]
        parts = [f"Who knows about the {thing}? I am at {key}."]
        parts.append(f"{other[0]}: {self.words.reason(thing)}")
        for _ in range(self.dice.randrange(3)):
            parts.append(f"{people[2][0]}: {self.words.answer(at // DAY % 31)}")
        self.say(at, "\n\n".join(parts), people, (key,))

    def chat(self, at: int) -> None:
        """Let somebody say next to nothing."""
        item = self.say(at, self.dice.choice(CHATTER), self.dice.sample(self.people, 2))
        self.truths.chatter.append(item.ref)

    def alert(self, at: int) -> None:
        """Let a robot say what it says each time."""
        number = self.dice.randrange(100, 1000)
        text = f"Deploy of shop 1.{number}.{number % 7} to production finished in {number} seconds"
        self.truths.alerts.append(self.say(at, text, [BOT]).ref)

    def copy(self, at: int) -> None:
        """Let a discussion be had once more, to the letter."""
        some = [item for item in self.items[-300:] if item.tickets and item.time > at - 5 * DAY]
        if not some:
            return self.chat(at)
        item = self.dice.choice(some)
        copy = self.say(at, item.text, item.people, item.tickets)
        self.truths.copies[copy.ref] = item.ref
        return None
