import type { Handlers } from '@svc/module';
import type { ManageTeams } from './manage-teams.ts';

/** Handlers of teams and their members (contract 2). */
export function teamHandlers(teams: ManageTeams, changed: (accountId: string) => void): Handlers {
  return {
    listTeams: ({ caller }) => teams.list(caller),

    createTeam: ({ caller, body }) => teams.create(caller, body),

    removeTeam: {
      authorize: (caller, { id }) => teams.checkKnown(caller, id),
      answer: ({ caller, params }) => teams.remove(caller, params.id),
    },

    listMembers: ({ caller, params }) => teams.members(caller, params.id),

    addMember: {
      authorize: (caller, { id }) => teams.checkKnown(caller, id),
      answer: ({ caller, params, body }) => {
        const added = teams.addMember(caller, params.id, body.userId);
        changed(body.userId);
        return added;
      },
    },

    removeMember: {
      authorize: (caller, { id }) => teams.checkKnown(caller, id),
      answer: ({ caller, params }) => {
        teams.removeMember(caller, params.id, params.userId);
        changed(params.userId);
      },
    },
  };
}
