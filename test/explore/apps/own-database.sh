#!/bin/sh
# Starts a command with a PostgreSQL database of this run's own, and removes the database at the end.
# After a crash it is there already, with what the command had stored.
createdb "$PAYSIM_APP_RUN" 2>/dev/null
export PGDATABASE="$PAYSIM_APP_RUN"
trap 'wait $!; dropdb --if-exists --force "$PAYSIM_APP_RUN"' TERM
"$@" &
wait $!
