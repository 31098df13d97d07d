import type { HeaderValues, PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';

/** Headers of WebDriver commands that carry credentials, as the schemes declare them. */
export class CommandHeaders {
  /** Names of the headers in lower case. */
  readonly names: readonly string[];
  readonly #schemes: readonly CredentialScheme[];

  constructor(schemes: readonly CredentialScheme[]) {
    this.#schemes = schemes.filter(({ onCommands }) => onCommands);
    this.names = this.#schemes.flatMap(({ headers }) => headers);
  }

  /**
   * @returns a copy of the headers without credentials, or the headers themselves if they have none. A header without
   * our credential stays, such as another kind of `Authorization`.
   */
  without<Headers extends HeaderValues>(headers: Headers): Headers {
    const presented = presentedIn(headers);
    let kept = headers;
    for (const scheme of this.#schemes) {
      if (scheme.secretOf(presented) !== undefined) kept = copyWithout(kept, scheme.headers);
    }
    return kept;
  }

  /** @returns a text that is the same for the same unverified credentials, or undefined if there are none */
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

/** Copies, because V8 makes objects slow when a property is deleted. */
function copyWithout<Headers extends HeaderValues>(headers: Headers, names: readonly string[]): Headers {
  const kept: Record<string, unknown> = {};
  for (const name in headers) if (!names.includes(name)) kept[name] = headers[name];
  return kept as Headers;
}
