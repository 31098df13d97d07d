import { REDACTED } from '@svc/auth-core';

/** Deeper than any honest command; what lies below is not kept. */
const DEEPEST = 32;
/** Values looked at in one body or response. */
const MOST_VALUES = 2_000;
const LONGEST_TEXT = 2_048;
const BASE64_FROM = 512;

const NAMES =
  'token|secret|password|passwd|passphrase|passcode|pwd|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookies?|credentials?|otp|ticket';
const SECRET_NAME = new RegExp(`(?:${NAMES}|^pin)$`, 'i');

/** Text that may hold a secret. What does not match needs no closer look. */
const SUSPICIOUS =
  /token|secret|pass|pwd|key|authori|cookie|credential|bearer|basic|digest|svct_|eyJ|:\/\/|otp|pin|ticket|df:/i;

/** Secrets within a longer text: a header, an address, JSON or a query inside a string. */
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic|digest)\s+[\w.~+/=-]{4,}/gi, `$1 ${REDACTED}`],
  [/\bsvct_\w+/g, REDACTED],
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, REDACTED],
  [/(:\/\/[^/\s:@"']{0,256}:)[^/\s@"']+@/g, `$1${REDACTED}@`],
  [
    new RegExp(
      `((?:${NAMES})(?:\\\\*["'])?\\s{0,8}[:=]\\s{0,8})(?:\\\\*"(?:[^"\\\\]|\\\\(?!"))*|'[^']*|[{[][^}\\]]*|[^\\s&,;}"']+)`,
      'gi',
    ),
    `$1${REDACTED}`,
  ],
];

export function looksHarmless(text: string): boolean {
  return !SUSPICIOUS.test(text);
}

export function maskText(text: string): string {
  if (looksHarmless(text)) return text;
  let masked = text;
  for (const [pattern, instead] of IN_TEXT) masked = masked.replace(pattern, instead);
  return masked;
}

/** A copy that may be kept: what is named or looks like a secret masked, long texts cut, base64 left out. */
export function maskValue(root: unknown): unknown {
  let left = MOST_VALUES;
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return shortened(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return REDACTED;
    if (Array.isArray(value)) return value.slice(0, taken(value.length)).map((item) => walk(item, depth + 1));
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.slice(0, taken(entries.length)).map(([name, inner]) => {
        const secret = SECRET_NAME.test(name) && inner !== null && inner !== undefined;
        return [maskText(name), secret ? REDACTED : walk(inner, depth + 1)];
      }),
    );
  };
  const taken = (wanted: number): number => {
    const granted = Math.min(wanted, left);
    left -= granted;
    return granted;
  };
  return walk(root, 0);
}

function shortened(text: string): string {
  if (text.length >= BASE64_FROM && isBase64(text)) return `(${text.length} characters of base64)`;
  const masked = inner(text) ?? maskText(text);
  if (masked.length <= LONGEST_TEXT) return masked;
  return `${masked.slice(0, LONGEST_TEXT)}... (${text.length} characters)`;
}

/** JSON inside a text is masked as what it is. */
function inner(text: string): string | undefined {
  if (!/^\s*[{["]/.test(text) || looksHarmless(text)) return undefined;
  try {
    return JSON.stringify(maskValue(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/** By its beginning: screenshots, recordings, files. Lines of MIME base64 end in CR LF. */
function isBase64(text: string): boolean {
  return /^(?:data:[\w/+.-]+;base64,)?[\w+/=\r\n-]{400}/.test(text.slice(0, BASE64_FROM));
}
