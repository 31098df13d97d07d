import { type Handlers, instant } from '@svc/module';
import type { TerminalSignIns } from './terminal-sign-in.ts';

/** Handlers with which a person approves the sign-in of a terminal (contract 10.7). */
export function terminalHandlers(terminalSignIns: TerminalSignIns): Handlers {
  return {
    terminalSignIn: ({ caller, params }) => {
      const { clientName, address, createdAt, scopes } = terminalSignIns.describe(caller, params.userCode);
      const asked = { clientName, address, createdAt: instant(createdAt) };
      return scopes === null ? asked : { ...asked, scopes: [...scopes] };
    },

    decideTerminalSignIn: ({ caller, params, body }) =>
      terminalSignIns.decide(caller, params.userCode, body.approve),
  };
}
