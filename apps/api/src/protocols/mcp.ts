import { PROTOCOL_PREFIXES, protocolRoutes } from '@svc/contract';
import { type Agents, NoMessage, readMessage, type Serve, toolIn } from '@svc/mcp';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { againOf } from '../admission/guard.ts';
import type { HttpContext } from '../http/http-context.ts';
import { admitMessage, asFetch, forwarded, scopesOf } from '../mcp/admit-message.ts';
import { leaveBodies } from '../plugins/bodies.ts';
import { VERSION } from '../runtime/resources.ts';
import { handleProtocolRoute, type Protocol } from './protocol.ts';

/**
 * Serves the MCP server at `/svc/mcp`. Fastify parses no body here, because the handler reads the raw request (contract
 * 12).
 */
export const mcpProtocol = (agents: Agents): Protocol => ({
  prefix: PROTOCOL_PREFIXES.mcp,
  errorFormat: 'mcp',
  parseBodies: leaveBodies,
  serve: (scope, context) => {
    const checkAgain = againOf(protocolRoutes.mcp.access, context);
    const serve = later(() => loadServe(agents, context));
    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const message = await readMessage(request.raw);
      // The bearer token may have expired or been revoked while the body arrived.
      await checkAgain(request);
      if (message instanceof NoMessage) return sendProblem(reply, message);
      admitMessage(request, message, reply, context);
      const { caller } = request;
      agents.note(caller, toolIn(message));
      const answer = await (await serve())(
        { caller, scopes: scopesOf(caller), ...forwarded(request), signal: signalOf(reply) },
        asFetch(request),
        message,
      );
      return await send(reply, answer);
    };
    const refuseMethod = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      sendProblem(reply.code(405).header('allow', 'POST'), new NoMessage(-32_000, 'Method not allowed.'));
    handleProtocolRoute(scope, protocolRoutes.mcp, handle);
    handleProtocolRoute(scope, protocolRoutes.mcpStream, refuseMethod);
    handleProtocolRoute(scope, protocolRoutes.mcpEnd, refuseMethod);
  },
});

/** Loads the MCP library at the first message, so that servers without agents do not need the memory. */
async function loadServe(agents: Agents, { services, reads }: HttpContext): Promise<Serve> {
  const { serving } = await import('@svc/mcp/serve');
  return serving({
    lab: agents.lab(reads),
    version: VERSION,
    failed: (tool, error) => services.log.error(`The tool ${tool} failed`, { error }),
  });
}

/** @returns a function that calls `load` once and returns its result; a failed load is tried again */
function later<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** @returns a signal that is aborted when the client disconnects before it has its response */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

async function send(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  const text = await answer.text();
  const type = answer.headers.get('content-type');
  if (type !== null) reply.type(type);
  return reply.code(answer.status).send(text === '' ? undefined : text);
}

function sendProblem(reply: FastifyReply, { code, message }: NoMessage): FastifyReply {
  if (reply.statusCode === 200) reply.code(400);
  return reply
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
