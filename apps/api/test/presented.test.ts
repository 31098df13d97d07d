import cookies from '@fastify/cookie';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { beforeAll, expect, it } from 'vitest';
import { PresentedByRequest } from '../src/admission/presented.ts';

let server: FastifyInstance;

beforeAll(async () => {
  server = fastify();
  await server.register(cookies, { hook: false });
});

const cookieOf = (cookie: string | undefined) =>
  new PresentedByRequest({ headers: { cookie }, server } as unknown as FastifyRequest).cookie;

it('the server takes the cookie of that exact name (specification 2, Dashboard sign-in)', () => {
  expect(cookieOf(undefined)).toBeUndefined();
  expect(cookieOf('theme=dark; svc_dashboard_session=f; other=g')).toBe('f');
  expect(cookieOf(' svc_dashboard_session = a=b ;x=y')).toBe('a=b');
  expect(
    cookieOf('xsvc_dashboard_session=a; SVC_DASHBOARD_SESSION=b; svc_dashboard_session'),
  ).toBeUndefined();
});

it.each([
  ['svc_dashboard_session=a; svc_dashboard_session=b'],
  ['svc_dashboard_session=a; x=y; svc_dashboard_session=b; svc_dashboard_session=a'],
  ['svc_dashboard_session=; svc_dashboard_session=a'],
  ['svc_dashboard_session=a;svc_dashboard_session=A'],
  ['svc_dashboard_session="a"; svc_dashboard_session=b'],
  ['svc_dashboard_session=%61%20; svc_dashboard_session=a'],
])(
  'several sign-in cookies with different values count as no cookie: %s (spec 2 Dashboard sign-in)',
  (cookie) => {
    expect(cookieOf(cookie)).toBeUndefined();
    expect(cookieOf(cookie.split(';').reverse().join(';'))).toBeUndefined();
  },
);

it('several sign-in cookies that are the same count as one (spec 2 Dashboard sign-in)', () => {
  expect(cookieOf('svc_dashboard_session=a; theme=dark; svc_dashboard_session=a')).toBe('a');
});

it('an empty one is present, so that it fails instead of counting as none (specification 5.1.1)', () => {
  expect(cookieOf('svc_dashboard_session=')).toBe('');
});

it.each([
  ['without a name', ';'.repeat(16_000)],
  ['with names', 'a=b;'.repeat(4000)],
  ['without values', 'a;'.repeat(8000)],
  ['of quotes', '"='.repeat(8000)],
  ['of that name', 'svc_dashboard_session;'.repeat(700)],
])('a header of thousands of parts %s is read in time that grows with its length only', (_name, parts) => {
  // If the duration grew with the square of the header's length, this test would time out.
  for (let time = 0; time < 20; time += 1)
    expect(cookieOf(`${parts}; svc_dashboard_session`)).toBeUndefined();
});
