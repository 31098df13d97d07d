/** Text message of a client on a socket of a phone (contract 16.1). */
export type ClientMessage =
  | { readonly kind: 'service'; readonly service: string }
  | { readonly kind: 'accept'; readonly id: string }
  | { readonly kind: 'ticket' }
  | { readonly kind: 'about' };

/** @returns the message, or undefined if the text is none */
export function readClientMessage(text: string): ClientMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [[name, content] = ['', undefined], ...more] = Object.entries(value);
  if (more.length > 0) return undefined;
  if (name === 'service' && typeof content === 'string') return { kind: 'service', service: content };
  if (name === 'accept' && typeof content === 'string') return { kind: 'accept', id: content };
  if (name === 'ticket' && content === true) return { kind: 'ticket' };
  if (name === 'about' && content === true) return { kind: 'about' };
  return undefined;
}
