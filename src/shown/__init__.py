"""Learn a policy from a few demonstrations, as rules a person can read."""
