import { ANY_CALLER, DEVICES } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { IdParams, InstantSchema, Type, UserRefSchema } from './common.ts';

/** A phone kept for its holder (contract 2). */
const Lease = Type.Object({
  leaseId: Type.String(),
  udid: Type.String(),
  owner: UserRefSchema,
  expiresAt: InstantSchema,
});

export const leaseRoutes = {
  createLease: defineRoute({
    method: 'POST',
    path: '/leases',
    access: DEVICES,
    summary: 'Keep a phone: one by `udid`, or any that fits `platform` and `tags`',
    body: Type.Object({
      udid: Type.Optional(Type.String()),
      platform: Type.Optional(Type.String()),
      tags: Type.Optional(Type.Array(Type.String(), { maxItems: 50 })),
      minutes: Type.Number(),
    }),
    responses: {
      201: Type.Object({
        leaseId: Type.String(),
        leaseToken: Type.String(),
        udid: Type.String(),
        expiresAt: InstantSchema,
      }),
    },
  }),
  listLeases: defineRoute({
    method: 'GET',
    path: '/leases',
    access: ANY_CALLER,
    summary: 'Own leases; of an override admin, all',
    responses: { 200: Type.Array(Lease) },
  }),
  changeLease: defineRoute({
    method: 'PATCH',
    path: '/leases/:id',
    access: ANY_CALLER,
    summary: 'Let a lease end so many `minutes` from now',
    params: IdParams,
    body: Type.Object({ minutes: Type.Number() }),
    responses: { 200: Lease },
  }),
  endLease: defineRoute({
    method: 'DELETE',
    path: '/leases/:id',
    access: ANY_CALLER,
    summary: 'End a lease; a session on the phone goes on',
    params: IdParams,
    responses: { 204: null },
  }),
};
