/** Replaces a secret (specification 5.5.4). */
export const REDACTED = '**REDACTED**';
