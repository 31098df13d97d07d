/** Settings saved over the API (contract 2, `/config`). */
export interface SettingReader {
  all(): ReadonlyMap<string, unknown>;
}

export interface SettingStore extends SettingReader {
  /** Those named; the others stay. `undefined` takes one back to its default. */
  save(values: ReadonlyMap<string, unknown>): void;
}
