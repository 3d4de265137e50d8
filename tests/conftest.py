"""All tests are deterministic: hypothesis draws the same examples in every run and on every machine."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "shown",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("shown")
