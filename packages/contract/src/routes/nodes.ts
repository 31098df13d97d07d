import { ADMIN } from '../access.ts';
import { STREAM_KINDS } from '../audiences.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { DEVICE_KINDS } from '../names.ts';
import {
  documentedAs,
  InstantSchema,
  literals,
  NullableText,
  named,
  namedObject,
  orNull,
  Type,
  UuidSchema,
} from './common.ts';

/**
 * Pattern that refuses `.` and `..`, because the text becomes a path segment of a request to the node, where these two
 * would change the path.
 */
const NO_DOTS = '^(?!\\.{1,2}$)';
const SessionId = Type.String({ minLength: 1, maxLength: 128, pattern: NO_DOTS });

/** Schema of a server's address: scheme, host and port. A later rule refuses other addresses with 400 `invalid_url`. */
const ServerUrl = documentedAs(
  Type.String({ maxLength: 2_048 }),
  Type.String({ maxLength: 2_048, format: 'uri', description: 'Scheme, host and port.' }),
);

/** Last time (ms since 1970) that a date can express. */
const LAST_TIME = 8_640_000_000_000_000;

const FactText = orNull(Type.String({ maxLength: 256 }));

const TimeMs = Type.Integer({ minimum: 0, maximum: LAST_TIME, description: 'Time in ms since 1970.' });
/** A measurement without bounds, because a report is refused as a whole, and a phone may measure nonsense. */
const Measured = orNull(Type.Number());

const OutAtNode = namedObject(
  'OutAtNode',
  {
    reason: Type.String({ minLength: 1, maxLength: 256 }),
    isByLab: Type.Boolean({ description: 'Whether the lab of the node put the phone out, and no Admin.' }),
    since: TimeMs,
    until: orNull(TimeMs),
  },
  { description: 'Why no session and no lease takes the phone.' },
);

const HealthAtNode = namedObject(
  'HealthAtNode',
  { battery: Measured, temperature: Measured, storageFree: Measured, checkedAt: TimeMs },
  { description: 'What the last probe of the phone read.' },
);

const UncleanedAtNode = namedObject(
  'UncleanedAtNode',
  {
    holderId: orNull(Type.String({ maxLength: 128 })),
    state: literals(['reading', 'leased', 'waiting', 'cleaning', 'failed']),
  },
  { description: 'Whose things are still on the phone, and whether it is being cleaned.' },
);

/** Schema of a device that a node offers to its hub. Fields that the schema does not have are ignored. */
const OfferedDevice = namedObject('OfferedDevice', {
  udid: Type.String({ minLength: 1, maxLength: 256, pattern: NO_DOTS }),
  name: Type.Optional(Type.String({ maxLength: 256 })),
  platform: Type.Optional(Type.String({ maxLength: 128 })),
  osVersion: Type.Optional(Type.String({ maxLength: 128 })),
  model: Type.Optional(FactText),
  manufacturer: Type.Optional(FactText),
  apiLevel: Type.Optional(orNull(Type.Integer())),
  kind: Type.Optional(orNull(literals(DEVICE_KINDS))),
  avd: Type.Optional(FactText),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 })),
  streams: Type.Optional(Type.Array(literals(STREAM_KINDS), { maxItems: STREAM_KINDS.length })),
  directInput: Type.Optional(
    Type.Boolean({ description: 'Whether the device accepts input without a session.' }),
  ),
  outOfService: Type.Optional(orNull(OutAtNode)),
  health: Type.Optional(orNull(HealthAtNode)),
  uncleaned: Type.Optional(orNull(UncleanedAtNode)),
});

/** Schema of the sessions that a node runs for its hub, and of the sessions that have ended within the last minutes. */
const NodeSessions = namedObject('NodeSessions', {
  boot: Type.String({ minLength: 1, maxLength: 128 }),
  sequence: Type.Integer({ minimum: 0 }),
  running: Type.Array(Type.Object({ id: SessionId, udid: NullableText }), { maxItems: 1_000 }),
  ended: Type.Array(
    Type.Object({
      id: SessionId,
      category: orNull(literals(['Timeout', 'Session Lost', 'Stale Element', 'Hub Restart', 'Driver Crash'])),
      reason: orNull(Type.String({ maxLength: 4_096 })),
    }),
    { maxItems: 1_000 },
  ),
  cleaned: Type.Optional(
    Type.Array(
      Type.Object({
        id: SessionId,
        state: literals(['pending', 'cleaned', 'kept', 'failed']),
        removed: Type.Array(Type.String({ maxLength: 300 }), { maxItems: 100 }),
        at: orNull(TimeMs),
      }),
      { maxItems: 50 },
    ),
  ),
});

const Node = namedObject('Node', {
  name: Type.String(),
  url: Type.String(),
  version: Type.String(),
  status: named('NodeStatus', literals(['online', 'away'])),
  devices: Type.Integer(),
  sessions: Type.Integer(),
  registeredAt: InstantSchema,
  lastSeenAt: InstantSchema,
});

const NodeParams = Type.Object({
  name: Type.String({ description: 'Host and port of the address of the node.' }),
});

/** Lines that the hub logged about a node, kept in memory and limited to the last 100. */
const NodeLog = namedObject('NodeLog', {
  items: Type.Array(
    namedObject('NodeLogLine', {
      at: InstantSchema,
      level: literals(['info', 'warn', 'error']),
      message: Type.String(),
    }),
  ),
});

export const NODES_TAG: RouteTag = {
  name: 'Nodes',
  description: 'Servers whose devices this server offers, and further entrances.',
};

/** Routes for nodes: servers with their own devices to which this server forwards requests (contract 8). */
export const nodeRoutes = feature(NODES_TAG, {
  listNodes: route.get('/nodes', {
    access: ADMIN,
    summary: 'Nodes of this hub',
    responses: { 200: Type.Array(Node) },
  }),
  registerNode: route.post('/nodes', {
    access: ADMIN,
    summary: 'Register a server as a node, or renew it, which a node does every 10 s',
    body: Type.Object({
      url: ServerUrl,
      version: Type.String({ maxLength: 64 }),
      basePath: Type.Optional(
        Type.String({ maxLength: 256, pattern: '^(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)*$' }),
      ),
      hubUrl: Type.Optional(ServerUrl),
      devices: Type.Array(OfferedDevice, { maxItems: 1_000 }),
      sessions: Type.Optional(NodeSessions),
    }),
    responses: {
      200: namedObject('RegisteredNode', {
        ...Node.properties,
        hubVersion: Type.String(),
        leases: Type.Array(
          Type.Object({
            udid: Type.String(),
            holder: UuidSchema,
          }),
          { description: 'Leases on phones of the node, with the accounts that hold them.' },
        ),
      }),
    },
    errors: ['invalid_url', 'conflict'],
  }),
  nodeLog: route.get('/nodes/:name/log', {
    access: ADMIN,
    summary: 'Last lines that the hub logged about a node, newest first',
    params: NodeParams,
    responses: { 200: NodeLog },
  }),
  removeNode: route.delete('/nodes/:name', {
    access: ADMIN,
    summary: 'Remove a node without sessions, so that another account can register it',
    params: NodeParams,
    responses: { 204: null },
    errors: ['conflict'],
  }),
});
