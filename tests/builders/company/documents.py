"""Its documents: decision records, one of them superseded, postmortems, runbooks. By path: when they
were committed, by whom, and what they say."""

from __future__ import annotations

Written = tuple[str, str, str]
"""When, a first name, and the text."""

DOCUMENTS: dict[str, Written] = {
    "README.md": (
        "2024-09-02 09:00",
        "Sam",
        """# Harbor

Parcel lockers for shops. One service, one database.

## Set up

Run `make dev`; it needs Docker and Python 3.12. The seed data has three shops and forty lockers.
""",
    ),
    "docs/adr/0002-signed-cookies.md": (
        "2024-09-20 10:00",
        "Sam",
        """# 2. Keep logins in signed cookies

Date: 2024-09-20

## Status

Superseded by [ADR-9](0009-logins-in-postgres.md)

## Context

We have no store that every process can reach.

## Decision

A login lives in a signed cookie, and the server remembers nothing.

## Consequences

A stolen cookie is good until it expires; nobody can be signed out from our side.
""",
    ),
    "docs/adr/0005-env-flags.md": (
        "2024-10-14 10:00",
        "Priya",
        """# 5. Toggle features by environment variables

Date: 2024-10-14

## Status

Superseded by [ADR-13](0013-flags-in-a-table.md)

## Context

Unfinished work must be able to go out switched off.

## Decision

Each toggle is an environment variable that starts with HARBOR_ENABLE.

## Consequences

Turning one on means a restart of every process.
""",
    ),
    "docs/adr/0007-redis-for-rate-limits.md": (
        "2025-03-19 15:00",
        "Kim",
        """# 7. Count requests in Redis

Date: 2025-03-19

## Status

Accepted

## Context

The rate limiter needs counters that all processes share. Memcached was the first choice, since we
ran it already for page fragments. It evicts counters when memory is short, so a customer under
limit pressure got a fresh budget, and it can't add to several windows in one atomic step.

## Decision

Counters live in Redis, in one Lua script for each request, with an expiry on every window.

## Consequences

One more service to run. Page fragments stay where they are.
""",
    ),
    "docs/adr/0009-logins-in-postgres.md": (
        "2025-04-28 11:00",
        "Lea",
        """# 9. Keep logins in Postgres

Date: 2025-04-28

## Status

Accepted

Supersedes [ADR-2](0002-signed-cookies.md)

## Context

After the stolen laptop in April nobody could end that person's sessions.

## Decision

A login is a row; the browser holds an opaque number. Ending all of a person's logins is one delete.

## Consequences

Every request reads one row. Measured: 0.4 ms.
""",
    ),
    "docs/adr/0011-full-text-in-postgres.md": (
        "2025-05-22 10:00",
        "Priya",
        """# 11. Look shops up with Postgres full text

Date: 2025-05-22

## Status

Accepted

## Context

Customers type half a street name. Elasticsearch would do it, and would be a second copy of the
data to keep in step, on a machine of its own.

## Decision

A generated tsvector column and a trigram index. No Elasticsearch.

## Consequences

Ranking is plain. Good enough for 4,000 shops.
""",
    ),
    "docs/adr/0013-flags-in-a-table.md": (
        "2025-07-08 10:00",
        "Tomás",
        """# 13. Toggle features from a table

Date: 2025-07-08

## Status

Accepted

Supersedes [ADR-5](0005-env-flags.md)

## Context

Support wants to switch a feature on for one shop, at once, without us.

## Decision

Toggles are rows, read every ten seconds, with an optional shop.

## Consequences

An audit line for each change. No restart.
""",
    ),
    "docs/postmortems/2025-04-double-charges.md": (
        "2025-04-11 16:00",
        "Jonas",
        """# Customers charged twice, 9 April 2025

Date: 2025-04-09
Services: payments

## What happened

For 50 minutes 214 customers paid their parcel fee two times.

## Cause

The bank's gateway answered late. Our worker took the silence for a failure and sent the payment
again, with nothing that told the bank it was the same one.

## What we do about it

An idempotency key on each payment (ENG-17). Refunds went out the same evening.
""",
    ),
    "docs/postmortems/2025-06-pool-exhausted.md": (
        "2025-06-19 12:00",
        "Lea",
        """# Everything timed out, 17 June 2025

Date: 2025-06-17
Services: api, worker

## What happened

All requests hung for 23 minutes on Tuesday morning.

## Cause

A report left its transaction open while it waited for the mail server. Forty such reports held all
connections of the pool.

## What we do about it

Reports get a pool of their own with five connections, and a statement timeout (ENG-44).
""",
    ),
    "docs/postmortems/2025-08-locked-orders.md": (
        "2025-08-15 10:00",
        "Priya",
        """# Checkout stood still during a migration, 12 August 2025

Date: 2025-08-12
Services: api

## What happened

Nobody could place an order for eleven minutes.

## Cause

Adding a column with a default rewrote the orders table under an exclusive lock, behind a long
running export that it had to wait for.

## What we do about it

Migrations set lock_timeout to two seconds, and defaults are filled in batches afterwards (#281).
""",
    ),
    "docs/runbooks/on-call.md": (
        "2025-02-10 09:00",
        "Jonas",
        """# On call

## Who is woken

The pager goes to the week's person, after ten minutes to Lea.

## The lockers don't open

Look at the controller's heartbeat first. If it is older than a minute, restart the gateway:
`systemctl restart locker-gateway`. Doors open by hand with the blue key in the shop.

## The queue grows

Stop the nightly export, then add two workers.
""",
    ),
    "docs/runbooks/releasing.md": (
        "2025-01-15 09:00",
        "Tomás",
        """# Releasing

Two sets of machines, blue and green. The new version goes to the idle one, is warmed up, and takes
the traffic over in one step. Going back is the same step the other way, for one hour.
""",
    ),
}
