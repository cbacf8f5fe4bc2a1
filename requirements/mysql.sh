#!/bin/sh
# The server of MySQL in a folder of its own: sh requirements/mysql.sh FOLDER
#
# Debian's stable release has MariaDB only; MySQL and the libraries that it runs with are taken
# from its unstable one, from where this system takes its packages. Nothing is installed: apt
# keeps lists and packages in the folder, and they are unpacked there.
set -eu

folder=$(mkdir -p "$1" && cd "$1" && pwd)
sources=/etc/apt/sources.list.d/debian.sources
[ -f "$sources" ] || { echo "MySQL is taken from Debian, and $sources is not there" >&2; exit 1; }
uri=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' "$sources" | head -n 1)
key=$(sed -n 's/^Signed-By: *\([^ ]*\).*/\1/p' "$sources" | head -n 1)
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/root"
echo "deb [signed-by=$key] $uri sid main" >"$folder/sources.list"
: >"$folder/status"
set -- -q -q -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null \
	-o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder/cache" \
	-o "Dir::State::status=$folder/status" -o Debug::NoLocking=1
apt-get "$@" update
apt-get "$@" install --download-only -y --no-install-recommends mysql-server-core
for package in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
loader=$(ls "$folder"/root/usr/lib/*/ld-linux-*.so.* | head -n 1)
libraries=$(dirname "$loader")
cat >"$folder/mysqld" <<END
#!/bin/sh
exec "$loader" --library-path "$libraries:$folder/root/usr/lib/mysql/private" \\
	"$folder/root/usr/sbin/mysqld" "\$@"
END
chmod 755 "$folder/mysqld"
"$folder/mysqld" --no-defaults --version
