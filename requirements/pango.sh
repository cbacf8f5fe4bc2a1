#!/bin/sh
# The PDF writer draws text with Pango, a library of the system and not of Python.
# Exit 0: it is there, or has been installed. Exit 1: it is missing, and the one
# command that installs it has been printed. Usage: pango.sh PYTHON
set -u

loads() {
    # Homebrew's folder is not on the default search path of every Python; a shell
    # started by make loses this variable on macOS, so it is set right here.
    DYLD_FALLBACK_LIBRARY_PATH="${DYLD_FALLBACK_LIBRARY_PATH:-/opt/homebrew/lib:/usr/local/lib}" \
        "$1" -c 'import weasyprint' >/dev/null 2>&1
}

needed="libpango-1.0-0 libpangoft2-1.0-0"
advised="libharfbuzz-subset0" # smaller fonts in the PDF; older releases lack it

install_with_apt() {
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    # shellcheck disable=SC2086  # lists of package names
    apt-get update -qq &&
        { apt-get install -y -qq --no-install-recommends $needed $advised ||
            apt-get install -y -qq --no-install-recommends $needed; }
}

loads "$1" && exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    install_with_apt >/dev/null 2>&1
    loads "$1" && exit 0
fi

if command -v apt-get >/dev/null; then
    command="sudo apt-get install $needed $advised"
    [ "$(id -u)" = 0 ] && command="apt-get install $needed $advised"
elif command -v brew >/dev/null || [ "$(uname)" = Darwin ]; then
    command="brew install pango"
else
    command="(with your system's package manager, install Pango 1.44 or newer)"
fi
echo "PDF needs Pango, which is missing. To install it: $command" >&2
exit 1
