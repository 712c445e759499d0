"""Connects, and never says a word: only its launch limit ends it."""
KIND = "application"

import belt

belt.hold()
