"""What is known about the cases, by their identifiers."""

from typing import NamedTuple


class Later(NamedTuple):
    """A case that goes wrong today."""

    missing: str
    # A regular expression for the failure. A case that fails for another reason has a fault in its try.
    failure: str


# The run counts these and does not fail for them. It fails when one of them passes, so that its line is removed here.
LATER: dict[str, Later] = {}
