#!/bin/sh
# Finds or installs the browser that the tests drive: Chromium without a window, which takes half of a whole one's
# processor time, from apt; else a Chromium that is there, apt's, or Playwright's own.
set -eu
have() { command -v "$1" >/dev/null 2>&1; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null; }

if [ -n "${LIKELY_HUMAN_CHROMIUM:-}" ] || have chromium-headless-shell; then exit 0; fi
if have apt-get && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium for the browser tests ..."
    apt-get update -qq || true
    if install chromium-headless-shell 2>/dev/null; then exit 0; fi
fi
if have chromium || have chromium-browser || have google-chrome; then exit 0; fi
if have apt-get && [ "$(id -u)" = 0 ] && install chromium; then exit 0; fi
echo "Fetching Playwright's Chromium for the browser tests ..."
.venv/bin/playwright install --only-shell chromium || {
    echo "No Chromium for the browser tests: install one, or name it in LIKELY_HUMAN_CHROMIUM" >&2
    exit 1
}
