import { expect, it } from 'vitest';
import { rateCategory } from '../src/http/rate-category.ts';

it('GET, HEAD and OPTIONS read, and every other method counts as its route says (spec 8.1.1)', () => {
  for (const ofRoute of ['read', 'change', 'ai'] as const) {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(rateCategory(method, ofRoute)).toBe('read');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(rateCategory(method, ofRoute)).toBe(ofRoute);
  }
});
