#!/bin/sh
# Joins the shared root, the first time, and becomes the command. The URL may leave the password to PGPASSWORD.
set -eu
if [ ! -e "$UNCAGED_WORKFLOW_STORAGE_ROOT/root.json" ]; then
  uncaged-workflow root init --postgres "$UNCAGED_POSTGRES" --name "${UNCAGED_ROOT:-main}" \
    ${UNCAGED_S3:+--s3 "$UNCAGED_S3"} >&2
fi
exec uncaged-workflow "$@"
