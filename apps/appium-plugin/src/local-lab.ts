import type { LocalLab } from '@svc/api';

let given: LocalLab | null = null;

/**
 * Gives devices of this process to the plugin, before Appium loads it. Appium passes only plain options to a plugin.
 */
export function useLocalLab(lab: LocalLab): void {
  given = lab;
}

/** @returns null unless the process is a local lab */
export function localLab(): LocalLab | null {
  return given;
}
