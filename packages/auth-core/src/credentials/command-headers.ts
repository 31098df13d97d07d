import type { HeaderValues, PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';

/** Headers of WebDriver commands that carry credentials, as the schemes declare them. */
export class CommandHeaders {
  /** Names of the headers in lower case. */
  readonly names: readonly string[];
  readonly #schemes: readonly CredentialScheme[];

  constructor(schemes: readonly CredentialScheme[]) {
    this.#schemes = schemes.filter(({ onCommands }) => onCommands);
    this.names = [...new Set(this.#schemes.flatMap(({ headers }) => headers))];
  }

  /**
   * @returns a copy of the headers without credentials, or the headers themselves if they have no credential. A header
   * that carries no svc credential stays, such as `Authorization` with another scheme.
   */
  without<Headers extends HeaderValues>(headers: Headers): Headers {
    const presented = presentedIn(headers);
    let kept = headers;
    for (const scheme of this.#schemes) {
      if (scheme.secretOf(presented) !== undefined) kept = copyWithout(kept, scheme.headers);
    }
    return kept;
  }

  /**
   * @returns a text for comparing requests, which is equal for the same credential headers, or undefined if the headers
   * carry no credential. The credentials are not verified.
   */
  textOf(headers: HeaderValues): string | undefined {
    const presented = presentedIn(headers);
    const values = this.#schemes.map((scheme) =>
      scheme.secretOf(presented) === undefined ? null : scheme.headers.map((name) => headers[name] ?? null),
    );
    return values.every((each) => each === null) ? undefined : JSON.stringify(values);
  }
}

function presentedIn(headers: HeaderValues): PresentedCredentials {
  return { headers, cookie: undefined };
}

/**
 * Copies the headers without `names`. The headers are not changed with `delete`, because V8 makes later access to such
 * an object slow.
 */
function copyWithout<Headers extends HeaderValues>(headers: Headers, names: readonly string[]): Headers {
  const kept: Record<string, unknown> = {};
  for (const name in headers) if (!names.includes(name)) kept[name] = headers[name];
  return kept as Headers;
}
