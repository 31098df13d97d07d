import { type Agent, type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CreateCredentials } from '../capabilities.ts';
import type { CommandHeaders } from '../command-headers.ts';

/** Service to which the proxy forwards, with the credentials to add. */
export interface Upstream {
  readonly origin: URL;
  readonly headers: CommandHeaders;
  /** Credential headers for the WebSockets of sessions, such as BiDi. */
  readonly socketHeaders: CommandHeaders;
  /** Credentials to put into the bodies of create-session requests. If absent, the bodies are forwarded unchanged. */
  readonly createCredentials?: CreateCredentials;
  readonly agent: Agent;
}

export function ask({ origin }: Upstream, options: RequestOptions): ClientRequest {
  const send = origin.protocol === 'https:' ? httpsRequest : httpRequest;
  return send({
    // Node expects an IPv6 address without the brackets that a URL puts around it.
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    port: origin.port === '' ? undefined : Number(origin.port),
    ...options,
  });
}

/** Returns an error body in the format of WebDriver, so that a WebDriver client shows the message to its user. */
export function webdriverError(message: string): string {
  return JSON.stringify({
    value: { error: 'unknown error', message: `svc proxy: ${message}`, stacktrace: '' },
  });
}

/** @returns the cause of a failure as text, without query strings and headers, because these may contain secrets */
export function reason(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return 'failed';
}
