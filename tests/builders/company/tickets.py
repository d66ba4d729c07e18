"""Its tickets, as the tracker has them: key, title, description, states, comments."""

from __future__ import annotations

from dataclasses import dataclass

from .people import Said


@dataclass(frozen=True)
class Ticket:
    """One ticket."""

    key: str
    title: str
    text: str
    opened: str
    by: str
    assignee: str
    state: str
    closed: str = ""
    comments: tuple[Said, ...] = ()


TICKETS = (
    Ticket(
        "ENG-12",
        "Partners hammer the tracking endpoint",
        "Two partners poll every parcel each second. We need a budget for each API key.",
        "2025-02-24 09:10",
        "Lea",
        "Kim",
        "Done",
        "2025-03-26 17:00",
        (("Kim", "Budget of 600 a minute agreed with both partners."),),
    ),
    Ticket(
        "ENG-17",
        "Never send one payment twice",
        "The gateway must be able to tell a repeat from a new payment. See the review of 9 April.",
        "2025-04-10 08:30",
        "Jonas",
        "Sam",
        "Done",
        "2025-04-24 15:00",
        (("Sam", "Key is the order's number and the attempt's date, kept for two days."),),
    ),
    Ticket(
        "ENG-23",
        "End somebody's sessions from the back office",
        "A laptop was stolen and we could not lock its owner out.",
        "2025-04-22 11:00",
        "Priya",
        "Lea",
        "Done",
        "2025-05-09 12:00",
    ),
    Ticket(
        "ENG-31",
        "Invoices show boxes instead of umlauts",
        "German shops see squares for ä and ö on their monthly bill.",
        "2025-05-05 10:00",
        "Jonas",
        "Tomás",
        "Done",
        "2025-05-30 10:00",
        (("Tomás", "The old renderer has no fallback fonts, and its project is abandoned."),),
    ),
    Ticket(
        "ENG-44",
        "Reports must not starve the site",
        "Give them connections of their own, and stop them after a while.",
        "2025-06-18 09:00",
        "Lea",
        "Jonas",
        "Done",
        "2025-07-02 16:00",
    ),
    Ticket(
        "ENG-52",
        "Phones of returning users get no notices",
        "Whoever reinstalls the app is never told that a parcel has come.",
        "2025-07-14 13:00",
        "Kim",
        "Priya",
        "In Progress",
        "",
        (("Priya", "The device token of the old install is still in our table, and is dead."),),
    ),
    Ticket(
        "ENG-60",
        "Pickup deadline is an hour off in Lisbon",
        "The mail says 18:00, the locker shuts at 17:00 local time.",
        "2025-09-01 10:00",
        "Tomás",
        "Sam",
        "In Review",
    ),
    Ticket(
        "ENG-66",
        "Let one shop try the new checkout",
        "Harbor Porto asked to be first.",
        "2025-07-21 09:00",
        "Lea",
        "Tomás",
        "Done",
        "2025-08-01 09:00",
    ),
    Ticket(
        "ENG-71",
        "Photo of the parcel in the door",
        "Couriers shall take a picture after closing the compartment.",
        "2025-09-15 09:00",
        "Kim",
        "",
        "Backlog",
    ),
)
