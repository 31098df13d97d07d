/** Options of a client's WebSocket that decide how it masks its messages. */
interface MaskOptions {
  readonly generateMask?: (mask: Buffer) => void;
}

const ZERO_MASK: MaskOptions = { generateMask: (mask) => void mask.fill(0) };

/**
 * Returns options for a WebSocket that carries files. A mask of zeros leaves the bytes unchanged, so that neither side
 * spends time on masking. Masks keep a program from choosing the bytes that a proxy on the way sees (RFC 6455 10.3).
 * Therefore the zeros are used only if the connection is encrypted or stays on this machine.
 */
export function maskOptions(url: string): MaskOptions {
  const { protocol, hostname } = new URL(url);
  const isEncrypted = protocol === 'wss:' || protocol === 'https:';
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  return isEncrypted || isLocal ? ZERO_MASK : {};
}
