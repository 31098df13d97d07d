import { ConfigError } from '@svc/auth-core';
import { type Rule, Unusable } from './rules.ts';

/** Text values by name: the environment, or plugin options in camel case. */
export type Values = Readonly<Record<string, unknown>>;

/** What reading needs from outside. */
export interface Sources {
  readonly env: Values;
  /** Plugin options (contract 5): those that hold no secret; the variable wins. */
  readonly options?: Values | undefined;
  readonly homeDir: string;
  /** Reads the file a `<NAME>_FILE` variable names. */
  readonly readFile: (path: string) => string;
  readonly resolvePath: (...parts: string[]) => string;
  /** Told of every variable as it is read: what its table is made from. */
  readonly observe?: (read: VariableRead) => void;
}

/** How a variable is read. */
export interface VariableRead {
  readonly name: string;
  /** What may be given. */
  readonly words: string;
  /** May be a file, `<NAME>_FILE`, and is no plugin option. */
  readonly isSecret: boolean;
  /** An unusable value stops the start. */
  readonly isVital: boolean;
  /** It switches on something that the server enforces. An unusable value leaves that off (specification 5.7). */
  readonly isRequirement: boolean;
}

/** Reads variables and plugin options, each by its rule. */
export class Reader {
  readonly warnings: string[] = [];
  /** Those of the warnings that say that something is not enforced. */
  readonly unenforced: string[] = [];
  /** Every variable that was read. */
  readonly known = new Set<string>();
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** An unusable value gives one warning and the default. */
  value<T>(name: string, rule: Rule<T>): T | undefined {
    this.#observe(name, rule, {});
    return this.#orDefault(() => this.#plain(name, rule));
  }

  /** A switch for something that the server enforces. An unusable value is off, with a warning (contract 5). */
  requirement(name: string, rule: Rule<boolean>): boolean {
    this.#observe(name, rule, { isRequirement: true });
    const before = this.warnings.length;
    const isOn = this.#orDefault(() => this.#plain(name, rule)) ?? false;
    this.unenforced.push(...this.warnings.slice(before));
    return isOn;
  }

  /** As `secret`, for one whose absence is safe. */
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

  /** An unusable value stops the start. */
  vital<T>(name: string, rule: Rule<T>): T | undefined {
    this.#observe(name, rule, { isVital: true });
    return this.#plain(name, rule);
  }

  #plain<T>(name: string, rule: Rule<T>): T | undefined {
    const given = this.#given(name);
    return given === undefined ? undefined : apply(name, given, rule);
  }

  #given(name: string): string | undefined {
    this.known.add(name);
    return textOf(this.#sources.env[name]) ?? textOf(this.#sources.options?.[optionName(name)]);
  }

  /** The variable or the option turns it on; either is enough (specification 5.12). */
  either(name: string, rule: Rule<boolean>): boolean {
    this.#observe(name, rule, {});
    this.known.add(name);
    const given = [this.#sources.env[name], this.#sources.options?.[optionName(name)]].map(textOf);
    return given.some(
      (text) => text !== undefined && this.#orDefault(() => apply(name, text, rule)) === true,
    );
  }

  /** From `<NAME>` or the file `<NAME>_FILE`, never from a plugin option; unusable stops the start. */
  secret<T>(name: string, rule: Rule<T>): T | undefined {
    this.#observe(name, rule, { isSecret: true, isVital: true });
    return this.#secret(name, rule);
  }

  #secret<T>(name: string, rule: Rule<T>): T | undefined {
    this.known.add(name).add(`${name}_FILE`);
    const direct = textOf(this.#sources.env[name]);
    if (direct !== undefined) return apply(name, direct, rule);
    const path = textOf(this.#sources.env[`${name}_FILE`]);
    if (path === undefined) return undefined;
    let content: string;
    try {
      content = this.#sources.readFile(path);
    } catch {
      throw new ConfigError(`${name}_FILE names a file that cannot be read`);
    }
    return apply(`${name}_FILE`, content.replace(/\r?\n$/, ''), rule);
  }
}

function apply<T>(name: string, given: string, rule: Rule<T>): T {
  try {
    return rule(given);
  } catch (error) {
    if (error instanceof Unusable) throw new ConfigError(`${name} ${error.message}`, error.consequence);
    throw error;
  }
}

/** An empty variable is an unset one, as in `docker compose` files. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** `SVC_MAX_SESSIONS` as a plugin option is `maxSessions`. */
export function optionName(variable: string): string {
  return variable
    .replace(/^SVC_/, '')
    .toLowerCase()
    .replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
