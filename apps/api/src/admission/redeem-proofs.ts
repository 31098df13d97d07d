import { createHash, timingSafeEqual } from 'node:crypto';
import type { PresentedCredentials, Sender } from '@svc/auth-core';
import { bearerOf, headerText, type Tickets } from '@svc/auth-core';
import {
  type Access,
  acceptedProof,
  atNode,
  HEADERS,
  type HubTokenProof,
  headersOfProof,
  type Proof,
  type TicketProof,
} from '@svc/contract';
import type { NodeSide } from '@svc/nodes';
import type { FastifyRequest } from 'fastify';
import { stopCounting } from '../clients/client-limits.ts';
import type { AccountServices } from '../services/services.ts';
import { onlyText } from '../wire/only-text.ts';

/**
 * Checks one kind of proof other than that of an account, such as a ticket. If a request contains this proof, it is
 * accepted or refused by this proof alone.
 */
export interface Redeemer {
  isPresented(request: FastifyRequest): boolean;
  /** Checks the proof and returns the sender. Throws or rejects with a refusal if the proof is not valid. */
  redeem(request: FastifyRequest): Sender | Promise<Sender>;
}

type Params = Readonly<Record<string, string>>;

/**
 * Returns a redeemer for each kind of proof that the route accepts on this server. The proofs of accounts have no
 * redeemer (see `accountProver`).
 */
export function redeemersOf(access: Access, services: AccountServices): readonly Redeemer[] {
  return access.accepts.map((proof) => redeemerOf(proof, access, services)).filter((each) => each !== null);
}

function redeemerOf(proof: Proof, access: Access, services: AccountServices): Redeemer | null {
  const { config, modules } = services;
  const node = modules.node?.offers;
  switch (proof.by) {
    case 'credential':
    case 'scim-key':
    case 'mcp-bearer':
      return null;
    case 'hub-token':
      return node === undefined ? null : hubToken(proof, node);
    case 'ticket':
      // On a node, no ticket is valid for a route that belongs to the hub, because the node issues none.
      if (node !== undefined && atNode(access) === 'hub') return null;
      if (config.authDisabled && !proof.evenWithSignInOff) return null;
      return ticket(proof, access, services.tickets);
    case 'scrape-token':
      return config.metrics.scrapeToken === null ? null : scrapeToken(config.metrics.scrapeToken);
  }
}

function hubToken({ action }: HubTokenProof, { tokens }: NodeSide): Redeemer {
  const tokenOf = ({ headers }: FastifyRequest) => headerText(headers[HEADERS.hubToken]);
  return {
    isPresented: (request) => tokenOf(request) !== undefined,
    redeem: async (request) => {
      const { udid = '', id = '' } = request.params as Params;
      const token = tokenOf(request);
      if (action === 'session') await tokens.checkCommand(token, id);
      const proved =
        action === 'session'
          ? { sessionId: id, lessee: null }
          : await tokens.redeemControl(token, udid, action);
      stopCounting(request.raw.socket);
      return { kind: 'hub', ...proved };
    },
  };
}

/**
 * Checks a ticket but does not spend it, because the handler may still refuse the request, and the client can then use
 * the ticket again.
 */
function ticket(
  { audience, resource }: TicketProof,
  access: Access,
  tickets: Pick<Tickets, 'check'>,
): Redeemer {
  const ticketOf = ({ query }: FastifyRequest) => onlyText((query as { readonly ticket?: unknown }).ticket);
  const isRequired = acceptedProof(access, 'credential') === undefined;
  return {
    isPresented: (request) => isRequired || ticketOf(request) !== undefined,
    redeem: async (request) => {
      const named = resource === undefined ? null : ((request.params as Params)[resource] ?? null);
      const checked = await tickets.check(ticketOf(request), { audience, resource: named }, request.from);
      return { kind: 'caller', caller: checked.caller, ticket: checked };
    },
  };
}

const STRONGER_HEADERS = headersOfProof('key');

/**
 * Accepts the token of the metrics scraper. Compares hashes in constant time, so that the duration does not reveal the
 * token. Every other route refuses this token as an unknown bearer token.
 */
function scrapeToken(secret: string): Redeemer {
  const expected = digestOf(secret);
  // If a request also contains a key pair, the token is ignored, because a key pair is a stronger credential than a
  // bearer token (specification 5.1.1).
  const tokenIn = (headers: PresentedCredentials['headers']) =>
    STRONGER_HEADERS.some((name) => headers[name] !== undefined)
      ? undefined
      : bearerOf(headers.authorization);
  return {
    isPresented: ({ headers }) => {
      const given = tokenIn(headers);
      return given !== undefined && timingSafeEqual(digestOf(given), expected);
    },
    redeem: () => ({ kind: 'scraper' }),
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
