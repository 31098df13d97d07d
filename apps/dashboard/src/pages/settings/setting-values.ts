import type { Answer } from '../../api/client.ts';

type Settings = Answer<'settings'>['settings'];
/**
 * Settings that the page shows. It leaves out those of the AI provider, which nothing uses in this version; the API
 * keeps them.
 */
export type SettingName = Exclude<keyof Settings, 'aiProvider' | 'aiModel' | 'aiBaseUrl'>;
/** Texts in the fields of the form. An empty text means that the default applies. */
export type Typed = Readonly<Record<SettingName, string>>;

const NUMBERS = [
  'maxSessions',
  'sessionRetentionDays',
  'eventLogRetentionDays',
  'auditRetentionDays',
] as const satisfies readonly SettingName[];
const CHOICES = ['recording', 'clean', 'usageByPerson'] as const satisfies readonly SettingName[];

export function isNumber(name: SettingName): boolean {
  return NUMBERS.some((each) => each === name);
}

/** @returns whether the setting has one of a few values, which the texts of the page list */
export function isChoice(name: SettingName): name is (typeof CHOICES)[number] {
  return CHOICES.some((each) => each === name);
}

/**
 * @returns the texts to show in the fields for the saved values; a value that equals its default gives an empty text
 */
export function typedOf({ settings, defaults }: Answer<'settings'>): Typed {
  const names: readonly SettingName[] = [...NUMBERS, ...CHOICES, 'labName'];
  return Object.fromEntries(
    names.map((name) => [name, settings[name] === defaults[name] ? '' : String(settings[name] ?? '')]),
  ) as Typed;
}

/**
 * @returns only the values that the user changed. A value is a number for a numeric setting, and null for an empty
 * text, which restores the default.
 */
export function changesOf(before: Typed, typed: Typed): Record<string, string | number | null> {
  const changed = Object.entries(typed).filter(([name, value]) => value !== before[name as SettingName]);
  return Object.fromEntries(
    changed.map(([name, value]) => {
      if (value.trim() === '') return [name, null];
      return [name, isNumber(name as SettingName) ? Number(value) : value.trim()];
    }),
  );
}
