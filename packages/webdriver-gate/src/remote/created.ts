import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HEADERS, isRecord, SENSITIVE_HEADERS } from '@svc/contract';
import type { RemoteAnswer } from '@svc/outbound';
import { isMarkedSensitive } from '../forward.ts';
import { notCreated, WebDriverError } from '../responses.ts';

export interface CreatedSession {
  readonly id: string;
  readonly capabilities: Record<string, unknown>;
}

/**
 * Pattern of valid session ids of automation servers and grids. Other ids are refused, because an id with a slash, for
 * example, would change the path of a command.
 */
const SESSION_ID = /^[A-Za-z0-9_-][\w.~-]{0,127}$/;

/**
 * @returns the session in the response to a create-session request, or null if the response contains no valid session
 */
export function createdIn({ status, body }: RemoteAnswer): CreatedSession | null {
  const value = isRecord(body) ? body.value : undefined;
  if (status !== 200 || !isRecord(value)) return null;
  const { sessionId, capabilities } = value;
  if (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId) || !isRecord(capabilities)) return null;
  return { id: sessionId, capabilities };
}

/** Pattern of valid WebDriver error codes. */
const ERROR_CODE = /^[a-z][a-z ]{1,63}$/;
const LONGEST_MESSAGE = 8 * 1024;

/**
 * @returns the WebDriver error in the response to a create-session request. If the response contains none, returns a
 * general error that names the server as `place`.
 */
export function refusalIn(place: string, { status, body }: RemoteAnswer): WebDriverError {
  const value = isRecord(body) ? body.value : undefined;
  if (!isRecord(value) || typeof value.error !== 'string' || status < 400 || status > 599)
    return notCreated(`${place} answered with no session`);
  const error = ERROR_CODE.test(value.error) ? value.error : 'session not created';
  return new WebDriverError(status, error, String(value.message ?? '').slice(0, LONGEST_MESSAGE));
}

const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/**
 * @returns the client's headers that are forwarded with a create-session request: its request id, its trace context,
 * and the marker that keeps the body out of the log
 */
export function createHeaders(req: IncomingMessage): IncomingHttpHeaders {
  const { headers } = req;
  const kept = [HEADERS.requestId, ...TRACE_HEADERS].filter((name) => typeof headers[name] === 'string');
  return {
    ...Object.fromEntries(kept.map((name) => [name, headers[name]])),
    ...(isMarkedSensitive(req) ? { [SENSITIVE_HEADERS.appium]: 'true' } : {}),
  };
}
