# server.sh FOLDER PROGRAMS SETTINGS [FILE…]: a server in FOLDER, with these files, until standard input ends. When it
# is killed, it is started again. A server does not run as root.
set -u
folder=$1 programs=$2 settings=$3
shift 3
as=()
if [ "$(id -u)" = 0 ]; then
  user=nobody
  id postgres >/dev/null 2>&1 && user=postgres
  as=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups)
fi
umask 077
"${as[@]}" mkdir "$folder" || exit 1
cd "$folder" || exit 1
trap 'rm -rf "$folder"' EXIT
"${as[@]}" "$programs/initdb" -D "$folder/data" -U cpb -A trust -E UTF8 --locale=C >"$folder/log" 2>&1 || {
  cat "$folder/log" >&2
  exit 1
}
printf '%s\n' "unix_socket_directories = '$folder'" "listen_addresses = ''" "max_connections = 100" \
  "$settings" >>"$folder/data/postgresql.conf"
printf 'local all +guarded scram-sha-256\nlocal all all trust\nhost all +guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n' \
  >"$folder/data/pg_hba.conf"
for file in "$@"; do
  "${as[@]}" tee "$folder/data/$(basename "$file")" <"$file" >/dev/null
done
server=
(
  trap 'kill -QUIT $server; wait $server; exit' TERM
  while :; do
    "${as[@]}" "$programs/postgres" -D "$folder/data" >>"$folder/log" 2>&1 </dev/null &
    server=$!
    wait $server
    # What a killed one leaves ends first.
    sleep 0.3
  done
) 2>/dev/null &
keeper=$!
cat >/dev/null
kill -TERM $keeper
wait $keeper
