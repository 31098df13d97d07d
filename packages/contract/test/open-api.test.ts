import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { PROVING_CREDENTIALS } from '../src/access.ts';
import { ERROR_STATUS, errorsOf, isPublic, operationIdOf, type Route, routes } from '../src/index.ts';
import { openApiDocument } from '../src/open-api/document.ts';
import { PROOF_SCHEMES } from '../src/proofs.ts';

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}
interface Answer {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly links?: Readonly<Record<string, { readonly operationId: string }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: object;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, Answer>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const document = openApiDocument('1.2.3') as unknown as {
  readonly info: { readonly version: string };
  readonly paths: Paths;
  readonly 'x-websockets': Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly examples: Readonly<Record<string, { readonly value: { readonly error: string } }>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
};
const operations = new Map(
  [...Object.values(document.paths), ...Object.values(document['x-websockets'])]
    .flatMap((path) => Object.values(path))
    .map((operation) => [operation.operationId, operation]),
);
const operationNamed = (id: string) => operations.get(id) as Operation;
const nameOf = ($ref = '') => $ref.split('/').at(-1) as string;
const answersOf = (id: string) =>
  Object.fromEntries(
    Object.entries(operationNamed(id).responses).map(([status, answer]) => [
      status,
      answer.$ref === undefined ? answer : (document.components.responses[nameOf(answer.$ref)] as Answer),
    ]),
  );
const listed: [string, Route][] = Object.entries(routes);

const ajv = new Ajv2020({ strict: false, validateFormats: true });
formats.default(ajv);
ajv.addSchema({ $id: 'document', components: document.components });
const problemsOf = (schema: object, value: unknown): unknown => {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
  return ajv.validate(absolute, value) ? null : { value, errors: ajv.errors };
};

describe('the OpenAPI document', () => {
  it('the OpenAPI document has every route, WebSockets apart from the rest (contract 2)', () => {
    expect(document.info.version).toBe('1.2.3');
    expect([...operations.keys()].toSorted()).toEqual(
      listed.map(([, route]) => operationIdOf(route)).toSorted(),
    );
    expect(Object.keys(document['x-websockets'])).toEqual([
      '/svc/api/control/{udid}/stream/h264',
      '/svc/api/control/{udid}/logs',
      '/svc/api/control/{udid}/adb',
      '/svc/api/control/{udid}/usb',
      '/svc/api/events',
    ]);
  });

  it.each(listed)('%s: its refusals are the codes it may answer, by status (contract 1)', (_, route) => {
    const responses = answersOf(operationIdOf(route));
    for (const code of errorsOf(route)) {
      const status = ERROR_STATUS[code];
      if (route.webSocket || status in route.responses) continue;
      const examples = Object.values(responses[status]?.content?.['application/json']?.examples ?? {});
      const codes = examples.map(({ $ref }) => document.components.examples[nameOf($ref)]);
      expect(codes.map((each) => each?.value.error)).toContain(code);
      expect(responses[status]?.description).toContain(`\`${code}\``);
    }
  });

  it.each(listed)('%s: its examples fit their schemas (contract 2)', (_, route) => {
    const { parameters = [], requestBody, responses } = operationNamed(operationIdOf(route));
    const media = [
      requestBody?.content ?? {},
      ...Object.values(responses).map(({ content = {} }) => content),
    ];
    const withExample = media
      .flatMap((content) => Object.values(content))
      .filter((each) => 'example' in each);
    for (const { schema = {}, example } of [...parameters, ...withExample]) {
      if (example !== undefined) expect(problemsOf(schema, example)).toBeNull();
    }
    if (route.body !== undefined) expect(requestBody?.content['application/json']?.example).toBeDefined();
    const successes = Object.entries(responses).filter(([status]) => Number(status) < 400);
    const written = successes.flatMap(([, { content = {} }]) => Object.entries(content));
    // No example can be written for pictures and files.
    const isText = (type: string) => /json|^text\//.test(type);
    for (const [type, each] of written.filter(([type]) => isText(type)))
      expect(each.example, type).not.toBeUndefined();
  });

  it('no example contains a value that says nothing (contract 2)', () => {
    const examples = [...operations.values()].flatMap(({ requestBody, responses }) =>
      [requestBody?.content ?? {}, ...Object.values(responses).map(({ content = {} }) => content)]
        .flatMap((content) => Object.values(content))
        .map(({ example }) => JSON.stringify(example)),
    );
    expect(examples.filter((example) => /^\{\}$|"text"[,\]}]/.test(example ?? ''))).toEqual([]);
  });

  const UDID = { udid: 'pixel-8', minutes: 5 };
  const URL = { url: 'https://ci.lab.example/hooks/svc' };
  const HOOK = { id: '3f0b6a52-7c1e-4d5a-9b7e-2a1d8c4e6f90' };
  const KEY = { name: 'nightly run' };
  const RULE = { name: 'nightly', issuer: 'https://id.example', scopes: ['read'] };
  const CLAIMS = [{ claim: 'project', anyOf: ['shop'] }];
  it.each([
    ['createLease', UDID, { ...UDID, platform: 'Android' }],
    ['createLease', UDID, { ...UDID, tags: ['smoke'] }],
    ['createLease', { platform: 'Android', tags: [], minutes: 5 }, { minutes: 5 }],
    ['createLease', { tags: ['smoke'], minutes: 5 }, { tags: [], minutes: 5 }],
    ['reauthenticate', { password: 'secret' }, {}],
    ['reauthenticate', { response: {} }, { password: 'secret', response: {} }],
    ['issueBearer', { audience: 'svc-mcp', limits: { sessions: 1 } }, { limits: { sessions: 1 } }],
    ['issueBearer', {}, { audience: 'svc-rest', limits: { sessions: 1 } }],
    ['testWebhook', URL, {}],
    ['testWebhook', HOOK, { ...HOOK, ...URL }],
    ['testWebhook', { ...HOOK, format: 'slack' }, { format: 'slack' }],
    ['createApiKey', { ...KEY, scopes: ['read'] }, KEY],
    ['createApiKey', { ...KEY, kind: 'scim' }, { ...KEY, scopes: [] }],
    ['createApiKey', { ...KEY, kind: 'scim', scopes: [] }, { ...KEY, kind: 'api-key' }],
    ['createTrustRule', { ...RULE, claims: CLAIMS, jwks: null }, { ...RULE, claims: CLAIMS, jwks: {} }],
    ['createTrustRule', { ...RULE, claims: CLAIMS, jwks: { keys: [{}] } }, { ...RULE, claims: [] }],
  ])('%s: the document accepts %j and refuses %j, as the server does (contract 2)', (id, good, bad) => {
    const { requestBody } = operationNamed(id);
    const schema = requestBody?.content['application/json']?.schema as object;
    expect(problemsOf(schema, good)).toBeNull();
    expect(problemsOf(schema, bad)).not.toBeNull();
  });

  it('a body that must have a field is a required body (contract 2)', () => {
    const needed = ['createLease', 'reauthenticate', 'testWebhook', 'createApiKey'];
    expect(needed.map((id) => operationNamed(id).requestBody?.required)).toEqual([true, true, true, true]);
    expect(operationNamed('issueBearer').requestBody?.required).toBe(false);
  });

  it('every example of a refusal fits the one error shape (contract 1)', () => {
    const { Error: shape = {} } = document.components.schemas;
    for (const { value } of Object.values(document.components.examples))
      expect(problemsOf(shape, value)).toBeNull();
    expect(Object.keys(document.components.examples).length).toBeGreaterThan(50);
  });

  it('a 204 response has no content, and bodies refuse additional fields except on public routes (contract 1)', () => {
    for (const [, route] of listed) {
      const { responses, requestBody } = operationNamed(operationIdOf(route));
      expect(responses[204]?.content).toBeUndefined();
      const { $ref } = (requestBody?.content['application/json']?.schema ?? {}) as { $ref?: string };
      if ($ref === undefined) continue;
      const body = document.components.schemas[nameOf($ref)];
      expect((body as { additionalProperties?: boolean }).additionalProperties).toBe(
        isPublic(route.access) ? undefined : false,
      );
    }
  });

  it('each route takes the credentials of its access, a hub token where a hub asks (specification 5.1)', () => {
    const takes = (id: string) => operationNamed(id).security.map((each) => Object.keys(each).join('+'));
    const proofs = PROVING_CREDENTIALS.map((kind) => PROOF_SCHEMES[kind].parts);
    const ofAnyCaller = proofs.map((parts) => parts.map(({ openApiName }) => openApiName).join('+'));
    expect(takes('getMe').toSorted()).toEqual(ofAnyCaller.toSorted());
    expect(ofAnyCaller).toEqual(
      expect.arrayContaining(['bearer', 'accessKey+accessKeyToken', 'signInCookie']),
    );
    expect(takes('listSignIns')).toEqual(['signInCookie']);
    expect(takes('changePassword')).toEqual(['signInCookie', 'bearer']);
    expect(takes('login')).toEqual([]);
    expect(takes('downloadApp')).toContain('ticket');
    expect(takes('getMetrics')).toContain('scrapeToken');
    const ofHub = [...operations.keys()].filter((id) => takes(id).includes('hubToken'));
    expect(ofHub.toSorted()).toEqual([
      'deleteRecording',
      'getCleaningPlan',
      'getDeviceLog',
      'getRecording',
      'getRecordingChunk',
      'getRecordingPicture',
      'getSessionReport',
      'openAdb',
      'openUsb',
      'pressKey',
      'setClipboard',
      'streamH264',
      'streamLogs',
      'streamMjpeg',
      'swipeScreen',
      'tapScreen',
      'typeText',
    ]);
    expect(operationNamed('createUser').description).toContain(
      'the role Admin or above and the scope `admin`',
    );
  });

  it('the response that creates something links to what may be done with it (contract 2)', () => {
    const linksOf = (id: string) => Object.keys(operationNamed(id).responses[201]?.links ?? {}).toSorted();
    expect(linksOf('createUser')).toEqual([
      'changeUser',
      'createResetLink',
      'listUserPasskeys',
      'removeUser',
      'setUserLimits',
    ]);
    expect(linksOf('createLease')).toEqual(['changeLease', 'endLease']);
    expect(linksOf('createTeam')).toEqual(['addMember', 'listMembers', 'removeTeam', 'setTeamLimits']);
  });
});
