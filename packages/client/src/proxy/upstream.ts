import { type Agent, type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CreateCredentials } from '../capabilities.ts';
import type { CommandHeaders } from '../command-headers.ts';

/** The service behind the proxy. */
export interface Upstream {
  readonly origin: URL;
  readonly headers: CommandHeaders;
  /** Headers of session sockets, which are closed when their credential expires. */
  readonly socketHeaders: CommandHeaders;
  /** Credentials to put into creates; if absent, their bodies are forwarded unchanged. */
  readonly createCredentials?: CreateCredentials;
  readonly agent: Agent;
}

export function ask({ origin }: Upstream, options: RequestOptions): ClientRequest {
  const send = origin.protocol === 'https:' ? httpsRequest : httpRequest;
  return send({
    // Node expects an IPv6 address without brackets.
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    port: origin.port === '' ? undefined : Number(origin.port),
    ...options,
  });
}

/** Uses WebDriver's error shape, because a WebDriver client shows the message to its user. */
export function webdriverError(message: string): string {
  return JSON.stringify({
    value: { error: 'unknown error', message: `svc proxy: ${message}`, stacktrace: '' },
  });
}

/** @returns the cause of a failure, without query strings or headers */
export function reason(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return 'failed';
}
