import { errorText } from '../../../api/error-text.ts';
import { texts } from '../../../texts/en.ts';
import { isSessionGone, isUnsupported, TooManyInputs } from './remote-phone.ts';
import { DriverRefusal } from './web-driver.ts';

/**
 * Maximum length of a driver's message on the page. The message is cut, because drivers may put whole stack traces into
 * it.
 */
const LONGEST = 300;

/** @returns a sentence that says why an input failed; `unsupported` is the sentence for a command that the driver lacks */
export function problemText(error: unknown, unsupported: string = texts.remote.problems.unsupported): string {
  const words = texts.remote.problems;
  if (error instanceof TooManyInputs) return words.tooMany;
  if (isSessionGone(error)) return words.sessionGone;
  if (isUnsupported(error)) return unsupported;
  return error instanceof DriverRefusal ? words.refused(shortened(error.message)) : errorText(error);
}

/**
 * @param words makes the sentence from the driver's message; by default, the sentence says that no session was started
 * @returns a sentence that says why the session could not be started
 */
export function startProblemText(error: unknown, words = texts.remote.problems.notStarted): string {
  return error instanceof DriverRefusal ? words(shortened(error.message)) : errorText(error);
}

function shortened(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
