/** A service of a phone that a developer may use from their own machine (contract 16.2). */
export interface RemoteService {
  /** Name of the service as the audit trail shows it, such as `shell`, `sync` or `reverse`. */
  readonly kind: string;
  /** First word of the command of a shell, or null for other services and for an interactive shell. */
  readonly word: string | null;
  /** The whole request that is sent to the phone. */
  readonly request: string;
}

/** Refused service, with the name that the client gets. */
export interface RefusedService {
  readonly refused: string;
}

const LONGEST_NAME = 32;

/** @returns the text without characters that could change what a log or a terminal shows, and at most `longest` long */
export function shownName(text: string, longest: number = LONGEST_NAME): string {
  return text.replace(/[^\x21-\x7e]/g, '\ufffd').slice(0, longest) || 'an empty name';
}
