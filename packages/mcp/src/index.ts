// The MCP server: tools with which agents use the phones of the lab.
//
// `tools/` has the tools. `ports.ts` names what they need: the lab and WebDriver, as the agent that calls may use them.
// `agent-lab.ts` calls the lab for them. The entry `serve` loads the MCP library and is imported with the first message, so
// no static import may reach it.
//
// Not here: the HTTP route with its credentials and limits (apps/api).

export { challenge } from './challenge.ts';
export { factsOf, type MessageFacts, toolIn } from './messages.ts';
export { type Agents, openAgents } from './open.ts';
export {
  type Agent,
  type AgentLab,
  type AgentWebDriver,
  type JsonObject,
  type LeaseRequest,
  type PageRequest,
  type Picture,
  TooLargeResponse,
  type WebDriverRequest,
  type WebDriverResponse,
} from './ports.ts';
export { NoMessage, readMessage } from './read-message.ts';
export type { Serve, ServeOptions } from './serve.ts';
