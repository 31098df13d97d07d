/** Maximum depth to which objects and arrays may be nested in a JSON body (contract 5). */
const MOST_JSON_LEVELS = 64;
/** Maximum number of values in a JSON body (contract 5). */
const MOST_JSON_VALUES = 20_000;

export interface JsonSize {
  /**
   * Maximum depth to which objects and arrays are nested, which is 0 for a scalar, 1 for `{}` and `[1]`, and 2 for
   * `[[1]]`.
   */
  readonly levels: number;
  /** Number of objects, arrays, strings, numbers, `true`, `false` and `null`. The name of a member is not a value. */
  readonly values: number;
}

const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the levels and values of JSON text in UTF-8, in one pass over its bytes. It runs before the text is parsed,
 * because parsing a few MiB of nested arrays blocks the event loop for seconds. It stops when one of the two limits is
 * exceeded.
 *
 * A value begins at the start of the text, at the start of a non-empty array or object, or after a comma. The function
 * counts these places, so it does not need to recognize numbers or literals. Members with the same name are counted
 * separately. In invalid JSON, everything before the error is counted. This is enough, because a parser stops at the
 * error.
 */
export function jsonSizeOf(bytes: Uint8Array): JsonSize {
  let depth = 0;
  let levels = 0;
  let values = 0;
  let isFirst = true;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB) continue;
    const closes = byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
    if (isFirst ? !closes : byte === COMMA) values += 1;
    isFirst = byte === OPEN_ARRAY || byte === OPEN_OBJECT;
    if (isFirst) {
      depth += 1;
      if (depth > levels) levels = depth;
    } else if (closes) depth -= 1;
    else if (byte === QUOTE) at = endOfString(bytes, at);
    if (values > MOST_JSON_VALUES || levels > MOST_JSON_LEVELS) break;
  }
  return { levels, values };
}

/** @returns the position of the closing quote, or the end of the text if there is none */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** @returns which limit the text exceeds, in words for the response, or null if it is within both limits */
export function excessOf({ levels, values }: JsonSize): string | null {
  if (levels > MOST_JSON_LEVELS) return `more than ${MOST_JSON_LEVELS} levels`;
  return values > MOST_JSON_VALUES ? `more than ${MOST_JSON_VALUES} values` : null;
}
