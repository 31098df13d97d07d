import { HttpResponse } from '@svc/auth-core';

/** Error types of SCIM (RFC 7644 3.12). Each has the status 400, except `uniqueness`, which has 409. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness';

/** Error that refuses a SCIM request because of its content. The client gets `detail`. */
export class ScimRefusal extends HttpResponse {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly detail: string;

  constructor(status: number, scimType: ScimType | undefined, detail: string) {
    super(detail);
    this.name = 'ScimRefusal';
    this.status = status;
    this.scimType = scimType;
    this.detail = detail;
  }
}
