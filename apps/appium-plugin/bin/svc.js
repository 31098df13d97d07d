#!/usr/bin/env node
// This file is tracked, unlike dist, so that a fresh install can link it before anything is built.
await import('@svc/cli/main.js');
