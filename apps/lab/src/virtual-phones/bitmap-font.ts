/**
 * Bitmaps of the characters. Each character has 7 rows of 5 pixels, and two hexadecimal digits encode a row. The low
 * five bits are its pixels: bit 4 (value 16) is the leftmost pixel, bit 0 the rightmost.
 */
const ROWS: Readonly<Record<string, string>> = {
  '0': '0E11131519110E',
  '1': '040C040404040E',
  '2': '0E11010204081F',
  '3': '1F02040201110E',
  '4': '02060A121F0202',
  '5': '1F101E0101110E',
  '6': '0608101E11110E',
  '7': '1F010204080808',
  '8': '0E11110E11110E',
  '9': '0E11110F01020C',
  A: '0E1111111F1111',
  B: '1E11111E11111E',
  C: '0E11101010110E',
  D: '1C12111111121C',
  E: '1F10101E10101F',
  F: '1F10101E101010',
  G: '0E11101711110F',
  H: '1111111F111111',
  I: '0E04040404040E',
  J: '0702020202120C',
  K: '11121418141211',
  L: '1010101010101F',
  M: '111B1515111111',
  N: '11111915131111',
  O: '0E11111111110E',
  P: '1E11111E101010',
  Q: '0E11111115120D',
  R: '1E11111E141211',
  S: '0F10100E01011E',
  T: '1F040404040404',
  U: '1111111111110E',
  V: '11111111110A04',
  W: '1111111515150A',
  X: '11110A040A1111',
  Y: '1111110A040404',
  Z: '1F01020408101F',
  '-': '0000001F000000',
  _: '0000000000001F',
  '.': '00000000000C0C',
  ':': '000C0C000C0C00',
  '/': '00010204081000',
  ' ': '00000000000000',
};
const UNKNOWN = '1F11111111111F';

interface Glyph {
  /**
   * Returns whether the pixel in column x and row y is set. Returns false outside the 5 by 7 pixels of the character.
   */
  has(x: number, y: number): boolean;
}

/**
 * Returns the bitmap of a character. Lower-case letters get the bitmap of the capital, and a character that is not in
 * `ROWS` gets a box.
 */
export function glyphOf(character: string): Glyph {
  const capital = character.toUpperCase();
  const rows = Object.hasOwn(ROWS, capital) ? (ROWS[capital] as string) : UNKNOWN;
  return {
    has: (x, y) => x < 5 && y < 7 && (Number.parseInt(rows.slice(2 * y, 2 * y + 2), 16) & (16 >> x)) !== 0,
  };
}
