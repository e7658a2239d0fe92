#!/bin/sh
# Runs a shop as a service, as `docker compose` or systemd would: `shop-service.sh up|down|restart FOLDER COMMAND`. The
# folder keeps its orders, its log and its pid. A restart begins with a crash.
set -eu
action=$1
export PAYSIM_APP_DATA=$2
shift 2

down() {
  [ -f "$PAYSIM_APP_DATA/pid" ] || return 0
  pid=$(cat "$PAYSIM_APP_DATA/pid")
  kill -9 "$pid" 2>"$PAYSIM_APP_DATA/already-down" || :
  while kill -0 "$pid" 2>"$PAYSIM_APP_DATA/already-down"; do sleep 0.02; done
  rm "$PAYSIM_APP_DATA/pid"
}
up() {
  "$@" >>"$PAYSIM_APP_DATA/log" 2>&1 &
  echo $! >"$PAYSIM_APP_DATA/pid"
}

case $action in
up) up "$@" ;;
down) down ;;
restart) down && up "$@" ;;
esac
