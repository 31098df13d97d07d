import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { Rejected } from '@svc/auth-core';
import { refusedAttestation } from './attestation.ts';
import type { PasskeyCeremonies, RegisteredCredential } from './passkey-ports.ts';

/**
 * Algorithms that this server accepts for passkeys: EdDSA, ES256, RS256. The list does not depend on the Node.js
 * release, because a passkey with an algorithm of a newer release would not work after a downgrade.
 */
const ALGORITHMS = [-8, -7, -257];
/**
 * Time (ms) that the browser gives the user to confirm with the passkey. It is shorter than the lifetime of a
 * challenge, so that the challenge is still valid when the response arrives.
 */
const TIMEOUT_MS = 4 * 60 * 1000;
const LONGEST_CREDENTIAL_ID = 1364;
const LONGEST_PUBLIC_KEY = 4096;
const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

type RegistrationResponse = Parameters<typeof verifyRegistrationResponse>[0]['response'];
type AuthenticationResponse = Parameters<typeof verifyAuthenticationResponse>[0]['response'];

/** The WebAuthn ceremonies (registration and sign-in), implemented with `@simplewebauthn/server`. */
export const ceremonies: PasskeyCeremonies = {
  registrationOptions: ({ party, challenge, handle, email, name, existing }) =>
    generateRegistrationOptions({
      rpName: 'Device lab',
      rpID: party.rpId,
      userName: email,
      userDisplayName: name,
      userID: Uint8Array.from(Buffer.from(handle, 'base64url')),
      challenge: Uint8Array.from(challenge),
      timeout: TIMEOUT_MS,
      attestationType: 'none',
      excludeCredentials: existing
        .filter(({ rpId }) => rpId === party.rpId)
        .map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    }),

  async verifyRegistration(response, { rpId, origin, challenge }) {
    const given = response as RegistrationResponse;
    const refused = refusedAttestation(given.response?.attestationObject);
    if (refused !== null) return new Rejected(refused);
    const verified = await held(() =>
      verifyRegistrationResponse({
        response: given,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    );
    if (verified === null || !verified.verified) return DOES_NOT_VERIFY;
    const { credential, aaguid, credentialDeviceType, credentialBackedUp } = verified.registrationInfo;
    const registered: RegisteredCredential = {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: transportsOf(given),
      aaguid,
      deviceType: credentialDeviceType,
      backedUp: credentialBackedUp,
    };
    const fits =
      registered.credentialId === given.id &&
      registered.credentialId.length <= LONGEST_CREDENTIAL_ID &&
      registered.publicKey.length <= LONGEST_PUBLIC_KEY;
    return fits ? registered : new Rejected('credential id or public key of an unusable size');
  },

  authenticationOptions: ({ party, challenge }) =>
    generateAuthenticationOptions({
      rpID: party.rpId,
      challenge: Uint8Array.from(challenge),
      timeout: TIMEOUT_MS,
      allowCredentials: [],
      userVerification: 'required',
    }),

  async verifyAuthentication(response, { rpId, origin, challenge }, passkey) {
    const verified = await held(() =>
      verifyAuthenticationResponse({
        response: response as AuthenticationResponse,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        credential: {
          id: passkey.credentialId,
          publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url')),
          // 0 disables the library's check of the signature counter. The library makes this check before it verifies
          // the signature, so a forged counter could make a passkey look copied. The caller compares the counters after
          // the verification.
          counter: 0,
        },
      }),
    );
    if (verified === null || !verified.verified) return DOES_NOT_VERIFY;
    const { newCounter, credentialBackedUp } = verified.authenticationInfo;
    return { counter: newCounter, backedUp: credentialBackedUp };
  },
};

const DOES_NOT_VERIFY = new Rejected('response does not verify');

/**
 * @returns the result of a verification, or null if it threw. The error is discarded, because the library's error
 * messages quote the client's input, which must not reach the log or a response.
 */
async function held<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

/**
 * @returns the ways in which the browser can reach the authenticator, such as `usb`, as far as WebAuthn defines them.
 * At a later sign-in they help the browser to find the authenticator.
 */
function transportsOf({ response }: RegistrationResponse): string[] {
  const { transports } = response;
  return Array.isArray(transports)
    ? TRANSPORTS.filter((known) => transports.some((each) => each === known))
    : [];
}
