import { routes } from '@svc/contract';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';

/** Teams and their members (contract 2). */
export function teamRoutes(api: App, { services }: HttpContext): void {
  const { teams } = services;

  handle(api, routes.listTeams, () => services.stores.teams.list());

  handle(api, routes.createTeam, ({ caller, body }) => teams.create(caller, body));

  handle(api, routes.removeTeam, ({ caller, params }) => teams.remove(caller, params.id));

  handle(api, routes.listMembers, ({ params }) => teams.members(params.id));

  handle(
    api,
    routes.addMember,
    ({ caller, params, body }) => teams.addMember(caller, params.id, body.userId),
    { authorizeResource: (_caller, { id }) => teams.checkKnown(id) },
  );

  handle(api, routes.removeMember, ({ caller, params }) =>
    teams.removeMember(caller, params.id, params.userId),
  );
}
