/** Picture of an H.264 stream. A key picture is preceded by the parameter sets that a decoder needs. */
export interface AccessUnit {
  /**
   * NAL units (the packets of an H.264 stream) of the picture, separated by start codes as in Annex B of the standard.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether this is a key picture, with which a decoder can start. */
  readonly isKey: boolean;
  /** Codec string for `VideoDecoder`: `avc1.`, then profile, constraints and level from the stream's parameters. */
  readonly codec: string;
}

interface Part {
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** Types of NAL units (ITU-T H.264, table 7-1). The types 1 to 5 contain slices, which are parts of a picture. */
const LAST_SLICE = 5;
const KEY_SLICE = 5;
const SEQUENCE_SET = 7;
const PICTURE_SET = 8;
/** Maximum number of picture parameter sets to store, so that a faulty stream cannot use up the memory. */
const MAX_PICTURE_SETS = 16;

/**
 * Splits the messages of an H.264 source into pictures. A message consists of whole NAL units, each after a start code.
 * A message with parameter sets only, or with other data, gives no picture.
 */
export class AccessUnits {
  #sequenceSet: Uint8Array | undefined;
  #pictureSets: Uint8Array[] = [];

  take(message: Uint8Array): AccessUnit[] {
    const pictures: Part[][] = [];
    let picture: Part[] | undefined;
    for (const part of partsOf(message)) {
      if (part.type === SEQUENCE_SET) {
        this.#sequenceSet = part.bytes;
        this.#pictureSets = [];
      } else if (part.type === PICTURE_SET) {
        this.#pictureSets = [...this.#pictureSets, part.bytes].slice(-MAX_PICTURE_SETS);
      } else if (part.type >= 1 && part.type <= LAST_SLICE) {
        if (picture === undefined || beginsPicture(part)) {
          picture = [];
          pictures.push(picture);
        }
        picture.push(part);
      }
    }
    return pictures.flatMap((parts) => this.#unitOf(parts));
  }

  #unitOf(slices: readonly Part[]): AccessUnit[] {
    const set = this.#sequenceSet;
    // A decoder needs the parameter sets first, so drop the pictures that arrive before them.
    if (set === undefined) return [];
    const isKey = slices.some(({ type }) => type === KEY_SLICE);
    const ahead = isKey ? [set, ...this.#pictureSets] : [];
    const bytes = joined([...ahead, ...slices.map((slice) => slice.bytes)]);
    return [{ bytes, isKey, codec: codecOf(set) }];
  }
}

/**
 * Returns whether a slice is the first of its picture. The slice then begins with the number 0 (`first_mb_in_slice`),
 * which H.264 encodes as a single set bit.
 */
function beginsPicture({ bytes }: Part): boolean {
  return ((bytes[1] ?? 0) & 0x80) !== 0;
}

function codecOf(sequenceSet: Uint8Array): string {
  const digits = [1, 2, 3].map((at) => (sequenceSet[at] ?? 0).toString(16).padStart(2, '0'));
  return `avc1.${digits.join('')}`;
}

/** @returns the NAL units of a message without their start codes */
function partsOf(message: Uint8Array): Part[] {
  const starts: number[] = [];
  for (let at = message.indexOf(1, 2); at !== -1; at = message.indexOf(1, at + 1)) {
    if (message[at - 1] === 0 && message[at - 2] === 0) starts.push(at + 1);
  }
  return starts.flatMap((start, index) => {
    const next = starts[index + 1];
    // Zeros before a start code are part of the start code, because no NAL unit ends with a zero.
    let end = next === undefined ? message.length : next - 3;
    while (end > start && message[end - 1] === 0) end -= 1;
    const bytes = message.subarray(start, end);
    return bytes.length === 0 ? [] : [{ type: (bytes[0] ?? 0) & 0x1f, bytes }];
  });
}

const START_CODE = [0, 0, 0, 1];

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, part) => sum + START_CODE.length + part.length, 0);
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(START_CODE, at);
    all.set(part, at + START_CODE.length);
    at += START_CODE.length + part.length;
  }
  return all;
}
