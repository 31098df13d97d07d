// `pnpm run package [--out <folder>] [--repository <url>] [--scope <@scope>] [<package>…]` builds the checkout and writes
// the published packages as folders and tarballs to `out/`. `--repository` names the repository in which the packages are
// built, because a registry compares it with the provenance. Without it, the packages are for your own use, and types are
// not checked, which takes a minute less. `--scope` puts the names of the packages below a scope of the registry.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAll, buildOrExit } from './lib/build.mjs';
import { bundleClient } from './lib/bundle-client.mjs';
import { bundlePlugin } from './lib/bundle-plugin.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { root, runBin } from './lib/run.mjs';

const PACKAGES = { 'appium-svc-plugin': bundlePlugin, 'appium-svc-client': bundleClient };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    build: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'out') },
    repository: { type: 'string' },
    scope: { type: 'string' },
  },
});
const wanted = Object.entries(PACKAGES).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
);
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
if (values.build) await build();
for (const [name, bundle] of wanted) {
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

async function build() {
  followLaunchers();
  if (values.repository !== undefined) return exitUnless0(await buildAll({ quiet: false }));
  await buildOrExit((line) => process.stderr.write(`svc: ${line}\n`));
  // The package of the client contains declarations, which only the compiler writes.
  if (wanted.some(([name]) => name === 'appium-svc-client'))
    exitUnless0(await runBin('tsc', ['-b', 'packages/client'], { quiet: true }));
}

function exitUnless0(status) {
  if (status !== 0) process.exit(status);
}

function change(file, fields) {
  const manifest = { ...JSON.parse(readFileSync(file, 'utf8')), ...fields };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
