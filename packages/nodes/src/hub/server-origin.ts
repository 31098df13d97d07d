import { Refusal } from '@svc/auth-core';

/**
 * @returns scheme, host and port of a server in normalized form
 * @throws `invalid_url` if the text contains anything else; its message names the field
 */
export function serverOrigin(field: string, text: string): string {
  const url = parsed(text.trim());
  const isBare = url !== null && url.username === '' && url.password === '' && !/[?#]/.test(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isBare || !isHttp || url.pathname !== '/')
    throw new Refusal('invalid_url', 'not an address', {
      message: `${field}: an http(s) address of scheme, host and port`,
    });
  return url.origin;
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
