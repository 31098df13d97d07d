import type { Device } from './seen-devices.ts';

interface Description {
  name?: string;
  note?: string;
}

/**
 * @returns the name and the note that differ from those of the phone, or undefined if both are unchanged. An unchanged
 * name is left out, because sending the phone's own name would fix it for good.
 */
export function changedDescription(
  device: Pick<Device, 'name' | 'note'>,
  typedName: string,
  typedNote: string,
): Description | undefined {
  const [name, note] = [typedName.trim(), typedNote.replaceAll('\r\n', '\n').trim()];
  const changed = {
    ...(name === device.name ? {} : { name }),
    ...(note === (device.note ?? '') ? {} : { note }),
  };
  return Object.keys(changed).length === 0 ? undefined : changed;
}
