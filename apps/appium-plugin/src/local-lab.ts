import type { LocalLab } from '@svc/api';

let given: LocalLab | null = null;

/**
 * Stores the devices of this process for the plugin, before Appium loads the plugin. They are not passed as plugin
 * options, because Appium accepts only plain values as options.
 */
export function useLocalLab(lab: LocalLab): void {
  given = lab;
}

/** @returns the devices that `useLocalLab` stored, or null unless this process is a local lab */
export function localLab(): LocalLab | null {
  return given;
}
