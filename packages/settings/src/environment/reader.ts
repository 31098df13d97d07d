import { ConfigError } from './config-error.ts';
import { type GivenSetting, givenSetting } from './given-settings.ts';
import { type Rule, Unusable } from './rules.ts';

/** Values by name: environment variables, or plugin options with names in camel case. */
export type Values = Readonly<Record<string, unknown>>;

/** Sources of configuration values, a function that reads secrets from files, and a function that resolves paths. */
export interface Sources {
  readonly env: Values;
  /**
   * Plugin options (contract 5). Secrets are never read from plugin options, and an environment variable has priority
   * over an option.
   */
  readonly options?: Values | undefined;
  readonly homeDir: string;
  /** Reads the file that a `<NAME>_FILE` variable names. */
  readonly readFile: (path: string) => string;
  readonly resolvePath: (...parts: string[]) => string;
  /** Called for every variable that is read. The table of settings in the docs is generated with this function. */
  readonly observe?: (read: VariableRead) => void;
}

/** Describes how a variable is read. */
export interface VariableRead {
  readonly name: string;
  /** Description of the accepted values. */
  readonly words: string;
  /**
   * Whether the value is a secret. A secret may be in a file (`<NAME>_FILE`), and is never read from a plugin option.
   */
  readonly isSecret: boolean;
  /** Whether the server refuses to start if the value of the variable is unusable. */
  readonly isVital: boolean;
  /**
   * Whether the variable is a switch for an access check. With an unusable value, the check stays off (specification
   * 5.7).
   */
  readonly isRequirement: boolean;
}

/** Reads variables and plugin options, each by its rule. */
export class Reader {
  readonly warnings: string[] = [];
  /** The part of `warnings` that reports checks which are off although a variable was set to switch them on. */
  readonly unenforced: string[] = [];
  /** Names of all variables that were read. Other `SVC_*` variables are reported as unknown. */
  readonly known = new Set<string>();
  /** Settings that are set, in the order in which they were read. */
  readonly given: GivenSetting[] = [];
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /**
   * Returns the value of a variable or option. For an unusable value, adds a warning and returns undefined, so that the
   * caller's default applies.
   */
  value<T>(name: string, rule: Rule<T>): T | undefined {
    this.#observe(name, rule, {});
    return this.#orDefault(() => this.#plain(name, rule));
  }

  /**
   * Returns whether an access check is switched on. An unusable value counts as off and adds a warning to `warnings`
   * and `unenforced` (contract 5).
   */
  requirement(name: string, rule: Rule<boolean>): boolean {
    this.#observe(name, rule, { isRequirement: true });
    const before = this.warnings.length;
    const isOn = this.#orDefault(() => this.#plain(name, rule)) ?? false;
    this.unenforced.push(...this.warnings.slice(before));
    return isOn;
  }

  /**
   * Returns a secret without which the server can run safely. For an unusable value, adds a warning and returns
   * undefined, while `secret` would stop the start.
   */
  minorSecret<T>(name: string, rule: Rule<T>): T | undefined {
    this.#observe(name, rule, { isSecret: true });
    return this.#orDefault(() => this.#secret(name, rule));
  }

  #observe<T>(name: string, { words = '' }: Rule<T>, how: Partial<VariableRead>): void {
    this.#sources.observe?.({ name, words, isSecret: false, isVital: false, isRequirement: false, ...how });
  }

  #orDefault<T>(read: () => T | undefined): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.warnings.push(`${error.message}; ${error.consequence}`);
      return undefined;
    }
  }

  /** Returns the value of a variable or option. Throws `ConfigError` for an unusable value, which stops the start. */
  vital<T>(name: string, rule: Rule<T>): T | undefined {
    this.#observe(name, rule, { isVital: true });
    return this.#plain(name, rule);
  }

  #plain<T>(name: string, rule: Rule<T>): T | undefined {
    this.known.add(name);
    const direct = textOf(this.#sources.env[name]);
    const given = direct ?? textOf(this.#sources.options?.[optionName(name)]);
    if (given === undefined) return undefined;
    return this.#noted(name, direct === undefined ? 'option' : 'environment', given, () =>
      apply(name, given, rule, quoted(given)),
    );
  }

  /** Adds the setting to `given`. @returns the value that `read` returns */
  #noted<T>(name: string, from: GivenSetting['from'], text: string | undefined, read: () => T): T {
    let isUsable = false;
    try {
      const value = read();
      isUsable = true;
      return value;
    } finally {
      this.given.push(givenSetting(name, from, text, isUsable));
    }
  }

  /** Returns whether the variable or the plugin option turns a switch on; either is enough (specification 5.12). */
  either(name: string, rule: Rule<boolean>): boolean {
    this.#observe(name, rule, {});
    this.known.add(name);
    const given = [this.#sources.env[name], this.#sources.options?.[optionName(name)]].map(textOf);
    const read = (text: string, index: number) =>
      this.#noted(name, index === 0 ? 'environment' : 'option', text, () =>
        apply(name, text, rule, quoted(text)),
      );
    return given.some(
      (text, index) => text !== undefined && this.#orDefault(() => read(text, index)) === true,
    );
  }

  /**
   * Returns a secret from `<NAME>` or the file that `<NAME>_FILE` names, never from a plugin option. Throws
   * `ConfigError` for an unusable value, which stops the start.
   */
  secret<T>(name: string, rule: Rule<T>): T | undefined {
    this.#observe(name, rule, { isSecret: true, isVital: true });
    return this.#secret(name, rule);
  }

  #secret<T>(name: string, rule: Rule<T>): T | undefined {
    this.known.add(name).add(`${name}_FILE`);
    const direct = textOf(this.#sources.env[name]);
    if (direct !== undefined)
      return this.#noted(name, 'environment', undefined, () => apply(name, direct, rule));
    const path = textOf(this.#sources.env[`${name}_FILE`]);
    if (path === undefined) return undefined;
    return this.#noted(name, 'file', undefined, () => {
      let content: string;
      try {
        content = this.#sources.readFile(path);
      } catch {
        throw new ConfigError(`${name}_FILE names a file that cannot be read`);
      }
      return apply(`${name}_FILE`, content.replace(/\r?\n$/, ''), rule);
    });
  }
}

/** @param quote the value as the message shows it, or an empty text for a value that no message may show */
function apply<T>(name: string, given: string, rule: Rule<T>, quote = ''): T {
  try {
    return rule(given);
  } catch (error) {
    if (error instanceof Unusable)
      throw new ConfigError(`${name} ${error.message}${quote}`, error.consequence);
    throw error;
  }
}

/** Numbers, and addresses of scheme, host and port. A path may contain a secret. */
const QUOTABLE = /^(?:[+-]?[\d.]{1,20}|[a-z]{2,12}:\/\/[a-z\d.-]+(?::\d+)?\/?)$/i;

/**
 * Returns a number or an address as an error message shows it. Returns an empty text for every other value, because
 * it may be a secret that was put into the wrong variable.
 */
function quoted(value: string): string {
  return QUOTABLE.test(value) ? ` (value: ${value})` : '';
}

/**
 * Returns a value as text. An empty variable counts as unset, because `docker compose` files pass unset variables as
 * empty.
 */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Returns the name of the plugin option for a variable, such as `maxSessions` for `SVC_MAX_SESSIONS`. */
export function optionName(variable: string): string {
  return variable
    .replace(/^SVC_/, '')
    .toLowerCase()
    .replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
