import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { inStorage } from '../../api/storage.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { nextStep, type Step, stepsOf } from './first-run-steps.ts';
import type { Device } from './seen-devices.ts';

export interface FirstRun {
  readonly steps: readonly Step[];
  /** The first step that is not done, or undefined if all are done. */
  readonly next: Step | undefined;
  /** Phone on which a session of the user runs. */
  readonly own: Device | undefined;
  readonly isOpen: boolean;
  toggle(): void;
  reload(): void;
}

/**
 * Follows the first steps of a new account. The steps are folded once the lab has phones, to save space above these.
 * @param devices phones of the lab, or undefined until they are loaded
 * @returns undefined if all steps were done when the page was opened, and until the page knows
 */
export function useFirstRun(devices: readonly Device[] | undefined): FirstRun | undefined {
  const { id, role, builtInPassword, authDisabled } = caller.value;
  const key = `svc-first-steps-${id}`;
  // Only this browser stores whether the user has watched one of their own sessions while it ran.
  const [hasSeen, setSeen] = useState(() => inStorage((storage) => storage.getItem(key)) != null);
  const known = useResource(async () => {
    const [tokens, sessions] = await Promise.all([
      call('listTokens'),
      call('listSessions', { query: { owner: id, limit: '1' } }),
    ]);
    return { hasToken: tokens.length > 0, hasRun: sessions.length > 0 };
  });
  useReloadOn(['session_started'], known.reload);
  const own = devices?.find(({ session }) => session?.owner?.id === id);
  useEffect(() => {
    if (own === undefined || hasSeen) return;
    inStorage((storage) => storage.setItem(key, 'seen'));
    setSeen(true);
  }, [own?.udid]);
  // True once the page has found a step that is not done.
  const [isFresh, setFresh] = useState(false);
  const [isOpen, setOpen] = useState(false);
  if (known.value === undefined || devices === undefined || authDisabled) return undefined;
  const steps = stepsOf({
    isSuperAdmin: role === 'Super admin',
    builtInPassword: builtInPassword === true,
    ...known.value,
    hasSeen,
  });
  const next = nextStep(steps);
  if (next !== undefined && !isFresh) {
    setFresh(true);
    setOpen(devices.length === 0);
  }
  if (next === undefined && !isFresh) return undefined;
  return { steps, next, own, isOpen, toggle: () => setOpen(!isOpen), reload: known.reload };
}
