import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

interface App {
  loadApp(path: string): Promise<void>;
}

/**
 * Lets the driver of the virtual phones open apps from an address, as other drivers do. Otherwise it could not open apps
 * of the library, which the gate names by an address for one download (`svc:app/<id>`).
 */
export function openAppsByAddress(): void {
  const { FakeApp } = createRequire(import.meta.url)('@appium/fake-driver/build/lib/fake-app.js') as {
    FakeApp: { prototype: App };
  };
  const { loadApp } = FakeApp.prototype;
  FakeApp.prototype.loadApp = async function (this: App, path) {
    if (!/^https?:\/\//.test(path)) return loadApp.call(this, path);
    const file = join(tmpdir(), `svc-app-${randomUUID()}.xml`);
    try {
      await download(path, file);
      await loadApp.call(this, file);
    } finally {
      await rm(file, { force: true });
    }
  };
}

async function download(address: string, file: string): Promise<void> {
  const answer = await fetch(address);
  if (!answer.ok || answer.body === null)
    throw new Error(`The app could not be downloaded (status ${answer.status})`);
  await pipeline(
    Readable.fromWeb(answer.body as ReadableStream),
    createWriteStream(file, { mode: 0o600, flags: 'wx' }),
  );
}
