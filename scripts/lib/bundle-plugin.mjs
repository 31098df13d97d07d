import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { bundlePrograms } from './bundle-program.mjs';
import { root } from './run.mjs';
import { sbomOf } from './sbom.mjs';
import { noticesOf, packagesBelow, packagesOf, withDependencies } from './third-party.mjs';

const PLUGIN = join(root, 'apps/appium-plugin');
const API = join(root, 'apps/api');
const CLI = join(root, 'apps/cli');
const CONTRACT = join(root, 'packages/contract');
const DASHBOARD = join(root, 'apps/dashboard');
const DOCS = join(root, 'apps/docs');
const STORE = join(root, 'packages/store-sqlite');

/**
 * Modules that are not bundled. Native code cannot be bundled, Appium is installed already, and Piscina works without
 * `@napi-rs/nice`.
 */
const OUTSIDE = ['better-sqlite3', '@napi-rs/nice', /^appium(\/|$)/];

/** With an uncaught error, Node.js prints the line that threw it. The lines of the bundle are up to 250 kB long. */
const PROGRAM = `#!/usr/bin/env node
process.on('uncaughtException', (error) => {
  console.error(error);
  process.exit(1);
});
await import('../dist/cli.js');
`;

/**
 * Writes the plugin as a package that works without this checkout. The packages of the workspace and their dependencies
 * are bundled into `dist/`, and other files are put where `apps/api/src/runtime/resources.ts` looks for them. Requires
 * a build of the checkout.
 */
export async function bundlePlugin(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const common = { external: OUTSIDE, dir: join(folder, 'dist') };
  const ofServer = await bundlePrograms({
    input: { index: join(PLUGIN, 'dist/index.js') },
    // What the start of Appium needs is one file. As 33 files, it took 16 ms more processor time to load.
    together: [/appium-plugin[\\/]dist[\\/]appium\.js$/, /appium-plugin[\\/]dist[\\/]mount\.js$/],
    ...common,
  });
  // The other programs are a bundle of their own, because otherwise they would load the whole file of the start.
  const ofPrograms = await bundlePrograms({
    input: {
      'hashing/worker': join(API, 'dist/hashing/worker.js'),
      'schedules/backup-process': join(API, 'dist/schedules/backup-process.js'),
      // Piscina starts the worker from the folder of its own code.
      worker: piscinaWorker(),
      doctor: join(PLUGIN, 'dist/doctor.js'),
      cli: join(CLI, 'dist/main.js'),
    },
    ...common,
  });
  const modules = [...ofServer, ...ofPrograms];
  for (const pages of [DASHBOARD, DOCS]) {
    const copy = join(folder, basename(pages));
    cpSync(join(pages, 'dist'), copy, { recursive: true });
    // Remove the description that the build wrote of its own output, because the package does not need it.
    rmSync(join(copy, '.vite'), { recursive: true });
  }
  cpSync(join(API, 'data'), join(folder, 'data'), { recursive: true });
  cpSync(join(CONTRACT, 'dist/openapi.json'), join(folder, 'openapi.json'));
  cpSync(join(PLUGIN, 'schema.json'), join(folder, 'schema.json'));
  cpSync(join(PLUGIN, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/svc.js'), PROGRAM, { mode: 0o755 });
  const bundled = [
    ...new Set([...packagesOf(modules), ...packagesOfPages(DASHBOARD), ...packagesOfPages(DOCS)]),
  ];
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), noticesOf(bundled));
  const installed = withDependencies('better-sqlite3', STORE);
  writeFileSync(join(folder, 'sbom.cdx.json'), await sbomOf(manifest(), { bundled, installed }));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function piscinaWorker() {
  const worker = join(createRequire(join(API, 'package.json')).resolve('piscina'), '../worker.js');
  if (!existsSync(worker)) throw new Error(`${worker} does not exist; Piscina has moved its worker`);
  return worker;
}

/** Reads the packages that a build of pages recorded. */
function packagesOfPages(pages) {
  const list = JSON.parse(readFileSync(join(pages, 'dist/.vite/packages.json'), 'utf8'));
  const outside = list.filter(({ name }) => !name.startsWith('@svc/'));
  return packagesBelow(pages, outside);
}

function manifest() {
  const { name, version, description, license, type, appium, main, bin, engines, peerDependencies } =
    readJson(PLUGIN);
  const { 'better-sqlite3': sqlite } = readJson(STORE).dependencies;
  return {
    name,
    version,
    description,
    keywords: ['appium', 'appium-plugin', 'access-control', 'authentication', 'device-lab'],
    license,
    type,
    appium,
    main,
    exports: { '.': './dist/index.js', './schema.json': './schema.json', './package.json': './package.json' },
    bin,
    engines,
    dependencies: { 'better-sqlite3': sqlite },
    peerDependencies,
  };
}

function readJson(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
