import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'jpeg-js';
import type { PhonePicture } from './phone-picture.ts';

const QUALITY = 50;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bits per pixel, color type 3 (palette), and the only methods of compression, filter and interlace. */
const PNG_FORMAT = [8, 3, 0, 0, 0];

export function toPng({ width, height, palette, pixels }: PhonePicture): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  // Each row begins with the number of its filter, which is 0.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([size, Buffer.from(PNG_FORMAT)])),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(checked));
  return Buffer.concat([length, checked, sum]);
}

export function toJpeg({ width, height, palette, pixels }: PhonePicture): Buffer {
  const data = Buffer.alloc(width * height * 4, 255);
  for (const [index, color] of pixels.entries()) data.set(palette[color] ?? [0, 0, 0], index * 4);
  return encode({ data, width, height }, QUALITY).data;
}
