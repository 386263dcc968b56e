#!/bin/sh
# Builds the container image without a container engine and without a registry of images, on Debian or Ubuntu, as root:
#   tools/image.sh [build] [IMAGE]    the base by debootstrap from the mirror that apt uses, the rest by buildah
#   tools/image.sh try [IMAGE]        runs it on an empty data folder, asks for /healthz and a page, and ends it
# The Dockerfile is the same that an engine would build; only its base is another, with Debian's own Python.
set -eu
cd "$(dirname "$0")/.."
action=${1:-build}
image=${2:-likely-human}
base=likely-human-base
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER="${STORAGE_DRIVER:-vfs}"

refuse() { echo "tools/image.sh: $*" >&2; exit 1; }

for tool in buildah debootstrap apt-get python3; do
    command -v "$tool" >/dev/null 2>&1 || refuse "needs $tool, which is not installed; on Debian and Ubuntu: apt-get install buildah debootstrap"
done
[ "$(id -u)" = 0 ] || refuse "needs root, as debootstrap does"

work=$(mktemp -d)
container=
service=
finish() {
    [ -z "$service" ] || stop
    [ -z "$container" ] || buildah rm "$container" >/dev/null || true
    rm -rf --one-file-system "$work"
}
trap finish EXIT

# The process that serves, whose id is in the lock file; buildah hands no signals on.
stop() {
    pid=$(sed -nE 's/.*"pid": *([0-9]+).*/\1/p' "$work/data/likely-human.sqlite3.lock" 2>/dev/null || true)
    kill "${pid:-$service}" 2>/dev/null || true
    wait "$service" || true
    service=
}

make_base() {
    # shellcheck disable=SC2016  # the fields are apt's to fill in
    from=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
    [ -n "$from" ] || refuse "apt on this machine names no Debian mirror"
    echo "Making the base: Debian ${from#* } with Python (a minute or two) ..."
    debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv,python-is-python3 \
        "${from#* }" "$work/base" "${from% *}" >"$work/debootstrap.log" 2>&1 || { tail -n 5 "$work/debootstrap.log" >&2; refuse "debootstrap failed"; }
    rm -rf "$work"/base/var/cache/apt/archives/*.deb "$work"/base/var/lib/apt/lists/*
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$work/base" / >/dev/null
    buildah config --cmd bash "$container"
    buildah commit --quiet "$container" "$base" >/dev/null
    buildah rm "$container" >/dev/null
    container=
}

# What this machine's pip is told (indexes, proxy, certificates) holds inside too, for the build alone: no file of ours
# names an address, and none stays in the image.
pip_settings() {
    echo "[global]"
    python3 -m pip config list 2>/dev/null |
        sed -nE "s/^[a-z:]+\.(index-url|extra-index-url|find-links|trusted-host|proxy|cert)='(.*)'$/\1 = \2/p" |
        awk '!seen[$1]++'
}

# Folders and files of this machine that those settings name, and its certificates.
named_paths() {
    echo /etc/ssl/certs/ca-certificates.crt
    tr ' ' '\n' <"$work/pip.conf" | sed -nE 's#^(file://)?(/.+)$#\2#p' | sed 's#/simple/*$##'
}

build() {
    make_base
    pip_settings >"$work/pip.conf"
    set -- --volume "$work/pip.conf:/etc/pip.conf:ro"
    for path in $(named_paths | sort -u); do
        [ ! -e "$path" ] || set -- "$@" --volume "$path:$path:ro"
    done
    echo "Building $image from the Dockerfile (some minutes) ..."
    buildah bud --quiet --build-arg BASE="localhost/$base" "$@" --tag "$image" . >"$work/build.log" 2>&1 ||
        { tail -n 20 "$work/build.log" >&2; refuse "the image was not built"; }
    echo "Built $image, $(buildah images --format '{{.Size}}' "$image")"
}

try_it() {
    container=$(buildah from "$image")
    buildah config --volume /data- "$container" # buildah would put a folder of its own over ours
    mkdir -m 700 "$work/data" && chown 10001 "$work/data"
    # with chroot isolation the network is this machine's: a port that nothing else has
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    address=http://127.0.0.1:$port
    buildah run --volume "$work/data:/data" "$container" -- \
        likely-human serve --port "$port" >"$work/serve.log" 2>&1 &
    service=$!
    for _ in $(seq 120); do
        if python3 -c "import urllib.request; urllib.request.urlopen('$address/healthz', timeout=5)" 2>/dev/null; then break; fi
        kill -0 "$service" 2>/dev/null || { cat "$work/serve.log" >&2; refuse "the service in the container ended"; }
        sleep 1
    done
    python3 - "$address" <<'PYTHON'
import sys, urllib.request
for path in ("/healthz", "/", "/admin/login"):
    with urllib.request.urlopen(sys.argv[1] + path, timeout=10) as reply:
        print(path, reply.status, len(reply.read()), "bytes")
PYTHON
    owner=$(stat -c '%u %a' "$work/data/likely-human.sqlite3")
    [ "$owner" = "10001 600" ] || refuse "the database in the volume is of user and mode $owner, not 10001 600"
    echo "The database in the volume is of user 10001, mode 600"
    stop
    echo "It ended when told to"
}

case $action in
build) build ;;
try) try_it ;;
*) refuse "takes build or try, not $action" ;;
esac
