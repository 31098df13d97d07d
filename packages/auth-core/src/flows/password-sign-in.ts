import { Refusal } from '../errors.ts';
import type { SignInAttempts } from '../limits/sign-in-attempts.ts';
import { type RequestOrigin, senderOf } from '../request-origin.ts';
import type { OpenedSignIn, SignIns } from './sign-in.ts';
import type { PasswordVerifier } from './verify-password.ts';

export interface PasswordSignInInput {
  readonly email: string;
  readonly password: string;
  /** What attempts are counted by: the client's address, or its network for IPv6. */
  readonly network: string;
  readonly userAgent: string | null;
}

interface Tools {
  readonly signIns: SignIns;
  readonly passwords: PasswordVerifier;
  readonly attempts: SignInAttempts;
}

/** `POST /auth/login`: counts the attempt, verifies the password and opens the sign-in. */
export class PasswordSignIn {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async open(
    { email, password, network, userAgent }: PasswordSignInInput,
    from: RequestOrigin,
  ): Promise<OpenedSignIn> {
    const { signIns, passwords, attempts } = this.#tools;
    const attempt = attempts.admit(email, network);
    try {
      const place = { known: attempt.isFamiliar, sender: senderOf(from) };
      const proof = await passwords.verify(email, password, from, place);
      const opened = signIns.open(proof, 'password', from, userAgent);
      attempt.succeeded();
      return opened;
    } catch (error) {
      // A full queue or a failing database says nothing about the password.
      const isAnswer = error instanceof Refusal && error.code === 'invalid credentials';
      if (!isAnswer) attempt.takeBack();
      throw error;
    }
  }
}
