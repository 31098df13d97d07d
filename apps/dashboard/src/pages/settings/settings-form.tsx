import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { showBrand } from '../../api/brand.ts';
import { type Answer, call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { Field, Form, SelectField, toast } from '../../ui/index.ts';
import {
  CLEAN_MODES,
  changesOf,
  NUMBERS,
  RECORDING_MODES,
  type SettingName,
  type Settings,
  type Typed,
  typedOf,
  USAGE_BY_PERSON,
} from './setting-values.ts';

interface SettingsFormProps {
  shown: Answer<'settings'>;
  onSaved: (shown: Answer<'settings'>) => void;
}

/** Form for the settings. Saves all changed values or none, and reports an invalid value at its field. */
export function SettingsForm({ shown, onSaved }: SettingsFormProps) {
  const saved = typedOf(shown);
  const [typed, setTyped] = useState<Typed>(saved);
  const [problem, setProblem] = useState<{ readonly field: string; readonly text: string }>();
  const mayChange = caller.value.role === 'Super admin';
  const save = async () => {
    setProblem(undefined);
    const body = changesOf(saved, typed);
    if (Object.keys(body).length === 0) {
      toast(texts.settings.unchanged);
      return;
    }
    try {
      onSaved(await call('saveSettings', { body }));
      if ('labName' in body) showBrand(await call('authOptions'));
      toast(texts.settings.saved);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_setting') throw error;
      const field = String(error.fields.field);
      // The server's message begins with the setting's name in the API, which is removed because the page shows the
      // message beside the field.
      setProblem({ field, text: error.message.replace(`${field} `, texts.settings.thisValue) });
      throw texts.settings.someBad;
    }
  };
  const of = (name: SettingName) => ({
    name,
    value: typed[name],
    error: problem?.field === name ? problem.text : undefined,
    fallback: shown.defaults,
    disabled: !mayChange,
    onChange: (value: string) => setTyped((before) => ({ ...before, [name]: value })),
  });
  const [maxSessions, ...retention] = NUMBERS;
  return (
    <div class="settings">
      {!mayChange && <p class="notice">{texts.settings.readOnly}</p>}
      <Form submitLabel={texts.common.save} disabled={!mayChange} onSubmit={save}>
        <Group title={texts.settings.lab}>
          <TextSetting {...of('labName')} />
        </Group>
        <Group title={texts.settings.sessions}>
          <NumberSetting {...of(maxSessions)} />
          <ChoiceSetting {...of('recording')} choices={RECORDING_MODES} />
          <ChoiceSetting {...of('clean')} choices={CLEAN_MODES} />
          <ChoiceSetting {...of('usageByPerson')} choices={USAGE_BY_PERSON} />
        </Group>
        <Group title={texts.settings.retention}>
          {retention.map((name) => (
            <NumberSetting key={name} {...of(name)} />
          ))}
        </Group>
      </Form>
    </div>
  );
}

interface GroupProps {
  title: string;
  children: ComponentChildren;
}

function Group({ title, children }: GroupProps) {
  return (
    <fieldset class="setting-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

interface SettingProps {
  name: SettingName;
  value: string;
  error: string | undefined;
  fallback: Settings;
  disabled: boolean;
  onChange: (value: string) => void;
}

function hintOf(name: SettingName, fallback: Settings): string {
  const value = fallback[name];
  const word =
    name === 'maxSessions' && Number(value) < 1
      ? texts.settings.noLimit
      : String(value ?? texts.settings.noValue);
  return `${texts.settings.hints[name]} ${texts.settings.default(word)} ${texts.settings.useDefault}`;
}

function NumberSetting({ name, value, error, fallback, disabled, onChange }: SettingProps) {
  return (
    <Field
      label={texts.settings.labels[name]}
      hint={hintOf(name, fallback)}
      error={error}
      type="number"
      step={1}
      placeholder={String(fallback[name])}
      value={value}
      disabled={disabled}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function TextSetting({ name, value, error, disabled, onChange }: SettingProps) {
  return (
    <Field
      label={texts.settings.labels[name]}
      hint={texts.settings.hints[name]}
      error={error}
      placeholder={texts.product}
      value={value}
      disabled={disabled}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface ChoiceProps extends SettingProps {
  choices: readonly string[];
}

function ChoiceSetting({ name, value, error, fallback, disabled, onChange, choices }: ChoiceProps) {
  const none = String(fallback[name] ?? texts.settings.noValue);
  return (
    <SelectField
      label={texts.settings.labels[name]}
      hint={texts.settings.hints[name]}
      error={error}
      value={value}
      options={[
        { value: '', label: texts.settings.default(none) },
        ...choices.map((choice) => ({ value: choice, label: choice })),
      ]}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
