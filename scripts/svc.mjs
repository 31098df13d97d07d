#!/usr/bin/env node
// `pnpm svc …`: a program and not a script of package.json, before which pnpm would print lines of its own.
import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { start } from './lib/start.mjs';

followLaunchers();
await buildOrExit();
await start('apps/api/dist/cli.js');
