/** Replaces a secret (specification 5.5.4). */
export const REDACTED = '**REDACTED**';

/** Deeper than any honest capability; deeper values are dropped. */
const DEEPEST = 32;

const SECRET_NAME = /(?:token|secret|password|passwd|passphrase|apikey|api_key|accesskey|privatekey)$/i;

/** A copy that may be stored and shown: the values of everything named like a secret are masked, at any depth. */
export function maskSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const secret = SECRET_NAME.test(name) && inner !== null && inner !== undefined;
      return [name, secret ? REDACTED : maskSecrets(inner, depth + 1)];
    }),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
