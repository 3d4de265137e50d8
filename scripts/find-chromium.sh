#!/bin/sh
# Prints the path of a Chromium for the browser tests. With --install, gets Debian's where there is none.
set -eu
find_it() {
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" && return 0
    done
    return 1
}
find_it && exit 0
if [ "${1:-}" = --install ] && command -v apt-get > /dev/null && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium for the browser tests (once) …" >&2
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >&2
    find_it && exit 0
fi
echo "The browser tests need Chromium: install the package 'chromium' (on Debian: apt-get install chromium)." >&2
exit 1
