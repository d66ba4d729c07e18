"""A made-up company: its repository, decision records, postmortems, chat, tickets and pull requests.

Everything is invented. What a question is about is known, so an answer's evidence can be checked.
"""
