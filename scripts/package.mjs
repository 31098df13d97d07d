// `pnpm run package [--out <folder>] [<package>…]`: what is published, as folders and tarballs in `out/`.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleClient } from './lib/bundle-client.mjs';
import { bundlePlugin } from './lib/bundle-plugin.mjs';
import { root } from './lib/run.mjs';

const PACKAGES = { 'appium-svc-plugin': bundlePlugin, 'appium-svc-client': bundleClient };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: join(root, 'out') } },
});
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
for (const [name, bundle] of Object.entries(PACKAGES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  await bundle(join(out, name));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
    cwd: join(out, name),
    stdio: 'inherit',
  });
}
