import { Refusal } from '../errors.ts';
import type { SignInAttempts } from '../limits/sign-in-attempts.ts';
import type { RelyingParty } from '../policy/relying-party.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { OpenedSignIn, SignIns } from './sign-in.ts';
import type { PasskeyVerifier } from './verify-passkey.ts';

interface Tools {
  readonly signIns: SignIns;
  readonly verifier: PasskeyVerifier;
  readonly attempts: SignInAttempts;
}

export interface PasskeySignInInput {
  readonly response: object;
  readonly party: RelyingParty;
  /** Key by which attempts are counted, as for sign-ins with a password. */
  readonly network: string;
  readonly userAgent: string | null;
}

/**
 * Signs in with a passkey (contract 10.2). Attempts are counted by address. They are not counted by account, because a
 * passkey cannot be guessed, and because guesses of an account's password must not lock out the owner of a passkey.
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
      const opened = signIns.open(proof, `passkey ${proof.passkey.id}`, from, userAgent);
      attempts.byAddress.reset(network);
      attempts.recognise(opened.account.email, network);
      return opened;
    } catch (error) {
      // Other errors, such as a failing database, say nothing about the passkey.
      const isAnswer = error instanceof Refusal && error.code === 'invalid credentials';
      if (!isAnswer) attempts.byAddress.takeBack(network);
      throw error;
    }
  }
}
