import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';

export const VERSION = '12.0.1';
const PRISMA = '5.22.0';

/**
 * The installer of appium-device-farm also downloads from GitHub and from the host of Prisma's engines. This
 * installation uses only the npm registry and runs no scripts. The commands of the benchmark do not use the packages
 * that are replaced here.
 */
const OVERRIDES = {
  applesign: { 'fs-walk': '0.0.2', plist: '3.1.0' },
  // The plugin does not load with version 0.5.
  'bplist-parser': '0.3.2',
  bcrypt: 'npm:bcryptjs@2.4.3',
};

/** The plugin creates its client without an adapter for SQLite, but Prisma's WebAssembly engine needs one. */
const CLIENT = `
const client = require('#main-entry-point');
const { createClient } = require('@libsql/client');
const { PrismaLibSQL } = require('@prisma/adapter-libsql');
class PrismaClient extends client.PrismaClient {
  constructor({ datasources }) {
    super({ adapter: new PrismaLibSQL(createClient({ url: datasources.db.url.split('?')[0] })) });
  }
}
module.exports = { ...client, PrismaClient };
`;

/** An `APPIUM_HOME` with the plugin, and with a database like the one that the plugin's installer creates. */
export interface DeviceFarmFolder {
  readonly home: string;
  readonly database: string;
}

/** Installs the packages that `folder` lacks, which takes a minute and about 330 MB. */
export function deviceFarmFolder(folder: string): DeviceFarmFolder {
  const database = join(folder, 'empty.db');
  if (!existsSync(database)) {
    installPackages(folder);
    generateClient(folder);
    makeDatabase(folder, database);
  }
  return { home: folder, database };
}

function installPackages(folder: string): void {
  const lab = createRequire(import.meta.url)('@svc/lab/package.json');
  const dependencies = {
    appium: lab.dependencies.appium,
    '@appium/fake-driver': lab.dependencies['@appium/fake-driver'],
    'appium-device-farm': VERSION,
    prisma: PRISMA,
    '@prisma/client': PRISMA,
    '@prisma/adapter-libsql': PRISMA,
    '@libsql/client': '0.8.1',
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies, overrides: OVERRIDES }),
  );
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
}

function generateClient(folder: string): void {
  const modules = join(folder, 'node_modules');
  const published = readFileSync(join(modules, 'appium-device-farm', 'prisma', 'schema.prisma'), 'utf8');
  const provider = 'provider = "prisma-client-js"';
  const schema = join(folder, 'schema.prisma');
  writeFileSync(schema, published.replace(provider, `${provider}\n  previewFeatures = ["driverAdapters"]`));
  // Prisma downloads no engine if one is configured, so an empty file is configured.
  const engine = join(folder, 'no-engine');
  writeFileSync(engine, '', { mode: 0o755 });
  const program = join(modules, 'prisma', 'build', 'index.js');
  run(process.execPath, [program, 'generate', '--schema', schema, '--no-hints'], folder, {
    PRISMA_CLIENT_FORCE_WASM: '1',
    PRISMA_QUERY_ENGINE_LIBRARY: engine,
    PRISMA_SCHEMA_ENGINE_BINARY: engine,
    CHECKPOINT_DISABLE: '1',
    DATABASE_URL: 'file:unused.db',
  });
  writeFileSync(join(modules, '.prisma', 'client', 'default.js'), CLIENT);
}

function makeDatabase(folder: string, file: string): void {
  const migrations = join(folder, 'node_modules', 'appium-device-farm', 'prisma', 'migrations');
  const steps = readdirSync(migrations, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readFileSync(join(migrations, name, 'migration.sql'), 'utf8'));
  const database = new Database(':memory:');
  database.exec(steps.join('\n'));
  // Written last and completely, because this file shows that the folder is ready.
  writeFileSync(file, database.serialize());
  database.close();
}

function run(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): void {
  execFileSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
