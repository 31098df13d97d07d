// `pnpm run package [--out <folder>]`: what is published, as folders and tarballs in `out/`.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundlePlugin } from './lib/bundle-plugin.mjs';
import { root } from './lib/run.mjs';

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'out') } } });
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
await bundlePlugin(join(out, 'appium-svc-plugin'));
execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
  cwd: join(out, 'appium-svc-plugin'),
  stdio: 'inherit',
});
