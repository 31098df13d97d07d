import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Button,
  CheckField,
  CopyText,
  Dialog,
  Field,
  Form,
  SecretOnce,
  SelectField,
} from '../../ui/index.ts';
import { LimitField } from './change-limit.tsx';

interface MakeKeyProps {
  open: boolean;
  onMade: () => void;
  onClose: () => void;
}

/** A form, and then the secret, once. */
export function MakeKey({ open, onMade, onClose }: MakeKeyProps) {
  const [made, setMade] = useState<Answer<'createApiKey'>>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      title={made === undefined ? texts.apiKeys.makeTitle : texts.apiKeys.made(made.name)}
      stays={made !== undefined}
      onClose={close}
    >
      {made === undefined ? (
        <MakeKeyForm
          onMade={(key) => {
            setMade(key);
            onMade();
          }}
        />
      ) : (
        <>
          <SecretOnce label={texts.apiKeys.secret} value={made.token} />
          <p>{texts.apiKeys.useText}</p>
          <p class="secret-label">{texts.apiKeys.accessKey}</p>
          <CopyText label={texts.apiKeys.accessKey} value={caller.value.accessKey} />
          <div class="form-actions">
            <Button kind="primary" onClick={close}>
              {texts.common.done}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

type Scope = Answer<'listApiKeys'>[number]['scopes'][number];

const SCOPES: readonly Scope[] = ['read', 'sessions', 'devices', 'admin'];
const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRIES = ['7', '30', '90', '365', 'never'] as const;
type Expiry = (typeof EXPIRIES)[number];

function MakeKeyForm({ onMade }: { onMade: (key: Answer<'createApiKey'>) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(['read', 'sessions']));
  const [limit, setLimit] = useState('300');
  const [teamId, setTeamId] = useState('');
  const [expiry, setExpiry] = useState<Expiry>('90');
  const submit = async () => {
    if (scopes.size === 0) throw texts.apiKeys.noScope;
    const key = await call('createApiKey', {
      body: {
        name: name.trim(),
        scopes: SCOPES.filter((scope) => scopes.has(scope)),
        rateLimit: Number(limit),
        ...(teamId === '' ? {} : { teamId }),
        expiresAt: expiry === 'never' ? null : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString(),
      },
    });
    onMade(key);
  };
  return (
    <Form submitLabel={texts.apiKeys.make} onSubmit={submit}>
      <p>{texts.apiKeys.makeText}</p>
      <Field
        label={texts.apiKeys.name}
        hint={texts.apiKeys.nameHint}
        required
        maxLength={200}
        autoComplete="off"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <ScopesField chosen={scopes} onChange={setScopes} />
      <LimitField value={limit} onChange={setLimit} />
      <TeamField value={teamId} onChange={setTeamId} />
      <SelectField
        label={texts.apiKeys.expires}
        value={expiry}
        options={EXPIRIES.map((value) => ({ value, label: texts.apiKeys.expiries[value] }))}
        onChange={(event) => setExpiry(event.currentTarget.value as Expiry)}
      />
    </Form>
  );
}

interface ScopesFieldProps {
  chosen: ReadonlySet<Scope>;
  onChange: (chosen: ReadonlySet<Scope>) => void;
}

/** Those the caller holds: a key has no scope its maker lacks. */
function ScopesField({ chosen, onChange }: ScopesFieldProps) {
  const own = caller.value.scopes;
  const toggle = (scope: Scope, isIn: boolean) => {
    const next = new Set(chosen);
    if (isIn) next.add(scope);
    else next.delete(scope);
    onChange(next);
  };
  return (
    <fieldset class="choices">
      <legend>{texts.apiKeys.scopes}</legend>
      {SCOPES.filter((scope) => own.includes(scope) || own.includes('admin')).map((scope) => (
        <CheckField
          key={scope}
          label={scope}
          hint={texts.apiKeys.scopeHints[scope]}
          checked={chosen.has(scope)}
          onChange={(event) => toggle(scope, event.currentTarget.checked)}
        />
      ))}
    </fieldset>
  );
}

function TeamField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const teams = useResource((signal) => call('listTeams', { signal }));
  const options = (teams.value ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <SelectField
      label={texts.apiKeys.team}
      hint={texts.apiKeys.teamHint}
      value={value}
      options={[{ value: '', label: texts.apiKeys.noTeam }, ...options]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
