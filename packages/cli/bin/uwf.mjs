#!/usr/bin/env node
// The short name of the same command.
import "./uncaged-workflow.mjs";
