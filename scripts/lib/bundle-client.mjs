import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { plainTypes, plainValues } from './plain-contract.mjs';
import { root } from './run.mjs';
import { sbomOf } from './sbom.mjs';
import { noticesOf, packagesOf } from './third-party.mjs';

const CLIENT = join(root, 'packages/client');
const WIRE = join(CLIENT, 'dist/wire.js');
const NAME = 'appium-svc-client';
/** Entries that `exports` names. */
const ENTRIES = ['index', 'command', 'proxy', 'selenium'];
/** Programs of the package, and the entry that each of them runs. */
const PROGRAMS = { 'appium-svc-client': 'command', 'svc-proxy': 'proxy' };

/**
 * Writes the client as a package that needs no other package of the workspace: the contract's routes are included as a
 * table, with their types written out. Requires a build of the checkout.
 */
export async function bundleClient(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const wire = await import(pathToFileURL(WIRE).href);
  const { routes } = await import(pathToFileURL(join(root, 'packages/contract/dist/index.js')).href);
  const bundled = packagesOf(await writeCode(folder, plainValues(wire)));
  writeTypes(folder, (name) => {
    const { method, path, summary } = routes[name];
    return `\`${method} ${wire.API_PREFIX}${path}\`: ${summary}`;
  });
  cpSync(join(CLIENT, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const [name, entry] of Object.entries(PROGRAMS)) {
    const program = readFileSync(join(CLIENT, `bin/${name}.js`), 'utf8');
    const own = program.replace(`@svc/client/${entry}`, `../dist/${entry}.js`);
    writeFileSync(join(folder, `bin/${name}.js`), own, { mode: 0o755 });
  }
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), noticesOf(bundled));
  writeFileSync(join(folder, 'sbom.cdx.json'), await sbomOf(manifest(), { bundled }));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/**
 * Writes the code with its names and line breaks, so that the trace of an error can be read.
 * @returns the paths of all modules in the bundle
 */
async function writeCode(folder, wire) {
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(CLIENT, `dist/${name}.js`)])),
    platform: 'node',
    external: [/^selenium-webdriver(\/|$)/],
    plugins: [{ name: 'plain-contract', load: (id) => (id === WIRE ? wire : undefined) }],
    logLevel: 'warn',
  });
  const { output } = await bundle.write({
    dir: join(folder, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
  });
  await bundle.close();
  return output.flatMap((chunk) => chunk.moduleIds ?? []);
}

/**
 * Copies the type declarations that the compiler wrote for the entries. In the declarations of `wire`, the imported
 * types are written out.
 */
function writeTypes(folder, summaryOf) {
  const open = ENTRIES.map((name) => `${name}.d.ts`);
  const seen = new Set(open);
  for (const file of open) {
    const from = join(CLIENT, 'dist', file);
    const text = (file === 'wire.d.ts' ? plainTypes(from, summaryOf) : readFileSync(from, 'utf8'))
      .replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
      .replace(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, '$1$2.js$1');
    if (text.includes('@svc/')) throw new Error(`${file} imports from the workspace`);
    for (const [, path] of text.matchAll(/from ['"](\.{1,2}\/[^'"]+)\.js['"]/g)) {
      const next = join(dirname(file), `${path}.d.ts`);
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
    mkdirSync(join(folder, 'dist', dirname(file)), { recursive: true });
    writeFileSync(join(folder, 'dist', file), text);
  }
}

function manifest() {
  const { version, description, license, type, exports, engines, peerDependencies, peerDependenciesMeta } =
    JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'));
  return {
    name: NAME,
    version,
    description,
    keywords: ['appium', 'device-lab', 'webdriverio', 'selenium-webdriver', 'wdio-service'],
    license,
    type,
    exports: Object.fromEntries(Object.entries(exports).filter(([path]) => !path.startsWith('./bin'))),
    bin: Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, `./bin/${name}.js`])),
    engines,
    sideEffects: false,
    peerDependencies,
    peerDependenciesMeta,
  };
}
