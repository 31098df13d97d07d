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
  /** Network of the client's address, by which sign-in attempts are counted. */
  readonly network: string;
  readonly userAgent: string | null;
}

/**
 * Signs in with a passkey (contract 10.2). Attempts are counted by client network and not by account, because a passkey
 * cannot be guessed, and because wrong passwords for an account must not lock out its owner's passkey.
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
      // Count only refused passkeys as attempts: other errors, such as a failing database, say nothing about the
      // passkey.
      const isAnswer = error instanceof Refusal && error.code === 'invalid credentials';
      if (!isAnswer) attempts.byAddress.takeBack(network);
      throw error;
    }
  }
}
