import { type OpenedSignIn, Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { FastifyRequest } from 'fastify';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import { limitedBy, networkOf } from '../plugins/attempt-limits.ts';
import type { Services } from '../services.ts';
import { VERSION } from '../version.ts';

/** Dashboard sign-in and sign-out (specification 4, contract 2). */
export function signInRoutes(api: App, { services, cookie }: HttpContext): void {
  const { config, signInAttempts } = services;
  const rateLimit = limitedBy(signInAttempts.byAddress, 'too many login attempts', networkOf);

  handle(
    api,
    routes.login,
    async (request, reply) => {
      const { email, password } = request.body;
      if (!isFilled(email) || !isFilled(password)) throw new Refusal('email and password required');
      const opened = await signIn(request, email.trim(), password, services);
      cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
    },
    { rateLimit },
  );

  handle(api, routes.logout, (request, reply) => {
    if (request.presented.cookie !== undefined)
      services.signIns.endByCookie(request.presented.cookie, request.from);
    cookie.clear(request, reply);
  });

  handle(api, routes.authOptions, () => {
    const passwordReset: 'email' | 'admin' = services.resetDelivery.mails ? 'email' : 'admin';
    return { passwordReset, authDisabled: config.authDisabled, version: VERSION };
  });
}

async function signIn(
  request: Pick<FastifyRequest, 'from' | 'headers'>,
  email: string,
  password: string,
  { signIns, signInAttempts }: Services,
): Promise<OpenedSignIn> {
  const network = networkOf(request);
  const userAgent = request.headers['user-agent'] ?? null;
  signInAttempts.admit(email, network);
  try {
    const opened = await signIns.open(email, password, request.from, userAgent);
    signInAttempts.succeeded(email, network);
    return opened;
  } catch (error) {
    // A queue or database that could not take it says nothing about the password.
    const isAnswer = error instanceof Refusal && error.code === 'invalid credentials';
    if (!isAnswer) signInAttempts.takeBack(email, network);
    throw error;
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
