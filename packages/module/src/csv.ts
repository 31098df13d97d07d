/** Returns a line of CSV (RFC 4180). */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * Characters with which a formula begins in spreadsheet programs, including full-width forms, and white space that may
 * precede them.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Returns a quoted CSV cell. A text that a spreadsheet would run as a formula is prefixed with an apostrophe, because
 * unauthenticated clients and phones choose some of the values, such as request ids and names.
 */
function csvCell(value: string | null): string {
  const text = value ?? '';
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
