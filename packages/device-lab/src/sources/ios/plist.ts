/** A value of a property list. Dates and data are texts. */
export type PlistValue =
  | string
  | number
  | boolean
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue };

const DEEPEST = 16;
/** Maximum number of tags, comments and texts. A list of 200 phones has about 25,000. */
const MOST_TOKENS = 60_000;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/**
 * Every alternative ends at the next `<`. A pattern such as `<[^>]*>` would search the rest of the text from each `<`,
 * so that a text of many `<` would take quadratic time.
 */
const TOKEN = /<(\/?)(dict|array|key|string|integer|real|data|date|true|false)\s*(\/?)>|([^<]+)|<[^<>]*>/g;

/**
 * Reads a property list in XML, as usbmuxd sends it. Supports only the elements of property lists and the five
 * predefined entities of XML. A document therefore cannot make the server read other files or addresses.
 * @returns the value, or undefined if the text is not a property list
 */
export function readPlist(xml: string): PlistValue | undefined {
  const tokens: Token[] = [];
  let count = 0;
  for (const [, end = '', name, empty = '', text] of xml.matchAll(TOKEN)) {
    if (++count > MOST_TOKENS) return undefined;
    if (name !== undefined) tokens.push({ name, isEnd: end !== '', isEmpty: empty !== '', text: '' });
    else if (text !== undefined) tokens.push({ name: '', isEnd: false, isEmpty: false, text: decoded(text) });
  }
  try {
    return new Tokens(tokens).value(0);
  } catch (error) {
    if (error instanceof NotAPlist) return undefined;
    throw error;
  }
}

interface Token {
  /** Name of the element, or an empty string if the token is a text. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly isEmpty: boolean;
  readonly text: string;
}

class NotAPlist extends Error {}

class Tokens {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  value(depth: number): PlistValue {
    const token = this.#element();
    if (token.isEnd || depth > DEEPEST) throw new NotAPlist();
    const { name, isEmpty } = token;
    if (name === 'true' || name === 'false') {
      if (!isEmpty) this.#end(name);
      return name === 'true';
    }
    if (name === 'array') return isEmpty ? [] : this.#items(depth);
    if (name === 'dict') return isEmpty ? {} : this.#members(depth);
    const text = isEmpty ? '' : this.#text(name);
    return name === 'integer' || name === 'real' ? Number(text) : text;
  }

  #items(depth: number): PlistValue[] {
    const items: PlistValue[] = [];
    while (!this.#isEnd('array')) items.push(this.value(depth + 1));
    return items;
  }

  #members(depth: number): { [key: string]: PlistValue } {
    const members = new Map<string, PlistValue>();
    while (!this.#isEnd('dict')) {
      const { name, isEmpty } = this.#element();
      if (name !== 'key' || isEmpty) throw new NotAPlist();
      members.set(this.#text('key'), this.value(depth + 1));
    }
    return Object.fromEntries(members);
  }

  /** Returns the next element. Texts before it are skipped, because only white space is expected between elements. */
  #element(): Token {
    for (;;) {
      const token = this.#tokens[this.#next++];
      if (token === undefined) throw new NotAPlist();
      if (token.name !== '') return token;
    }
  }

  #isEnd(name: string): boolean {
    const before = this.#next;
    const token = this.#element();
    if (token.isEnd && token.name === name) return true;
    this.#next = before;
    return false;
  }

  #text(name: string): string {
    const token = this.#tokens[this.#next];
    const text = token?.name === '' ? token.text : '';
    if (text !== '') this.#next++;
    this.#end(name);
    return text;
  }

  #end(name: string): void {
    const token = this.#tokens[this.#next++];
    if (token?.name !== name || !token.isEnd) throw new NotAPlist();
  }
}

function decoded(text: string): string {
  return text.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}
