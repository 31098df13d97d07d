import {
  API_PREFIX,
  MCP_SCOPES,
  PROTOCOL_PREFIXES,
  protocolRoutes,
  SCOPES,
  SITE_PREFIX,
} from '@svc/contract';
import { identityUrl } from '@svc/settings';
import type { App } from '../http/http-context.ts';
import { grantsOf } from './oauth/grants.ts';
import { handleProtocolRoute, type Protocol } from './protocol.ts';

/**
 * Scopes listed in the OAuth metadata. `admin` is left out, so that no client requests it only because it is listed.
 */
const API_SCOPES = SCOPES.filter((scope) => scope !== 'admin');

/** Serves the OAuth metadata of this server (RFC 8414, RFC 9728), from which clients read the endpoints. */
export const documentsProtocol: Protocol = {
  prefix: '',
  errorFormat: 'api',
  serve: (scope, context) => {
    const url = identityUrl(context.services.config) ?? '';
    const server = authorizationServer(url, [...grantsOf(context, url).keys()]);
    serveDocument(scope, protocolRoutes.authorizationServer, server);
    const api = resource(url, { path: API_PREFIX, name: 'svc API', scopes: API_SCOPES });
    serveDocument(scope, protocolRoutes.apiResource, api);
    if (context.services.modules.agents === undefined) return;
    const mcp = resource(url, { path: PROTOCOL_PREFIXES.mcp, name: 'svc MCP server', scopes: MCP_SCOPES });
    serveDocument(scope, protocolRoutes.mcpResource, mcp);
  },
};

function serveDocument(
  scope: App,
  route: (typeof protocolRoutes)['authorizationServer'],
  document: object,
): void {
  handleProtocolRoute(scope, route, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
  );
}

const ADDRESSES = {
  token_endpoint: 'oauthToken',
  device_authorization_endpoint: 'deviceAuthorization',
  revocation_endpoint: 'oauthRevoke',
  introspection_endpoint: 'oauthIntrospect',
} as const;

/** Returns the authorization server metadata (RFC 8414). */
function authorizationServer(url: string, grants: readonly string[]): object {
  const endpoints = Object.entries(ADDRESSES).map(([name, route]) => [
    name,
    `${url}${protocolRoutes[route].path}`,
  ]);
  return {
    issuer: `${url}${PROTOCOL_PREFIXES.oauth}`,
    ...Object.fromEntries(endpoints),
    jwks_uri: `${url}${API_PREFIX}/auth/jwks.json`,
    grant_types_supported: grants,
    // RFC 8414 requires this member. The list is empty, because this server has no authorization endpoint.
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    introspection_endpoint_auth_methods_supported: ['Bearer', 'client_secret_basic'],
    scopes_supported: [...API_SCOPES, ...MCP_SCOPES],
    service_documentation: `${url}${SITE_PREFIX}/api-reference`,
  };
}

interface ProtectedResource {
  readonly path: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

function resource(url: string, { path, name, scopes }: ProtectedResource): object {
  return {
    resource: `${url}${path}`,
    authorization_servers: [`${url}${PROTOCOL_PREFIXES.oauth}`],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: name,
    resource_documentation: `${url}${SITE_PREFIX}/api-reference`,
  };
}
