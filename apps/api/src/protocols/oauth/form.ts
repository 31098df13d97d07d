import { OAuthRefusal } from '@svc/accounts';
import type { App } from '../../http/http-context.ts';

/** Maximum size of a form body in bytes. The largest parameter, a signed token, fits easily. */
const LARGEST = 64 * 1024;
const MOST_PARAMETERS = 64;

/** The parameters of a request below `/svc/oauth`. */
export class Form {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  /** @returns the value of a parameter, or undefined if it is absent or empty (RFC 6749 3.2) */
  get(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  /** @returns the value of a parameter. Throws `invalid_request` if it is absent or empty. */
  required(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new OAuthRefusal('invalid_request', `${name} is required`);
    return value;
  }

  /**
   * @returns the parameter `token` without surrounding white space, because a file that holds a token usually ends with
   * a line feed. Throws `invalid_request` if nothing is left.
   */
  token(): string {
    const value = this.required('token').trim();
    if (value === '') throw new OAuthRefusal('invalid_request', 'token is required');
    return value;
  }
}

/**
 * Reads form bodies. A parameter that occurs twice is refused (RFC 6749 3.2), so that two programs cannot read
 * different values from one request. Parameters in the query are ignored.
 */
export function parseForms(scope: App): void {
  const options = { parseAs: 'buffer', bodyLimit: LARGEST } as const;
  scope.addContentTypeParser<Buffer>('application/x-www-form-urlencoded', options, (_request, body, done) => {
    try {
      done(null, formOf(body));
    } catch (error) {
      done(error as Error);
    }
  });
  scope.addHook('preValidation', (request, _reply, done) => {
    if (!(request.body instanceof Form)) request.body = new Form(new Map());
    done();
  });
}

function formOf(body: Buffer): Form {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(textOf(body))) {
    if (values.has(name)) throw new OAuthRefusal('invalid_request', 'a parameter occurs twice');
    values.set(name, value);
    if (values.size > MOST_PARAMETERS) throw new OAuthRefusal('invalid_request', 'too many parameters');
  }
  return new Form(values);
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new OAuthRefusal('invalid_request', 'the body is not UTF-8');
  }
}
