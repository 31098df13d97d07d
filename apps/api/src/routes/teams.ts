import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes for teams and their members (contract 2). */
export function teamRoutes(api: App, { services: { teams, accountChanged } }: HttpContext): void {
  handle(api, routes.listTeams, ({ caller }) => teams.list(caller));

  handle(api, routes.createTeam, ({ caller, body }) => teams.create(caller, body));

  handle(api, routes.removeTeam, ({ caller, params }) => teams.remove(caller, params.id), {
    authorizeResource: (caller, { id }) => teams.checkKnown(caller, id),
  });

  handle(api, routes.listMembers, ({ caller, params }) => teams.members(caller, params.id));

  handle(
    api,
    routes.addMember,
    ({ caller, params, body }) => {
      const added = teams.addMember(caller, params.id, body.userId);
      accountChanged(body.userId);
      return added;
    },
    { authorizeResource: (caller, { id }) => teams.checkKnown(caller, id) },
  );

  handle(
    api,
    routes.removeMember,
    ({ caller, params }) => {
      teams.removeMember(caller, params.id, params.userId);
      accountChanged(params.userId);
    },
    { authorizeResource: (caller, { id }) => teams.checkKnown(caller, id) },
  );
}
