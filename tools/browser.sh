#!/bin/sh
# Finds or installs the browser that the tests drive: a Chromium that is there, apt's, or Playwright's own. Where none
# can be had, the tests with a browser are skipped and say so.
set -eu
have() {
    for name in chromium-headless-shell chromium chromium-browser google-chrome; do
        if command -v "$name" >/dev/null 2>&1; then return 0; fi
    done
    return 1
}
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null; }

if [ -n "${LIKELY_HUMAN_CHROMIUM:-}" ] || have; then exit 0; fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium for the browser tests ..."
    # The headless shell starts no windows: the same browser for three quarters of the processor time.
    if apt-get update -qq && { install chromium-headless-shell 2>/dev/null || install chromium; }; then exit 0; fi
fi
echo "Fetching Playwright's Chromium for the browser tests ..."
.venv/bin/playwright install --only-shell chromium ||
    echo "No Chromium: the tests with a browser are skipped. Install one, or name it in LIKELY_HUMAN_CHROMIUM." >&2
