import type { HeaderValues, PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';

/** Where credentials stand in the headers of a WebDriver command: each scheme says it of its own, and nobody else. */
export class CommandHeaders {
  /** Those a credential may stand in, lower case. */
  readonly names: readonly string[];
  readonly #schemes: readonly CredentialScheme[];

  constructor(schemes: readonly CredentialScheme[]) {
    this.#schemes = schemes.filter(({ onCommands }) => onCommands);
    this.names = this.#schemes.flatMap(({ headers }) => headers);
  }

  /**
   * The headers without their credentials, as a copy; themselves when they carry none. A header that carries none
   * stays: another kind of `Authorization` is not ours.
   */
  without<Headers extends HeaderValues>(headers: Headers): Headers {
    const presented = presentedIn(headers);
    let kept = headers;
    for (const scheme of this.#schemes) {
      if (scheme.secretOf(presented) !== undefined) kept = copyWithout(kept, scheme.headers);
    }
    return kept;
  }

  /** What they present, unproven, in one text; undefined: nothing. The same credentials make the same text. */
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

/** A copy, since an object something was deleted from is slow for all who read it afterwards. */
function copyWithout<Headers extends HeaderValues>(headers: Headers, names: readonly string[]): Headers {
  const kept: Record<string, unknown> = {};
  for (const name in headers) if (!names.includes(name)) kept[name] = headers[name];
  return kept as Headers;
}
