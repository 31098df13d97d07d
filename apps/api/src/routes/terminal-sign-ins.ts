import { routes } from '@svc/contract';
import { instant } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes with which a person approves the sign-in of a terminal (contract 10.7). */
export function terminalSignInRoutes(api: App, { services: { terminalSignIns } }: HttpContext): void {
  handle(api, routes.terminalSignIn, ({ caller, params }) => {
    const { clientName, address, createdAt, scopes } = terminalSignIns.describe(caller, params.userCode);
    const asked = { clientName, address, createdAt: instant(createdAt) };
    return scopes === null ? asked : { ...asked, scopes: [...scopes] };
  });

  handle(api, routes.decideTerminalSignIn, ({ caller, params, body }) =>
    terminalSignIns.decide(caller, params.userCode, body.approve),
  );
}
