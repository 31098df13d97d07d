import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandHeaders } from '../src/index.ts';
import { type RunningProxy, startProxy } from '../src/proxy.ts';
import { type LabDouble, rawConnection, startLabDouble, THEIRS } from './lab-double.ts';

let lab: LabDouble;
let proxy: RunningProxy;

beforeEach(async () => {
  lab = await startLabDouble();
  const headers = commandHeaders({ accessKey: 'svc_ours', token: 'svct_ours' });
  proxy = await startProxy({ to: lab.url, headers });
});
afterEach(async () => {
  await proxy.close(0);
  await lab.close();
});

const host = () => new URL(proxy.url).host;

describe('a WebSocket through the proxy', () => {
  const upgrade = (path = '/bidi/1', more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: ${host()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n${more}\r\n`;

  test('a WebSocket through the proxy carries our pair on the upgrade, then bytes both ways (spec 5.7.7)', async () => {
    const connection = rawConnection(proxy.url);
    const theirs = Object.entries(THEIRS).map(([name, value]) => `${name}: ${value}\r\n`);
    connection.write(upgrade('/bidi/1', theirs.join('')));
    const head = await connection.read('hello');
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    expect(head).toContain('sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    connection.write('one');
    await connection.read('echo one');
    expect(lab.seen[0]?.headers).toMatchObject({
      'x-svc-access-key': 'svc_ours',
      'x-svc-token': 'svct_ours',
    });
    expect(JSON.stringify(lab.seen[0]?.rawHeaders)).not.toMatch(/theirs/);
    connection.socket.destroy();
    await expect.poll(() => lab.sockets.size).toBe(0);
  });

  test('bytes sent with the upgrade are not lost (spec 5.7.7)', async () => {
    const connection = rawConnection(proxy.url);
    connection.write(`${upgrade()}early`);
    await connection.read('echo early');
    connection.socket.destroy();
  });

  test('a refused upgrade is passed on and the connection closed (spec 5.7.7)', async () => {
    lab.refuseUpgrade = 404;
    const connection = rawConnection(proxy.url);
    connection.write(upgrade());
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('the service that ends a socket ends the client’s (spec 5.7.7)', async () => {
    const connection = rawConnection(proxy.url);
    connection.write(upgrade());
    await connection.read('hello');
    for (const socket of lab.sockets) socket.destroy();
    await connection.closed;
  });

  test('a service that is away is 502 (spec 5.7.7)', async () => {
    await lab.close();
    const connection = rawConnection(proxy.url);
    connection.write(upgrade());
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 502 /);
  });

  test('closing the proxy closes its sockets and waits for answers under way (contract 9)', async () => {
    let finish = () => {};
    lab.answer = (_request, response) => {
      response.write('under way');
      finish = () => response.end(', done');
    };
    const socket = rawConnection(proxy.url);
    socket.write(upgrade());
    await socket.read('hello');
    const answer = await fetch(`${proxy.url}/session/1/source`);
    const closing = proxy.close(5_000);
    await socket.closed;
    finish();
    expect(await answer.text()).toBe('under way, done');
    await closing;
  });
});
