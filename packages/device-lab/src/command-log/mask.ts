import { REDACTED } from '../capabilities/redacted.ts';
import { TypedTexts } from './typed-texts.ts';

/** Maximum nesting depth. Deeper values are masked; no real command has them. */
const DEEPEST = 32;
/** Maximum number of values that are read in one body or response. Further values are dropped. */
const MOST_VALUES = 2_000;
const LONGEST_TEXT = 2_048;
const BASE64_FROM = 512;

const NAMES =
  'token|secret|password|passwd|passphrase|passcode|pass|pwd|api[-_]?key|access[-_]?key|private[-_]?key|unlock[-_]?key|authorization|cookies?|credentials?|otp|ticket|cvv|cvc|(?:otp|mfa|auth|verification|security)[-_]?code';
const SECRET_NAME = new RegExp(`(?:${NAMES})$`, 'i');
/** Pattern for names of PIN fields. It matches `pin`, `simPin` and `SIM_PIN`, but not `spin`. */
const PIN_NAME = /(?:(?:^|[^A-Za-z])[Pp]in|[a-z\d]Pin|(?:^|[^A-Z])PIN)$/;
/** Pattern for fields that contain environment or arguments of a program. All values below such a field are masked. */
const PROGRAM_INPUT =
  /(?:env|environment|env(?:ironment)?[-_]?var(?:iable)?s|arguments|(?:process|launch|intent)[-_]?args)$/i;

/** Quick check for text that may contain a secret. Text that does not match is not checked further. */
const SUSPICIOUS =
  /token|secret|pass|pwd|key|authori|cookie|credential|bearer|basic|digest|svct_|svca_|svcl_|svc-callback|eyJ|:\/\/|otp|pin|ticket|df:|cvv|cvc|code|env|args|argument|[?&#;]/i;

/**
 * Patterns for secrets inside a longer text, such as a header, an address, JSON or a query, with their replacements.
 */
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic|digest)\s+[\w.~+/=-]{4,}/gi, `$1 ${REDACTED}`],
  // Not only at the beginning of a word, because `%2F` precedes the secret in an encoded address.
  [/svc[atl]_\w+/g, REDACTED],
  [/(\bsvc-callback(?:\/|%2F))[\w-]+/gi, `$1${REDACTED}`],
  [/(?:\b|(?<=%[\dA-Fa-f]{2}))eyJ[\w-]{8,}(?:\.[\w-]*)*/g, REDACTED],
  [/([?&;#][^\s=?&;#"'<>\\]{1,128}=)[^\s&;#"'<>\\]+/g, `$1${REDACTED}`],
  [
    new RegExp(
      `((?:${NAMES}|\\bpin)(?:\\\\*["'])?\\s{0,8}[:=]\\s{0,8})(?:\\\\*"(?:[^"\\\\]|\\\\(?!"))*|'[^']*|[{[][^}\\]]*|[^\\s&,;}"']+)`,
      'gi',
    ),
    `$1${REDACTED}`,
  ],
];
const ADDRESS = /:\/\/[^\s"'<>\\]*/g;
const NOTHING_TYPED = new TypedTexts();

/** Returns whether a text cannot contain a secret, so that it needs no masking. */
export function looksHarmless(text: string): boolean {
  return !SUSPICIOUS.test(text);
}

/**
 * Masks the secrets in a text: bearer and basic credentials, API tokens, JWTs, user and query of addresses, and the
 * values of fields whose names suggest a secret, such as `password`.
 */
export function maskText(text: string): string {
  if (looksHarmless(text)) return text;
  let masked = text.replace(ADDRESS, maskAddress);
  for (const [pattern, instead] of IN_TEXT) masked = masked.replace(pattern, instead);
  return masked;
}

/** Masks user, query values and fragment of an address. Scheme, host and path stay readable. */
export function maskAddress(address: string): string {
  const [base = '', query = ''] = splitAt(address, address.search(/[?#]/));
  return (
    base.replace(/:\/\/[^/]*@/, `://${REDACTED}@`) +
    query.replace(/([?&;#])([^=&;#]*)(=?)[^&;#]*/g, (_, mark, name, equals) =>
      equals === '=' ? `${mark}${name}=${REDACTED}` : mark + (name === '' ? '' : REDACTED),
    )
  );
}

function splitAt(text: string, index: number): string[] {
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index)];
}

/** Rules that decide how the values of a body or response are masked. */
export interface MaskRules {
  /**
   * Masks a text or a number. `name` is the name of its field. For an item of a list, it is the name of the field that
   * contains the list.
   */
  leaf(value: string | number, name: string, inList: boolean): unknown;
  /** Called with a list that contains no objects, before the items of the list are masked. */
  list?(items: readonly unknown[]): void;
  /**
   * @returns the rules for the value of a field, or null if the whole value is masked. If this method is absent, the
   * same rules apply to all fields.
   */
  field?(name: string): MaskRules | null;
  /** @returns the name of a field as it is logged, with secrets in the name masked */
  name(name: string): string;
}

/**
 * @returns a masked copy of limited size. Values beyond the limit are dropped, and values that are nested too deeply
 * are masked.
 */
export function copyMasked(root: unknown, rules: MaskRules): unknown {
  let left = MOST_VALUES;
  const taken = <T>(values: readonly T[]): readonly T[] => {
    const granted = values.slice(0, left);
    left -= granted.length;
    return granted;
  };
  const walk = (value: unknown, name: string, by: MaskRules, depth: number, inList = false): unknown => {
    if (typeof value === 'string' || typeof value === 'number') return by.leaf(value, name, inList);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return REDACTED;
    if (Array.isArray(value)) {
      if (value.every((item) => typeof item !== 'object')) by.list?.(value);
      const items = taken(value).map((item) => walk(item, name, by, depth + 1, true));
      // Replace a list of masked items by one mask, because the number of masked characters would reveal the length of
      // the secret.
      return items.length > 1 && items.every((item) => item === REDACTED) ? REDACTED : items;
    }
    const fields = taken(Object.entries(value)).map(([key, inner]) => {
      const below = by.field === undefined ? by : by.field(key);
      const masked = below === null && inner !== null && inner !== undefined;
      return [by.name(key), masked ? REDACTED : walk(inner, key, below ?? by, depth + 1)];
    });
    return Object.fromEntries(fields);
  };
  return walk(root, '', rules, 0);
}

/**
 * @returns a copy of a driver's response that can be logged. Values that look like secrets or whose names indicate
 * secrets are masked, and so are typed texts. Long texts are cut, and base64 is dropped.
 */
export function maskValue(root: unknown, typed: TypedTexts = NOTHING_TYPED): unknown {
  return copyMasked(root, secretsMasked(typed));
}

function secretsMasked(typed: TypedTexts): MaskRules {
  const name = (text: string) => typed.mask(maskText(text));
  const hidden: MaskRules = { leaf: () => REDACTED, name };
  const rules: MaskRules = {
    leaf: (value) => {
      if (typeof value === 'string') return shortened(value, typed);
      return typed.has(String(value)) ? REDACTED : value;
    },
    name,
    field: (key) => {
      if (isSecretName(key)) return null;
      return PROGRAM_INPUT.test(key) ? hidden : rules;
    },
  };
  return rules;
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) || PIN_NAME.test(name);
}

/** Returns whether all values below a field of this name are masked, regardless of their own names. */
export function hidesAll(name: string): boolean {
  return isSecretName(name) || PROGRAM_INPUT.test(name);
}

/** Masks a text and then cuts it. Cutting first could leave half a secret, which would not be recognized. */
export function shortened(text: string, typed: TypedTexts): string {
  if (text.length >= BASE64_FROM && isBase64(text)) return `(${text.length} characters of base64)`;
  const masked = typed.mask(jsonInText(text, typed) ?? maskText(typed.mask(text)));
  if (masked.length <= LONGEST_TEXT) return masked;
  return `${masked.slice(0, LONGEST_TEXT)}... (${text.length} characters)`;
}

/** @returns the text with the values of its JSON masked, or undefined if the text is not JSON or needs no masking */
function jsonInText(text: string, typed: TypedTexts): string | undefined {
  if (!/^\s*[{["]/.test(text) || (looksHarmless(text) && typed.isEmpty)) return undefined;
  try {
    return JSON.stringify(maskValue(JSON.parse(text), typed));
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a text begins like base64, as screenshots, recordings and files do. Line ends are allowed, because
 * MIME base64 contains them.
 */
function isBase64(text: string): boolean {
  return /^(?:data:[\w/+.-]+;base64,)?[\w+/=\r\n-]{400}/.test(text.slice(0, BASE64_FROM));
}
