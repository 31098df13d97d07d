import type { Answer } from '../../api/client.ts';

export type Team = Answer<'listTeams'>[number];
