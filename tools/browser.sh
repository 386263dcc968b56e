#!/bin/sh
# Finds or installs the browser that the tests drive: a Chromium that is there, apt's, or Playwright's own.
set -eu
have() { command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1; }

if [ -n "${LIKELY_HUMAN_CHROMIUM:-}" ] || have; then exit 0; fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium for the browser tests ..."
    if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; then exit 0; fi
fi
echo "Fetching Playwright's Chromium for the browser tests ..."
.venv/bin/playwright install chromium || {
    echo "No Chromium for the browser tests: install one, or name it in LIKELY_HUMAN_CHROMIUM" >&2
    exit 1
}
