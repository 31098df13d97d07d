/** Text that replaces a secret in logs and capabilities (specification 5.5.4). */
export const REDACTED = '**REDACTED**';
