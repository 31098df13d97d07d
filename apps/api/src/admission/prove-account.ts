import { type Admitted, Refusal } from '@svc/auth-core';
import { type Access, accountProof } from '@svc/contract';
import { isDoubled } from '@svc/webdriver-gate';
import type { FastifyRequest } from 'fastify';
import { implicitAdmin } from '../http/implicit-admin.ts';
import type { AccountServices } from '../services/services.ts';

/** Finds the account that sends a request. Throws or rejects with a refusal if the request does not prove one. */
export type ProveAccount = (request: FastifyRequest) => Admitted | Promise<Admitted>;

/** Returns the check of the proof of an account that the access accepts. */
export function accountProver(access: Access, services: AccountServices): ProveAccount {
  switch (accountProof(access)?.by) {
    case 'scim-key':
      return byScimKey(services);
    case 'mcp-bearer':
      return byAgentBearer(services);
    case 'credential':
      return byCredential(services);
    case undefined:
      return insteadOfTicket(byCredential(services));
  }
}

/**
 * Accepts every credential of the API. While sign-in is off, every request has the oldest Super admin as its caller.
 */
function byCredential(services: AccountServices): ProveAccount {
  return ({ presented, from }) =>
    services.config.authDisabled
      ? implicitAdmin(services, from)
      : services.authenticator.authenticate(presented, from);
}

function byScimKey({ modules }: AccountServices): ProveAccount {
  const { scimAuthenticator } = modules.accounts.offers;
  return ({ presented, from }) => scimAuthenticator.authenticate(presented, from);
}

/** Accepts only a bearer token with the audience `svc-mcp` (contract 12). */
function byAgentBearer(services: AccountServices): ProveAccount {
  const prove = byCredential(services);
  return async (request) => {
    if (services.config.authDisabled) return prove(request);
    if (isDoubled(request.raw, 'authorization'))
      throw new Refusal('invalid token', 'two Authorization headers');
    const caller = await prove(request);
    if (caller.credential.mcpScopes === null)
      throw new Refusal('invalid token', 'bearer token: not for agents');
    return caller;
  };
}

/**
 * Returns the check of a request to a route that accepts only tickets, in the two cases in which no ticket is checked:
 * while sign-in is off, and on a node if the hub manages the route. In the second case, a client with a valid
 * credential gets `managed_by_hub`, and every other client gets the response for a wrong ticket.
 */
function insteadOfTicket(prove: ProveAccount): ProveAccount {
  return (request) => {
    try {
      const caller = prove(request);
      return caller instanceof Promise ? caller.catch(refuseAsTicket) : caller;
    } catch (error) {
      return refuseAsTicket(error);
    }
  };
}

function refuseAsTicket(error: unknown): never {
  if (error instanceof Refusal && error.status === 401) throw new Refusal('invalid ticket', error.reason);
  throw error;
}
