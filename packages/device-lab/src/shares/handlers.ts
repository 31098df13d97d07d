import type { Handlers } from '@svc/module';
import type { ShareDirectory } from './share-directory.ts';
import type { ShareLimits } from './share-limits.ts';

/** Handlers of the limits of teams and accounts. */
export function shareHandlers(shares: ShareDirectory): Handlers {
  return {
    listShares: { list: ({ caller }) => shares.read(caller) },
    setTeamLimits: {
      authorize: (caller, { id }) => shares.checkTeam(caller, id),
      answer: ({ caller, params, body }) =>
        shares.set(caller, { kind: 'team', id: params.id }, limitsOf(body)),
    },
    setUserLimits: {
      authorize: (caller, { id }) => shares.checkAccount(caller, id),
      answer: ({ caller, params, body }) =>
        shares.set(caller, { kind: 'account', id: params.id }, limitsOf(body)),
    },
  };
}

/** An absent limit is none, because the request replaces all limits. */
function limitsOf(body: { readonly [Name in keyof ShareLimits]?: number | null | undefined }): ShareLimits {
  return { sessions: body.sessions ?? null, leases: body.leases ?? null, minutes: body.minutes ?? null };
}
