import type { Chance } from './random.ts';

const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'DELETE', 'HEAD', 'PUT', 'PATCH', 'OPTIONS', 'TRACE'];
const COMMANDS = [
  '',
  '/url',
  '/timeouts',
  '/source',
  '/element/x/click',
  '/appium/settings',
  '/execute/sync',
  '/URL',
  '/x',
];
const ORIGINS = [
  'http://evil',
  'HTTP://h:1',
  'https://u:p@h',
  'foo://x',
  'ws://x',
  '//host',
  'http://',
  'http:',
  'evil',
];
const NOISE = [
  ...[
    '/',
    '//',
    '/.',
    '/..',
    '/../',
    './',
    '%2e',
    '%2E%2e/',
    '%2f',
    '%2F',
    '%5c',
    '\\',
    '?',
    '?x=1',
    '?/',
    '&',
    '=',
  ],
  ...[
    '#',
    '#x',
    ';',
    ';a=b',
    '%',
    '%zz',
    '%00',
    '%20',
    '%0d%0a',
    '+',
    '@',
    ':',
    '*',
    '~',
    '|',
    '"',
    "'",
    '<',
    '[',
    ']',
  ],
  ...[
    '\t',
    '\u00a0',
    '\u00e9',
    'session',
    'bidi',
    'appium/sessions',
    'auto/sessions',
    'svc',
    'ws',
    'status',
    '__proto__',
  ],
  ...['constructor', '%73ession', 'sess%69on', 'session%2F', '\u212a', '%C5%BF', '\u017fession'],
];
const HEADERS: Record<string, string>[] = [
  { 'X-HTTP-Method-Override': 'GET' },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { 'X-HTTP-Method-Override': 'post' },
  { Upgrade: 'h2c', Connection: 'Upgrade, HTTP2-Settings', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' },
  { Upgrade: 'websocket' },
  { 'X-Forwarded-Prefix': '/x' },
  { 'X-Original-URL': '/status' },
  { Expect: '100-continue' },
];

export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

const upperSome = (text: string, chance: Chance) =>
  [...text].map((char) => (chance.is(0.5) ? char.toUpperCase() : char)).join('');
const encodeSome = (text: string, chance: Chance) =>
  [...text].map((char) => (chance.is(0.3) ? `%${char.charCodeAt(0).toString(16)}` : char)).join('');

/**
 * Generates requests whose target is similar to a session's routes. Most are nearly valid, because Appium never routes
 * others.
 */
export function fuzzRequest(chance: Chance, base: string, ids: readonly string[]): FuzzRequest {
  const id = chance.one([...ids, ...ids, 'unknown', '']);
  const spelledId = chance.is(0.25) ? encodeSome(id, chance) : chance.is(0.05) ? id.toUpperCase() : id;
  const pieces = [base, '/session', '/', spelledId, chance.one(COMMANDS)];
  if (chance.is(0.3)) pieces[0] = upperSome(base, chance);
  if (chance.is(0.3)) pieces[1] = upperSome('/session', chance);
  if (chance.is(0.1))
    pieces[1] = chance.one(['/bidi', '/ws/session', '/appium/sessions', '/auto/sessions', '/sessions']);
  for (let change = Math.max(0, chance.int(5) - 2); change > 0; change--) {
    const at = chance.int(pieces.length + 1);
    if (chance.is(0.7)) pieces.splice(at, 0, chance.one(NOISE));
    else if (chance.is(0.5)) pieces.splice(at, 1);
    else pieces.splice(at, 0, pieces[chance.int(pieces.length)] ?? '');
  }
  if (chance.is(0.1)) pieces.unshift(chance.one(ORIGINS));
  if (chance.is(0.1)) pieces.push('?', ...chance.some(NOISE, 3));
  const target = pieces.join('').replace(/[\r\n ]/g, '') || '/';
  const method = chance.one(METHODS);
  return { method, target, headers: chance.is(0.25) ? chance.one(HEADERS) : {} };
}
