import type {
  AgentServers,
  ConfiguredServer,
  EditedFile,
  ServerReport,
} from '@baton/agent-tools/mcp-config';
import type { Registry } from '@baton/agents/registry/registry';
import { BatonError } from '@baton/protocol/values';
import { EXIT } from '../../exit-codes.ts';
import { errorLines } from '../../view/error-lines.ts';
import { oneLine, safe, style } from '../../view/style.ts';
import type { McpCall } from './mcp.ts';

/** Loads the editor of MCP files on first use, because most runs do not need it. */
const loadMcpConfig = () => import('@baton/agent-tools/mcp-config');

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Runs the requested action, and prints the outcome. */
export async function runMcpAction(
  registry: Registry,
  call: McpCall,
  isJson: boolean,
): Promise<number> {
  const config = await loadMcpConfig();
  const print = (value: unknown, words: string) =>
    process.stdout.write(isJson ? `${JSON.stringify(value, null, 2)}\n` : words);
  switch (call.action) {
    case 'list':
      return list(registry, call.backend, isJson);
    case 'add': {
      const { backend, name, server, replace } = call;
      const edited = await config.addAgentServers(registry, backend, [{ name, server }], {
        replace,
      });
      print({ added: name, ...edited }, `Added ${name} to ${edited.path}.\n${backupLine(edited)}`);
      return EXIT.done;
    }
    case 'remove': {
      const edited = await config.removeAgentServer(registry, call.backend, call.name);
      const words = `Removed ${safe(call.name)} from ${edited.path}.\n${backupLine(edited)}`;
      print({ removed: call.name, ...edited }, words);
      return EXIT.done;
    }
    case 'copy': {
      const { backend: from, to, names, replace } = call;
      const { copied, ...edited } = await config.copyAgentServers(registry, {
        from,
        to,
        names,
        replace,
      });
      const lines = copied.flatMap(({ name, notes }) => [
        `Copied ${safe(name)} to ${edited.path}.`,
        ...notes.map((note) => `  ${safe(note)}`),
      ]);
      print(
        { copied, ...edited },
        copied.length > 0
          ? `${lines.join('\n')}\n${backupLine(edited)}`
          : `${registry.entry(from).label} has no MCP servers.\n`,
      );
      return EXIT.done;
    }
    case 'check':
      return check(registry, call, isJson);
  }
}

/** Lists the servers of one agent, or of all; a file that cannot be read does not hide the others. */
async function list(
  registry: Registry,
  backend: string | undefined,
  isJson: boolean,
): Promise<number> {
  const { backendsWithMcpFile, readAgentServers, maskServer } = await loadMcpConfig();
  const names =
    backend === undefined ? backendsWithMcpFile(registry).map(({ id }) => id) : [backend];
  const found: AgentServers[] = [];
  let code: number = EXIT.done;
  for (const name of names) {
    try {
      found.push(await readAgentServers(registry, name));
    } catch (error) {
      if (backend !== undefined || !BatonError.is(error)) throw error;
      process.stderr.write(`${errorLines(error.toJSON()).join('\n')}\n`);
      code = EXIT.failed;
    }
  }
  const shown = found.map(({ servers, ...rest }) => ({
    ...rest,
    servers: servers.map((each) => ({
      ...each,
      ...(each.server ? { server: maskServer(each.server) } : {}),
    })),
  }));
  process.stdout.write(
    isJson ? `${JSON.stringify(shown, null, 2)}\n` : shown.map(words).join('\n'),
  );
  return code;
}

function words({ backend, path, key, servers }: AgentServers): string {
  const out = process.stdout;
  const head = `${style(out, 'bold', backend)}  ${style(out, 'dim', `${path}, ${key}`)}`;
  const width = Math.max(...servers.map(({ name }) => name.length));
  const rows = servers.map((server) => `  ${safe(server.name).padEnd(width)}  ${facts(server)}`);
  return `${[head, ...(rows.length > 0 ? rows : ['  none'])].join('\n')}\n`;
}

/** Describes a server on one line; its values are masked already. */
function facts({ kind, server, enabled }: ConfiguredServer): string {
  if (!server) return 'not understood';
  const given = 'command' in server ? server.env : server.headers;
  const what =
    'command' in server
      ? [server.command, ...((server.args as string[] | undefined) ?? [])].join(' ')
      : server.url;
  const values = Object.entries((given as object | undefined) ?? {}).map(
    ([name, value]) => `${name}=${value}`,
  );
  const parts = [kind, what, ...values, ...(enabled ? [] : ['(disabled)'])];
  return oneLine(parts.join('  '), Math.max((process.stdout.columns || 200) - 4, 40));
}

function backupLine({ backup }: EditedFile): string {
  return backup ? style(process.stdout, 'dim', `  The file as it was: ${backup}\n`) : '';
}

async function check(
  registry: Registry,
  call: Extract<McpCall, { action: 'check' }>,
  isJson: boolean,
): Promise<number> {
  const { checkServer } = await loadMcpConfig();
  const { backends, server } = await findOne(registry, call);
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  for (const signal of STOPPING) process.on(signal, interrupt);
  try {
    const report = await checkServer(server, { timeoutMs: call.timeoutMs, signal: stop.signal });
    process.stdout.write(
      isJson
        ? `${JSON.stringify({ name: call.name, backends, ...report }, null, 2)}\n`
        : reportWords(call.name, report),
    );
    return EXIT.done;
  } catch (error) {
    if (!BatonError.is(error) || error.code !== 'interrupted') throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT.interrupted;
  } finally {
    for (const signal of STOPPING) process.off(signal, interrupt);
  }
}

/** Finds the server of that name; several agents may have it if the configuration is the same. */
async function findOne(
  registry: Registry,
  { backend, name }: Extract<McpCall, { action: 'check' }>,
) {
  const { backendsWithMcpFile, readAgentServers, findServer } = await loadMcpConfig();
  const agents =
    backend === undefined ? backendsWithMcpFile(registry).map(({ id }) => id) : [backend];
  const read = await Promise.all(
    agents.map((agent) =>
      readAgentServers(registry, agent).catch((error) => {
        if (backend !== undefined || !BatonError.is(error)) throw error;
        return { backend: agent, servers: [] };
      }),
    ),
  );
  if (backend !== undefined) findServer(registry, backend, read[0]?.servers ?? [], name);
  const found = read.flatMap(({ backend: agent, servers }) =>
    servers.filter((each) => each.name === name).map(({ server }) => ({ agent, server })),
  );
  const [first] = found;
  if (!first) {
    throw new BatonError('not_found', `No agent has an MCP server named "${name}".`, {
      hint: 'Run "baton mcp list" to see the servers.',
    });
  }
  if (!first.server) {
    throw new BatonError('config_invalid', `The MCP server "${name}" has neither command nor URL.`);
  }
  const isSame = found.every(
    ({ server }) => JSON.stringify(server) === JSON.stringify(first.server),
  );
  const backends = found.map(({ agent }) => agent);
  if (isSame) return { backends, server: first.server };
  throw new BatonError('usage', `"${name}" differs between ${backends.join(', ')}.`, {
    hint: 'Say which one with --backend.',
  });
}

function reportWords(name: string, { name: own, version, protocol, tools }: ServerReport): string {
  const out = process.stdout;
  const about = [own, version, `protocol ${protocol}`].filter(Boolean).join(' ');
  const width = (out.columns || 100) - 4;
  const rows = tools.map(({ name: tool, description = '' }) =>
    oneLine(`${tool}${description ? `  ${description}` : ''}`, width),
  );
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  return `${[`${style(out, 'green', '✓')} ${safe(name)}: ${safe(about)}, ${count}`, ...rows.map((row) => `    ${row}`)].join('\n')}\n`;
}
