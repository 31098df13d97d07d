import { isEmailAddress, LONGEST_LAB_NAME } from '@svc/contract';
import { AllowedOrigins } from './allowed-origins.ts';
import { isUsablePassword } from './usable-password.ts';

/**
 * Error that a rule throws for an unusable value. The message continues a sentence that begins with the variable's
 * name.
 */
export class Unusable extends Error {
  /** Text for the warning that says what applies instead of the value, or undefined if the default applies. */
  readonly consequence: string | undefined;

  constructor(message: string, consequence?: string) {
    super(message);
    this.consequence = consequence;
  }
}

/** Parses the text of one variable or option. A rule is never called for a variable or option that is not set. */
export interface Rule<T> {
  (text: string): T;
  /** Description of the accepted values, for the table of settings. */
  readonly words?: string;
}

/** Adds a description of the accepted values to a rule. */
export function ruled<T>(words: string, rule: (text: string) => T): Rule<T> {
  return Object.assign(rule, { words });
}

const SWITCHED_ON = new Set(['true', '1', 'yes', 'on']);
const SWITCHED_OFF = new Set(['false', '0', 'no', 'off', '']);

/** Accepts exactly `true` or `false`, so that no other text changes a switch from its default (contract 5). */
export const trueOrFalse: Rule<boolean> = ruled('`true` or `false`', (text) => {
  if (text !== 'true' && text !== 'false') throw new Unusable('is neither true nor false');
  return text === 'true';
});

/**
 * Parses the two `SVC_REQUIRE_*` switches. `true`, `1`, `yes` and `on`, in upper or lower case, turn the switch on;
 * every other value leaves it off (specification 5.7) and, except `false`, `0`, `no` and `off`, causes a warning.
 */
export const truthySwitch: Rule<boolean> = ruled(
  '`true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`',
  (text) => {
    const given = text.trim().toLowerCase();
    if (!SWITCHED_ON.has(given) && !SWITCHED_OFF.has(given)) {
      throw new Unusable('is neither on (true, 1, yes, on) nor off (false, 0, no, off)', 'it is OFF');
    }
    return SWITCHED_ON.has(given);
  },
);

export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): Rule<number> {
  const range =
    least === -Number.MAX_SAFE_INTEGER
      ? ''
      : ` of ${least} ${most === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${most}`}`;
  return ruled(`whole number${range.replace(' of', ',')}`, (text) => {
    const value = /^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw new Unusable(`is not a whole number${range}`);
    }
    return value;
  });
}

export const ratio: Rule<number> = ruled('number, 0 to 1', (text) => {
  const value = /^(?:\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw new Unusable('is not a number of 0 to 1');
  return value;
});

/** Parses `SVC_MAX_SESSIONS`. A value below 1 means no limit (specification 8.2). */
export const sessionLimit: Rule<number> = ruled('whole number; below 1: no limit', (text) =>
  Math.max(0, integer(-Number.MAX_SAFE_INTEGER)(text)),
);

/** Maximum retention time in days: a hundred years. */
export const LONGEST_RETENTION_DAYS = 36_500;
export const retentionDays: Rule<number> = ruled('days, 1 to 36500', (text) =>
  Math.min(LONGEST_RETENTION_DAYS, integer(1)(text)),
);

export function oneOf<const T extends string>(values: readonly T[]): Rule<T> {
  return ruled(values.map((value) => `\`${value}\``).join(', '), (text) => {
    const found = values.find((value) => value === text.trim().toLowerCase());
    if (found === undefined) throw new Unusable(`is none of ${values.join(', ')}`);
    return found;
  });
}

export const text: Rule<string> = ruled('text', (value) => {
  if (value.trim() === '') throw new Unusable('is empty');
  return value.trim();
});

/**
 * Accepts the password of the first account and keeps leading and trailing spaces. A password that bcrypt cannot hash
 * completely stops the start. A short or common password is accepted here and causes a warning later (contract 4).
 */
export const firstPassword: Rule<string> = ruled('password of at most 72 bytes', (value) => {
  if (value === '') throw new Unusable('is empty');
  if (!isUsablePassword(value)) throw new Unusable('has a NUL character or more than 72 bytes');
  return value;
});

export const emailAddress: Rule<string> = ruled('e-mail address', (value) => {
  if (!isEmailAddress(value.trim())) throw new Unusable('is not an e-mail address');
  return value.trim();
});

/** Parses a range of ports, both ends included. Ports below 1024 need special rights on most systems. */
export const portRange: Rule<{ readonly first: number; readonly last: number }> = ruled(
  '`first-last`, ports 1024 to 65535',
  (value) => {
    const [, from, to] = /^\s*(\d{4,5})\s*-\s*(\d{4,5})\s*$/.exec(value) ?? [];
    const first = Number(from ?? Number.NaN);
    const last = Number(to ?? Number.NaN);
    if (!(first >= 1_024 && last >= first && last <= 65_535))
      throw new Unusable('is not a range of ports such as 20000-20999');
    return { first, last };
  },
);

/** Splits a comma list. Throws `Unusable` with the text `empty` if it has no entry. */
export function entriesOf(value: string, empty: string): string[] {
  const entries = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (entries.length === 0) throw new Unusable(empty);
  return entries;
}

/** Parses names of capabilities. The prefix `appium:` is optional. */
export const capabilityNames: Rule<readonly string[]> = ruled('comma list of capability names', (value) => {
  const names = entriesOf(value, 'names no capability').map((name) => name.replace(/^appium:/, ''));
  if (!names.every((name) => /^[A-Za-z][A-Za-z0-9]*$/.test(name)))
    throw new Unusable('has an entry that is no name of a capability');
  return names;
});

export const origins: Rule<AllowedOrigins> = ruled('comma list of origins or hosts', (value) => {
  const { allowed, unusable } = AllowedOrigins.parse(value);
  if (unusable.length > 0) throw new Unusable(`has entries that are no origin or host: ${unusable.length}`);
  return allowed;
});

/** Parses the value of an `Authorization` header. */
export const authorizationValue: Rule<string> = (value) => {
  if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(value.trim()) || value.length > 4096) {
    throw new Unusable('has a character that no header may have, or is too long');
  }
  return value.trim();
};

export const aiModel: Rule<string> = ruled('name of 1 to 200 characters', (value) => {
  const name = value.trim();
  if (!/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u.test(name)) {
    throw new Unusable('is not a name of 1 to 200 characters');
  }
  return name;
});

export const labName: Rule<string> = ruled(`name of 1 to ${LONGEST_LAB_NAME} characters`, (value) => {
  const name = value.trim();
  // Characters that change the direction of text or are invisible could make the name look like another one.
  if ([...name].length > LONGEST_LAB_NAME || !/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u.test(name))
    throw new Unusable(`is not a name of 1 to ${LONGEST_LAB_NAME} characters`);
  return name;
});

/** Parses a secret that is sent in a header. */
export const headerSecret: Rule<string> = ruled('printable ASCII, at most 4096 characters', (value) => {
  if (!/^[\x21-\x7e]{1,4096}$/.test(value.trim())) {
    throw new Unusable('has a character that no header may have, or is too long');
  }
  return value.trim();
});

const SHORTEST_SCRAPE_TOKEN = 16;

/** Parses `SVC_METRICS_TOKEN`. The token must be long, because the number of guesses at it is not limited. */
export const scrapeToken: Rule<string> = ruled('printable ASCII, 16 to 4096 characters', (value) => {
  const secret = headerSecret(value);
  if (secret.length < SHORTEST_SCRAPE_TOKEN)
    throw new Unusable(`is shorter than ${SHORTEST_SCRAPE_TOKEN} characters`, 'it is not accepted');
  return secret;
});

/** Returns a rule that takes the path of a PEM file and returns the content of the file. */
export function certificatesIn(readFile: (path: string) => string): Rule<string> {
  return ruled('path of a PEM file', (path) => {
    let content = '';
    try {
      content = readFile(path.trim());
    } catch {
      // A file that cannot be read has no certificates.
    }
    if (!/-----BEGIN CERTIFICATE-----/.test(content))
      throw new Unusable('names no file with certificates in PEM form');
    return content;
  });
}

/**
 * Parses `file:<path>` and returns the path. Any other value stops the start, because only SQLite is supported
 * (specification 9.1.6, contract 5).
 */
export const databaseUrl: Rule<string> = ruled('`file:<path>`', (value) => {
  const path = value.trim().startsWith('file:') ? value.trim().slice('file:'.length) : '';
  if (path === '')
    throw new Unusable(
      'must be file:<path>: only SQLite is supported. Set SVC_DATABASE_URL=file:/path/to/svc.db or leave it unset',
    );
  return path.replace(/^\/\/(?=\/)/, '');
});

/** Parses Appium's base path. Returns an empty text, or the path with a leading slash and without a trailing one. */
export const basePath: Rule<string> = ruled('path', (value) => {
  const path = value.trim().replace(/\/+$/, '');
  return path === '' || path.startsWith('/') ? path : `/${path}`;
});
