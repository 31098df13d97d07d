import { LIST_TOOLS } from '../../conformance/support/agent.ts';
import { type CallOptions, call, type HttpResponse } from '../../conformance/support/call.ts';
import type { Credentials, World } from '../../conformance/support/world.ts';
import type { Held } from './every-credential.ts';

type Target = (world: World, held: Held, as: Credentials) => Promise<HttpResponse>;

const api =
  (method: string, path: (held: Held) => string, json?: (held: Held) => object): Target =>
  (world, held, as) =>
    world.api(method, path(held), { as, ...(json === undefined ? {} : { json: json(held) }) });
const outside =
  (method: string, path: (held: Held) => string, options: CallOptions = {}): Target =>
  (world, held, as) =>
    call(world.url, method, path(held), { as, ...options, headers: { origin: null, ...options.headers } });

const OWNER = ['sign-in', 'key pair', 'bearer of a sign-in', 'bearer of a pair'];
const AGENT = ['agent', 'bearer of an agent'];
/** An agent that may list devices and nothing else, and the bearer that it minted for the REST API. */
const READER = ['reading agent', 'bearer of a reading agent'];
const OTHERS = ['other sign-in', 'other pair', 'other bearer'];
const READ_ONLY = 'read-only key of an Admin';
const ROOT = 'override admin';
/** Credentials of the owner that have the scope `devices`. Profile tokens of Members never have it (contract 3.1). */
const HOLDER = ['sign-in', 'bearer of a sign-in', ...AGENT];
const NO_DEVICES = ['key pair', 'bearer of a pair', ...READER, 'other pair', READ_ONLY];
const MEMBERS = [...OWNER, ...AGENT, ...READER, ...OTHERS];

/** A request with the answer to each kind of credential. Every kind that is not named gets `rest`, by default 401. */
export interface Row {
  readonly target: Target;
  readonly expected: Readonly<Record<string, readonly string[]>>;
  readonly rest?: string;
}

/** Requests of the holder of a phone. */
const forHolder = (target: Target, status = '200'): Row => ({
  target,
  expected: {
    [status]: HOLDER,
    '403 insufficient_scope': NO_DEVICES,
    '409 device_not_yours': ['other sign-in', 'other bearer', ROOT],
  },
});
/** Requests of everyone who sees the phone and has the scope `devices`. */
const forViewers = (target: Target): Row => ({
  target,
  expected: {
    200: [...HOLDER, 'other sign-in', 'other bearer', ROOT],
    '403 insufficient_scope': NO_DEVICES,
  },
});
const forAnyone = (target: Target): Row => ({ target, expected: { 200: [...MEMBERS, READ_ONLY, ROOT] } });
const forAdmins = (target: Target): Row => ({
  target,
  expected: { 200: [ROOT], '403 insufficient_role': MEMBERS, '403 insufficient_scope': [READ_ONLY] },
});
const ofSession = (target: Target, admitted: string[], refused: string[], status = '200'): Row => ({
  target,
  expected: {
    [status]: [...OWNER, ...admitted, ROOT],
    '403 insufficient_scope': refused,
    '404 not_found': [...OTHERS, READ_ONLY],
  },
});

export const TARGETS: Readonly<Record<string, Row>> = {
  'the ticket for adb': forHolder(api('POST', ({ adbPhone }) => `/control/${adbPhone}/adb/ticket`)),
  'the list of uses of adb': forAnyone(api('GET', ({ adbPhone }) => `/control/${adbPhone}/adb/uses`)),
  'the ticket for usbmuxd': forHolder(api('POST', ({ usbPhone }) => `/control/${usbPhone}/usb/ticket`)),
  'the list of uses of usbmuxd': forAnyone(api('GET', ({ usbPhone }) => `/control/${usbPhone}/usb/uses`)),
  'the ticket for a stream': forViewers(api('POST', ({ phone }) => `/control/${phone}/stream/ticket`)),
  'a screenshot of the preview': forViewers(api('GET', ({ phone }) => `/control/${phone}/screenshot`)),
  'a tap during a session': {
    target: api(
      'POST',
      ({ phone }) => `/control/${phone}/tap`,
      () => ({ x: 0.5, y: 0.5 }),
    ),
    expected: {
      204: [...HOLDER, ROOT],
      '403 insufficient_scope': NO_DEVICES,
      '409 device_not_yours': ['other sign-in', 'other bearer'],
    },
  },
  'a new link for spectators': forHolder(
    api(
      'POST',
      ({ adbPhone }) => `/control/${adbPhone}/watch`,
      () => ({ for: 'anyone' }),
    ),
    '201',
  ),
  'the list of links for spectators': forHolder(api('GET', ({ adbPhone }) => `/control/${adbPhone}/watch`)),
  'a link for one account': {
    target: api(
      'POST',
      () => '/watch/account',
      ({ watchSecret }) => ({ secret: watchSecret }),
    ),
    expected: { 200: [...OWNER, ...AGENT, ...READER], '404 not_found': [...OTHERS, READ_ONLY, ROOT] },
  },
  'the question which phone fits': {
    target: api(
      'POST',
      () => '/devices/match',
      () => ({ capabilities: { alwaysMatch: { platformName: 'Fake' } } }),
    ),
    expected: {
      200: [...OWNER, ...OTHERS, READ_ONLY, ROOT],
      '403 insufficient_scope': [...AGENT, ...READER],
    },
  },
  'a new attach address': ofSession(
    api('POST', ({ sessionId }) => `/session/${sessionId}/attach`),
    AGENT,
    READER,
    '201',
  ),
  'the list of attach addresses': ofSession(
    api('GET', ({ sessionId }) => `/session/${sessionId}/attach`),
    [...AGENT, ...READER],
    [],
  ),
  'the history of a phone': forAnyone(api('GET', ({ adbPhone }) => `/device/${adbPhone}/history`)),
  'the preview of a cleaning': forAdmins(api('GET', ({ adbPhone }) => `/device/${adbPhone}/cleaning`)),
  'a phone out of service': forAdmins(
    api(
      'PUT',
      () => '/device/virtual-4/maintenance',
      () => ({ reason: 'battery' }),
    ),
  ),
  'the command log of a session': ofSession(
    api('GET', ({ sessionId }) => `/session/${sessionId}/session_log`),
    AGENT,
    READER,
  ),
  'a recording': ofSession(
    api('GET', ({ sessionId }) => `/session/${sessionId}/recording`),
    [],
    [...AGENT, ...READER],
  ),
  'the list of metrics': {
    target: api('GET', () => '/metrics'),
    expected: { ...forAdmins(api('GET', () => '')).expected, 200: ['metrics token', ROOT] },
  },
  'a new Profile token': {
    target: api(
      'POST',
      () => '/profile/tokens',
      () => ({ name: 'x' }),
    ),
    expected: {
      201: [...OWNER, ...OTHERS, ROOT],
      '403 agents_mint_bearers_only': [...AGENT, ...READER],
      '400 scope_exceeds_credential': [READ_ONLY],
    },
  },
  'a command of a session': {
    target: outside('GET', ({ sessionId }) => `/session/${sessionId}/timeouts`),
    expected: { 200: ['key pair', 'Basic', 'bearer of a sign-in', 'bearer of a pair', ...AGENT] },
    rest: '404 invalid session id',
  },
  'the storage of Appium': {
    target: outside('GET', () => '/appium/storage/list'),
    expected: {
      // The plugin is not installed, so Appium answers those who are let through.
      '404 unknown command': [
        ...['key pair', 'Basic', 'bearer of a sign-in', 'bearer of a pair', 'other pair', 'other bearer'],
        READ_ONLY,
      ],
      '403 unknown error': [...AGENT, ...READER],
    },
  },
  'the MCP server': {
    target: outside('POST', () => '/svc/mcp', {
      json: LIST_TOOLS,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    }),
    expected: { 200: ['agent', 'reading agent'] },
  },
  'the SCIM server': {
    target: outside('GET', () => '/svc/scim/v2/Users?filter=userName%20eq%20%22x%22'),
    expected: { 200: ['SCIM key'] },
  },
  'the introspection of tokens': {
    target: outside('POST', () => '/svc/oauth/introspect', {
      body: 'token=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    expected: {
      200: [
        ...['key pair', 'Basic', 'bearer of a sign-in', 'bearer of a pair', ...AGENT, ...READER],
        ...['other pair', 'other bearer', READ_ONLY],
      ],
    },
  },
};
