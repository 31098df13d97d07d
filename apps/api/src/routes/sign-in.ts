import { type OpenedSignIn, PUBLIC, Refusal } from '@svc/auth-core';
import { AuthOptionsResponse, LoginBody } from '@svc/contract';
import type { FastifyRequest } from 'fastify';
import type { App, HttpContext } from '../http-context.ts';
import { limitedBy, networkOf } from '../plugins/attempt-limits.ts';
import type { Services } from '../services.ts';
import { VERSION } from '../version.ts';

/** Dashboard sign-in and sign-out (specification 4, contract 2). */
export function signInRoutes(api: App, { services, cookie }: HttpContext): void {
  const { config, signInAttempts } = services;
  const rateLimit = limitedBy(signInAttempts.byAddress, 'too many login attempts', networkOf);

  api.post(
    '/auth/login',
    { config: { access: PUBLIC, rateLimit }, schema: { body: LoginBody } },
    async (request, reply) => {
      const { email, password } = request.body;
      if (!isFilled(email) || !isFilled(password)) throw new Refusal('email and password required');
      const opened = await signIn(request, email.trim(), password, services);
      cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
      return reply.code(204).send();
    },
  );

  api.post('/auth/logout', { config: { access: PUBLIC } }, async (request, reply) => {
    if (request.presented.cookie !== undefined)
      services.signIns.endByCookie(request.presented.cookie, request.from);
    cookie.clear(request, reply);
    return reply.code(204).send();
  });

  api.get(
    '/auth/options',
    { config: { access: PUBLIC }, schema: { response: { 200: AuthOptionsResponse } } },
    async () => ({
      passwordReset: services.resetDelivery.mails ? ('email' as const) : ('admin' as const),
      authDisabled: config.authDisabled,
      version: VERSION,
    }),
  );
}

async function signIn(
  request: FastifyRequest,
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
