import type { Answer } from '../../api/client.ts';

export type Settings = Answer<'settings'>['settings'];
export type SettingName = keyof Settings;
/** What stands in the fields; empty: the default. */
export type Typed = Readonly<Record<SettingName, string>>;

export const NUMBERS = [
  'maxSessions',
  'sessionRetentionDays',
  'eventLogRetentionDays',
  'auditRetentionDays',
] as const satisfies readonly SettingName[];
const TEXTS = ['aiProvider', 'aiModel', 'aiBaseUrl'] as const satisfies readonly SettingName[];
export const AI_PROVIDERS = ['openai', 'ollama', 'openai-compatible'] as const;

/** What is saved; a value that equals its default leaves its field empty. */
export function typedOf({ settings, defaults }: Answer<'settings'>): Typed {
  const names: readonly SettingName[] = [...NUMBERS, ...TEXTS];
  return Object.fromEntries(
    names.map((name) => [name, settings[name] === defaults[name] ? '' : String(settings[name] ?? '')]),
  ) as Typed;
}

/** What to send: only what was changed, null for the default. A number that is none is sent as it was typed. */
export function changesOf(before: Typed, typed: Typed): Record<string, string | number | null> {
  const numbers: readonly string[] = NUMBERS;
  const changed = Object.entries(typed).filter(([name, value]) => value !== before[name as SettingName]);
  return Object.fromEntries(
    changed.map(([name, value]) => {
      if (value.trim() === '') return [name, null];
      return [name, numbers.includes(name) ? Number(value) : value.trim()];
    }),
  );
}
