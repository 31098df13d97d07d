import { apiAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { leaveSignedOut } from '../../api/signed-out.ts';
import type { ApiErrorCode } from '../../texts/en/errors.ts';
import { texts } from '../../texts/en.ts';

/**
 * Uploads a file to the app library. Uses `XMLHttpRequest`, because `fetch` does not report the progress of an upload.
 * Rejects with an `ApiError`, with a sentence for the user, or with the signal's reason if the signal stops the upload. If the user's sign-in has
 * ended, opens the sign-in page and never settles.
 *
 * @param onProgress called with the number of bytes of the file that were sent
 */
export function sendFile(file: File, onProgress: (sent: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((sent, failed) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size));
    request.onload = () => {
      if (request.status === 201) sent();
      else if (request.status !== 401 || !leaveSignedOut()) failed(errorOf(request));
    };
    // If a file is too large, the server responds and closes the connection during the upload. The browser may then
    // report an error without that response, so the message says that the file may be too large.
    request.onerror = () => failed(texts.apps.cutOff);
    request.onabort = () => failed(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', stop);
    signal.addEventListener('abort', stop);
    const form = new FormData();
    form.set('file', file);
    request.open('POST', apiAddress('/apps'));
    request.send(form);
  });
}

function errorOf({ status, responseText }: XMLHttpRequest): ApiError {
  const { error, message, ...fields } = bodyIn(responseText);
  return new ApiError({
    status,
    code: typeof error === 'string' ? (error as ApiErrorCode) : 'unexpected_answer',
    ...(typeof message === 'string' ? { message } : {}),
    fields,
  });
}

function bodyIn(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
