import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Chance } from './random.ts';

const NAMESPACES = [
  'svc:options',
  'lab:options',
  'appium:svc:options',
  'df:options',
  'svc:df:options',
  'appium:df:options',
];
const SECRETS = ['accessKey', 'token', 'sessionToken', 'leaseToken'];
const RETIRED_SECRETS = ['token', 'sessionToken', 'leaseToken'];
const PLACES = [
  'alwaysMatch',
  'firstMatch',
  'desiredCapabilities',
  'requiredCapabilities',
  'capabilities',
  'nested',
  'flat',
];
const HARMLESS = [
  'platformName',
  'appium:app',
  'appium:options',
  'webSocketUrl',
  '__proto__',
  'toString',
  'x',
  '',
];

/** JSON as text, because keys may be repeated or written with escapes. */
type Json = string;

export interface FuzzCreate {
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Generates a create-session request with `secret` in every place where a credential may be, and nowhere else. */
export function fuzzCreate(chance: Chance, base: string, secret: string): FuzzCreate {
  const json = bodyOf(chance, secret);
  const text = chance.is(0.15) ? damaged(chance, json) : json;
  const path = chance.one([
    '/session',
    '/session',
    '/session',
    '/session/',
    '/SESSION',
    '/session?x=1',
    '/Session/?y',
  ]);
  const lost = chance.one([
    '//session',
    '/session//',
    '/wd/session',
    '/x/session',
    '/session/?#',
    '/%73ession',
    '/sessions',
  ]);
  return {
    target: `${chance.is(0.05) ? 'http://evil' : ''}${base}${chance.is(0.1) ? lost : path}`,
    method: chance.is(0.05) ? chance.one(['PUT', 'PATCH', 'DELETE', 'GET']) : 'POST',
    ...sent(chance, text),
  };
}

function sent(chance: Chance, text: string): Pick<FuzzCreate, 'headers' | 'body'> {
  const headers: Record<string, string> = {};
  if (chance.is(0.9)) headers['Content-Type'] = 'application/json; charset=utf-8';
  let body: Buffer = Buffer.from(text);
  const way = chance.int(40);
  if (way === 0) {
    headers['Content-Type'] = 'application/x-www-form-urlencoded';
    body = Buffer.from(`capabilities[alwaysMatch][svc:options]=${encodeURIComponent(text)}`);
  } else if (way === 1)
    headers['Content-Type'] = chance.one(['text/plain', 'application/json; charset=utf-16le', 'x', '']);
  else if (way === 2) [headers['Content-Encoding'], body] = ['gzip', gzipSync(body)];
  else if (way === 3) [headers['Content-Encoding'], body] = ['br', brotliCompressSync(body)];
  else if (way === 4) [headers['Content-Encoding'], body] = ['deflate', deflateSync(body)];
  else if (way === 5) body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]);
  else if (way === 6) body = Buffer.concat([body, Buffer.from([0xff, 0xfe])]);
  else if (way === 7) body = Buffer.from(text, 'utf16le');
  else if (way === 8) headers['X-HTTP-Method-Override'] = chance.one(['DELETE', 'GET', 'PUT']);
  else if (way === 9) headers['X-Idempotency-Key'] = chance.one(['a', 'b']);
  else if (way === 10) headers['X-Appium-Is-Sensitive'] = chance.one(['true', 'false', '0']);
  return { headers, body };
}

function bodyOf(chance: Chance, secret: string): Json {
  const caps = () => object(chance, [...harmless(chance), ...credentials(chance, secret)]);
  const members: [string, Json][] = [];
  for (const place of [...chance.some(PLACES, 4), chance.one(PLACES)]) {
    if (place === 'alwaysMatch') members.push(['capabilities', object(chance, [[place, caps()]])]);
    else if (place === 'firstMatch') {
      members.push([
        'capabilities',
        object(chance, [
          ['alwaysMatch', caps()],
          [place, `[${[caps(), caps()].join(',')}]`],
        ]),
      ]);
    } else if (place === 'nested') members.push(['capabilities', deep(chance, caps())]);
    else if (place === 'flat') members.push(...credentials(chance, secret));
    else members.push([place, caps()]);
  }
  return object(chance, members);
}

function harmless(chance: Chance): [string, Json][] {
  return chance
    .some(HARMLESS, 3)
    .map((name) => [name, chance.one(['"Fake"', '1', 'null', '{}', '[]', 'true', '{"a":[{"b":"c"}]}'])]);
}

function credentials(chance: Chance, secret: string): [string, Json][] {
  return chance.some(NAMESPACES, 3).map((namespace) => {
    const retired = namespace.includes('df:');
    const fields: [string, Json][] = chance
      .some(retired ? RETIRED_SECRETS : SECRETS, 4)
      .map((name) => [chance.is(0.1) ? name.toLowerCase() : name, secretValue(chance, secret)]);
    const value = object(chance, [...fields, ...harmless(chance)]);
    return [namespace, chance.is(0.1) ? `[${value}]` : value];
  });
}

const secretValue = (chance: Chance, secret: string): Json =>
  chance.one([
    JSON.stringify(secret),
    `["${secret}"]`,
    `{"x":"${secret}"}`,
    JSON.stringify(`${secret}"\\é`),
    'null',
    '7',
  ]);

/** Sometimes writes keys with escapes, and sometimes reverses their order. */
function object(chance: Chance, members: readonly (readonly [string, Json])[]): Json {
  const ordered = chance.is(0.3) ? [...members].reverse() : members;
  const space = chance.is(0.1) ? '\n  ' : '';
  return `{${ordered.map(([name, value]) => `${space}${key(chance, name)}:${space}${value}`).join(',')}}`;
}

function key(chance: Chance, name: string): Json {
  if (!chance.is(0.15)) return JSON.stringify(name);
  const escaped = [...name].map((char) =>
    chance.is(0.3)
      ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
      : JSON.stringify(char).slice(1, -1),
  );
  return `"${escaped.join('')}"`;
}

function deep(chance: Chance, inner: Json): Json {
  const depth = chance.one([1, 3, 30, 3000]);
  return chance.is(0.5)
    ? '{"a":'.repeat(depth) + inner + '}'.repeat(depth)
    : '['.repeat(depth) + inner + ']'.repeat(depth);
}

/**
 * Damages the text so that it is no longer a JSON object, because damage to a name alone would create another field.
 */
function damaged(chance: Chance, json: Json): string {
  const text = damage(chance, json);
  try {
    return Array.isArray(JSON.parse(text)) ? text : json;
  } catch {
    return text;
  }
}

function damage(chance: Chance, json: Json): string {
  const at = chance.int(json.length + 1);
  return chance.one([
    json.slice(0, at),
    json.slice(at),
    `${json.slice(0, at)}${chance.one(['"', '\\', '{', ',', '\u0000', '//'])}${json.slice(at)}`,
    `${json}${json}`,
    `[${json}]`,
    JSON.stringify(json),
  ]);
}
