export { challenge } from './challenge.ts';
export { LocalWebDriver } from './local-web-driver.ts';
export { factsOf, type MessageFacts, toolIn } from './messages.ts';
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
