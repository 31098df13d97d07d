import { ANY_CALLER, SUPER_ADMIN } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { MCP_SCOPES } from '../scopes.ts';
import {
  IdParams,
  InstantSchema,
  literals,
  NullableInstant,
  NullableText,
  namedObject,
  Type,
  UserRefSchema,
  UuidSchema,
} from './common.ts';

/** Schema of a limit of an agent's token. The value is null if the token does not set the limit. */
const NullableLimit = Type.Unsafe<number | null>({ type: ['integer', 'null'] });

/**
 * Schema of the limits of an agent. It has a name, because client generators would otherwise name it `AgentLimits`
 * (after `Agent` and its field `limits`), which is the name of another schema.
 */
const LimitsOfAgent = namedObject('LimitsOfAgent', {
  sessions: NullableLimit,
  minutes: NullableLimit,
});

/** Schema of an agent: an `svc-mcp` token with all tokens minted from it. */
const Agent = namedObject('Agent', {
  id: UuidSchema,
  owner: UserRefSchema,
  scopes: Type.Array(literals(MCP_SCOPES)),
  lastAt: NullableInstant,
  lastTool: NullableText,
  limits: LimitsOfAgent,
  minutesToday: Type.Integer({ description: 'Minutes that the sessions of the agent took today (UTC).' }),
  expiresAt: InstantSchema,
  sessions: Type.Array(Type.Object({ id: Type.String(), udid: NullableText, startedAt: InstantSchema })),
});

const TAG: RouteTag = { name: 'Agents', description: 'Agents that use the MCP server of the lab.' };

export const agentRoutes = feature(TAG, {
  listAgents: route.get('/agents', {
    access: ANY_CALLER,
    summary: 'The agents with tokens of the caller; all agents for an override admin',
    responses: { 200: Type.Array(Agent) },
  }),
  endAgent: route.delete('/agents/:id', {
    access: ANY_CALLER,
    summary: 'Stop an agent: its tokens are refused, and its sessions end',
    params: IdParams,
    responses: { 204: null },
  }),
  endAgents: route.delete('/agents', {
    access: SUPER_ADMIN,
    summary: 'Stop every agent',
    responses: { 204: null },
  }),
});
