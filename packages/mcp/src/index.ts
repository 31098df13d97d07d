/** MCP server of the lab (contract 12). The API imports it at the first request. */
export {};
