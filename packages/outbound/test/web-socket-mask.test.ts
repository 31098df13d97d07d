import { expect, it } from 'vitest';
import { maskOptions } from '../src/forward/web-socket-mask.ts';

it.each([
  ['wss://lab.example/svc', true],
  ['https://lab.example', true],
  ['ws://127.0.0.1:4723/svc', true],
  ['ws://localhost:4723', true],
  ['ws://[::1]:4723', true],
  ['ws://lab.example/svc', false],
  ['ws://127.lab.example', false],
  ['ws://10.0.0.7', false],
])(
  'messages to %s have a mask of zeros only if no proxy can read them: %s (contract 16.1)',
  (url, isZero) => {
    const { generateMask } = maskOptions(url);
    const mask = Buffer.from([1, 2, 3, 4]);
    generateMask?.(mask);
    expect(mask.every((byte) => byte === 0)).toBe(isZero);
  },
);
