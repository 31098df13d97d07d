import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';

interface Registration {
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** Parts of a token. If a part is absent, the token has the value that a real hub sets. */
export interface TokenParts {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey;
}

/** A hub whose key is in the test. It accepts any node and signs any token. */
export interface StandInHub {
  readonly url: string;
  readonly registrations: readonly Registration[];
  /** Number of requests for the keys of this hub. */
  keyRequests(): number;
  /** Sets the response to registrations from now on. */
  answer(status: number, body: object): void;
  /** Stops listening. */
  leave(): Promise<void>;
  createToken(udid: string, parts?: TokenParts): Promise<string>;
  commandToken(sid: string, parts?: TokenParts): Promise<string>;
}

export async function startStandInHub(): Promise<StandInHub> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const registrations: Registration[] = [];
  let asked = 0;
  let answered = { status: 200, body: {} as object };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const send = (status: number, body: object) => {
        res.writeHead(status, { 'content-type': 'application/json' });
        res.end(JSON.stringify(body));
      };
      if (req.url === '/svc/api/auth/jwks.json') {
        asked++;
        send(200, { keys: [{ ...jwk, kid, use: 'sig', alg: 'ES256' }] });
      } else if (req.url === '/svc/api/nodes' && req.method === 'POST') {
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        registrations.push({ at: performance.now(), headers: req.headers, body });
        send(answered.status, answered.body);
      } else send(404, { error: 'not_found' });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  const sign = (usual: Record<string, unknown>, { claims, header, key }: TokenParts = {}) => {
    const iat = Math.floor(Date.now() / 1000);
    const all = { iss: 'svc', sub: 'somebody', jti: randomUUID(), scopes: [], iat, ...usual, ...claims };
    return new SignJWT({ exp: all.iat + 120, ...all })
      .setProtectedHeader({ alg: 'ES256', typ: 'hub+jwt', kid, ...header })
      .sign(key ?? privateKey);
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    registrations,
    keyRequests: () => asked,
    answer: (status, body) => {
      answered = { status, body };
    },
    leave: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
    createToken: (udid, parts) => sign({ aud: 'svc-node-create', udid, guarded: true }, parts),
    commandToken: (sid, parts) => sign({ aud: 'svc-node', sid }, parts),
  };
}
