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

/** An element whose end has not been read. */
interface Open {
  readonly name: string;
  readonly keys: string[];
  readonly values: PlistValue[];
  text: string;
}

/**
 * Reads a property list in XML, as usbmuxd sends it. Supports only the elements of property lists and the five
 * predefined entities of XML. A document therefore cannot make the server read other files or addresses. The package
 * `plist` is not used, because it takes 0.7 s for 64 KiB of `<` and prints a line for each.
 * @returns the value, or undefined if the text is not a property list
 */
export function readPlist(xml: string): PlistValue | undefined {
  const open: Open[] = [];
  let count = 0;
  for (const [, end, name, empty, text] of xml.matchAll(TOKEN)) {
    if (++count > MOST_TOKENS) return undefined;
    const top = open.at(-1);
    if (text !== undefined && top !== undefined) top.text += decoded(text);
    if (name === undefined) continue;
    if (end === '') {
      if (open.length > DEEPEST || (top !== undefined && !isContainer(top))) return undefined;
      open.push({ name, keys: [], values: [], text: '' });
      if (empty === '') continue;
    }
    const closed = open.pop();
    if (closed?.name !== name) return undefined;
    const value = elementValue(closed);
    const parent = open.at(-1);
    if (value === undefined || parent === undefined) return value;
    if (!isExpected(name, parent)) return undefined;
    if (name === 'key') parent.keys.push(closed.text);
    else parent.values.push(value);
  }
  return undefined;
}

function isContainer({ name }: Open): boolean {
  return name === 'dict' || name === 'array';
}

/** @returns whether the element can be the next one in `parent`: in a dictionary, a key and its value take turns */
function isExpected(name: string, { name: parent, keys, values }: Open): boolean {
  return parent === 'array' ? name !== 'key' : (name === 'key') === (keys.length === values.length);
}

function elementValue({ name, keys, values, text }: Open): PlistValue | undefined {
  if (name === 'array') return values;
  if (name === 'true' || name === 'false') return name === 'true';
  if (name === 'integer' || name === 'real') return Number(text);
  if (name !== 'dict') return text;
  if (keys.length !== values.length) return undefined;
  return Object.fromEntries(keys.map((key, index) => [key, values[index] as PlistValue]));
}

function decoded(text: string): string {
  return text.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}
