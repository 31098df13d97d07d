import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, targets, World } from './support/world.ts';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe.each(targets)('hostile tokens on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let key: KeyObject;
  let kid: string;
  let good: { header: Record<string, unknown>; claims: Record<string, unknown> };

  beforeAll(async () => {
    world = await World.start(start);
    admin = await world.person('Admin');
    key = createPrivateKey(readFileSync(join(world.server.dataDir, 'signing-key.pem')));
    kid = (await world.ok('GET', '/auth/jwks.json')).keys[0].kid;
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 600 };
    good = {
      header: { alg: 'ES256', typ: 'at+jwt', kid },
      claims: { iss: 'svc', sub: admin.id, aud: 'svc-rest', ...times, jti: 'j-1', scopes: ['read'] },
    };
  });
  afterAll(() => world.server.stop());

  const signWith = (secret: KeyObject, header: object, claims: object): string => {
    const text = `${encode(header)}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: secret, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };
  const made = (header: object = {}, claims: object = {}) =>
    signWith(key, { ...good.header, ...header }, { ...good.claims, ...claims });
  const asks = (token: string) => world.asks({ authorization: `Bearer ${token}` });

  it('a token signed with the server’s key is accepted: the control of this test (spec 5.3.7)', async () => {
    expect(await asks(made())).toBe('200');
  });

  const hostile: Record<string, () => string> = {
    'no algorithm': () => `${encode({ ...good.header, alg: 'none' })}.${encode(good.claims)}.`,
    'no algorithm, other case': () => `${encode({ ...good.header, alg: 'NonE' })}.${encode(good.claims)}.`,
    'no signature': () => made().replace(/[^.]+$/, ''),
    'the public key as an HMAC secret': () => {
      const text = `${encode({ ...good.header, alg: 'HS256' })}.${encode(good.claims)}`;
      const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
      return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
    },
    'another algorithm said': () => made({ alg: 'ES384' }),
    'a signature of zeros': () => made().replace(/[^.]+$/, Buffer.alloc(64).toString('base64url')),
    'a signature in DER': () => {
      const text = `${encode(good.header)}.${encode(good.claims)}`;
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
    },
    'changed claims': () => {
      const [header, , signature] = made().split('.');
      return `${header}.${encode({ ...good.claims, scopes: ['admin'] })}.${signature}`;
    },
    'a changed header': () => {
      const [, claims, signature] = made().split('.');
      return `${encode({ ...good.header, typ: 'session+jwt' })}.${claims}.${signature}`;
    },
    'another installation’s key under our name': () => signWith(foreign(), good.header, good.claims),
    'another installation’s key under its own name': () =>
      signWith(foreign(), { ...good.header, kid: 'x' }, good.claims),
    'a key brought along': () => {
      const other = foreign();
      const jwk = createPublicKey(other).export({ format: 'jwk' });
      return signWith(other, { ...good.header, jwk }, good.claims);
    },
    'a key to fetch': () => made({ jku: 'https://evil.test/jwks.json' }),
    'a certificate to fetch': () => made({ x5u: 'https://evil.test/cert.pem' }),
    'an extension to understand': () => made({ crit: ['exp'] }),
    'an unencoded payload': () => made({ b64: false, crit: ['b64'] }),
    'a path as the key': () => made({ kid: '../../dev/null' }),
    'no key named': () => signWith(key, { alg: 'ES256', typ: 'at+jwt' }, good.claims),
    'a list as the key': () => made({ kid: [kid] }),
    'no type': () => signWith(key, { alg: 'ES256', kid }, good.claims),
    'the type of a ticket': () => made({ typ: 'ticket+jwt' }),
    'the type in other letters': () => made({ typ: 'AT+JWT' }),
    'a session token': () => made({ typ: 'session+jwt' }, { aud: 'svc-session' }),
    'a stream ticket': () => made({ typ: 'ticket+jwt' }, { aud: 'svc-stream' }),
    'a hub token': () => made({ typ: 'hub+jwt' }, { aud: 'svc-node' }),
    'the audience of a session token': () => made({}, { aud: 'svc-session' }),
    'two audiences': () => made({}, { aud: ['svc-rest', 'svc-stream'] }),
    'no audience': () => made({}, { aud: undefined }),
    'an audience of the prototype': () => made({}, { aud: 'constructor' }),
    'another issuer': () => made({}, { iss: 'evil' }),
    'no issuer': () => made({}, { iss: undefined }),
    expired: () => made({}, { exp: Math.floor(Date.now() / 1000) - 1 }),
    'expiring this second': () => made({}, { exp: Math.floor(Date.now() / 1000) }),
    'without an end': () => made({}, { exp: undefined }),
    'an end that is text': () => made({}, { exp: '99999999999' }),
    'an end no calendar has': () => made({}, { exp: 1e15 }),
    'not valid yet': () => made({}, { nbf: Math.floor(Date.now() / 1000) + 600 }),
    'nobody’s': () => made({}, { sub: '00000000-0000-4000-8000-000000000000' }),
    'a list of users': () => made({}, { sub: [admin.id] }),
    'no id': () => made({}, { jti: undefined }),
    'claims that are a list': () => signWith(key, good.header, [good.claims]),
    'five parts': () => `${made()}.x.y`,
    'a comma': () => `${made()},${made()}`,
    'a very long one': () => made({}, { padding: 'x'.repeat(9000) }),
    'not base64': () => made().replace('.', '.%'),
    nothing: () => '',
    dots: () => '..',
  };

  const foreign = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  it.each(Object.entries(hostile))('refused like any other: %s (contract 4)', async (_, token) => {
    expect(await asks(token())).toBe('401 invalid token');
  });

  it('a token refused once is refused again, one let in twice is let in (contract 4)', async () => {
    const bad = made({ typ: 'ticket+jwt' });
    expect([await asks(bad), await asks(bad)]).toEqual(['401 invalid token', '401 invalid token']);
    const fine = made({}, { jti: 'j-2' });
    expect([await asks(fine), await asks(fine)]).toEqual(['200', '200']);
  });

  it('scopes beyond the role count for nothing, unknown ones neither (contract 3.2)', async () => {
    const member = await world.person('Member');
    const token = made({}, { sub: member.id, scopes: ['admin', 'read', 'root', 5, '__proto__'] });
    const me = await world.ok('GET', '/auth/me', { as: { authorization: `Bearer ${token}` } });
    expect(me.scopes).toEqual(['read']);
  });

  it('a token without scopes may do nothing that asks for one (spec 5.3)', async () => {
    const token = made({}, { scopes: undefined });
    const as = { authorization: `Bearer ${token}` };
    expect((await world.ok('GET', '/auth/me', { as })).scopes).toEqual([]);
    expect(await world.asks(as, '/users')).toBe('403 insufficient_scope');
  });
});
