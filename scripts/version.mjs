// `pnpm run version` turns the changesets into an entry of CHANGELOG.md and gives all packages the next version.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runBin } from './lib/run.mjs';

const IN_MAVEN = /(<artifactId>appium-svc-client<\/artifactId>\s*<version>)[^<]+/;
/** Files with the version that do not belong to a package of the workspace. */
const OTHERS = {
  'clients/python/pyproject.toml': /^(version = ")[^"]+/m,
  'clients/java/pom.xml': IN_MAVEN,
  'docs/clients/java.md': IN_MAVEN,
};

const status = await runBin('changeset', ['version']);
if (status !== 0) process.exit(status);
// Removes the change logs that changesets writes for each package, because there is only one.
for (const folder of ['apps', 'packages']) {
  for (const name of readdirSync(join(root, folder))) removeLog(join(folder, name));
}
for (const folder of ['bench', 'scripts', 'tests']) removeLog(folder);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const [file, pattern] of Object.entries(OTHERS)) {
  const text = readFileSync(join(root, file), 'utf8');
  if (!pattern.test(text)) throw new Error(`${file} has no version in the expected place`);
  writeFileSync(join(root, file), text.replace(pattern, `$1${version}`));
}
console.log(version);

function removeLog(folder) {
  rmSync(join(root, folder, 'CHANGELOG.md'), { force: true });
}
