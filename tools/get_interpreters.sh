#!/usr/bin/env bash
# Get interpreters for the optional rows of `make matrix`, without installing anything on the machine.
#
#     tools/get_interpreters.sh debian SUITE FOLDER PACKAGE...   for example: debian sid build/interpreters python3.14
#     tools/get_interpreters.sh pyodide VERSION FOLDER           for example: pyodide 0.29.4 build/interpreters
#     tools/get_interpreters.sh all                              what `make matrix` looks for
#
# `debian` unpacks packages of another suite, with the libraries they need, into FOLDER/SUITE (FOLDER itself if it is
# named after the suite already) and writes a starter for each interpreter into its `run` folder. It asks the mirror
# that this machine's own apt is set up with, so it works on Debian alone. `pyodide` installs the npm package.
set -eu
cd "$(dirname "$0")/.."

# The first Debian mirror of the machine's own sources.
find_mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null \
        | grep -v '^ *#' | grep -oE '[a-z]+://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' '
}

get_debian() {
    local suite=$1 folder=$2/$1
    shift 2
    case $folder in */$suite*/$suite) folder=${folder%/*} ;; esac
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    local state=$folder/.apt
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/etc/apt.conf.d" "$state/etc/preferences.d"
    : > "$state/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(find_mirror) $suite main" \
        > "$state/etc/sources.list"
    local options=(
        -o "Dir::Etc=$state/etc" -o "Dir::Etc::SourceList=$state/etc/sources.list" -o Dir::Etc::SourceParts=-
        -o "Dir::State=$state" -o "Dir::State::Lists=$state/lists" -o "Dir::State::Status=$state/status"
        -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root
    )
    apt-get "${options[@]}" -qq update
    apt-get "${options[@]}" -qq -y --no-install-recommends --download-only install "$@"
    local package
    for package in "$state"/cache/archives/*.deb; do
        dpkg -x "$package" "$folder"
    done
    local name
    for name in lib lib64; do
        [ -e "$folder/$name" ] || ln -s "usr/$name" "$folder/$name"
    done
    write_starters "$folder"
}

# Programs of another suite run with that suite's loader and libraries.
write_starters() {
    local folder=$1 libraries program
    libraries=$(dirname "$(find "$folder/usr/lib" -name libc.so.6 | head -n 1)")
    mkdir -p "$folder/run"
    for program in "$folder"/usr/bin/python3.[0-9]* "$folder"/usr/bin/pypy3; do
        case $program in *-config) continue ;; esac
        [ -x "$program" ] || continue
        # The starter is what Python takes for itself, so that it can start itself again.
        printf '#!/bin/sh\nexec %s --argv0 %s --library-path %s %s "$@"\n' \
            "$(find "$libraries" -name 'ld-linux*.so.*' | head -n 1)" "$folder/run/${program##*/}" \
            "$libraries" "$program" > "$folder/run/${program##*/}"
        chmod +x "$folder/run/${program##*/}"
    done
    ls "$folder/run"
}

get_pyodide() {
    mkdir -p "$2/pyodide-$1"
    npm install --silent --prefix "$2/pyodide-$1" "pyodide@$1"
}

case ${1:-} in
    debian) shift; get_debian "$@" ;;
    pyodide) shift; get_pyodide "$@" ;;
    all)
        get_debian sid build/interpreters python3.14 python3.15
        get_debian trixie build/interpreters pypy3
        get_debian trixie build/interpreters/trixie-minimal python3.13-minimal
        get_pyodide 0.27.7 build/interpreters
        get_pyodide 0.29.4 build/interpreters ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
