#!/usr/bin/env node
// `pnpm svc …` is a program and not a script of package.json, because pnpm would print its own lines before a script.
import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { start } from './lib/start.mjs';

followLaunchers();
await buildOrExit();
await start('apps/cli/dist/main.js');
