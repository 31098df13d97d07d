import type { Color, PhonePicture } from './phone-picture.ts';

/**
 * Encodes a picture as H.264 (Annex B of ITU-T H.264), so that `screenrecord` of a scripted phone needs no encoder.
 * Each picture is a key picture whose macroblocks are not compressed (I_PCM), about 100 KB.
 */

const START = Buffer.from([0, 0, 0, 1]);
const SEQUENCE_SET = 0x67;
const PICTURE_SET = 0x68;
const KEY_SLICE = 0x65;
/** Baseline profile without further constraints, level 3. */
const PROFILE = [66, 0, 30] as const;
const BLOCK = 16;
const I_PCM = 25;

/** @param number consecutive number of the picture; two key pictures in a row must have different ids */
export function toH264(picture: PhonePicture, number: number): Buffer {
  const { width, height } = picture;
  const blocks = { across: width / BLOCK, down: height / BLOCK };
  const sets = [unit(SEQUENCE_SET, sequenceSet(blocks)), unit(PICTURE_SET, pictureSet())];
  return Buffer.concat([...sets, unit(KEY_SLICE, keySlice(picture, number))]);
}

/**
 * No payload of this file contains the bytes 0 0 0 to 0 0 3, which would need an escape: the samples are at least 16,
 * and the headers have no two zero bytes in a row.
 */
function unit(type: number, payload: Buffer): Buffer {
  return Buffer.concat([START, Buffer.from([type]), payload]);
}

function sequenceSet({ across, down }: { across: number; down: number }): Buffer {
  const bits = new Bits();
  for (const byte of PROFILE) bits.fixed(byte, 8);
  bits.golomb(0); // seq_parameter_set_id
  bits.golomb(0); // log2_max_frame_num_minus4
  bits.golomb(2); // pic_order_cnt_type: output order is decoding order
  bits.golomb(0); // max_num_ref_frames
  bits.fixed(0, 1); // gaps_in_frame_num_value_allowed_flag
  bits.golomb(across - 1);
  bits.golomb(down - 1);
  bits.fixed(0b1000, 4); // frames only, no direct_8x8_inference, no cropping, no VUI
  return bits.ended();
}

function pictureSet(): Buffer {
  const bits = new Bits();
  bits.golomb(0); // pic_parameter_set_id
  bits.golomb(0); // seq_parameter_set_id
  bits.fixed(0, 2); // CAVLC, no field pictures
  bits.golomb(0); // num_slice_groups_minus1
  bits.golomb(0); // num_ref_idx_l0_default_active_minus1
  bits.golomb(0); // num_ref_idx_l1_default_active_minus1
  bits.fixed(0, 3); // no weighted prediction
  for (let each = 0; each < 3; each++) bits.golomb(0); // quantizers and their chroma offset
  bits.fixed(0b100, 3); // the slices say whether they are deblocked
  return bits.ended();
}

function keySlice({ width, height, palette, pixels }: PhonePicture, number: number): Buffer {
  const colors = palette.map(toYuv);
  const sample = (x: number, y: number, component: 0 | 1 | 2) =>
    colors[pixels[y * width + x] ?? 0]?.[component] ?? BLOCK;
  const head = new Bits();
  head.golomb(0); // first_mb_in_slice
  head.golomb(7); // slice_type: the whole picture consists of I slices
  head.golomb(0); // pic_parameter_set_id
  head.fixed(0, 4); // frame_num
  head.golomb(number % 2); // idr_pic_id
  head.fixed(0, 2); // no_output_of_prior_pics_flag, long_term_reference_flag
  head.golomb(0); // slice_qp_delta
  head.golomb(1); // disable_deblocking_filter_idc
  const parts: Buffer[] = [];
  let bits = head;
  for (let top = 0; top < height; top += BLOCK)
    for (let left = 0; left < width; left += BLOCK) {
      bits.golomb(I_PCM);
      const block = Buffer.alloc(BLOCK * BLOCK * 1.5);
      let at = 0;
      for (let y = 0; y < BLOCK; y++)
        for (let x = 0; x < BLOCK; x++) block[at++] = sample(left + x, top + y, 0);
      for (const component of [1, 2] as const)
        for (let y = 0; y < BLOCK; y += 2)
          for (let x = 0; x < BLOCK; x += 2) block[at++] = sample(left + x, top + y, component);
      parts.push(bits.aligned(), block);
      bits = new Bits();
    }
  return Buffer.concat([...parts, bits.ended()]);
}

/** Converts to BT.601 with limited range, which decoders assume if the stream does not name a matrix. */
function toYuv([red, green, blue]: Color): readonly [number, number, number] {
  return [
    Math.round(16 + 0.257 * red + 0.504 * green + 0.098 * blue),
    Math.round(128 - 0.148 * red - 0.291 * green + 0.439 * blue),
    Math.round(128 + 0.439 * red - 0.368 * green - 0.071 * blue),
  ];
}

class Bits {
  #text = '';

  fixed(value: number, count: number): void {
    this.#text += value.toString(2).padStart(count, '0');
  }

  /** Appends an Exp-Golomb code, `ue(v)` in the standard. */
  golomb(value: number): void {
    const code = (value + 1).toString(2);
    this.#text += '0'.repeat(code.length - 1) + code;
  }

  /** @returns the bytes, with zero bits up to the end of the last byte */
  aligned(): Buffer {
    const bytes = this.#text.match(/.{1,8}/g) ?? [];
    return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));
  }

  /** @returns the bytes, with the stop bit that ends a unit */
  ended(): Buffer {
    this.fixed(1, 1);
    return this.aligned();
  }
}
