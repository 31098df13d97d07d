import type { Answer } from '../../api/client.ts';

export type User = Answer<'listUsers'>[number];
