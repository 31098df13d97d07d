#!/usr/bin/env node
// This file is committed, unlike dist, so that an install can link the `svc` command before anything is built.
await import('@svc/cli/main.js');
