import { type Access, atNode, HEADERS, type RestCredential, SIGN_IN_COOKIE } from '@svc/contract';

type Requirement = Readonly<Record<string, readonly []>>;

/** How a request may prove who sends it (specification 5.1, 5.8). */
export const SECURITY_SCHEMES = {
  accessKey: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.accessKey,
    description:
      'One half of a key pair: the access key, which names the account. Half a pair is a failing pair.',
  },
  accessKeyToken: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.token,
    description: 'The other half: a Profile token or an API key of that account.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of `POST /svc/api/auth/token`.',
  },
  signInCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: SIGN_IN_COOKIE,
    description:
      'A dashboard sign-in. Requests that change something also need an `Origin` or `Referer` of this server (specification 5.6).',
  },
  ticket: {
    type: 'apiKey',
    in: 'query',
    name: 'ticket',
    description: 'Once, for one thing, for a short time.',
  },
  hubToken: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.hubToken,
    description: 'At a node, from its hub alone; never made or sent by users.',
  },
  scrapeToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The value of `SVC_METRICS_TOKEN`, for Prometheus.',
  },
} as const;

type Scheme = keyof typeof SECURITY_SCHEMES;

const OF_CREDENTIAL: Readonly<Record<Exclude<RestCredential, 'none'>, readonly Scheme[]>> = {
  key: ['accessKey', 'accessKeyToken'],
  bearer: ['bearer'],
  'sign-in': ['signInCookie'],
};

/** What a route takes, by its declared access; any one of these is enough. */
export function securityOf(access: Access): readonly Requirement[] {
  if (access.kind === 'public') return [];
  const hub: readonly (readonly Scheme[])[] = access.orHub === undefined ? [] : [['hubToken']];
  if (access.kind === 'ticket') return requirements([['ticket'], ...hub]);
  const kinds = (access.only ?? ['bearer', 'key', 'sign-in']).filter((kind) => kind !== 'none');
  return requirements([
    ...kinds.map((kind) => OF_CREDENTIAL[kind]),
    ...(access.orTicket ? [['ticket'] as const] : []),
    ...(access.orScrapeToken ? [['scrapeToken'] as const] : []),
    ...hub,
  ]);
}

/** The same in words, with the role and scope it asks for. */
export function accessText(access: Access): string {
  if (access.kind === 'public') return 'Needs no credential.';
  const onNode = atNode(access) === 'hub' ? ' A node takes it from its hub alone.' : '';
  if (access.kind === 'ticket') return `Needs a ticket; none while sign-in is off.${onNode}`;
  const { role, scope, only, bearerFromSignIn } = access;
  const signIn = `a dashboard sign-in${bearerFromSignIn ? ', or a bearer token minted from one' : ''}`;
  const least = [
    ...(role === undefined || role === 'Member'
      ? []
      : [`the role ${role}${role === 'Admin' ? ' or above' : ''}`]),
    ...(scope === undefined ? [] : [`the scope \`${scope}\``]),
  ].join(' and ');
  const proof = only === undefined ? 'any credential' : signIn;
  return `Needs ${proof}${least === '' ? '' : `, ${least}`}.${onNode}`;
}

function requirements(of: readonly (readonly Scheme[])[]): readonly Requirement[] {
  return of.map((schemes) => Object.fromEntries(schemes.map((scheme) => [scheme, []])));
}
