import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Refusal } from '@svc/auth-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { receiveFile } from '../src/apps/receive-file.ts';

const BOUNDARY = 'x-bound';
const LIMIT = 100_000;

interface Outcome {
  readonly code?: string;
  readonly message?: unknown;
  readonly reason?: string;
  readonly stored?: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/**
 * Starts a server that accepts one file. It records the outcome of each request and what happened to the file's
 * content.
 */
async function serve({ idleMs = 5_000, signal = new AbortController().signal } = {}) {
  const outcomes: Outcome[] = [];
  const begun: string[] = [];
  const kept: string[] = [];
  const cutOff: string[] = [];
  const server = createServer(async (req, res) => {
    const store = async (name: string | undefined, content: AsyncIterable<Uint8Array>) => {
      begun.push(String(name));
      let size = 0;
      try {
        for await (const chunk of content) {
          size += chunk.length;
          if (size > LIMIT) throw new Refusal('body_too_large');
        }
      } catch (error) {
        cutOff.push(String(name));
        throw error;
      }
      kept.push(String(name));
      return `${name}:${size}`;
    };
    try {
      const stored = await receiveFile(req, { field: 'file', fileBytes: LIMIT, idleMs, signal }, store);
      outcomes.push({ stored });
    } catch (error) {
      const { code, reason, fields } = error as Refusal;
      outcomes.push({ code, reason, message: fields?.message });
    }
    res.end(JSON.stringify(outcomes.at(-1)));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = () => connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  return { port, outcomes, begun, kept, cutOff, open };
}

type Serving = Awaited<ReturnType<typeof serve>>;

const part = (disposition: string, content = 'hello', more = '') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
const FILE = part('name="file"; filename="a.apk"');
const END = `--${BOUNDARY}--\r\n`;
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

async function post({ port }: Serving, body: string | Buffer, type: string = TYPE): Promise<Outcome> {
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  return (await answer.json()) as Outcome;
}

const head = (length: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\n${length}\r\n\r\n`;

async function outcomeOf(serving: Serving): Promise<Outcome> {
  while (serving.outcomes.length === 0) await new Promise(setImmediate);
  return serving.outcomes[0] as Outcome;
}

describe('a multipart body (contract 2, apps)', () => {
  it('a multipart body with one file in the field is stored while it arrives (contract 2, apps)', async () => {
    const serving = await serve();
    expect(await post(serving, FILE + END)).toEqual({ stored: 'a.apk:5' });
    const form = new FormData();
    form.append('file', new Blob([Buffer.alloc(LIMIT)]), 'é "x".apk');
    const answer = await fetch(`http://127.0.0.1:${serving.port}/`, { method: 'POST', body: form });
    expect(await answer.json()).toEqual({ stored: `é %22x%22.apk:${LIMIT}` });
  });

  it.each([
    ['no part', END, 'file: is required'],
    [
      'another field first',
      part('name="note"') + FILE + END,
      expect.stringMatching(/^note: is not|^One file/),
    ],
    [
      'another field behind',
      FILE + part('name="note"') + END,
      'One file is sent at a time, and nothing else.',
    ],
    ['a second file', FILE + FILE + END, 'One file is sent at a time, and nothing else.'],
    ['a file in another field', part('name="app"; filename="a"') + END, 'app: is not a field of this route'],
    [
      'a field of that name that is no file',
      part('name="file"') + END,
      'The field is no file: give it a file name.',
    ],
    [
      'a part without a name',
      part('filename="a"') + END,
      'a part without a name: is not a field of this route',
    ],
    ['a part without a disposition', `--${BOUNDARY}\r\n\r\nhello\r\n${END}`, 'file: is required'],
    ['no end', FILE, 'The multipart body is broken or not whole.'],
    [
      'an end within the headers',
      `--${BOUNDARY}\r\nContent-Dispo`,
      'The multipart body is broken or not whole.',
    ],
    ['nothing of the kind', 'hello', 'The multipart body is broken or not whole.'],
    ['nothing at all', '', 'The multipart body is broken or not whole.'],
  ])(
    'a multipart body with %s is refused, and nothing is kept (contract 2, apps)',
    async (_, body, message) => {
      const serving = await serve();
      expect(await post(serving, body)).toMatchObject({ code: 'bad_request', message });
    },
  );

  it('a multipart body without a boundary is refused (contract 2, apps)', async () => {
    const serving = await serve();
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; charset=x',
    ])
      expect(await post(serving, FILE + END, type), type).toMatchObject({ code: 'bad_request' });
  });

  it('a multipart body of thousands of parts, huge headers, or a long preamble or epilogue is refused (contract 2, apps)', async () => {
    const serving = await serve();
    expect(await post(serving, FILE + part('name="file"; filename="b"').repeat(1_000) + END)).toMatchObject({
      code: 'bad_request',
    });
    expect(await post(serving, `--${BOUNDARY}\r\n\r\n\r\n`.repeat(1_000) + END)).toMatchObject({
      code: 'bad_request',
    });
    const headers = `${'X-Long: y\r\n'.repeat(20_000)}`;
    expect(await post(serving, part('name="file"; filename="a"', 'x', headers) + END)).toMatchObject({
      code: expect.stringMatching(/^(?:bad_request|body_too_large)$/),
    });
    const flood = 'x'.repeat(LIMIT + 70_000);
    expect(await post(serving, `${flood}\r\n${FILE}${END}`)).toMatchObject({ code: 'body_too_large' });
    expect(await post(serving, `${FILE}${END}${flood}`)).toMatchObject({ code: 'body_too_large' });
  });

  it('a multipart body with a file over the limit is refused, whether its length is declared, declared wrongly or missing (contract 2, apps)', async () => {
    const serving = await serve();
    const large = part('name="file"; filename="a"', 'x'.repeat(LIMIT + 1)) + END;
    expect(await post(serving, large)).toMatchObject({ code: 'body_too_large' });
    const told = serving.open();
    told.write(head(`Content-Length: ${LIMIT * 10}`));
    await once(told, 'data');
    expect(serving.outcomes.at(-1)).toMatchObject({ code: 'body_too_large' });
    told.destroy();
    const chunked = serving.open();
    chunked.write(
      `${head('Transfer-Encoding: chunked')}${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
    );
    await once(chunked, 'data');
    expect(serving.outcomes.at(-1)).toMatchObject({ code: 'body_too_large' });
    expect(serving.kept).toEqual([]);
  });

  it('a multipart body shorter than its declared length is refused when its client leaves, and its content is cut off (contract 2, apps)', async () => {
    const serving = await serve();
    const client: Socket = serving.open();
    client.write(`${head('Content-Length: 500')}${FILE.slice(0, -4)}`);
    await new Promise((sent) => client.write('lo', sent));
    client.end();
    expect(await outcomeOf(serving)).toMatchObject({ code: 'bad_request', reason: 'the client went away' });
    expect(serving.kept).toEqual([]);
  });

  it('a multipart body that stops arriving is refused (contract 2, apps)', async () => {
    const serving = await serve({ idleMs: 60 });
    const client = serving.open();
    client.write(`${head('Content-Length: 500')}${FILE.slice(0, -4)}`);
    expect(await outcomeOf(serving)).toMatchObject({
      reason: 'stood still',
      message: 'Nothing came for too long.',
    });
    expect(serving.cutOff).toEqual(['a.apk']);
    client.destroy();
  });

  it('a multipart body that the server no longer wants is refused with the reason (contract 2, apps)', async () => {
    const cut = new AbortController();
    const serving = await serve({ signal: cut.signal });
    const client = serving.open();
    client.write(`${head('Content-Length: 500')}${FILE.slice(0, -4)}`);
    await vi.waitFor(() => expect(serving.begun).toEqual(['a.apk']));
    cut.abort(new Refusal('unauthenticated', 'revoked'));
    expect(await outcomeOf(serving)).toMatchObject({ code: 'unauthenticated', reason: 'revoked' });
    expect(await post(serving, FILE + END)).toMatchObject({ code: 'unauthenticated' });
    client.destroy();
  });
});
