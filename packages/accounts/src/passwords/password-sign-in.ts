import { type Account, Refusal, type RequestOrigin, senderOf } from '@svc/auth-core';
import type { SignInAttempts } from '../attempts/sign-in-attempts.ts';
import type { AccountTransaction } from '../ports/stores.ts';
import type { OpenedSignIn, SignIns } from '../sign-in/sign-in.ts';
import type { PasswordVerifier } from './verify-password.ts';

export interface PasswordSignInInput {
  readonly email: string;
  readonly password: string;
  /**
   * Key by which sign-in attempts are counted, which is the client's IPv4 address or the network of its IPv6 address.
   */
  readonly network: string;
  readonly userAgent: string | null;
  /** Additional step within the transaction that opens the sign-in. It runs after the password was confirmed. */
  readonly alsoDo?: ((tx: AccountTransaction, account: Account) => void) | undefined;
}

interface Tools {
  readonly signIns: SignIns;
  readonly passwords: PasswordVerifier;
  readonly attempts: SignInAttempts;
}

/** Signs in with a password (`POST /auth/login`): counts the attempt, verifies the password and opens the sign-in. */
export class PasswordSignIn {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async open(
    { email, password, network, userAgent, alsoDo }: PasswordSignInInput,
    from: RequestOrigin,
  ): Promise<OpenedSignIn> {
    const { signIns, passwords, attempts } = this.#tools;
    const attempt = attempts.admit(email, network);
    try {
      const place = { known: attempt.isFamiliar, sender: senderOf(from) };
      const proof = await passwords.verify(email, password, from, place);
      const confirm = (tx: AccountTransaction): void => {
        proof.confirm(tx);
        alsoDo?.(tx, proof.account);
      };
      const opened = signIns.open({ account: proof.account, confirm }, 'password', from, userAgent);
      attempt.succeeded();
      return opened;
    } catch (error) {
      // Other errors, such as a full queue or a failing database, say nothing about the password, so the attempt does
      // not count as a failure.
      const isAnswer = error instanceof Refusal && error.code === 'invalid credentials';
      if (!isAnswer) attempt.takeBack();
      throw error;
    }
  }
}
