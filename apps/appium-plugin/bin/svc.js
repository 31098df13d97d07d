#!/usr/bin/env node
// Stands in the tree, not in dist, so that a fresh install can link it before anything is built.
await import('@svc/api/cli.js');
