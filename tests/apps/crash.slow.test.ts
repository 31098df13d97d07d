import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SvcClient } from '@svc/client';
import { expect, it } from 'vitest';
import { type RunningServer, signIn, startApi } from '../support/lab.ts';

const filesOf = (server: RunningServer) => readdirSync(join(server.dataDir, 'apps'));

/** A body that never ends. */
function endless(): ReadableStream<Uint8Array> {
  const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.apk"\r\n\r\n';
  let began = false;
  return new ReadableStream({
    pull: async (controller) => {
      await new Promise((later) => setTimeout(later, 1));
      controller.enqueue(Buffer.from(began ? 'x'.repeat(10_000) : start));
      began = true;
    },
  });
}

/** @returns the status, or 'cut' if the connection was closed */
function uploadWithoutEnd(server: RunningServer, cookie: string): Promise<number | 'cut'> {
  const headers = { cookie, 'content-type': 'multipart/form-data; boundary=b' };
  const init = { method: 'POST', headers, body: endless(), duplex: 'half' as const };
  return server.api('/apps', init).then(
    ({ status }) => status,
    () => 'cut',
  );
}

it('a server killed in the middle of uploads leaves none of them, nor does one that is stopped (contract 2, apps)', async () => {
  const server = await startApi();
  const cookie = await signIn(server.url);
  const client = new SvcClient({ url: server.url, credential: { cookie } });
  const kept = await client.uploadApp(new Blob(['whole']), 'whole.apk');
  const uploads = [1, 2, 3].map(() => uploadWithoutEnd(server, cookie));
  const many = Array.from({ length: 6 }, async () => {
    for (;;) await client.uploadApp(new Blob(['small']), 'small.apk');
  }).map((each) => each.catch((error) => error));
  while (filesOf(server).filter((name) => name.endsWith('.part')).length < 3 || filesOf(server).length < 10)
    await new Promise(setImmediate);
  await server.stop('SIGKILL');
  await Promise.all([...uploads, ...many]);

  const again = await startApi({ dataDir: server.dataDir });
  const apps = await new SvcClient({ url: again.url, credential: { cookie } }).call('listApps');
  expect(filesOf(again).sort()).toEqual(apps.map(({ id }) => id).sort());
  expect(apps.at(-1)).toEqual(kept);
  for (const { id, size } of apps) {
    const answer = await again.api(`/apps/${id}/download`, { headers: { cookie } });
    expect((await answer.text()).length).toBe(size);
  }
  expect(again.output()).toContain('files of unfinished uploads or removed apps');

  const running = uploadWithoutEnd(again, cookie);
  while (!filesOf(again).some((name) => name.endsWith('.part'))) await new Promise(setImmediate);
  expect((await again.stop()).tookMs).toBeLessThan(5_000);
  expect([503, 'cut']).toContain(await running);
  expect(filesOf(again).sort()).toEqual(apps.map(({ id }) => id).sort());
});
