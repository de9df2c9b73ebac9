"""Looking after memories: a page to read and edit, moving them as JSON, what should be checked, where copies are.

page = review_of(store, "anna", now, "en")
plan = plan_of(store, "anna", edited, now, source="memories.md")
apply(store, "anna", plan, now)
"""

from mnemo_lab.review.concerns import concerns_of
from mnemo_lab.review.edits import Change, Plan, apply, plan_of
from mnemo_lab.review.page import Page, review_of

__all__ = ["Change", "Page", "Plan", "apply", "concerns_of", "plan_of", "review_of"]
