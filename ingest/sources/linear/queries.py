"""What is asked of Linear. A page of tickets stays under the 10,000 points that a query may cost."""

from __future__ import annotations

PAGE = 20
"""Tickets of a page."""
INNER = 40
"""Comments and changes that come with each; of one that has more the rest is asked for."""
REST = 100

_WHO = "name email"
_COMMENTS = f"""
pageInfo {{ hasNextPage endCursor }}
nodes {{ id body createdAt updatedAt user {{ {_WHO} }} externalUser {{ name }} botActor {{ name }} }}
"""
_HISTORY = """
pageInfo { hasNextPage endCursor }
nodes { createdAt fromState { name } toState { name } fromAssigneeId toAssigneeId
  fromAssignee { name } toAssignee { name } }
"""
_TICKET = f"""
id identifier previousIdentifiers title description url branchName trashed
createdAt updatedAt completedAt canceledAt
state {{ name }}
creator {{ {_WHO} }} externalUserCreator {{ name }} botActor {{ name }}
assignee {{ {_WHO} }}
parent {{ identifier }}
labels(first: 20) {{ nodes {{ name }} }}
attachments(first: 20) {{ nodes {{ url }} }}
relations(first: 20) {{ nodes {{ relatedIssue {{ identifier }} }} }}
comments(first: {INNER}) {{ {_COMMENTS} }}
history(first: {INNER}) {{ {_HISTORY} }}
"""

TEAMS = """
query Teams($after: String) {
  teams(first: 100, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { key name private }
  }
}
"""
ISSUES = f"""
query Issues($filter: IssueFilter, $after: String) {{
  issues(first: {PAGE}, after: $after, filter: $filter, orderBy: updatedAt, includeArchived: true) {{
    pageInfo {{ hasNextPage endCursor }}
    nodes {{ {_TICKET} }}
  }}
}}
"""
TALKED_OF = f"""
query TalkedOf($filter: CommentFilter, $after: String) {{
  comments(first: {REST}, after: $after, filter: $filter, orderBy: updatedAt, includeArchived: true) {{
    pageInfo {{ hasNextPage endCursor }}
    nodes {{ updatedAt issue {{ id }} }}
  }}
}}
"""
MORE_COMMENTS = f"""
query MoreComments($id: String!, $after: String) {{
  issue(id: $id) {{ comments(first: {REST}, after: $after) {{ {_COMMENTS} }} }}
}}
"""
MORE_HISTORY = f"""
query MoreHistory($id: String!, $after: String) {{
  issue(id: $id) {{ history(first: {REST}, after: $after) {{ {_HISTORY} }} }}
}}
"""
