import { ERROR_STATUS } from '@svc/contract';
import { expect } from 'vitest';
import type { HttpResponse } from './call.ts';

const STATUS: Readonly<Record<string, number>> = ERROR_STATUS;

/** Expects the error shape with a code of the contract, its status, and the headers of every response (contract 1). */
export function expectError(answer: HttpResponse, error?: string): void {
  const { status, headers, body, text } = answer;
  expect(headers['content-type'], text).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (error !== undefined) expect(body.error, text).toBe(error);
  expect(status, text).toBe(STATUS[body.error]);
  expect(status).toBeLessThan(500);
  expect(['string', 'undefined']).toContain(typeof body.message);
  // The text contains no stack, SQL, path or file name.
  expect(text).not.toMatch(/node_modules|\.[jt]s:\d|sqlite|\bselect\b|\binsert\b|\/svc|Error:/i);
}

/** Expects a response of svc: a success, or a refusal in the contract's shape. */
export function expectSane(answer: HttpResponse): void {
  if (answer.status >= 300) expectError(answer);
  else expect(answer.status).toBeGreaterThanOrEqual(200);
}
