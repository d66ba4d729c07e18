"""What people there ask, in other words than the evidence has, and what the answer stands on.

Written before anything was asked. Evidence is named by key (``ADR-7``, ``#219``, ``ENG-17``), by
path for other documents, and ``chat:NAME`` for discussions.
"""

from __future__ import annotations

REDIS = "why did we choose Redis over Memcached for the rate limiter"
"""The question of a day with hermes: one record, two pull requests, one discussion."""
REDIS_EVIDENCE = ("ADR-7", "#212", "#219", "chat:limiter")

QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (REDIS, REDIS_EVIDENCE),
    ("what was wrong with memcached for counting requests", ("ADR-7", "#212")),
    ("who looks after the redis instance", ("chat:limiter",)),
    ("why is the limiter a lua script rather than a transaction", ("#219",)),
    ("how many requests a minute may a partner make", ("ENG-12",)),
    ("how fast is the limiter under load", ("chat:lua-loadtest",)),
    ("which pull request was abandoned for the rate limits", ("#212",)),
    (
        "why did customers pay twice in April",
        ("docs/postmortems/2025-04-double-charges.md", "chat:double-charge"),
    ),
    ("how do we keep from sending the same payment again", ("ENG-17", "#231")),
    (
        "how many customers got their money back after the double charges",
        ("docs/postmortems/2025-04-double-charges.md", "chat:double-charge"),
    ),
    ("what is the idempotency key made of", ("ENG-17", "#231")),
    ("when does the payment client give up on the gateway", ("chat:double-charge",)),
    ("why do we not keep sessions in cookies any more", ("ADR-9", "ADR-2")),
    ("where are logins stored", ("ADR-9", "#236")),
    ("what happened when the laptop was stolen", ("chat:laptop", "ENG-23", "ADR-9")),
    ("how can support lock somebody out", ("ENG-23", "ADR-9")),
    ("what does reading a login cost per request", ("ADR-9",)),
    ("is the session number hashed", ("#236",)),
    ("why don't we use elasticsearch", ("ADR-11", "chat:elastic")),
    ("how does shop search work", ("ADR-11", "#240")),
    ("how much faster did the shop lookup get", ("#240",)),
    ("why does unaccent need a wrapper", ("#240",)),
    ("how many shops do we have", ("ADR-11", "chat:elastic")),
    ("why are umlauts broken on bills", ("ENG-31", "#252")),
    ("which library makes our PDFs", ("#252",)),
    ("why did we drop wkhtmltopdf", ("#252", "ENG-31")),
    ("is the new PDF renderer slower", ("#252",)),
    ("what caused the outage in June", ("docs/postmortems/2025-06-pool-exhausted.md", "chat:hang")),
    (
        "why do reports have their own connection pool",
        ("#266", "ENG-44", "docs/postmortems/2025-06-pool-exhausted.md"),
    ),
    ("why didn't we take pgbouncer", ("#266",)),
    ("how long may a report's statement run", ("#266",)),
    ("how long was the site down on 17 June", ("docs/postmortems/2025-06-pool-exhausted.md",)),
    ("may we release on a Friday", ("chat:friday",)),
    ("how do we deploy a new version", ("docs/runbooks/releasing.md",)),
    ("how do I roll back a release", ("docs/runbooks/releasing.md",)),
    ("how do feature toggles work", ("ADR-13", "#270")),
    ("why did feature flags move out of environment variables", ("ADR-13", "ADR-5")),
    ("how stale may a toggle be", ("#270", "ADR-13")),
    ("what needs a restart when a flag changes", ("ADR-5",)),
    ("which shop tries the new checkout first", ("ENG-66", "chat:porto")),
    ("why do some phones get no push notifications", ("ENG-52", "chat:push", "#275")),
    ("state of ENG-52", ("ENG-52", "#275")),
    ("what is #275 waiting for", ("#275", "chat:push")),
    ("what does Android answer for a dead token", ("#275",)),
    (
        "why could nobody order in August",
        ("docs/postmortems/2025-08-locked-orders.md", "chat:checkout-stuck"),
    ),
    (
        "how do we add a column to a big table safely",
        ("#281", "docs/postmortems/2025-08-locked-orders.md"),
    ),
    (
        "what is the lock timeout of migrations",
        ("#281", "docs/postmortems/2025-08-locked-orders.md"),
    ),
    ("how many rows does a backfill do at once", ("#281",)),
    ("why is the pickup time wrong in Lisbon", ("ENG-60", "chat:lisbon", "#288")),
    ("how will deadlines be stored", ("#288",)),
    ("what about the Azores", ("#288",)),
    ("which python version do we run", ("#290", "chat:python")),
    ("did upgrading python break anything", ("#290", "chat:python")),
    ("do we use free threading", ("chat:python",)),
    ("what do I do when the lockers don't open", ("docs/runbooks/on-call.md",)),
    ("who is paged after ten minutes", ("docs/runbooks/on-call.md",)),
    ("what to do when the queue grows", ("docs/runbooks/on-call.md",)),
    ("how do I set up the project", ("README.md",)),
    ("what happened with #212", ("#212", "#219")),
    ("state of ENG-17", ("ENG-17", "#231")),
    ("why are courier photos not being built", ("chat:courier-photo", "ENG-71")),
    ("who asked for pictures of parcels", ("chat:courier-photo", "ENG-71")),
    ("which PR introduced the report pool", ("#266",)),
    ("who reviewed the payment key", ("#231",)),
    ("what replaced ADR-2", ("ADR-9", "ADR-2")),
    ("is ADR-5 still valid", ("ADR-5", "ADR-13")),
)
