"""Cases that went wrong elsewhere, a module for each topic. Scripts/try-cases runs them."""
