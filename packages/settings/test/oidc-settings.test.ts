import { describe, expect, it, test } from 'vitest';
import { ConfigError } from '../src/environment/config-error.ts';
import { read } from './read.ts';

const PROVIDER = { SVC_OIDC_ISSUER: 'https://sso.test/realms/lab', SVC_OIDC_CLIENT_ID: 'svc' };

describe('settings of the OpenID provider', () => {
  it('settings of the OpenID provider have their defaults, and are null without a provider (contract 10.1)', () => {
    expect(read().config.oidc).toBeNull();
    expect(read().config.passwordSignIn).toBe('on');
    const { config, warnings } = read(PROVIDER);
    expect(warnings).toEqual([]);
    expect(config.oidc).toEqual({
      issuer: 'https://sso.test/realms/lab',
      clientId: 'svc',
      clientSecret: null,
      name: 'sso.test',
      scopes: 'openid profile email',
      groupsClaim: 'groups',
      roles: null,
      teams: null,
      signUp: 'off',
      link: 'password',
    });
  });

  it('settings of the OpenID provider read maps of groups, whose names may contain an equals sign (contract 10.1)', () => {
    const { config } = read({
      ...PROVIDER,
      SVC_OIDC_ROLES: 'lab-admins=Admin, cn=lab =member',
      SVC_OIDC_TEAMS: 'qa=QA,qa=Mobile Team',
    });
    expect(config.oidc?.roles).toEqual([
      { group: 'lab-admins', role: 'Admin' },
      { group: 'cn=lab', role: 'Member' },
    ]);
    expect(config.oidc?.teams).toEqual([
      { group: 'qa', team: 'QA' },
      { group: 'qa', team: 'Mobile Team' },
    ]);
  });

  it('settings of the OpenID provider never map a group to Super admin, and still count as set (contract 10.1)', () => {
    const { config, warnings } = read({ ...PROVIDER, SVC_OIDC_ROLES: 'bosses=Super admin' });
    expect(config.oidc?.roles).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^SVC_OIDC_ROLES maps a group to Super admin/)]);
  });

  test.for<[string, string]>([
    ['SVC_OIDC_ROLES', 'lab'],
    ['SVC_OIDC_ROLES', 'lab=Owner'],
    ['SVC_OIDC_ROLES', ','],
    ['SVC_OIDC_TEAMS', 'qa='],
    ['SVC_OIDC_TEAMS', '=QA'],
    ['SVC_PASSWORD_SIGN_IN', 'off'],
  ])(
    '%s=%s stops the start and names the variable, because the default would admit people',
    ([name, value]) => {
      expect(() => read({ ...PROVIDER, [name]: value })).toThrow(ConfigError);
      expect(() => read({ ...PROVIDER, [name]: value })).toThrow(new RegExp(`^${name} `));
    },
  );

  test.for([
    'http://sso.test',
    'ftp://sso.test',
    'sso.test',
    'https://user@sso.test',
    'https://sso.test/?a=b',
    'https://sso.test/#a',
  ])('the issuer %s is not used (contract 10.1)', (issuer) => {
    const { config, warnings } = read({ ...PROVIDER, SVC_OIDC_ISSUER: issuer });
    expect(config.oidc).toBeNull();
    expect(warnings[0]).toMatch(/^SVC_OIDC_ISSUER /);
    expect(warnings.join()).not.toContain('@');
  });

  test.for([
    'http://localhost:8080',
    'http://127.0.0.1:9/realms/lab',
    'http://[::1]:8080',
    'https://sso.test/',
  ])('the issuer %s is kept to the letter (contract 10.1)', (issuer) => {
    expect(read({ ...PROVIDER, SVC_OIDC_ISSUER: issuer }).config.oidc?.issuer).toBe(issuer);
  });

  it('settings of the OpenID provider say what is missing, and what has no effect', () => {
    expect(read({ SVC_OIDC_ISSUER: 'https://sso.test' }).warnings.join()).toContain('SVC_OIDC_CLIENT_ID');
    expect(read({ SVC_OIDC_CLIENT_ID: 'svc' }).warnings.join()).toContain('SVC_OIDC_ISSUER');
    const { warnings } = read({ ...PROVIDER, SVC_OIDC_SIGN_UP: 'mapped', SVC_OIDC_LINK: 'email' });
    expect(warnings).toEqual([
      expect.stringMatching(/^SVC_OIDC_LINK /),
      expect.stringMatching(/^SVC_OIDC_SIGN_UP=mapped has no effect/),
    ]);
  });

  it('settings of the OpenID provider read the secret of the client from a file, and never from a plugin option (contract 5)', () => {
    const readFile = () => 'the secret\n';
    const env = { ...PROVIDER, SVC_OIDC_CLIENT_SECRET_FILE: '/run/secret' };
    expect(read(env, { readFile }).config.oidc?.clientSecret).toBe('the secret');
    const options = { oidcClientSecret: 'the secret' };
    expect(read(PROVIDER, { options }).config.oidc?.clientSecret).toBeNull();
  });
});
