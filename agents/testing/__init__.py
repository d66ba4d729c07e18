"""Running a project's tests: which, where, how, and what came of them."""
