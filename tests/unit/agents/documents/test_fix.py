"""Fixes by rule: exactly the wrong lines change, and only where a rule can tell how."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from hermes.agents.documents.documents import read
from hermes.agents.documents.fix import Wrong, by_rule
from hermes.agents.documents.records import Drift, Thing, Tier

HAVE = frozenset({"shop/basket.py", "shop", "docs/setup.md", "docs/cli.md", "README.md"})


class Case(NamedTuple):
    thing: Thing
    name: str
    replacement: str | None
    before: str
    after: str | None
    """None: no rule can tell."""
    lines: tuple[int, ...] = (1,)
    document: str = "README.md"
    reason: str = "it was changed by 3f2a9c1"
    tier: Tier = Tier.CERTAIN


FLAG, PATH, LINK = Thing.FLAG, Thing.PATH, Thing.LINK
CASES = {
    "a flag, but not a longer one": Case(
        FLAG, "--fast", "--quick", "Use `--fast`, not `--faster`.\n", "Use `--quick`, not `--faster`.\n"
    ),
    "a flag with a value": Case(
        FLAG, "--fast", "--quick", "    shop --fast=3 x\n", "    shop --quick=3 x\n"
    ),
    "every mention on the lines": Case(
        FLAG,
        "--fast",
        "--quick",
        "`--fast` or `--fast=1`\n\nnot\n\n- `--fast` too\n",
        "`--quick` or `--quick=1`\n\nnot\n\n- `--quick` too\n",
        (1, 5),
    ),
    "a variable": Case(
        Thing.VARIABLE, "SHOP_TTL", "SHOP_AGE", "Set `SHOP_TTL` (not `SHOP_TTL_MAX`).\n",
        "Set `SHOP_AGE` (not `SHOP_TTL_MAX`).\n",
    ),
    "a setting that is a word of prose too": Case(
        Thing.SETTING, "timeout", "max_wait", "Set `timeout` to bound the timeout.\n",
        "Set `max_wait` to bound the timeout.\n",
    ),
    "a word before the code that it is too": Case(
        Thing.SYMBOL, "cookies", "biscuits", "To send cookies, use ``cookies`` or `get(cookies=x)`.\n",
        "To send cookies, use ``biscuits`` or `get(biscuits=x)`.\n",
    ),
    "an argument of a sample, and the reader's own variable": Case(
        Thing.SYMBOL, "cookies", "biscuits",
        "```python\nimport web\nmine = {}\nweb.get(1, cookies=mine)\n```\n",
        "```python\nimport web\nmine = {}\nweb.get(1, biscuits=mine)\n```\n", (4,),
    ),
    "a function that is called": Case(
        Thing.SYMBOL, "Cart.total()", "Cart.sum()", "`Cart.total()` adds, `Cart.total(tax)` too.\n",
        "`Cart.sum()` adds, `Cart.sum(tax)` too.\n",
    ),
    "a path from the top": Case(
        PATH, "shop/cart.py", "shop/basket.py", "See `shop/cart.py`.\n", "See `shop/basket.py`.\n"
    ),
    "a path from the top, in a document that is not there": Case(
        PATH, "shop/cart.py", "shop/basket.py", "See `shop/cart.py`, not `old/shop/cart.py`.\n",
        "See `shop/basket.py`, not `old/shop/cart.py`.\n", document="docs/guide.md",
        reason="shop/cart.py is shop/basket.py since 3f2a9c1",
    ),
    "a bare file name": Case(
        PATH, "cart.py", "basket.py", "See `cart.py`.\n", "See `basket.py`.\n",
        reason="shop/cart.py is shop/basket.py since 3f2a9c1",
    ),
    "a link from another folder, with its anchor": Case(
        LINK, "../shop/cart.py#L3", "shop/basket.py", "See [it](../shop/cart.py#L3).\n",
        "See [it](../shop/basket.py#L3).\n", document="docs/guide.md",
    ),
    "a link beside the document": Case(
        LINK, "./install.md", "docs/setup.md", "See [how](./install.md).\n",
        "See [how](./setup.md).\n", document="docs/guide.md",
    ),
    "a link whose new place is not there": Case(
        LINK, "install.md", "docs/nowhere.md", "See [how](install.md).\n", None,
        document="docs/guide.md",
    ),
    "a default": Case(
        Thing.DEFAULT, "timeout", "30", "`timeout` (default: 10) in seconds.\n",
        "`timeout` (default: 30) in seconds.\n",
        reason="timeout defaults to 30, was 10, by 3f2a9c1", tier=Tier.LIKELY,
    ),
    "a default that could be either number": Case(
        Thing.DEFAULT, "timeout", "30", "`timeout`: 10, at most 10.\n", None,
        reason="timeout defaults to 30, was 10, by 3f2a9c1", tier=Tier.LIKELY,
    ),
    "a default after the same number": Case(
        Thing.DEFAULT, "timeout", "30", "10 tries; `timeout` is 10 s.\n",
        "10 tries; `timeout` is 30 s.\n",
        reason="timeout of get defaults to 30, was 10, in a.py since 3f2a9c1", tier=Tier.LIKELY,
    ),
    "a parameter, where it is code": Case(
        Thing.SIGNATURE, "retry", "again", "To retry: `push(job, retry=3)`.\n",
        "To retry: `push(job, again=3)`.\n", tier=Tier.LIKELY,
    ),
    "a parameter of a docstring": Case(
        Thing.SIGNATURE, "job", "task",
        'def f(task):\n    """Do a job.\n\n    :param job: the job\n    """\n',
        'def f(task):\n    """Do a job.\n\n    :param task: the job\n    """\n',
        (4,), "shop/cart.py", tier=Tier.LIKELY,
    ),
    "an item of a list that is gone": Case(
        FLAG, "--fast", None, "- `--slow`: slow\n- `--fast`: fast,\n  really\n- `--dry`: dry\n",
        "- `--slow`: slow\n- `--dry`: dry\n", (2,),
    ),
    "the only item of a list": Case(FLAG, "--fast", None, "Options:\n\n- `--fast`: fast\n\nEnd.\n", None, (3,)),
    "an item about something else": Case(
        FLAG, "--fast", None, "- `--slow`: not `--fast`\n- `--dry`: dry\n", None
    ),
    "a row of a table": Case(
        Thing.SETTING, "ttl_seconds", None,
        "| key | is |\n|---|---|\n| `ttl_seconds` | time |\n| `max_size` | size |\n",
        "| key | is |\n|---|---|\n| `max_size` | size |\n", (3,),
    ),
    "the only row of a table": Case(
        Thing.SETTING, "ttl_seconds", None,
        "| key | is |\n|---|---|\n| `ttl_seconds` | time |\n", None, (3,),
    ),
    "a line of a sample": Case(
        Thing.SETTING, "ttl_seconds", None,
        "```toml\n[cache]\nttl_seconds = 3\nmax_size = 4\n```\n",
        "```toml\n[cache]\nmax_size = 4\n```\n", (3,),
    ),
    "a sentence that names what is gone": Case(
        FLAG, "--fast", None, "Use `--fast` to go fast.\n", None
    ),
    "one of several that are enumerated": Case(
        FLAG, "--fast", None, "Takes `--slow`, `--fast`, `--dry`, and `--wet` (all may be left out).\n",
        "Takes `--slow`, `--dry`, and `--wet` (all may be left out).\n",
    ),
    "the last of several": Case(
        FLAG, "--fast", None, "Takes `--slow`, `--dry` and `--fast`.\n", "Takes `--slow` and `--dry`.\n"
    ),
    "one of two": Case(FLAG, "--fast", None, "Takes `--slow` and `--fast`.\n", None),
    "one that is named twice": Case(
        FLAG, "--fast", None, "Takes `--slow`, `--dry` and `--fast`; `--fast` is fast.\n", None
    ),
    "an entry that is only likely to be wrong": Case(
        FLAG, "--fast", None, "- `--slow`: slow\n- `--fast`: fast\n", None, (2,), tier=Tier.LIKELY
    ),
    "windows line ends": Case(
        FLAG, "--fast", "--quick", "one\r\n`--fast`\r\n", "one\r\n`--quick`\r\n", (2,)
    ),
    "a byte order mark, and no newline at the end": Case(
        FLAG, "--fast", "--quick", "\ufeffone\n\n`--fast`", "\ufeffone\n\n`--quick`", (3,)
    ),
    "text that is not UTF-8": Case(
        FLAG, "--fast", "--quick", "caf\udce9 `--fast`\n", "caf\udce9 `--quick`\n"
    ),
    "a docstring": Case(
        Thing.SYMBOL, "total", "grand_total",
        'def f():\n    """See `total`."""\n    return total()\n',
        'def f():\n    """See `grand_total`."""\n    return total()\n', (2,), "shop/cart.py",
    ),
    "a line of a module that is code": Case(
        Thing.SYMBOL, "total", "grand_total",
        'def f():\n    """See `total`."""\n    return "`total`"\n', None, (3,), "shop/cart.py",
    ),
    "a line that is marked to be left alone": Case(
        FLAG, "--fast", "--quick", "Use `--fast`. <!-- hermes-ignore -->\n", None
    ),
    "a heading that a link leads to": Case(
        FLAG, "--fast", "--quick", "# The `--fast` flag\n\nSee [it](#the---fast-flag).\n", None
    ),
    "a document as a whole": Case(Thing.DOCUMENT, "x", "y", "text\n", None, (0,)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_rule_changes_what_is_wrong_and_nothing_else(case: str) -> None:
    given = CASES[case]
    lines = given.before.split("\n")
    drifts = tuple(
        Drift(
            given.document,
            line,
            lines[line - 1] if line else "",
            given.thing,
            given.name,
            given.tier,
            given.reason,
            replacement=given.replacement,
        )
        for line in given.lines
    )
    fix = by_rule(Wrong(drifts), given.before, read, HAVE.__contains__)
    assert (fix.after if fix else None) == given.after
    if fix is not None:
        assert (fix.before, fix.by, fix.document) == (given.before, "rule", given.document)
