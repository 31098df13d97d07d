import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { showBrand } from '../../api/brand.ts';
import { type Answer, call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { Button, Field, Form, Panel, SelectField, toast } from '../../ui/index.ts';
import { changesOf, isChoice, isNumber, type SettingName, typedOf } from './setting-values.ts';

const words = texts.settings;

/** Settings in the order of the form, by section. */
const SECTIONS = {
  lab: ['labName', 'usageByPerson'],
  sessions: ['maxSessions', 'recording', 'clean'],
  retention: ['sessionRetentionDays', 'eventLogRetentionDays', 'auditRetentionDays'],
} as const satisfies Record<string, readonly SettingName[]>;

interface SettingsFormProps {
  shown: Answer<'settings'>;
  onSaved: (shown: Answer<'settings'>) => void;
}

/** Form for the settings. Saves all changed values or none, and reports an invalid value at its field. */
export function SettingsForm({ shown, onSaved }: SettingsFormProps) {
  const saved = typedOf(shown);
  const [typed, setTyped] = useState(saved);
  const [problem, setProblem] = useState<{ readonly field: string; readonly text: string }>();
  const mayChange = caller.value.role === 'Super admin';
  const body = changesOf(saved, typed);
  const changed = Object.keys(body).length;
  useLeaveQuestion(changed > 0);
  const save = async () => {
    setProblem(undefined);
    try {
      onSaved(await call('saveSettings', { body }));
      if ('labName' in body) showBrand(await call('authOptions'));
      toast(words.saved);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_setting') throw error;
      const field = String(error.fields.field);
      // The server's message begins with the setting's name in the API, which is removed because the page shows the
      // message beside the field.
      setProblem({ field, text: error.message.replace(`${field} `, words.thisValue) });
      throw words.someBad;
    }
  };
  const discard = () => {
    setTyped(saved);
    setProblem(undefined);
  };
  return (
    <div class={changed > 0 ? 'settings settings-changed' : 'settings'}>
      {!mayChange && <p class="notice">{words.readOnly}</p>}
      <Form
        submitLabel={texts.common.save}
        disabled={!mayChange || changed === 0}
        actions={
          <>
            {changed > 0 && <Button onClick={discard}>{words.discard}</Button>}
            <span class="soft" role="status">
              {words.unsaved(changed)}
            </span>
          </>
        }
        onSubmit={save}
      >
        {(Object.keys(SECTIONS) as (keyof typeof SECTIONS)[]).map((section) => (
          <Panel key={section} title={words.sections[section].title} lead={words.sections[section].lead}>
            {SECTIONS[section].map((name) => (
              <Setting
                key={name}
                name={name}
                value={typed[name]}
                fallback={shown.defaults[name]}
                error={problem?.field === name ? problem.text : undefined}
                disabled={!mayChange}
                onChange={(value) => setTyped((before) => ({ ...before, [name]: value }))}
              />
            ))}
          </Panel>
        ))}
      </Form>
    </div>
  );
}

/** Lets the browser ask before the page is left while values are not saved. */
function useLeaveQuestion(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isNeeded]);
}

interface SettingProps {
  name: SettingName;
  value: string;
  /** Value that applies if none is saved. */
  fallback: string | number | null;
  error: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
}

function Setting({ name, value, fallback, error, disabled, onChange }: SettingProps) {
  const field = { label: words.labels[name], hint: words.hints[name], error, value, disabled };
  if (isChoice(name)) {
    const choices: Readonly<Record<string, string>> = words.choices[name];
    const usual = { value: '', label: words.default(choices[String(fallback)] ?? String(fallback)) };
    return (
      <SelectField
        {...field}
        options={[usual, ...Object.entries(choices).map(([id, label]) => ({ value: id, label }))]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const number = isNumber(name) && ({ type: 'number', step: 1 } as const);
  const placeholder = fallback === null ? texts.product : fallback === 0 ? words.noLimit : String(fallback);
  return (
    <Field
      {...field}
      {...number}
      placeholder={placeholder}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
