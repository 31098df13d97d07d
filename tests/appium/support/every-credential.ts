import { EVERY_SCOPE } from '../../conformance/support/agent.ts';
import type { Credentials, Person, World } from '../../conformance/support/world.ts';
import { createSession, pairOf } from '../../support/sessions.ts';

/** What the owner of all credentials holds: a session, a leased adb phone, a leased iOS phone, and a link. */
export interface Held {
  readonly sessionId: string;
  readonly phone: string;
  readonly adbPhone: string;
  readonly usbPhone: string;
  /** Secret of a link for spectators that is for the owner alone. */
  readonly watchSecret: string;
  /** Secret of an attach address of the session. */
  readonly attachSecret: string;
}

/** A secret of each kind, as a client holds it. */
type Secrets = ReadonlyMap<string, string>;

export interface Everyone {
  readonly owner: Person;
  readonly held: Held;
  /** Headers by kind of credential. Kinds of the owner have no prefix. */
  readonly credentials: ReadonlyMap<string, Credentials>;
  /** Secrets that are no credential alone, by kind. Each is also a credential, as a bearer. */
  readonly secrets: Secrets;
  /** Issues a new ticket, because a ticket works once. */
  ticket(kind: TicketKind): Promise<string>;
}

export const TICKET_KINDS = ['stream', 'adb', 'usb', 'events'] as const;
type TicketKind = (typeof TICKET_KINDS)[number];

const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` });

/** Makes an account with a credential of every kind, and credentials of others. */
export async function everyone(
  world: World,
  { adbPhone, usbPhone, metricsToken }: { adbPhone: string; usbPhone: string; metricsToken: string },
): Promise<Everyone> {
  const [owner, other, inactive] = [await world.person(), await world.person(), await world.person()];
  const admin = await world.person('Admin');
  const pair = await world.pair(owner.as);
  const revoked = await world.pair(owner.as);
  const otherPair = await world.pair(other.as);
  const post = (path: string, json: object, as = owner.as) => world.ok('POST', path, { as, json });

  const phone = 'virtual-1';
  const created = await createSession(world.url, pairOf({ ...pair, headers: {} as never }), {
    capabilities: { 'appium:udid': phone, 'appium:newCommandTimeout': 0 },
  });
  const sessionId = created.body.value.sessionId;
  const { leaseToken } = await post('/leases', { udid: adbPhone, minutes: 60 });
  await post('/leases', { udid: usbPhone, minutes: 60 });
  const link = await post(`/control/${adbPhone}/watch`, { for: 'account', account: owner.id });
  const attach = await post(`/session/${sessionId}/attach`, {});
  const held: Held = {
    ...{ sessionId, phone, adbPhone, usbPhone },
    watchSecret: link.url.split('#')[1],
    attachSecret: attach.url.split('/').at(-1),
  };

  const agent = (scopes: readonly string[]) => post('/auth/token', { audience: 'svc-mcp', scopes });
  const whole = await agent(EVERY_SCOPE.filter((scope) => scope !== 'svc:recordings'));
  const reading = await agent(['svc:devices:read']);
  const rest = async (as: Credentials) => await world.bearer(as);
  const scim = await post('/apikeys', { name: 'idp', kind: 'scim' }, world.root.as);
  const secrets = new Map<string, string>([
    ['lease token', leaseToken],
    ['attach secret', held.attachSecret],
    ['watch secret', held.watchSecret],
    ['session token', whole.sessionToken],
    ['SCIM key', scim.token],
    ['metrics token', metricsToken],
  ]);
  const ticket = async (kind: TicketKind): Promise<string> => {
    const path = { stream: phone, adb: adbPhone, usb: usbPhone, events: '' }[kind];
    const target = kind === 'events' ? '/events/ticket' : `/control/${path}/${kind}/ticket`;
    return (await post(target, {})).ticket;
  };
  const credentials = new Map<string, Credentials>([
    ['no credential', {}],
    ['sign-in', owner.as],
    ['key pair', pair.as],
    [
      'Basic',
      { authorization: `Basic ${Buffer.from(`${pair.accessKey}:${pair.token}`).toString('base64')}` },
    ],
    ['bearer of a sign-in', await rest(owner.as)],
    ['bearer of a pair', await rest(pair.as)],
    ['agent', bearer(whole.token)],
    ['bearer of an agent', await rest(bearer(whole.token))],
    ['reading agent', bearer(reading.token)],
    ['bearer of a reading agent', await rest(bearer(reading.token))],
    ...[...secrets].map(([kind, secret]) => [kind, bearer(secret)] as const),
    ['lease token in a pair', { 'x-svc-access-key': pair.accessKey, 'x-svc-token': leaseToken }],
    ['revoked pair', revoked.as],
    ['other sign-in', other.as],
    ['other pair', otherPair.as],
    ['other bearer', await rest(other.as)],
    ['sign-in of an Inactive account', inactive.as],
    ['read-only key of an Admin', (await world.apiKey(admin.as, { scopes: ['read'] })).as],
    ['override admin', world.root.as],
  ]);
  for (const kind of TICKET_KINDS) credentials.set(`${kind} ticket`, bearer(await ticket(kind)));
  await world.ok('DELETE', `/profile/tokens/${revoked.id}`, { as: owner.as });
  await world.ok('PATCH', `/users/${inactive.id}`, { as: world.root.as, json: { status: 'Inactive' } });
  return { owner, held, credentials, secrets, ticket };
}
