import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { freshDataDir } from '../../support/lab.ts';

export interface Prebuilt {
  /** Makes npm download the binary of better-sqlite3 from here instead of from its published address. */
  readonly env: Readonly<Record<string, string>>;
  /** Requested paths. */
  readonly asked: readonly string[];
  close(): void;
}

/** Serves the binary of this checkout in the form of a published one. */
export async function servePrebuilt(): Promise<Prebuilt> {
  const store = createRequire(import.meta.url).resolve('@svc/store-sqlite/package.json');
  const module = dirname(createRequire(store).resolve('better-sqlite3/package.json'));
  const archive = join(freshDataDir(), 'binary.tar.gz');
  execFileSync('tar', ['czf', archive, 'build/Release/better_sqlite3.node'], { cwd: module });
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(req.url ?? '');
    res.end(readFileSync(archive));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    env: { npm_config_better_sqlite3_binary_host: `http://127.0.0.1:${port}` },
    asked,
    close: () => void server.close(),
  };
}
