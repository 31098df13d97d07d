import { ADMIN, READS_LAB } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  EmailSchema,
  InstantSchema,
  literals,
  namedObject,
  orNull,
  TeamRefSchema,
  Type,
  UuidSchema,
} from './common.ts';

const Seconds = (description: string) => Type.Integer({ minimum: 0, description });

const USE_TIMES = {
  presentSeconds: Seconds('Time for which the phone was present, which contains busy and leased time.'),
  busySeconds: Seconds('Time for which a session ran on the phone.'),
  leasedSeconds: Seconds('Time for which the phone was leased and no session ran on it.'),
  waitedSeconds: Seconds(
    'Time for which at least one request waited that could have used the phone, whatever its state.',
  ),
};

const Team = orNull(TeamRefSchema, { description: 'Null for the shared pool.' });

const PhoneUse = namedObject('PhoneUse', {
  udid: Type.String(),
  name: Type.String(),
  team: Team,
  ...USE_TIMES,
});

const TeamUse = namedObject('TeamUse', {
  team: Team,
  phones: Type.Integer({ description: 'Number of phones that were present in this team in the period.' }),
  ...USE_TIMES,
});

const Limit = (description: string, maximum = 100_000) =>
  orNull(Type.Integer({ minimum: 0, maximum }), { description });

const LIMITS = {
  sessions: Limit('Sessions at the same time, or null for no limit.'),
  leases: Limit('Leases at the same time, or null for no limit.'),
  minutes: Limit(
    'Minutes of sessions and leases on a day (UTC), all together, or null for no limit.',
    1_000_000,
  ),
};

export const ShareLimits = namedObject('ShareLimits', LIMITS);
/** Body with limits. An absent limit is none. */
export const NewLimits = Type.Object({
  sessions: Type.Optional(LIMITS.sessions),
  leases: Type.Optional(LIMITS.leases),
  minutes: Type.Optional(LIMITS.minutes),
});

const Share = namedObject('Share', {
  kind: literals(['account', 'team']),
  id: UuidSchema,
  name: Type.String({ description: 'Name of the team, or e-mail of the account.' }),
  limits: ShareLimits,
  used: namedObject(
    'ShareUse',
    {
      sessions: Type.Integer({ description: 'Running and starting sessions.' }),
      leases: Type.Integer(),
      minutes: Type.Integer({ description: 'Minutes of today (UTC).' }),
    },
    { description: 'What is used now.' },
  ),
});

const KindUse = namedObject('KindUse', {
  kind: Type.String({ description: 'Model and system of the phones of this kind.' }),
  phones: Type.Integer({ description: 'Phones of this kind that the lab has now.' }),
  savedSeconds: Seconds(
    'Time that requests would have waited less, all together and at least, with one more phone of this kind.',
  ),
});

const PersonUse = namedObject('PersonUse', {
  id: UuidSchema,
  email: EmailSchema,
  sessionSeconds: Seconds('Total time of the sessions of the person.'),
  leaseSeconds: Seconds('Total time of leases without a session of the person on the phone.'),
});

const MonthParams = Type.Object({
  month: Type.String({
    pattern: '^20\\d{2}-(0[1-9]|1[0-2])$',
    description: 'The month (UTC), such as `2026-01`.',
  }),
});

const TAG: RouteTag = { name: 'Usage', description: 'How much the phones were used.' };

export const usageRoutes = feature(TAG, {
  labUsage: route.get('/usage', {
    access: READS_LAB,
    summary: 'Use of the last 7 days of the phones that the caller may see',
    responses: {
      200: namedObject('LabUsage', {
        from: InstantSchema,
        to: InstantSchema,
        phones: Type.Array(PhoneUse),
        teams: orNull(Type.Array(TeamUse), {
          description: 'Use by team at the time of the use. Null unless the caller is an Admin.',
        }),
      }),
    },
  }),
  getUsageOfMonth: route.get('/usage/months/:month', {
    access: ADMIN,
    summary: 'Use of the phones in a month, by team, phone and, if shown, person',
    params: MonthParams,
    responses: {
      200: namedObject('UsageOfMonth', {
        from: InstantSchema,
        to: InstantSchema,
        phones: Type.Array(PhoneUse, {
          description: 'A phone has an entry for each team that it belonged to.',
        }),
        teams: Type.Array(TeamUse),
        kinds: Type.Array(KindUse),
        people: orNull(Type.Array(PersonUse), {
          description: 'Null unless the setting `usageByPerson` is `on`.',
        }),
      }),
    },
  }),
  exportUsage: route.get('/usage/months/:month/csv', {
    access: ADMIN,
    summary: 'Use of the phones in a month as CSV, by team, phone, kind and person',
    params: MonthParams,
    responses: { 200: Type.Unsafe<string>({ type: 'string', format: 'binary' }) },
    produces: ['text/csv'],
  }),
  listShares: route.get('/usage/shares', {
    access: READS_LAB,
    summary: 'Limits of the caller and of their teams, or for an Admin all limits, and their use',
    responses: { 200: Type.Array(Share) },
  }),
});
