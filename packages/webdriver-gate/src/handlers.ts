import type { IncomingMessage, ServerResponse } from 'node:http';
import { closeSlowBody, mayHaveBody } from './body.ts';
import type { Forwarding, Upstream } from './forward.ts';
import type { GateParts } from './gate-parts.ts';
import type { CommandReport } from './report.ts';
import type { Target } from './target.ts';

type Kind = Target['kind'];
type TargetOf<K extends Kind> = Extract<Target, { readonly kind: K }>;

/** Handles the requests with targets of one type. */
export type Handler<T extends Target = Target> = (
  req: IncomingMessage,
  res: ServerResponse,
  target: T,
) => void;

/** Handlers of a gate, one for each kind of target. */
export type Handlers = { readonly [K in Kind]: Handler<TargetOf<K>> };

export type CreateTarget = TargetOf<'create' | 'misrouted create'>;

/**
 * Returns a handler that refuses request targets that only an attacker would send, such as ones with control characters
 * (contract 7).
 */
export function refusing({ responses, originOf }: GateParts): Handler {
  return (req, res) => responses.badTarget(res, originOf(req).requestId);
}

/**
 * Routes of the service that read the body before the sender is authenticated, for example because the body contains
 * the credential. The body must arrive within `bodyMs`.
 */
const PUBLIC_BODY = /^\/svc\/(?:api\/auth|oauth|oidc)\//;

/** Returns a handler that passes requests on to the service's own pages and API. */
export function toSite(site: Upstream, { bodyMs }: GateParts): Handler<TargetOf<'site'>> {
  return (req, res, { url }) => {
    if (req.url !== url) req.url = url;
    if (PUBLIC_BODY.test(url) && mayHaveBody(req)) closeSlowBody(req, res, bodyMs);
    site.request(req, res);
  };
}

/**
 * Returns a handler that forwards every command. In report-only mode, it first checks the command and counts it if the
 * check fails.
 */
export function forwardUnchecked(
  forwarding: Forwarding,
  report: CommandReport | null,
): Handler<TargetOf<'command'>> {
  return (req, res, target) => {
    const reported = report?.command(req, target.sessionId);
    if (reported === undefined) forwarding.unchecked(req, res, target);
    else void reported.then(() => !res.destroyed && forwarding.unchecked(req, res, target));
  };
}
