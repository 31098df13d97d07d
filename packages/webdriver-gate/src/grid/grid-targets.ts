import { classifyForwarded } from '../forwarded-target.ts';
import { type SocketTarget, type Target, Targets } from '../target.ts';

const REFUSED = { kind: 'refused' } as const;
/**
 * Matches a path, from the session id on, that another server could read differently: it contains a percent-encoding, a
 * dot segment, a parameter after `;`, or the start of another session path. A grid takes the session id from any
 * position at which it finds `/session/`.
 */
const ODD = /%|;|\/\.|\/(?:session|bidi)(?=$|[/?])/i;

/**
 * Classifies request targets for a WebDriver grid. Grids decode paths before they route them, and look for `session` at
 * any position. Therefore a target that a grid could read as another session, or as a create-session request with
 * another path, is refused. A command that is let through is rewritten to one spelling.
 */
export class GridTargets extends Targets {
  readonly #plain: Targets;

  constructor(basePath: string) {
    super(basePath);
    this.#plain = new Targets(basePath);
  }

  override classify(raw: string): Target {
    const target = super.classify(raw);
    switch (target.kind) {
      case 'command':
        return this.#command(target);
      case 'other':
        return this.#other(target);
      case 'misrouted create':
        return REFUSED;
      default:
        return target;
    }
  }

  /**
   * Classifies the target of an upgrade. Every upgrade below a session is for a session socket (BiDi, CDP, VNC),
   * because a grid has no sockets outside sessions.
   */
  override classifySocket(raw: string): SocketTarget {
    const target = this.classify(raw);
    if (target.kind === 'site') return target;
    if (target.kind === 'command' && target.sessionId !== undefined) {
      const url = target.url.split('?', 1)[0] as string;
      return { kind: 'session', url, sessionId: target.sessionId, bidi: true };
    }
    // Also accept the path of Appium's BiDi sockets, because the grid may be an Appium server.
    const socket = super.classifySocket(raw);
    if (socket.kind !== 'session' || !socket.bidi) return REFUSED;
    const ids = this.#idsIn(socket.url);
    return ids?.length === 1 && ids[0] === socket.sessionId ? socket : REFUSED;
  }

  #command(target: Extract<Target, { kind: 'command' }>): Target {
    const { url, sessionId } = target;
    const rest = url.slice(this.basePath.length + '/session'.length);
    const spelled = `${this.basePath}/session${rest}`;
    if (!ODD.test(rest)) return spelled === url ? target : { ...target, url: spelled };
    const ids = this.#idsIn(url);
    if (ids?.length !== 1 || ids[0] !== sessionId) return REFUSED;
    return { ...target, url: spelled };
  }

  #other(target: Extract<Target, { kind: 'other' }>): Target {
    const { url } = target;
    if (url === '/' || url.startsWith('/?')) return { kind: 'site', url };
    const read = classifyForwarded(this.#plain, url);
    return read.kind === 'other' || read.kind === 'listing' ? target : REFUSED;
  }

  /** @returns the ids of the sessions that the path names, however a server reads it, or null if the path is unclear */
  #idsIn(url: string): readonly string[] | null {
    const read = classifyForwarded(this.#plain, url);
    return read.kind === 'session' ? read.sessionIds : null;
  }
}
