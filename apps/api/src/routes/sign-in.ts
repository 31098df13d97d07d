import { PUBLIC, Refusal } from '@svc/auth-core';
import { AuthOptionsAnswer, LoginBody } from '@svc/contract';
import type { App, Host } from '../host.ts';
import { VERSION } from '../version.ts';

/** Dashboard sign-in and sign-out (specification 4, contract 2). */
export function signInRoutes(api: App, { deps, cookie }: Host): void {
  const { config } = deps;

  api.post(
    '/auth/login',
    { config: { access: PUBLIC }, schema: { body: LoginBody } },
    async (request, reply) => {
      const { email, password } = request.body;
      if (!isFilled(email) || !isFilled(password)) throw new Refusal('email and password required');
      const userAgent = request.headers['user-agent'] ?? null;
      const opened = await deps.signIns.open(email, password, request.from, userAgent);
      cookie.set(request, reply, opened.cookie, opened.lifetimeMs);
      return reply.code(204).send();
    },
  );

  api.post('/auth/logout', { config: { access: PUBLIC } }, async (request, reply) => {
    if (request.presented.cookie !== undefined)
      deps.signIns.endByCookie(request.presented.cookie, request.from);
    cookie.clear(request, reply);
    return reply.code(204).send();
  });

  const mailsLinks = config.mail.smtpUrl !== null && config.publicUrl !== null;
  api.get(
    '/auth/options',
    { config: { access: PUBLIC }, schema: { response: { 200: AuthOptionsAnswer } } },
    async () => ({
      passwordReset: mailsLinks ? ('email' as const) : ('admin' as const),
      authDisabled: config.authDisabled,
      version: VERSION,
    }),
  );
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
