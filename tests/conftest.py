"""All tests are deterministic: hypothesis draws the same examples in every run and on every machine."""

from hypothesis import HealthCheck, settings

from shown import compiled

settings.register_profile(
    "shown",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("shown")

# How long this machine takes to compile the engine must not show in what commands print.
compiled.NOTICE_AFTER = 86_400.0
