import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DriverSessions } from '@svc/device-lab';
import { authorizedAs, type Upstream } from './forward.ts';

/**
 * Traces create-session requests and commands. A span begins when a request has passed the checks. The span's trace
 * context is then put into the headers of the forwarded request. Refused requests have no span, so that unauthenticated
 * clients cannot create spans.
 */
export interface RequestTracing {
  /**
   * Begins the span of a create-session request.
   * @param from object that identifies the request in a later call of `created`
   * @param began time of arrival, as `performance.now()` returns it
   */
  create(req: IncomingMessage, res: ServerResponse, from: object, began: number): void;
  /** Links the span of a create-session request to the new session. */
  created(from: object, sessionId: string): void;
  /** Begins the span of a command. `route` is the path with every variable part replaced by `*`. */
  command(req: IncomingMessage, res: ServerResponse, sessionId: string, route: string): void;
}

interface TracedOptions {
  readonly tracing: RequestTracing;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly basePath: string;
}

/** Wraps `upstream` so that every command of a recorded session is traced. */
export function traced(upstream: Upstream, { tracing, sessions, basePath }: TracedOptions): Upstream {
  return {
    request: (req, res, context) => {
      const passed = authorizedAs(req);
      if (passed?.kind === 'command' && passed.sessionId !== undefined) {
        const { sessionId, url } = passed;
        if (sessions.ownerOf(sessionId) !== undefined)
          tracing.command(req, res, sessionId, routeOf(url.slice(basePath.length)));
      }
      upstream.request(req, res, context);
    },
    upgrade: upstream.upgrade,
  };
}

/** Words that W3C WebDriver and Appium use in the paths of commands. */
const WORDS: ReadonlySet<string> = new Set(
  `accept accessibility_id actions active activity alert app appium async attribute authorize back bidi buttondown
  buttonup cast clear click commands computedlabel computedrole contexts context cookie credential credentials css
  current_activity current_package device dismiss displayed doubleclick element elements enabled equals events execute
  execute_driver extensions file finger_print forward frame fullscreen geolocation get_clipboard handle handles hide_keyboard
  ime install is_keyboard_shown is_locked keyevent keys location lock log logevent longclick maximize minimize moveto
  multi name network_connection new open_notifications orientation parent perform permissions press_keycode print property
  pull_file push_file rect refresh release remove_app rotation screenshot se selected set_clipboard settings shadow shake
  shadow_root size source sync terminate_app text timeouts title touch types unlock url value vendor webauthn window`.split(
    /\s+/,
  ),
);
const MAX_SEGMENTS = 10;
const LONGEST_PATH = 1024;

/**
 * @returns the path of a command, with `*` in place of every segment that is not a word of WebDriver. Thus there are
 * few different routes, and none contains text from a client.
 * @param url path that begins with `/session/`
 */
export function routeOf(url: string): string {
  const [path = ''] = url.slice(0, LONGEST_PATH).split('?', 1);
  const segments = path.split('/').slice(3, 3 + MAX_SEGMENTS);
  const words = segments.map((segment) => (segment === '' || WORDS.has(segment) ? segment : '*'));
  return ['/session/*', ...words].join('/');
}
