import { decodeAttestationObject } from '@simplewebauthn/server/helpers';

/**
 * Checks the format of a passkey's attestation before the attestation is verified. The server requests no attestation.
 * Browsers then send either none or a signature by the passkey itself. Every other format is refused, because to verify
 * its certificates, the library would fetch revocation lists from addresses that the client chose.
 *
 * @returns the reason why the attestation is refused, or null if it is accepted for verification
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
