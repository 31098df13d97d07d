import { expect, it } from 'vitest';
import { clientHeaders, forwardedHeaders, isForClient } from '../src/remote/headers.ts';

const GRID = { passes: isForClient };

it('a node gets no credential, no cookie and nothing of the connection, but the token of the hub (contract 8.2)', () => {
  const headers = forwardedHeaders(
    {
      host: 'hub',
      accept: '*/*',
      'content-length': '2',
      connection: 'keep-alive, X-Own, X-Svc-Hub-Token',
      'x-own': 'of the connection',
      authorization: 'Basic x',
      'proxy-authorization': 'x',
      cookie: 'svc_dashboard_session=x',
      'x-svc-access-key': 'svc_x',
      'x-svc-token': 'svct_x',
      'x-svc-hub-token': 'forged',
      'x-forwarded-for': '1.2.3.4',
      forwarded: 'for=1.2.3.4',
      origin: 'http://page',
      'x-idempotency-key': 'k',
      ':path': '/session',
      upgrade: 'h2c',
      te: 'trailers',
    },
    { 'x-svc-hub-token': 'token of the hub' },
  );
  expect(headers).toEqual({
    'x-svc-hub-token': 'token of the hub',
    accept: '*/*',
    'content-length': '2',
    'x-idempotency-key': 'k',
  });
});

it('a client gets the headers of the response without those of the connection (RFC 9110, 7.6.1)', () => {
  const headers = { connection: 'close, x-hop', 'x-hop': '1', 'transfer-encoding': 'chunked', etag: '"x"' };
  expect(clientHeaders(headers, GRID)).toEqual({ etag: '"x"' });
});

it('a server behind this one sets no cookies here, whose names could be those of a sign-in', () => {
  const headers = { 'set-cookie': ['svc_dashboard_session=x'], connection: ['close', 'x-hop'], 'x-hop': '1' };
  expect(clientHeaders(headers as never, GRID)).toEqual({});
});
