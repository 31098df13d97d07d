import type { LocalLab } from '@svc/api';

let given: LocalLab | null = null;

/**
 * Stores the devices of this process for the plugin, before Appium loads the plugin. They are not plugin options,
 * because Appium passes only plain values in those.
 */
export function useLocalLab(lab: LocalLab): void {
  given = lab;
}

/** @returns the devices that `useLocalLab` stored, or null unless this process is a local lab */
export function localLab(): LocalLab | null {
  return given;
}
