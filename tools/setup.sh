#!/bin/sh
# Makes .venv and puts one of requirements/*.txt into it, every file checked against its hash.
set -eu
python=$1
set_name=$2

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    echo "Likely Human needs Python 3.11 or newer; '$python' is $("$python" --version 2>&1 || true). Say which to use: make PYTHON=/path/to/python3.11" >&2
    exit 1
}
[ -x .venv/bin/python ] || {
    echo "Making .venv ..."
    "$python" -m venv .venv || {
        echo "Could not make .venv; on Debian and Ubuntu: apt-get install python3-venv" >&2
        exit 1
    }
}
pip="env PIP_DISABLE_PIP_VERSION_CHECK=1 .venv/bin/python -m pip install --quiet"
uv=".venv/bin/uv pip install --quiet --python .venv/bin/python"
echo "Installing what is needed ($set_name; a minute or two the first time) ..."
$pip --require-hashes -r requirements/bootstrap.txt
# uv is several times faster; pip knows more kinds of proxies and mirrors.
$uv --require-hashes -r "requirements/$set_name.txt" || $pip --require-hashes -r "requirements/$set_name.txt"
$uv --no-deps --no-build-isolation --no-index --editable . || $pip --no-deps --no-build-isolation --no-index --editable .
# Imported once, so that the bytecode is there also where a shell lets Python write none: the statistics beside the service.
once() { env -u PYTHONDONTWRITEBYTECODE .venv/bin/python -c "$1"; }
once "import pingouin, app.reports.report, app.reports.package" &
once "import app.serving, app.demo.build, app.cli as c; all(map(c.load, c.COMMANDS))"
wait $!
