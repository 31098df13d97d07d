import { type Answer, call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { ScimAddress } from '../../shell/scim-address.tsx';
import { texts } from '../../texts/en.ts';
import { CopyText, Field, Form, MakeDialog, SecretOnce, SelectField, useFields } from '../../ui/index.ts';
import { inOrder, type Scope, ScopesField } from '../../ui/scopes-field.tsx';
import { TeamField } from '../../ui/team-field.tsx';
import { LimitField } from './change-limit.tsx';

/** Shows the form for a new API key, and then the key's secret, which is shown only once. */
export function MakeKey({ onMade }: { onMade: () => void }) {
  return (
    <MakeDialog<Answer<'createApiKey'>>
      label={texts.apiKeys.make}
      onMade={onMade}
      title={texts.apiKeys.makeTitle}
      madeTitle={({ name }) => texts.apiKeys.made(name)}
      form={({ made }) => <MakeKeyForm onMade={made} />}
    >
      {({ token, scopes }) => (
        <>
          <SecretOnce label={texts.apiKeys.secret} value={token} />
          {/* Only a key for an identity provider (SCIM) has no scopes. Show where to enter such a key. */}
          {scopes.length === 0 ? <ScimUse /> : <PairUse />}
        </>
      )}
    </MakeDialog>
  );
}

/** Shows how a script uses the new key. */
function PairUse() {
  return (
    <>
      <p>{texts.apiKeys.useText}</p>
      <p class="secret-label">{texts.apiKeys.accessKey}</p>
      <CopyText label={texts.apiKeys.accessKey} value={caller.value.accessKey} />
    </>
  );
}

/** Shows where to enter the new key at an identity provider. */
function ScimUse() {
  return (
    <>
      <p>{texts.scim.useText}</p>
      <ScimAddress />
    </>
  );
}

type Kind = 'api-key' | 'scim';

const KINDS: readonly Kind[] = ['api-key', 'scim'];
const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRIES = ['7', '30', '90', '365', 'never'] as const;
type Expiry = (typeof EXPIRIES)[number];

interface KeyFields {
  kind: Kind;
  name: string;
  scopes: ReadonlySet<Scope>;
  limit: string;
  teamId: string;
  expiry: Expiry;
}

const FIRST: KeyFields = {
  kind: 'api-key',
  name: '',
  scopes: new Set(['read', 'sessions']),
  limit: '300',
  teamId: '',
  expiry: '90',
};

function MakeKeyForm({ onMade }: { onMade: (key: Answer<'createApiKey'>) => void }) {
  const { values, text, set, submit } = useFields(FIRST);
  const isScim = values.kind === 'scim';
  const make = submit(async ({ name, scopes, limit, teamId, expiry }) => {
    if (!isScim && scopes.size === 0) throw texts.apiKeys.noScope;
    const body = {
      name: name.trim(),
      ...(isScim ? { kind: 'scim' as const } : { scopes: inOrder(scopes) }),
      rateLimit: Number(limit),
      ...(isScim || teamId === '' ? {} : { teamId }),
      expiresAt: expiry === 'never' ? null : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString(),
    };
    onMade(await call('createApiKey', { body }));
  });
  return (
    <Form submitLabel={texts.apiKeys.make} onSubmit={make}>
      <p>{isScim ? texts.scim.makeText : texts.apiKeys.makeText}</p>
      {caller.value.role === 'Super admin' && (
        <SelectField
          label={texts.scim.usedBy}
          options={KINDS.map((value) => ({ value, label: texts.scim.users[value] }))}
          {...text('kind')}
        />
      )}
      <Field
        label={texts.apiKeys.name}
        hint={texts.apiKeys.nameHint}
        required
        maxLength={200}
        autoComplete="off"
        {...text('name')}
      />
      {!isScim && (
        <ScopesField legend={texts.apiKeys.scopes} chosen={values.scopes} onChange={set('scopes')} />
      )}
      <LimitField value={values.limit} onChange={set('limit')} />
      {!isScim && <TeamField hint={texts.apiKeys.teamHint} value={values.teamId} onChange={set('teamId')} />}
      <SelectField
        label={texts.apiKeys.expires}
        hint={isScim ? texts.scim.expiresHint : texts.apiKeys.expiresHint}
        options={EXPIRIES.map((value) => ({ value, label: texts.apiKeys.expiries[value] }))}
        {...text('expiry')}
      />
    </Form>
  );
}
