import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PROOF_HEADERS } from '@svc/contract';
import type { AttachAddresses, Attached } from '@svc/device-lab';
import type { AccessTrail } from '../access-trail.ts';
import type { Forwarding } from '../forward.ts';
import type { ReportRefusal } from '../refusals.ts';
import { markAttached, type OriginOf } from '../request-origin.ts';
import { type GateResponses, notCreated } from '../responses.ts';
import type { SocketDecision } from '../sockets.ts';
import { type Target, Targets } from '../target.ts';

/** The part of the attach addresses that the gate uses. */
export type GateAddresses = Pick<AttachAddresses, 'find' | 'noteUse' | 'sessionsAt'>;

interface AttachGateOptions {
  /** The attach addresses, or null on a server that has none and therefore refuses every request to one. */
  readonly addresses: GateAddresses | null;
  readonly targets: Targets;
  readonly forwarding: Forwarding;
  readonly report: ReportRefusal;
  readonly responses: GateResponses;
  readonly originOf: OriginOf;
  readonly trail?: Pick<AccessTrail, 'usedAttached'> | undefined;
  /** Answers a request for the status of the automation server, which needs no credentials. */
  readonly status: (
    req: IncomingMessage,
    res: ServerResponse,
    target: Extract<Target, { kind: 'other' }>,
  ) => void;
}

type AttachTarget = Extract<Target, { kind: 'attach' }>;
type CommandTarget = Extract<Target, { kind: 'command' }>;

const NO_PHONE = notCreated('no phone of this lab fits the capabilities');
/** Answers preflights of pages of any origin. Without `Allow-Credentials`, browsers send no cookie (contract 15.4). */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '600',
  'Content-Length': '0',
};
const LIST = /^\/(?:appium\/)?sessions\/?(?:\?|$)/;
const STATUS = /^\/status\/?(?:\?|$)/;

/**
 * Handles requests below attach addresses: `/svc/attach/<secret>` and a target without the base path (contract 15.4).
 * Forwards what belongs to the session of the address, with the rights of the address's maker, and answers everything
 * else like an unknown session. Credentials in a request have no effect and are not forwarded.
 */
export class AttachGate {
  readonly #options: AttachGateOptions;
  /** Classifies the part of a target after the secret, which never has the base path. */
  readonly #below = new Targets('');

  constructor(options: AttachGateOptions) {
    this.#options = options;
  }

  handle(req: IncomingMessage, res: ServerResponse, called: AttachTarget): void {
    hideSecret(req, called);
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Referrer-Policy', 'no-referrer');
    if (req.method === 'OPTIONS') {
      res.writeHead(204, PREFLIGHT);
      res.end();
      return;
    }
    const { addresses, responses, originOf } = this.#options;
    const attached = addresses?.find(called.secret);
    const target = this.#below.classify(called.url);
    if (target.kind === 'create' && req.method === 'POST')
      responses.error(req, res, NO_PHONE, originOf(req).requestId);
    else if (attached === undefined) this.#refuse(req, res, target, 'unknown attach address');
    else this.#attached(req, res, { attached, target, called });
  }

  #attached(
    req: IncomingMessage,
    res: ServerResponse,
    { attached, target, called }: { attached: Attached; target: Target; called: AttachTarget },
  ): void {
    const { forwarding, status, targets } = this.#options;
    const command = this.#commandOf(target, attached);
    const isRead = req.method === 'GET';
    if (command !== undefined) {
      this.#used(req, attached);
      forwarding.request(req, res, command, attached.caller);
    } else if (isRead && LIST.test(called.url)) {
      this.#used(req, attached);
      this.#list(req, res, attached);
    } else if (isRead && STATUS.test(called.url))
      status(req, res, { kind: 'other', url: `${targets.basePath}/status` });
    else this.#refuse(req, res, target, 'attach address of another session');
  }

  /** Decides about an upgrade. Only sockets of the address's session are let through. */
  socket(req: IncomingMessage, called: AttachTarget): SocketDecision {
    hideSecret(req, called);
    const { addresses, targets } = this.#options;
    const attached = addresses?.find(called.secret);
    const below = this.#below.classifySocket(called.url);
    const refused = (reason: string): SocketDecision => {
      this.#report(req, below.kind === 'session' ? below.sessionId : undefined, reason);
      return { kind: 'refuse', status: 404 };
    };
    if (attached === undefined) return refused('unknown attach address');
    const plain = this.#below.classify(called.url);
    // In front of a grid, sockets are below the session's path.
    const isBelowBase = plain.kind === 'command' || (below.kind === 'session' && below.bidi);
    const target = targets.classifySocket(isBelowBase ? `${targets.basePath}${called.url}` : called.url);
    const { sessionId, caller, ending: until } = attached;
    if (target.kind !== 'session' || target.sessionId !== sessionId)
      return refused('attach address of another session');
    this.#used(req, attached);
    return { kind: 'pass', url: target.url, sessionId, caller, until };
  }

  /** @returns the command with the base path of the server, or undefined if it is none of the address's session */
  #commandOf(target: Target, { sessionId }: Attached): CommandTarget | undefined {
    if (target.kind !== 'command' || target.sessionId !== sessionId) return undefined;
    const { targets } = this.#options;
    const command = targets.classify(`${targets.basePath}${target.url}`);
    return command.kind === 'command' && command.sessionId === sessionId ? command : undefined;
  }

  #list(req: IncomingMessage, res: ServerResponse, attached: Attached): void {
    const { addresses, responses, originOf } = this.#options;
    responses.value(req, res, addresses?.sessionsAt(attached) ?? [], originOf(req).requestId);
  }

  #used(req: IncomingMessage, attached: Attached): void {
    const { addresses, trail, originOf } = this.#options;
    markAttached(req);
    dropCredentials(req);
    const from = originOf(req);
    addresses?.noteUse(attached, { address: from.address, userAgent: req.headers['user-agent'] ?? null });
    trail?.usedAttached(attached.sessionId, attached.attachId, attached.caller, from);
  }

  #refuse(req: IncomingMessage, res: ServerResponse, target: Target, reason: string): void {
    const { responses, originOf } = this.#options;
    this.#report(req, target.kind === 'command' ? target.sessionId : undefined, reason);
    responses.unknownSession(req, res, originOf(req).requestId);
  }

  #report(req: IncomingMessage, sessionId: string | undefined, reason: string): void {
    markAttached(req);
    const from = this.#options.originOf(req);
    this.#options.report({ req, from, sessionId, caller: 'no credentials', isKnown: false, reason });
  }
}

/** Removes the secret from the request's URL, so that neither this server nor the automation server logs it. */
function hideSecret(req: IncomingMessage, { url }: AttachTarget): void {
  req.url = url;
}

/** Headers that could carry other credentials of the sender, or the secret of the address. */
const DROPPED: ReadonlySet<string> = new Set([...PROOF_HEADERS, 'referer']);

function dropCredentials(req: IncomingMessage): void {
  const kept: IncomingHttpHeaders = {};
  for (const name in req.headers) if (!DROPPED.has(name)) kept[name] = req.headers[name];
  req.headers = kept;
}
