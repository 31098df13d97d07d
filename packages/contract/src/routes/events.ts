import { ADMIN, ANY_CALLER, TICKET } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { InstantSchema, LimitText, NullableText, Type } from './common.ts';

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

const LoggedEvent = Type.Object({
  id: Type.String(),
  at: InstantSchema,
  type: Type.String(),
  payload: Type.Record(Type.String(), Type.Unknown()),
});

export const eventRoutes = {
  issueEventsTicket: defineRoute({
    method: 'POST',
    path: '/events/ticket',
    access: ANY_CALLER,
    summary: 'A ticket for one connection of live events',
    responses: { 200: Type.Object({ ticket: Type.String(), expiresIn: Type.Integer() }) },
  }),
  liveEvents: defineRoute({
    method: 'GET',
    path: '/events',
    access: TICKET,
    webSocket: true,
    summary: 'WebSocket: live events; `resume` is the id of the last one that was read',
    query: Type.Object({ ticket: Type.Optional(Type.Unknown()), resume: Type.Optional(Type.Unknown()) }),
    responses: { 101: null },
  }),
  eventLog: defineRoute({
    method: 'GET',
    path: '/event-log',
    access: ADMIN,
    summary: 'A page of the event log, newest first; `before` is the id of an event',
    query: Type.Object({
      before: Type.Optional(Type.String({ pattern: UUID })),
      limit: Type.Optional(LimitText),
    }),
    responses: { 200: Type.Object({ items: Type.Array(LoggedEvent), next: NullableText }) },
  }),
};
