import { READS_LAB } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { InstantSchema, named, TeamRefSchema, Type } from './common.ts';

const Seconds = (description: string) => Type.Integer({ minimum: 0, description });

const USE_TIMES = {
  presentSeconds: Seconds('Time for which the phone was present, which contains busy and leased time.'),
  busySeconds: Seconds('Time for which a session ran on the phone.'),
  leasedSeconds: Seconds('Time for which the phone was leased and no session ran on it.'),
  waitedSeconds: Seconds(
    'Time for which at least one request waited that could have used the phone, whatever its state.',
  ),
};

const Team = Type.Union([TeamRefSchema, Type.Null()], { description: 'Null for the shared pool.' });

const PhoneUse = named(
  'PhoneUse',
  Type.Object({ udid: Type.String(), name: Type.String(), team: Team, ...USE_TIMES }),
);

const TeamUse = named(
  'TeamUse',
  Type.Object({
    team: Team,
    phones: Type.Integer({ description: 'Number of phones that were present in this team in the period.' }),
    ...USE_TIMES,
  }),
);

const TAG: RouteTag = { name: 'Usage', description: 'How much the phones were used.' };

export const usageRoutes = feature(TAG, {
  labUsage: defineRoute({
    method: 'GET',
    path: '/usage',
    access: READS_LAB,
    summary: 'Use of the last 7 days of the phones that the caller may see',
    responses: {
      200: named(
        'LabUsage',
        Type.Object({
          from: InstantSchema,
          to: InstantSchema,
          phones: Type.Array(PhoneUse),
          teams: Type.Union([Type.Array(TeamUse), Type.Null()], {
            description: 'Use by team at the time of the use. Null unless the caller is an Admin.',
          }),
        }),
      ),
    },
  }),
});
