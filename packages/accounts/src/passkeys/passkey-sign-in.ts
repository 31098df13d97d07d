import { Refusal, type RequestOrigin } from '@svc/auth-core';
import type { SignInAttempts } from '../attempts/sign-in-attempts.ts';
import type { OpenedSignIn, SignIns } from '../sign-in/sign-in.ts';
import type { RelyingParty } from './relying-party.ts';
import type { PasskeyVerifier } from './verify-passkey.ts';

interface Tools {
  readonly signIns: SignIns;
  readonly verifier: PasskeyVerifier;
  readonly attempts: SignInAttempts;
}

export interface PasskeySignInInput {
  readonly response: object;
  readonly party: RelyingParty;
  /**
   * Key by which sign-in attempts are counted, which is the client's IPv4 address or the network of its IPv6 address.
   */
  readonly network: string;
  readonly userAgent: string | null;
}

/**
 * Signs in with a passkey (contract 10.2). Attempts are counted by client network. They are not counted by account: a
 * passkey cannot be guessed, and such a count would let wrong passwords of an attacker lock out the owner's passkey.
 */
export class PasskeySignIn {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async open(
    { response, party, network, userAgent }: PasskeySignInInput,
    from: RequestOrigin,
  ): Promise<OpenedSignIn> {
    const { signIns, verifier, attempts } = this.#tools;
    try {
      const proof = await verifier.verify(response, party, from);
      const opened = signIns.open(proof, { passkeyId: proof.passkey.id }, from, userAgent);
      attempts.byAddress.reset(network);
      attempts.recognise(opened.account.email, network);
      return opened;
    } catch (error) {
      // Only a refused passkey counts as an attempt. Other errors, such as a failing database, say nothing about the
      // passkey.
      const isAnswer = error instanceof Refusal && error.code === 'invalid credentials';
      if (!isAnswer) attempts.byAddress.takeBack(network);
      throw error;
    }
  }
}
