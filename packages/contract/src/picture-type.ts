/** Maximum size of one picture of a preview, in bytes. */
export const LARGEST_PICTURE = 8 * 1024 * 1024;

const SIGNATURES = [
  ['image/jpeg', [0xff, 0xd8]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
] as const;

export type PictureType = (typeof SIGNATURES)[number][0];

/** @returns the type of a picture, recognized by its first bytes, or undefined if it is neither JPEG nor PNG */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  return SIGNATURES.find(([, signature]) => signature.every((byte, at) => bytes[at] === byte))?.[0];
}
