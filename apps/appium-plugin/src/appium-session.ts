import { endOfCause, InputFailed, type SessionEnd, type StartedSession } from '@svc/device-lab';
import type { InnerDriver, UmbrellaDriver } from './appium-types.ts';
import { inputThrough } from './device-input.ts';
import { probeDriver } from './probe-driver.ts';

const ENDED_BY_CLIENT: SessionEnd = { category: null, reason: null };
const OVERRIDDEN: SessionEnd = {
  category: 'Session Lost',
  reason: 'another session took its place (--session-override)',
};

interface AppiumSession {
  readonly umbrella: UmbrellaDriver;
  readonly id: string;
  readonly capabilities: Record<string, unknown>;
  /**
   * Returns whether the calling code runs within a create-session request. If a session is deleted during such a
   * request, the reason is that the new session overrides it (`--session-override`).
   */
  readonly isInCreate: () => boolean;
}

/** Wraps a session that Appium has started, so that the device lab can end it, keep it alive and send it input. */
export function appiumSession({ umbrella, id, capabilities, isInCreate }: AppiumSession): StartedSession {
  const inner = umbrella.sessions[id];
  const watch = inner === undefined ? GONE : watchEnd(inner, isInCreate);
  return {
    id,
    capabilities,
    ended: watch.ended,
    end: async () => {
      if (watch.isDeleting()) {
        await watch.ended;
        return;
      }
      const { error } = await umbrella.deleteSession(id);
      if (error !== undefined) throw error;
    },
    keepAlive: async () => {
      const current = umbrella.sessions[id];
      if (current?.noCommandTimer) await current.startNewCommandTimeout?.();
    },
    probe: async () => {
      const current = umbrella.sessions[id];
      return current === undefined || watch.isDeleting() ? undefined : await probeDriver(current, id);
    },
    input: async (input) => {
      const current = umbrella.sessions[id];
      if (current === undefined || watch.isDeleting()) throw new InputFailed('the session has ended');
      await inputThrough(current, id, input);
    },
  };
}

interface EndWatch {
  readonly ended: Promise<SessionEnd>;
  /** Returns whether the driver has begun to delete the session. */
  isDeleting(): boolean;
}

const GONE: EndWatch = {
  ended: Promise.resolve(endOfCause('the session ended immediately')),
  isDeleting: () => false,
};

/**
 * Detects every end of a session, by wrapping the driver's `deleteSession` and listening for its unexpected shutdown.
 * Plugin hooks are not enough, because Appium skips them for sessions that are created at the same time and for
 * sessions that another create-session request overrides.
 */
function watchEnd(inner: InnerDriver, isInCreate: () => boolean): EndWatch {
  let deleting = false;
  const ended = new Promise<SessionEnd>((resolve) => {
    let unexpected: SessionEnd | undefined;
    const original = inner.deleteSession;
    inner.deleteSession = async (...args) => {
      deleting = true;
      const asked = isInCreate() ? OVERRIDDEN : ENDED_BY_CLIENT;
      try {
        return await original.apply(inner, args);
      } finally {
        resolve(unexpected ?? asked);
      }
    };
    inner.eventEmitter?.once('onUnexpectedShutdown', (cause?: Error) => {
      const lost = endOfCause(cause?.message ?? 'the driver shut down unexpectedly');
      unexpected = lost;
      // Some drivers report the shutdown but never delete their session. If no deletion has begun by now, end the
      // session as lost.
      setImmediate(() => {
        if (!deleting) resolve(lost);
      });
    });
  });
  return { ended, isDeleting: () => deleting };
}
