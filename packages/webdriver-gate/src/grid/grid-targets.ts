import { classifyForwarded } from '../forwarded-target.ts';
import { type SocketTarget, type Target, Targets } from '../target.ts';

const REFUSED = { kind: 'refused' } as const;
/**
 * Matches the rest of a path, from the session id on, if a grid could read it differently from this server: it contains
 * a percent-encoding, a dot segment, a parameter after `;`, or another `/session/` or `/bidi/`, after which a grid
 * could look for the session id.
 */
const ODD = /%|;|\/\.|\/(?:session|bidi)(?=$|[/?])/i;

/**
 * Classifies request targets for a WebDriver grid. Grids decode paths before they route them, and look for `session` at
 * any position. Therefore a target is refused if a grid could read it as another session, or as a create-session
 * request with another path. The path of a command that is let through gets the spelling `/session`.
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
   * Classifies the target of an upgrade. Every upgrade below a session path counts as one for a WebSocket of that
   * session (BiDi, CDP, VNC), because a grid offers no others.
   */
  override classifySocket(raw: string): SocketTarget {
    const target = this.classify(raw);
    if (target.kind === 'site' || target.kind === 'attach') return target;
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

  /** @returns the ids of all sessions that any server could read in the path, or null if the path is unclear */
  #idsIn(url: string): readonly string[] | null {
    const read = classifyForwarded(this.#plain, url);
    return read.kind === 'session' ? read.sessionIds : null;
  }
}
