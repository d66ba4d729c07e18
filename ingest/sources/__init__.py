"""Where items come from besides git: documents, chat, tickets and pull requests."""
