import type { ComponentSchemas, JsonSchema } from './schemas.ts';

const ID = '3f0b6a52-7c1e-4d5a-9b7e-2a1d8c4e6f90';
const OTHER_ID = '9c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f';
const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** Example values. A key is the name of a field (`email`), of a schema and its field (`App.name`), or of a schema. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  accessKey: 'svc_4Zb8Qm2Lx7Tn5Rk9Wc3Vj6Hd',
  actor: ID,
  actorEmail: 'ada@lab.example',
  address: '192.0.2.10',
  after: 0,
  aiBaseUrl: 'https://ai.lab.example/v1',
  aiModel: 'llama3.2',
  alg: 'ES256',
  at: '2026-01-31T08:30:00.000Z',
  auditRetentionDays: 365,
  basePath: '/wd/hub',
  before: ID,
  boot: OTHER_ID,
  busySeconds: 212_400,
  caller: ID,
  capabilities: { platformName: 'Android', 'appium:automationName': 'UiAutomator2' },
  category: null,
  content: 'text for the clipboard',
  count: 1200,
  crv: 'P-256',
  cursor: '42',
  durationMs: 35,
  email: 'ada@lab.example',
  endedAt: null,
  event: 'user_created',
  eventLogRetentionDays: 30,
  example: null,
  expiresAt: '2027-01-31T08:30:00.000Z',
  expiresIn: 3600,
  failureCategory: null,
  failureReason: null,
  from: '2026-01-01T00:00:00.000Z',
  hash: SHA256,
  healingTiers: [1, 2, 3],
  hubUrl: 'https://hub.lab.example:4723',
  hubVersion: '0.1.0',
  id: ID,
  keyId: ID,
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  kty: 'EC',
  leasedSeconds: 36_000,
  leaseId: ID,
  leaseToken: 'svcl_2nF8vQx7Lb4Tz9Rk3Wc6Vj5Hd1Mp0Gs8Ya2Ue7Io4Qn000000',
  limit: 50,
  link: 'https://lab.example/svc/reset-password#Q2hhbmdlIG1lLCBpdCBpcyBvbmx5IGFuIGV4YW1wbGU',
  maxSessions: 0,
  message: 'Answered with 12 models',
  method: 'POST',
  minutes: 60,
  models: ['llama3.2'],
  name: 'Ada Lovelace',
  newPassword: 'correct horse battery staple',
  node: null,
  notKept: 0,
  oldPassword: 'a password to be replaced',
  osVersion: '15',
  outcome: 'success',
  owner: 'ada@lab.example',
  password: 'correct horse battery staple',
  path: '/session/7b1f/element',
  peer: '192.0.2.10',
  pending: 0,
  place: 1,
  platform: 'Android',
  presentSeconds: 568_800,
  previousHash: SHA256,
  problem: null,
  queueSeconds: 30,
  rateLimit: 300,
  reason: 'role Member',
  removed: 0,
  requestId: 'ci-4711',
  search: 'pixel',
  secret: 'whsec_bm90IGEgc2VjcmV0LCBvbmx5IGFuIGV4YW1wbGU=',
  sequence: 1,
  session: '7b1f4d5a-9b7e-4c6d-8e7f-2a1d8c4e6f90',
  sessionId: null,
  sessionRetentionDays: 90,
  sha256: SHA256,
  signInEpoch: 1,
  since: '2026-01-31T08:00:00.000Z',
  size: 4_194_304,
  sparedSignIn: null,
  tag: null,
  tags: ['smoke'],
  target: OTHER_ID,
  teamId: null,
  temporaryPassword: 'K7mp-Q2xv-9TzR',
  text: 'hello',
  ticket: 'eyJhbGciOiJFUzI1NiIsInR5cCI6InRpY2tldCtqd3QifQ.e30.c2ln',
  to: '2026-02-01T00:00:00.000Z',
  token: 'svct_2nF8vQx7Lb4Tz9Rk3Wc6Vj5Hd1Mp0Gs8Ya2Ue7Io4Qn000000',
  udid: 'virtual-1',
  unkeyed: 0,
  until: '2026-01-31T08:35:00.000Z',
  url: 'https://ci.lab.example/hooks/svc',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  userId: OTHER_ID,
  version: '0.1.0',
  waitedSeconds: 5_400,
  waiting: 1,
  x: 0.5,
  y: 0.25,
  'App.name': 'shop-debug.apk',
  'ApiKey.name': 'nightly run',
  'AuditRow.target': OTHER_ID,
  'BearerToken.token': 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln',
  'CheckResetTokenRequest.token': 'b25seSBhbiBleGFtcGxlIG9mIGEgdG9rZW4',
  'CreatedApiKey.name': 'nightly run',
  'CreatedProfileToken.name': 'laptop',
  'CreatedUser.role': 'Member',
  'CreateApiKeyRequest.name': 'nightly run',
  'CreateApiKeyRequest.scopes': ['read', 'sessions'],
  CreateLeaseRequest: { platform: 'Android', tags: ['smoke'], minutes: 60 },
  'CreateTeamRequest.name': 'Checkout',
  'CreateTokenRequest.name': 'laptop',
  'Device.name': 'Pixel 8',
  'EarlierRefusal.status': 404,
  'Explanation.status': 404,
  IssueBearerRequest: { audience: 'svc-mcp', scopes: ['auto:use', 'svc:devices:read'] },
  'LoggedEvent.payload': { udid: 'virtual-1' },
  'LoggedEvent.type': 'device_offline',
  'Node.name': 'node-1.lab.example:4723',
  'Node.url': 'https://node-1.lab.example:4723',
  'NodeSessions.ended': [],
  'NodeSessions.running': [{ id: '7b1f4d5a', udid: 'pixel-8' }],
  'OfferedDevice.name': 'Pixel 8',
  'OfferedDevice.udid': 'pixel-8',
  'PhoneUse.name': 'Pixel 8',
  'ProfileToken.name': 'laptop',
  'PublicKey.x': 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  'PublicKey.y': 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  'RegisteredNode.name': 'node-1.lab.example:4723',
  'RegisteredNode.url': 'https://node-1.lab.example:4723',
  'RegisterNodeRequest.url': 'https://node-1.lab.example:4723',
  'RegisterNodeRequest.version': '0.1.0',
  ReauthenticateRequest: { password: 'correct horse battery staple' },
  'ResetPasswordRequest.token': 'b25seSBhbiBleGFtcGxlIG9mIGEgdG9rZW4',
  SaveSettingsRequest: { maxSessions: 8, aiModel: null },
  'Session.name': 'checkout as a guest',
  'SessionDevice.name': 'Pixel 8',
  'SessionLogRow.body': { using: 'accessibility id', value: 'Pay' },
  'SessionLogRow.response': { value: { 'element-6066-11e4-a52e-4f735466cecf': '12' } },
  'SessionLogRow.status': 200,
  'Team.name': 'Checkout',
  ChangeWebhookRequest: { format: 'slack', tag: 'smoke', paused: false },
  CreateWebhookRequest: {
    url: 'https://ci.lab.example/hooks/svc',
    events: ['session_failed'],
    format: 'svc',
    teamId: null,
    tag: null,
  },
  TestWebhookRequest: { url: 'https://ci.lab.example/hooks/svc' },
  'Ticket.expiresIn': 60,
  'DeliveryRecord.error': null,
  'DeliveryRecord.event': 'session_failed',
  'DeliveryRecord.id': 'msg_3f0b6a52-7c1e-4d5a-9b7e-2a1d8c4e6f90',
  'DeliveryRecord.nextTryAt': null,
  'DeliveryRecord.state': 'delivered',
  'DeliveryRecord.status': 204,
  'DeliveryRecord.summary': 'Session checkout as a guest failed',
  'Webhook.status': 204,
  'WebhookDelivery.error': null,
  'WebhookDelivery.status': 204,
  'WebhookTest.error': null,
  'WebhookTest.status': 204,
};

const BY_FORMAT: Readonly<Record<string, unknown>> = {
  uuid: ID,
  'date-time': '2026-01-31T08:30:00.000Z',
  email: 'ada@lab.example',
  uri: 'https://lab.example',
};

/**
 * Returns an example that fits the schema: the value in `EXAMPLES` for the field or schema, or otherwise the simplest
 * value of its type.
 */
export function exampleOf(schemas: ComponentSchemas, schema: JsonSchema, field = '', owner = ''): unknown {
  const { name, schema: shape } = schemas.resolve(schema);
  for (const key of [name, `${owner}.${field}`])
    if (key !== undefined && key in EXAMPLES) return EXAMPLES[key];
  const choices = shape.anyOf as readonly JsonSchema[] | undefined;
  if (choices !== undefined && EXAMPLES[field] === null) return null;
  if (choices !== undefined) return exampleOf(schemas, choices[0] as JsonSchema, field, owner);
  if (shape.const !== undefined) return shape.const;
  const words = shape.enum as readonly unknown[] | undefined;
  if (words !== undefined) return words[0];
  return ofType(schemas, shape, field, name ?? owner);
}

function ofType(schemas: ComponentSchemas, shape: JsonSchema, field: string, owner: string): unknown {
  const types = [(shape.type ?? []) as string | readonly string[]].flat();
  const known = EXAMPLES[field];
  if (known !== undefined && (types.length === 0 || types.includes(typeOf(known)))) return known;
  switch (types[0]) {
    case 'object':
      return ofObject(schemas, shape, owner);
    case 'array':
      return [exampleOf(schemas, shape.items as JsonSchema, field, owner)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return shape.minimum ?? 1;
    case 'string':
      return BY_FORMAT[shape.format as string] ?? 'text';
    default:
      return null;
  }
}

function ofObject(schemas: ComponentSchemas, { properties = {} }: JsonSchema, owner: string) {
  const fields = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(fields.map(([name, each]) => [name, exampleOf(schemas, each, name, owner)]));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
