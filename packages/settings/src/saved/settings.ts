import { type Audit, actorOf, type Caller, checkAccess, Refusal, type Stores } from '@svc/auth-core';
import { SUPER_ADMIN } from '@svc/contract';
import type { Config } from '../environment/read-config.ts';
import { Unusable } from '../environment/rules.ts';
import { SAVED_SETTINGS, SETTING_NAMES, type SettingName, type SettingValues } from './setting-rules.ts';

interface Tools {
  readonly stores: Pick<Stores, 'settings' | 'transaction'>;
  readonly audit: Audit;
}

/** Current settings, and the defaults that apply if no setting is saved. */
export interface ShownSettings {
  readonly settings: SettingValues;
  readonly defaults: SettingValues;
}

/** Returns the settings from the start-up configuration. */
export function startUpSettings(config: Config): SettingValues {
  const values = SETTING_NAMES.map((name) => [name, SAVED_SETTINGS[name].startUp(config)]);
  return Object.fromEntries(values) as unknown as SettingValues;
}

/** Merges the saved settings over the start-up settings. Ignores a saved value that its rule no longer accepts. */
export function effectiveSettings(
  startUp: SettingValues,
  saved: ReadonlyMap<string, unknown>,
): SettingValues {
  const values = SETTING_NAMES.map((name) => [name, effective(name, startUp, saved)]);
  return Object.freeze(Object.fromEntries(values) as unknown as SettingValues);
}

function effective(name: SettingName, startUp: SettingValues, saved: ReadonlyMap<string, unknown>): unknown {
  if (!saved.has(name)) return startUp[name];
  try {
    return checked(name, saved.get(name), startUp);
  } catch (error) {
    if (error instanceof Unusable) return startUp[name];
    throw error;
  }
}

function checked(name: SettingName, value: unknown, startUp: SettingValues): unknown {
  const { rule } = SAVED_SETTINGS[name] as { rule: (value: unknown, startUp: unknown) => unknown };
  return rule(value, startUp[name]);
}

/**
 * Stores the settings that are changed over the API. A change takes effect immediately and persists across restarts
 * (contract 2, `/config`).
 */
export class Settings {
  /** Settings from the environment and the plugin options. */
  readonly startUp: SettingValues;
  readonly #tools: Tools;
  /**
   * Saved values from which `#current` was computed. The store returns the same map until a setting is saved, so a
   * different map means that `#current` is outdated.
   */
  #saved: ReadonlyMap<string, unknown> | undefined;
  #current: SettingValues;

  constructor(tools: Tools, startUp: SettingValues) {
    this.#tools = tools;
    this.startUp = Object.freeze(startUp);
    this.#current = this.startUp;
  }

  /**
   * Returns the current settings without parsing or allocating anything unless a setting was saved since the last call.
   * Throws `Unavailable` if the saved settings cannot be read.
   */
  current(): SettingValues {
    const saved = this.#tools.stores.settings.all();
    if (saved !== this.#saved) {
      this.#current = effectiveSettings(this.startUp, saved);
      this.#saved = saved;
    }
    return this.#current;
  }

  list(_caller: Caller): ShownSettings {
    return { settings: this.current(), defaults: this.startUp };
  }

  /**
   * Saves all settings in `input`. The value null resets a setting to its default. If a value is unusable, saves
   * nothing and throws `invalid_setting` with the name of the setting in `field` (specification 9.2).
   */
  save(caller: Caller, input: Readonly<Partial<Record<SettingName, unknown>>>): ShownSettings {
    checkAccess(caller, SUPER_ADMIN);
    const named = SETTING_NAMES.filter((name) => input[name] !== undefined);
    const values = new Map<string, unknown>(named.map((name) => [name, this.#usable(name, input[name])]));
    if (named.length > 0) {
      const { stores, audit } = this.#tools;
      stores.transaction((tx) => {
        tx.settings.save(values);
        const reason = `settings changed: ${named.join(', ')}`;
        audit.record(tx, 'authz_admin', { ...actorOf(caller), target: 'settings', reason });
      });
    }
    return this.list(caller);
  }

  /** @returns the value to store, or undefined to remove the saved value */
  #usable(name: SettingName, value: unknown): unknown {
    if (value === null) return undefined;
    try {
      return checked(name, value, this.startUp);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      const message = `${name} ${error.message}`;
      throw new Refusal('invalid_setting', message, { field: name, message });
    }
  }
}
