/**
 * Request bodies as identity providers send them. They come from the documentation of Microsoft Entra ID and Okta, and
 * from bug reports of servers that refused them.
 */

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export const ENTRA = {
  create: (userName: string) => ({
    schemas: [USER, ENTERPRISE],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName,
    active: true,
    displayName: 'Bea Leaver',
    emails: [{ primary: true, type: 'work', value: userName }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Bea Leaver', familyName: 'Leaver', givenName: 'Bea' },
    roles: [],
    [ENTERPRISE]: { department: 'QA', manager: { value: 'x' } },
  }),
  /** Deactivation as Entra ID sends it: the operation is capitalised, and the value is a text. */
  disable: { schemas: [PATCH], Operations: [{ op: 'Replace', path: 'active', value: 'False' }] },
  enable: { schemas: [PATCH], Operations: [{ op: 'Add', path: 'active', value: 'True' }] },
  disableWithoutPath: { schemas: [PATCH], Operations: [{ op: 'replace', value: { active: false } }] },
  rename: {
    schemas: [PATCH],
    Operations: [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'other@lab.test' },
      { op: 'Add', path: 'name.familyName', value: 'Stayer' },
      { op: 'Replace', path: 'displayName', value: 'Bea Stayer' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Sales' },
      { op: 'Remove', path: 'title' },
    ],
  },
  renameWithoutPath: {
    schemas: [PATCH],
    Operations: [
      {
        op: 'Add',
        value: {
          [`${USER}:displayName`]: 'Bea B.',
          'name.givenName': 'Bea',
          [`${ENTERPRISE}:employeeNumber`]: '7',
        },
      },
    ],
  },
} as const;

export const OKTA = {
  create: (userName: string) => ({
    schemas: [USER],
    userName,
    name: { givenName: 'Otto', familyName: 'Goer' },
    emails: [{ primary: true, value: userName, type: 'work' }],
    displayName: 'Otto Goer',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq-Secret',
    active: true,
  }),
  /** Deactivation as Okta sends it: the whole user as read before, with the changed attribute. */
  deactivate: (user: object) => ({ ...user, active: false }),
  deactivateByPatch: { schemas: [PATCH], Operations: [{ op: 'replace', value: { active: false } }] },
} as const;
