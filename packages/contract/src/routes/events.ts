import { type Access, ADMIN, ANY_CALLER } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  BeforeText,
  documentedAs,
  InstantSchema,
  LimitText,
  NullableUuid,
  namedObject,
  TicketSchema,
  Type,
  UuidSchema,
} from './common.ts';

const LoggedEvent = namedObject('LoggedEvent', {
  id: UuidSchema,
  at: InstantSchema,
  type: Type.String(),
  payload: Type.Record(Type.String(), Type.Unknown()),
});

const EVENTS_TICKET: Access = {
  accepts: [{ by: 'ticket', audience: 'svc-events', evenWithSignInOff: true }],
};

const TAG: RouteTag = { name: 'Events', description: 'Live events and the event log (specification 6).' };

export const eventRoutes = feature(TAG, {
  issueEventsTicket: route.post('/events/ticket', {
    access: ANY_CALLER,
    summary: 'A ticket for one connection of live events',
    responses: { 200: TicketSchema },
    errors: ['expiry_exceeds_credential'],
  }),
  liveEvents: route.get('/events', {
    access: EVENTS_TICKET,
    webSocket: true,
    summary: 'WebSocket of live events; `resume` is the id of the last event received',
    query: Type.Object({
      ticket: Type.Optional(documentedAs(Type.Unknown(), Type.String())),
      resume: Type.Optional(documentedAs(Type.Unknown(), UuidSchema)),
    }),
    responses: { 101: null },
    errors: ['rate limit exceeded'],
  }),
  eventLog: route.get('/event-log', {
    access: ADMIN,
    summary: 'A page of the event log, newest first; `before` is the id of an event',
    query: Type.Object({
      before: Type.Optional(BeforeText),
      limit: Type.Optional(LimitText),
    }),
    responses: {
      200: namedObject('EventPage', { items: Type.Array(LoggedEvent), next: NullableUuid }),
    },
  }),
});
