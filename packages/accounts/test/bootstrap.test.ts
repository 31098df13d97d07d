import { KeyRing, LOCAL_ORIGIN, NO_CREDENTIAL } from '@svc/auth-core';
import { hashOf, NOON, OpenHasher, refusalOfAsync, type SilentLog, silentLog } from '@svc/auth-core/testing';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { sampleResetLink } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownPassword } from '../src/passwords/set-password.ts';
import { type BootstrapOptions, bootstrap } from '../src/users/bootstrap.ts';
import { setUpAccounts, type TestAccounts } from './accounts.ts';

let core: TestAccounts;
let log: SilentLog;

beforeEach(() => {
  core = setUpAccounts(KeyRing.empty());
  log = silentLog();
});

const UNSET: BootstrapOptions = { email: null, password: null, resetPassword: false, isNode: false };
const OWN = { email: 'boss@lab.test', password: 'correct horse', resetPassword: false };

async function start(
  options: Partial<BootstrapOptions> = {},
  isCommonPassword?: (password: string) => boolean,
): Promise<void> {
  const finish = await bootstrap({ ...core, log, isCommonPassword }, { ...UNSET, ...options });
  await finish();
}

const passwordHash = (id: string | undefined) => core.stores.accounts.passwordHash(id ?? '');
const events = () => core.stores.audit.page(null, 100).map(({ event }) => event);

describe('first start', () => {
  it('the first start makes the Super admin that the variables name (spec 5.9.1)', async () => {
    await start(OWN);
    const [account, ...others] = core.stores.accounts.list();
    expect(others).toEqual([]);
    expect(account).toMatchObject({
      email: 'boss@lab.test',
      role: 'Super admin',
      status: 'Active',
      defaultPassword: false,
      temporaryPasswordUntil: null,
      createdAt: NOON,
    });
    expect(account?.accessKey).toMatch(/^svc_[0-9A-Za-z]{24}$/);
    expect(passwordHash(account?.id)).toBe(OpenHasher.of('correct horse'));
    expect(log.messages('warn')).toEqual([]);
    expect(events()).toEqual(['user_created']);
  });

  it('a first start without bootstrap variables makes the built-in account, and every start warns of it (spec 5.9.1, contract 5)', async () => {
    for (let round = 1; round <= 3; round++) {
      await start();
      expect(log.messages('warn')).toHaveLength(round);
    }
    const account = core.stores.accounts.byEmail(DEFAULT_ADMIN_EMAIL);
    expect(account).toMatchObject({ role: 'Super admin', defaultPassword: true });
    expect(passwordHash(account?.id)).toBe(OpenHasher.of(DEFAULT_ADMIN_PASSWORD));
    expect(core.stores.accounts.list()).toHaveLength(1);
  });

  it('each variable counts on its own (spec 5.9.1)', async () => {
    await start({ email: 'boss@lab.test' });
    expect(core.stores.accounts.byEmail('boss@lab.test')?.defaultPassword).toBe(true);
    core = setUpAccounts(KeyRing.empty());
    await start({ password: 'correct horse' });
    expect(core.stores.accounts.byEmail(DEFAULT_ADMIN_EMAIL)?.defaultPassword).toBe(false);
  });

  it('a first start on a database that is not empty makes and changes nothing (spec 5.9.1)', async () => {
    const member = core.addUser('mia', 'Member');
    await start(OWN);
    expect(core.stores.accounts.list()).toEqual([member]);
    expect(events()).toEqual([]);
  });

  it('a start warns if other accounts keep it from making the account that the variable names (spec 5.9.1)', async () => {
    core.addUser('mia', 'Member');
    await start(OWN);
    expect(log.messages('warn')).toEqual([expect.stringContaining('none of them is boss@lab.test')]);
    log = silentLog();
    await start({ ...OWN, email: core.stores.accounts.list()[0]?.email.toUpperCase() ?? '' });
    await start();
    expect(log.messages('warn')).toEqual([]);
  });

  it('two servers that start at once make one account (spec 5.9.1)', async () => {
    await Promise.all([start(OWN), start(OWN), start({ ...OWN, email: 'second@lab.test' })]);
    expect(core.stores.accounts.list().map(({ email }) => email)).toEqual(['boss@lab.test']);
    expect(events()).toEqual(['user_created']);
  });

  it('a start warns while any active account has the built-in password, whatever became of its role (contract 5)', async () => {
    await start();
    const account = core.stores.accounts.byEmail(DEFAULT_ADMIN_EMAIL);
    core.arrange.accounts.update(account?.id ?? '', { role: 'Member' });
    log.clear();
    await start();
    expect(log.messages('warn')).toHaveLength(1);
    core.arrange.accounts.update(account?.id ?? '', { defaultPassword: false });
    log.clear();
    await start();
    expect(log.messages('warn')).toEqual([]);
  });

  describe.each([
    ['short', 'seven77', 'boss@lab.test is a common one or'],
    ['common', 'Password123', 'boss@lab.test is a common one or'],
    ['published', 'choose your own', 'boss@lab.test is an example that the documentation shows'],
  ])('with a %s password (contract 4)', (_, password, fault) => {
    const isCommonPassword = (text: string) => text.toLowerCase() === 'password123';
    const startWith = (options: Partial<BootstrapOptions>) => start(options, isCommonPassword);

    it('starts, and warns at every start until it is changed, the variable gone or not', async () => {
      await startWith({ ...OWN, password });
      await startWith({ ...OWN, password });
      await startWith({});
      const warnings = log.messages('warn');
      expect(warnings).toHaveLength(3);
      expect(new Set(warnings)).toEqual(new Set([expect.stringContaining(fault)]));
      expect(warnings.join()).not.toContain(password);
      const account = core.stores.accounts.byEmail('boss@lab.test');
      core.arrange.accounts.update(account?.id ?? '', ownPassword('correct horse', 'hash'));
      log.clear();
      await startWith({ ...OWN, password });
      expect(log.messages('warn')).toEqual([]);
    });

    it('a reset with a bad password warns as well (specification 5.11)', async () => {
      core.addUser('sam', 'Super admin');
      await startWith({ password, resetPassword: true });
      expect(log.messages('warn').join()).toContain(fault.replace('boss', 'sam'));
    });
  });

  it('an example password of the documentation is found in any letter case, with the list of common ones off (contract 5)', async () => {
    await start({ ...OWN, password: ' Choose Your Own' });
    expect(core.stores.accounts.byEmail('boss@lab.test')?.defaultPassword).toBe(true);
    expect(ownPassword('choose your own', 'hash').defaultPassword).toBe(true);
    expect(ownPassword('choose your own password', 'hash').defaultPassword).toBe(false);
  });

  it('no log line and no audit row holds a password', async () => {
    await start({ ...OWN, resetPassword: true });
    await start({ ...OWN, resetPassword: true });
    const said = JSON.stringify([log.entries, core.stores.audit.page(null, 100)]);
    expect(said).not.toContain('correct horse');
    expect(said).not.toContain('hash of');
  });
});

describe('SVC_BOOTSTRAP_RESET_PASSWORD', () => {
  it('SVC_BOOTSTRAP_RESET_PASSWORD gives the oldest active Super admin that password and signs them out (spec 5.11)', async () => {
    core.addUser('mia', 'Member', { createdAt: 1 });
    core.addUser('ina', 'Super admin', { createdAt: 2, status: 'Inactive' });
    const oldest = core.addUser('sam', 'Super admin', { createdAt: 3, temporaryPasswordUntil: NOON - 1 });
    const newer = core.addUser('sue', 'Super admin', { createdAt: 4 });
    const other = await core.signIn(newer);
    core.boundedSignIn({ account: oldest, credential: NO_CREDENTIAL, from: LOCAL_ORIGIN } as never, {});
    core.arrange.resetLinks.insert(
      { ...sampleResetLink('link', 'sam'), accountId: oldest.id },
      hashOf('link'),
    );

    await start({ ...OWN, resetPassword: true });

    expect(passwordHash(oldest.id)).toBe(OpenHasher.of('correct horse'));
    expect(core.user(oldest.id)).toMatchObject({
      signInEpoch: oldest.signInEpoch + 1,
      temporaryPasswordUntil: null,
      defaultPassword: false,
      email: 'sam@lab.test',
    });
    expect(core.stores.signIns.listOf(oldest.id)).toEqual([]);
    expect(core.stores.resetLinks.byHash(hashOf('link'))).toBeUndefined();
    expect((await core.verify(other)).account.id).toBe(newer.id);
    expect(passwordHash(newer.id)).toBe(OpenHasher.of('sue-password'));
    expect(events()).toContain('authn_password_change');
  });

  it('SVC_BOOTSTRAP_RESET_PASSWORD acts at every start while it is set, and says so (spec 5.11)', async () => {
    const account = core.addUser('sam', 'Super admin');
    for (let round = 1; round <= 3; round++) {
      await start({ ...OWN, resetPassword: true });
      expect(core.user(account.id).signInEpoch).toBe(round);
    }
    expect(log.messages('warn').filter((line) => line.includes('SVC_BOOTSTRAP_RESET_PASSWORD'))).toHaveLength(
      3,
    );
  });

  it('a password reset without the password variable sets the built-in password (spec 5.11)', async () => {
    const account = core.addUser('sam', 'Super admin');
    await start({ resetPassword: true });
    expect(passwordHash(account.id)).toBe(OpenHasher.of(DEFAULT_ADMIN_PASSWORD));
    expect(core.user(account.id).defaultPassword).toBe(true);
  });

  it('a password reset without an active Super admin changes no account and says so (spec 5.11)', async () => {
    const member = core.addUser('mia', 'Member');
    core.addUser('ina', 'Super admin', { status: 'Inactive' });
    await start({ ...OWN, resetPassword: true });
    expect(passwordHash(member.id)).toBe(OpenHasher.of('mia-password'));
    expect(log.messages('warn').join()).toContain('no active Super admin');
    expect(events()).toEqual([]);
  });

  it('a password reset on an empty database makes the first account like any start (spec 5.9.1)', async () => {
    await start({ ...OWN, resetPassword: true });
    expect(core.stores.accounts.byEmail('boss@lab.test')?.signInEpoch).toBe(0);
    expect(events()).toEqual(['user_created']);
  });

  it('the old password opens nothing afterwards (spec 5.11)', async () => {
    const account = core.addUser('sam', 'Super admin');
    await start({ ...OWN, resetPassword: true });
    expect((await refusalOfAsync(() => core.signIn(account))).code).toBe('invalid credentials');
  });
});

describe('on a node', () => {
  const startNode = (options: Partial<BootstrapOptions> = {}) => start({ ...options, isNode: true });
  const builtIn = async () => {
    await start();
    log.clear();
    return core.stores.accounts.byEmail(DEFAULT_ADMIN_EMAIL)?.id ?? '';
  };

  it.each([null, DEFAULT_ADMIN_PASSWORD, 'choose your own'])(
    'the first start of a node with the bootstrap password %j fails, says what to set and makes no account (contract 8.3)',
    async (password) => {
      await expect(startNode({ password })).rejects.toThrow(/Set SVC_BOOTSTRAP_ADMIN_PASSWORD/);
      expect(core.stores.accounts.isEmpty()).toBe(true);
      await startNode(OWN);
      expect(passwordHash(core.stores.accounts.byEmail('boss@lab.test')?.id)).toBe(
        OpenHasher.of('correct horse'),
      );
    },
  );

  it('every start of a node with an account that has the built-in password fails and names the account (contract 8.3)', async () => {
    const id = await builtIn();
    for (const options of [{}, OWN, { password: DEFAULT_ADMIN_PASSWORD }])
      await expect(startNode(options)).rejects.toThrow(
        `${DEFAULT_ADMIN_EMAIL} still has the built-in password`,
      );
    core.arrange.accounts.update(id, ownPassword('correct horse', OpenHasher.of('correct horse')));
    await startNode();
  });

  it('every start of a node with an account that has an example password fails and names the account (contract 8.3)', async () => {
    await start({ ...OWN, password: 'choose your own' });
    await expect(startNode()).rejects.toThrow('boss@lab.test still has an example password');
  });

  it('a reset to a password of its own lets it start, a reset to the built-in one does not (contract 8.3)', async () => {
    const id = await builtIn();
    await expect(startNode({ resetPassword: true })).rejects.toThrow(/Set SVC_BOOTSTRAP_ADMIN_PASSWORD/);
    expect(core.user(id).signInEpoch).toBe(0);
    await startNode({ ...OWN, resetPassword: true });
    expect(passwordHash(id)).toBe(OpenHasher.of('correct horse'));
  });

  it('a reset replaces the password of one account; another with the built-in one still stops the start (contract 8.3)', async () => {
    const id = await builtIn();
    core.addUser('sam', 'Super admin', { createdAt: 1 });
    await expect(startNode({ ...OWN, resetPassword: true })).rejects.toThrow(DEFAULT_ADMIN_EMAIL);
    core.arrange.accounts.update(id, { status: 'Inactive' });
    await startNode({ ...OWN, resetPassword: true });
  });
});
