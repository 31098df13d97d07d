import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabProcess } from './lab-process.ts';

/** In seconds; the longest lifetime that a node accepts. */
const LIFE = 300;

/**
 * Creates the token that the hub sends with the commands of a session, for a program that forwards instead of the hub.
 */
export async function hubToken(hub: LabProcess, sessionId: string): Promise<string> {
  const jwks = await (await fetch(`${hub.url}/svc/api/auth/jwks.json`)).json();
  const { kid } = (jwks as { keys: { kid: string }[] }).keys[0] ?? {};
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: 'svc', sub: '', aud: 'svc-node', sid: sessionId, scopes: [], jti: randomUUID() };
  const parts = [
    { alg: 'ES256', typ: 'hub+jwt', kid },
    { ...claims, iat, exp: iat + LIFE },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const key = createPrivateKey(readFileSync(join(hub.dataDir, 'signing-key.pem')));
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}
