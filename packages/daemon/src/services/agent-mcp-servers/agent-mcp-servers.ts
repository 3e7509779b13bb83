import type { AgentServers } from '@baton/agent-tools/mcp-config';
import type { Registry } from '@baton/agents/registry/registry';
import { BatonError, type McpServer } from '@baton/protocol';
import { agentMcpServersWire } from '@baton/protocol/wire';
import type { DaemonContext } from '../../context.ts';
import { checkWhole, masked, noteSecrets } from '../../security/mcp-config.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** Loads the editor of MCP files on first use, because most runs do not need it. */
const loadMcpConfig = () => import('@baton/agent-tools/mcp-config');

/** A user of the page waits for it. */
const CHECK_TIMEOUT_MS = 20_000;

/** The MCP servers in the agents' own configuration files. */
export function agentMcpServers({
  baton: { registry },
}: DaemonContext): ServiceOf<'agent-mcp-servers'> {
  return {
    path: 'agent-mcp-servers',
    about:
      "MCP servers in the agents' own configuration files on the daemon's machine. Values of variables and headers are never returned.",
    methods: {
      find: method(agentMcpServersWire.find, {
        about: 'Lists the servers by agent. A file that cannot be read has a `problem`.',
        allow: ['member'],
        async act() {
          const { backendsWithMcpFile } = await loadMcpConfig();
          return Promise.all(
            backendsWithMcpFile(registry).map(({ id }) => fileRecord(registry, id)),
          );
        },
      }),
      create: method(agentMcpServersWire.create, {
        about: 'Adds a server to the file of an agent. Everything else in the file stays as it is.',
        allow: ['owner'],
        async act({ data: { backend, name, config, replace } }) {
          checkWhole(config);
          noteSecrets(config);
          const { addAgentServers } = await loadMcpConfig();
          await addAgentServers(registry, backend, [{ name, server: config }], { replace });
          return fileRecord(registry, backend);
        },
      }),
      removeServer: method(agentMcpServersWire.removeServer, {
        about: 'Removes a server from the file of an agent.',
        allow: ['owner'],
        async act({ data: { backend, name } }) {
          await (await loadMcpConfig()).removeAgentServer(registry, backend, name);
          return fileRecord(registry, backend);
        },
      }),
      copy: method(agentMcpServersWire.copy, {
        about:
          'Copies servers from the file of one agent to that of another one, in its format; all of them without `names`. `notes` tell what the other agent does not get.',
        allow: ['owner'],
        async act({ data: { backend: from, to, names, replace } }) {
          const { copyAgentServers } = await loadMcpConfig();
          const { copied } = await copyAgentServers(registry, { from, to, names, replace });
          return { copied };
        },
      }),
      check: method(agentMcpServersWire.check, {
        about: 'Starts a server or connects to it, and lists its tools.',
        allow: ['member'],
        async act({ data: { backend, name } }) {
          const { checkServer, findServer, readAgentServers } = await loadMcpConfig();
          const { servers } = await readAgentServers(registry, backend);
          const server = readable(name, findServer(registry, backend, servers, name).server);
          noteSecrets(server);
          const report = await checkServer(server, { timeoutMs: CHECK_TIMEOUT_MS });
          return {
            protocol: report.protocol,
            name: report.name ?? null,
            version: report.version ?? null,
            tools: report.tools.map((tool) => ({
              name: tool.name,
              description: tool.description ?? null,
            })),
          };
        },
      }),
    },
  };
}

function readable(name: string, server: McpServer | undefined): McpServer {
  if (server) return server;
  throw new BatonError('config_invalid', `The MCP server "${name}" has neither command nor URL.`);
}

/** The file of an agent, as it may be shown. */
async function fileRecord(registry: Registry, backend: string) {
  const { id, label } = registry.entry(backend);
  try {
    const { path, servers } = await (await loadMcpConfig()).readAgentServers(registry, id);
    return { backend: id, label, path, servers: servers.map(serverRecord), problem: null };
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return { backend: id, label, path: null, servers: [], problem: error.message };
  }
}

function serverRecord({ name, kind, server, enabled }: AgentServers['servers'][number]) {
  return { name, kind: kind ?? null, config: server ? masked(server) : {}, enabled };
}
