import { type Handlers, instant, mapped } from '@svc/module';
import type { SignIns } from './sign-in.ts';

/** Handler that lists the caller's own sign-ins (contract 2). */
export function signInHandlers(signIns: SignIns): Handlers {
  return {
    listSignIns: {
      list: (request) => {
        const { caller } = request;
        const current = caller.credential.ownSignIn;
        return mapped(signIns.list(caller), ({ id, createdAt, lastSeenAt, expiresAt, userAgent }) => ({
          id,
          createdAt: instant(createdAt),
          lastSeenAt: instant(lastSeenAt),
          expiresAt: instant(expiresAt),
          userAgent,
          current: id === current,
        }));
      },
    },
  };
}
