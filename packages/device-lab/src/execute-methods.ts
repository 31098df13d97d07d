import { isRecord } from '@svc/contract';
import { maskText } from './command-log/mask.ts';
import type { DeviceLab } from './device-lab.ts';
import type { Recorded } from './session-recorder.ts';

/** Thrown if the script of an execute request names an `svc:` method that does not exist. */
export class UnknownExecuteMethod extends Error {}

/** Thrown if an argument is invalid. The message is sent to the client and quotes nothing of the request. */
class InvalidExecuteArgument extends Error {}

const PREFIX = 'svc:';
const NAME = /^[\w.-]*$/;

/**
 * @returns the name of the `svc:` command in a script (`svc: <name>`), or undefined if the script is meant for the
 * driver
 */
export function executeMethodOf(script: unknown): string | undefined {
  if (typeof script !== 'string' || !script.startsWith(PREFIX)) return undefined;
  const name = script.slice(PREFIX.length).trim();
  return NAME.test(name) ? name : undefined;
}

const RECORDED: Recorded = { recorded: true };
const MOST_TAGS = 50;
const NOT_RECORDED = 'this session is not recorded';

type Fields = Readonly<Record<string, unknown>>;
type Command = (lab: DeviceLab, id: string, fields: Fields) => Recorded | Promise<Recorded>;

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'setSessionName',
    (lab, id, fields) => {
      lab.changeSession(id, { name: textOf(fields, 'name', 256) });
      return RECORDED;
    },
  ],
  [
    'setSessionStatus',
    (lab, id, fields) => {
      const { status } = fields;
      if (status !== 'passed' && status !== 'failed') {
        throw new InvalidExecuteArgument("status must be 'passed' or 'failed'");
      }
      const reason = fields.reason === undefined ? null : textOf(fields, 'reason', 2_048);
      lab.changeSession(id, { status, failureReason: status === 'failed' ? reason : null });
      const pictured = lab.recorder?.statusSet(id, status, reason);
      // Respond only after the screenshot has been taken. Otherwise the client could send its next command earlier, and
      // that command could change the screen (contract 11).
      return pictured === undefined ? RECORDED : pictured.then(() => RECORDED);
    },
  ],
  [
    'addTag',
    (lab, id, fields) => {
      const tag = textOf(fields, 'tag', 64);
      const tags = lab.sessions.byId(id)?.tags ?? [];
      if (tags.includes(tag)) return RECORDED;
      if (tags.length >= MOST_TAGS) return notRecorded(`a session has at most ${MOST_TAGS} tags`);
      lab.changeSession(id, { tags: [...tags, tag] });
      return RECORDED;
    },
  ],
  [
    'debug',
    // The method only checks the message and does not store it, because the command log already stores the whole
    // command with the message.
    (lab, _id, fields) => {
      textOf(fields, 'message', 4_096);
      return lab.commandLog.accepts ? RECORDED : notRecorded('too many commands wait for the session log');
    },
  ],
  [
    'captureEvidence',
    (lab, id, fields) => {
      const label = fields.label === undefined ? null : textOf(fields, 'label', 256);
      return lab.recorder?.captureEvidence(id, label) ?? notRecorded(NOT_RECORDED);
    },
  ],
  ['pauseRecording', (lab, id) => lab.recorder?.pause(id) ?? notRecorded(NOT_RECORDED)],
  ['resumeRecording', (lab, id) => lab.recorder?.resume(id) ?? notRecorded(NOT_RECORDED)],
]);

/**
 * Runs an `svc:` execute method on a running session. `args` is what the client sent: nothing, or a list with one
 * object. If the method could not record something, the returned `recorded` is false (contract 6.5).
 * @throws UnknownExecuteMethod if no method has this name
 */
export function runExecuteMethod(
  lab: DeviceLab,
  id: string,
  name: string,
  args: unknown,
): Recorded | Promise<Recorded> {
  const command = COMMANDS.get(name);
  if (command === undefined) throw new UnknownExecuteMethod(`svc: has no such command`);
  try {
    return command(lab, id, fieldsOf(args));
  } catch (error) {
    if (error instanceof InvalidExecuteArgument) return notRecorded(error.message);
    return notRecorded('the session record cannot be written at the moment');
  }
}

function notRecorded(message: string): Recorded {
  return { recorded: false, message };
}

function fieldsOf(args: unknown): Fields {
  if (args === undefined || args === null) return {};
  if (!Array.isArray(args) || args.length > 1)
    throw new InvalidExecuteArgument('expects one object as its argument');
  const [fields = {}] = args;
  if (!isRecord(fields)) throw new InvalidExecuteArgument('expects one object as its argument');
  return fields;
}

/** @returns the trimmed text of a field, with the secrets in it masked */
function textOf(fields: Fields, name: string, longest: number): string {
  const value = fields[name];
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '' || text.length > longest) {
    throw new InvalidExecuteArgument(`${name} must be a text of 1 to ${longest} characters`);
  }
  return maskText(text);
}
