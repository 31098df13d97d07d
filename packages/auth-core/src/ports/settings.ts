/** Settings that were saved with the API (contract 2, `/config`). */
export interface SettingReader {
  all(): ReadonlyMap<string, unknown>;
}

export interface SettingStore extends SettingReader {
  /** Saves the named settings and keeps the others. `undefined` resets a setting to its default. */
  save(values: ReadonlyMap<string, unknown>): void;
}
