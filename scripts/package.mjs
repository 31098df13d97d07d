// `pnpm run package [--out <folder>] [--repository <url>] [--scope <@scope>] [<package>…]` writes the published packages
// as folders and tarballs to `out/`. `--repository` names the repository in which the packages are built, because a
// registry compares it with the provenance. `--scope` puts the names of the packages below a scope of the registry.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleClient } from './lib/bundle-client.mjs';
import { bundlePlugin } from './lib/bundle-plugin.mjs';
import { root } from './lib/run.mjs';

const PACKAGES = { 'appium-svc-plugin': bundlePlugin, 'appium-svc-client': bundleClient };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: join(root, 'out') },
    repository: { type: 'string' },
    scope: { type: 'string' },
  },
});
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
for (const [name, bundle] of Object.entries(PACKAGES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  await bundle(join(out, name));
  change(join(out, name, 'package.json'), {
    ...(values.repository === undefined ? {} : { repository: { type: 'git', url: values.repository } }),
    ...(values.scope === undefined ? {} : { name: `${values.scope}/${name}` }),
  });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
    cwd: join(out, name),
    stdio: 'inherit',
  });
}

function change(file, fields) {
  const manifest = { ...JSON.parse(readFileSync(file, 'utf8')), ...fields };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
