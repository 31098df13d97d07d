import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { McpScope } from '@svc/contract';
import type { Agent, AgentLab } from '../ports.ts';
import type { ToolResult } from '../results.ts';

export interface ToolContext {
  readonly agent: Agent;
  readonly lab: AgentLab;
}

/** JSON Schema of an argument. */
type Schema = Readonly<Record<string, unknown>>;

/** A tool: its description for the model, the MCP scope that it needs, and its function (contract 12). */
export interface ToolDefinition {
  readonly name: string;
  readonly scope: McpScope;
  readonly title: string;
  /** Description for the model: what the tool does, when not to use it, units, and an example. */
  readonly description: string;
  readonly arguments: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  readonly annotations: ToolAnnotations;
  run(input: never, context: ToolContext): ToolResult | Promise<ToolResult>;
}

/** Defines a tool whose input has the type `Input`. The JSON schemas of its arguments must match that type. */
export function tool<Input>(
  definition: Omit<ToolDefinition, 'run'> & {
    run(input: Input, context: ToolContext): ToolResult | Promise<ToolResult>;
  },
): ToolDefinition {
  return definition as ToolDefinition;
}

export const READS: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
export const CHANGES: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
export const ENDS: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };

/** @returns the JSON schema of a text argument with a maximum length */
export function text(description: string, maxLength = 200): Schema {
  return { type: 'string', minLength: 1, maxLength, description };
}

export function whole(description: string, minimum: number, maximum: number): Schema {
  return { type: 'integer', minimum, maximum, description };
}

/** @returns the JSON schema of a coordinate, given as a fraction of the screen */
export function part(description: string): Schema {
  return { type: 'number', minimum: 0, maximum: 1, description };
}

export const SESSION_ID = text('Id of the session, as start_session or list_sessions returns it.');
export const UDID = text('udid of a phone, as list_devices returns it, for example "virtual-1".');
export const PLATFORM = text(
  'Platform of the phone, for example "Android" or "iOS"; letter case does not matter.',
);
export const TAGS: Schema = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 200 },
  maxItems: 50,
  description: 'Tags that the phone must have, all of them.',
};
