import { decodeAttestationObject } from '@simplewebauthn/server/helpers';

/**
 * Checks the kind of attestation before it is verified. The server requests none, and browsers then send either none or
 * a signature by the passkey itself. All other kinds contain certificates and are refused, because verifying them would
 * fetch revocation lists from addresses that the client chose.
 *
 * @returns the reason why the attestation is refused, or null if it may be verified
 */
export function refusedAttestation(attestationObject: unknown): string | null {
  if (typeof attestationObject !== 'string') return 'response without attestation object';
  try {
    const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
    const format: string = decoded.get('fmt');
    if (format === 'none') return null;
    const hasCertificates = decoded.get('attStmt').get('x5c') !== undefined;
    return format === 'packed' && !hasCertificates ? null : 'attestation that was not asked for';
  } catch {
    return 'attestation object that cannot be read';
  }
}
