import { pictureOf } from '../../../screen/pictures.tsx';

/** Lets the browser save a picture of the screen as a file that is named after the phone and the time. */
export function saveScreenshot(name: string, base64: string, now = new Date()): void {
  const picture = pictureOf(base64);
  const address = URL.createObjectURL(picture);
  const link = document.createElement('a');
  link.href = address;
  link.download = `${fileName(name, now)}.${picture.type === 'image/jpeg' ? 'jpg' : 'png'}`;
  link.click();
  // Revoke the address only later, because the browser reads the picture some time after the click, and the download
  // would fail without the address.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** @returns a file name without its ending, in which only letters and digits of the phone's name are kept */
export function fileName(name: string, now: Date): string {
  const clean = name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
  return `${clean || 'phone'}-${now.toISOString().slice(0, 19).replace(/:/g, '-')}`;
}
