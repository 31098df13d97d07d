type Listener = (accountId: string) => void;

/** Tells other modules that accounts have changed, so that they check again what depends on them. */
export class AccountChanges {
  readonly #onChange: Listener[] = [];
  readonly #onRemoval: (() => void)[] = [];

  /** `listener` is called when the role, the status or the teams of an account have changed. */
  onChange(listener: Listener): void {
    this.#onChange.push(listener);
  }

  onRemoval(listener: () => void): void {
    this.#onRemoval.push(listener);
  }

  changed(accountId: string): void {
    for (const listener of this.#onChange) listener(accountId);
  }

  removed(): void {
    for (const listener of this.#onRemoval) listener();
  }
}
