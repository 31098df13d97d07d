import { type Answer, call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Dialog, Field, Form, SelectField, TextAreaField, toast, useFields } from '../../ui/index.ts';
import { inOrder, type Scope, ScopesField } from '../../ui/scopes-field.tsx';
import { TeamField } from '../../ui/team-field.tsx';
import { claimsOf, linesOf, PRESETS, type PresetName } from './presets.ts';

export type TrustRule = Answer<'listTrustRules'>[number];
export type Suggestion = NonNullable<Answer<'testTrustRules'>['suggestion']>;

const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

interface MakeRuleProps {
  /** Initial values of the form, or undefined while the dialog is closed. */
  start: Suggestion | 'empty' | undefined;
  onMade: () => void;
  onClose: () => void;
}

export function MakeRule({ start, onMade, onClose }: MakeRuleProps) {
  return (
    <Dialog open={start !== undefined} title={texts.workloads.makeTitle} wide onClose={onClose}>
      {start !== undefined && (
        <RuleForm
          start={start}
          onMade={() => {
            onMade();
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

interface RuleFields {
  preset: PresetName;
  name: string;
  issuer: string;
  audience: string;
  claims: string;
  jwks: string;
  minutes: string;
  scopes: ReadonlySet<Scope>;
  teamId: string;
}

function RuleForm({ start, onMade }: { start: Suggestion | 'empty'; onMade: () => void }) {
  const { values, text, set, submit } = useFields<RuleFields>(firstOf(start));
  const choose = (preset: PresetName) => {
    set('preset')(preset);
    set('issuer')(PRESETS[preset].issuer);
    set('claims')(PRESETS[preset].claims);
  };
  const make = submit(async (fields) => {
    const { name } = await call('createTrustRule', { body: bodyOf(fields) });
    toast(texts.workloads.made(name));
    onMade();
  });
  return (
    <Form submitLabel={texts.workloads.make} onSubmit={make}>
      <p>{texts.workloads.makeText}</p>
      <SelectField
        label={texts.workloads.preset}
        value={values.preset}
        options={PRESET_NAMES.map((value) => ({ value, label: texts.workloads.presets[value] }))}
        onChange={(event) => choose(event.currentTarget.value as PresetName)}
      />
      <Field
        label={texts.workloads.name}
        hint={texts.workloads.nameHint}
        required
        maxLength={200}
        autoComplete="off"
        {...text('name')}
      />
      <Field label={texts.workloads.issuer} hint={texts.workloads.issuerHint} required {...text('issuer')} />
      <TextAreaField
        label={texts.workloads.claims}
        hint={texts.workloads.claimsHint}
        required
        {...text('claims')}
      />
      <ScopesField legend={texts.workloads.scopes} chosen={values.scopes} onChange={set('scopes')} />
      <TeamField hint={texts.workloads.teamHint} value={values.teamId} onChange={set('teamId')} />
      <Field
        label={texts.workloads.minutes}
        hint={texts.workloads.minutesHint}
        type="number"
        required
        min={1}
        max={720}
        step={1}
        {...text('minutes')}
      />
      <Field label={texts.workloads.audience} hint={texts.workloads.audienceHint} {...text('audience')} />
      <TextAreaField label={texts.workloads.jwks} hint={texts.workloads.jwksHint} {...text('jwks')} />
    </Form>
  );
}

function firstOf(start: Suggestion | 'empty'): RuleFields {
  const usual = { jwks: '', minutes: '60', scopes: new Set<Scope>(['read', 'sessions']), teamId: '' };
  if (start === 'empty') return { ...usual, ...PRESETS.github, preset: 'github', name: '', audience: '' };
  const { name, issuer, audience, claims } = start;
  return { ...usual, preset: 'other', name, issuer, audience: audience ?? '', claims: linesOf(claims) };
}

/**
 * @returns the body of the request that creates the rule. If a field is not valid, throws the text that the form then
 * shows.
 */
function bodyOf({ name, issuer, audience, claims: lines, jwks, minutes, scopes, teamId }: RuleFields) {
  const claims = claimsOf(lines);
  if (claims === undefined) throw texts.workloads.claimsWrong;
  if (scopes.size === 0) throw texts.workloads.noScope;
  return {
    name: name.trim(),
    issuer: issuer.trim(),
    claims: claims.map(({ claim, anyOf }) => ({ claim, anyOf: [...anyOf] })),
    scopes: inOrder(scopes),
    maxMinutes: Number(minutes),
    ...(teamId === '' ? {} : { teamId }),
    ...(audience.trim() === '' ? {} : { audience: audience.trim() }),
    ...(jwks.trim() === '' ? {} : { jwks: keysOf(jwks) }),
  };
}

function keysOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw texts.workloads.jwksWrong;
  }
}
