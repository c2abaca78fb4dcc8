#!/bin/sh
# The worker of this folder is up, and the server answers.
set -eu
uncaged-workflow --json status | grep -q '"host":{'
