import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { type PasskeyCeremonies, type RegisteredCredential, Rejected } from '@svc/auth-core';
import { refusedAttestation } from './attestation.ts';

/**
 * Algorithms that this server verifies: EdDSA, ES256, RS256. They are the same on every Node.js release, because a
 * passkey of an algorithm that only a newer release knows would be useless after a return to the older one.
 */
const ALGORITHMS = [-8, -7, -257];
/** Time (ms) that a browser gives the user. It is shorter than the life of a challenge. */
const TIMEOUT_MS = 4 * 60 * 1000;
const LONGEST_CREDENTIAL_ID = 1364;
const LONGEST_PUBLIC_KEY = 4096;
const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

type RegistrationResponse = Parameters<typeof verifyRegistrationResponse>[0]['response'];
type AuthenticationResponse = Parameters<typeof verifyAuthenticationResponse>[0]['response'];

/** The WebAuthn ceremonies, by `@simplewebauthn/server`. */
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
          // The library compares counters before it verifies the signature, so that anybody could make a passkey look
          // copied. The caller compares them afterwards.
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
 * @returns the result of a verification, or null if it threw. The errors of the library quote what the client sent, so
 * they are neither logged nor answered. They can only be about the response, because the library uses nothing else.
 */
async function held<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

/** @returns the known transports that the browser names, which later help it to find the authenticator */
function transportsOf({ response }: RegistrationResponse): string[] {
  const { transports } = response;
  return Array.isArray(transports)
    ? TRANSPORTS.filter((known) => transports.some((each) => each === known))
    : [];
}
