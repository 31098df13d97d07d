import { type Agent, type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CreateCredentials } from '../capabilities.ts';
import type { CommandHeaders } from '../command-headers.ts';

/** The service behind the proxy. */
export interface Upstream {
  readonly origin: URL;
  readonly headers: CommandHeaders;
  /** For session sockets, which end with their credential. */
  readonly socketHeaders: CommandHeaders;
  /** Put into creates; absent: their bodies are forwarded as they are. */
  readonly createCredentials?: CreateCredentials;
  readonly agent: Agent;
}

export function ask({ origin }: Upstream, options: RequestOptions): ClientRequest {
  const send = origin.protocol === 'https:' ? httpsRequest : httpRequest;
  return send({
    // Node wants an IPv6 address without its brackets.
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    port: origin.port === '' ? undefined : Number(origin.port),
    ...options,
  });
}

/** A WebDriver client shows its user the message. */
export function webdriverError(message: string): string {
  return JSON.stringify({
    value: { error: 'unknown error', message: `svc proxy: ${message}`, stacktrace: '' },
  });
}

/** What went wrong, without addresses' query or any header. */
export function reason(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return 'failed';
}
