import type { Device } from '../device.ts';

/** A phone of the lab with its tags, as the matcher sees it. */
export interface Candidate {
  readonly device: Device;
  readonly tags: readonly string[];
}

/** One requirement of a session or lease for its phone (contract 14.3). */
export interface Condition {
  /** Name of the capability that states the requirement, as error messages show it. */
  readonly capability: string;
  /** Required value, shortened and without control characters. */
  readonly wanted: string;
  holds(phone: Candidate): boolean;
  /** Returns the values of the phone to which the condition applies. Empty if the phone lacks the fact. */
  has(phone: Candidate): readonly string[];
}

const LONGEST_SHOWN = 64;

/** @returns a text from a client in a form that can be shown in an error message and stored in a log */
export function shown(text: string): string {
  const printable = text
    .slice(0, LONGEST_SHOWN * 2)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, ' ')
    .trim();
  return printable.length > LONGEST_SHOWN ? `${printable.slice(0, LONGEST_SHOWN)}…` : printable;
}

/**
 * Creates a condition on one fact of a phone. A phone that lacks the fact (null) fits no condition on it (contract
 * 14.3).
 */
export function onFact(
  capability: string,
  wanted: string,
  factOf: (phone: Candidate) => string | null,
  isRight: (fact: string) => boolean,
): Condition {
  return {
    capability,
    wanted: shown(wanted),
    holds: (phone) => {
      const fact = factOf(phone);
      return fact !== null && isRight(fact);
    },
    has: (phone) => {
      const fact = factOf(phone);
      return fact === null ? [] : [fact];
    },
  };
}

/** Length of the longest text that can be a fact of a phone, in characters. */
const LONGEST_FACT = 4_096;

/**
 * Creates the test whether a text is the wanted one, in any letter case. The wanted text is converted once and not for
 * each phone, because a client may send 64 views with a text of 500 KB.
 */
export function sameTextAs(wanted: string): (text: string) => boolean {
  const lower = wanted.length > LONGEST_FACT ? undefined : wanted.toLowerCase();
  return (text) => text.toLowerCase() === lower;
}

export function containsText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

const UNKNOWN_VERSION = 'unknown';

/** @returns the version of a phone's system, or null if its source could not read it */
export function versionOf({ device }: Candidate): string | null {
  return device.osVersion === '' || device.osVersion === UNKNOWN_VERSION ? null : device.osVersion;
}
