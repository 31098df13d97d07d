import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { start } from './lib/start.mjs';

followLaunchers();
await buildOrExit();
await start('apps/lab/dist/main.js');
