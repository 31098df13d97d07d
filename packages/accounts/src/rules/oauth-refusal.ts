import { HttpResponse } from '@svc/auth-core';
import { OAUTH_ERROR_STATUS, type OAuthErrorCode } from '@svc/contract';

/**
 * Error that refuses a request below `/svc/oauth` with an error code of OAuth (RFC 6749 5.2). The client gets
 * `description`; only the audit trail and the log get `reason`. The audit trail combines refusals with the same `group`
 * into shared rows.
 */
export class OAuthRefusal extends HttpResponse {
  readonly code: OAuthErrorCode;
  readonly description: string | undefined;
  readonly reason: string;
  readonly group: string | undefined;
  readonly status: number;

  constructor(
    code: OAuthErrorCode,
    description?: string,
    reason: string = description ?? code,
    group?: string,
    status: number = OAUTH_ERROR_STATUS[code],
  ) {
    super(reason);
    this.name = 'OAuthRefusal';
    this.code = code;
    this.group = group;
    this.description = description;
    this.reason = reason;
    this.status = status;
  }
}
