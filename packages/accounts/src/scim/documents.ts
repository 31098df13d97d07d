import { LARGEST_PAGE, SCHEMAS } from './names.ts';
import type { Resource } from './resources.ts';

/** @returns the document that lists the SCIM features of this server (RFC 7643 5) */
export function serviceProviderConfig(base: string): Resource {
  const no = { supported: false };
  return {
    schemas: [SCHEMAS.config],
    patch: { supported: true },
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: LARGEST_PAGE },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM key',
        description: 'An API key of kind scim, as the bearer token of each request.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** @returns the list of the SCIM resource types of this server, which contains only `User` (RFC 7643 6) */
export function resourceTypes(base: string): Resource[] {
  return [
    {
      schemas: [SCHEMAS.resourceType],
      id: 'User',
      name: 'User',
      description: 'Account of the device lab',
      endpoint: '/Users',
      schema: SCHEMAS.user,
      schemaExtensions: [],
      meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
    },
  ];
}

interface Traits {
  readonly type?: 'string' | 'boolean' | 'complex';
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readOnly' | 'readWrite' | 'immutable';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly Resource[];
}

function attribute(name: string, description: string, traits: Traits = {}): Resource {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    ...(traits.type === 'boolean' || traits.type === 'complex' ? {} : { caseExact: false }),
    mutability: 'readWrite',
    returned: 'default',
    ...(traits.type === 'boolean' || traits.type === 'complex' ? {} : { uniqueness: 'none' }),
    ...traits,
  };
}

const READ_ONLY = { mutability: 'readOnly' } as const;

/** Schema of the user attributes that this server stores or derives. */
const USER_ATTRIBUTES: readonly Resource[] = [
  attribute('userName', 'E-mail address of the account, which cannot change', {
    required: true,
    mutability: 'immutable',
    uniqueness: 'server',
  }),
  attribute('displayName', 'Name of the person'),
  attribute('active', 'Whether the account is Active', { type: 'boolean', required: true }),
  attribute('name', 'Name of the person, the same as displayName', {
    type: 'complex',
    ...READ_ONLY,
    subAttributes: [attribute('formatted', 'The whole name', READ_ONLY)],
  }),
  attribute('emails', 'E-mail address of the account, the same as userName', {
    type: 'complex',
    multiValued: true,
    ...READ_ONLY,
    subAttributes: [
      attribute('value', 'The address', READ_ONLY),
      attribute('type', 'Always work', READ_ONLY),
      attribute('primary', 'Always true', { type: 'boolean', ...READ_ONLY }),
    ],
  }),
];

/** @returns the schemas of the resources (RFC 7643 7) */
export function schemas(base: string): Resource[] {
  return [
    {
      schemas: [SCHEMAS.schema],
      id: SCHEMAS.user,
      name: 'User',
      description: 'Account of the device lab',
      attributes: USER_ATTRIBUTES,
      meta: { resourceType: 'Schema', location: `${base}/Schemas/${SCHEMAS.user}` },
    },
  ];
}
