import { HEADERS, SIGN_IN_COOKIE } from '@svc/contract';

/** Credentials as they arrived, unproven. `undefined` means absent; an empty string is present and will fail. */
export interface PresentedCredentials {
  readonly accessKey: string | undefined;
  readonly token: string | undefined;
  readonly bearer: string | undefined;
  readonly cookie: string | undefined;
}

type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

/** Reads what a request carries. A header sent twice arrives joined and fits nothing. */
export function presentedBy(headers: HeaderValues): PresentedCredentials {
  return {
    accessKey: single(headers[HEADERS.accessKey]),
    token: single(headers[HEADERS.token]),
    bearer: bearerOf(headers.authorization),
    cookie: cookieOf(headers.cookie, SIGN_IN_COOKIE),
  };
}

/** What a WebDriver command may carry: the dashboard cookie is not accepted there (specification 5.7.2). */
export function presentedByCommand(headers: HeaderValues): PresentedCredentials {
  return {
    accessKey: single(headers[HEADERS.accessKey]),
    token: single(headers[HEADERS.token]),
    bearer: bearerOf(headers.authorization),
    cookie: undefined,
  };
}

export function presentsNothing(presented: PresentedCredentials): boolean {
  return (
    presented.accessKey === undefined &&
    presented.token === undefined &&
    presented.bearer === undefined &&
    presented.cookie === undefined
  );
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The token of an `Authorization: Bearer …`; other schemes are not ours and count as absent. */
export function bearerOf(header: string | string[] | undefined): string | undefined {
  const value = single(header);
  if (value === undefined || !/^bearer(?:\s|$)/i.test(value)) return undefined;
  return value.slice('bearer'.length).trim();
}

/** The first cookie of that name; we set no attribute that would let a second one stand before it. */
function cookieOf(header: string | string[] | undefined, name: string): string | undefined {
  const value = Array.isArray(header) ? header.join('; ') : header;
  if (value === undefined) return undefined;
  let equals = -1;
  for (let start = 0; start < value.length; ) {
    const semicolon = value.indexOf(';', start);
    const end = semicolon < 0 ? value.length : semicolon;
    // Looked for once only: a header of many parts without one would be read over and over.
    if (equals < start) equals = value.indexOf('=', start);
    if (equals < 0) return undefined;
    if (equals > start && equals < end && value.slice(start, equals).trim() === name) {
      return value.slice(equals + 1, end).trim();
    }
    start = end + 1;
  }
  return undefined;
}
