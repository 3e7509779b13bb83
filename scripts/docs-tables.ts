import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { liveArgs, plainArgs, printArgs } from '@baton/agents/backends/claude/args';
import { createBaton } from '@baton/agents/registry/create-baton';
import { PROTECTED_PATHS } from '@baton/config/paths/protected-paths';
import { configSchema, SETTINGS, type Setting } from '@baton/config/settings';
import { DAEMON_SETTINGS } from '@baton/daemon';
import { providerErrorCode, STATUS_CODES } from '@baton/engine/kit/provider-errors';
import { chainsJsonSchema, loadChains, outlineOf, svgOf } from '@baton/orchestra';
import { ERROR_CODES, type ErrorCode, OUTCOME_TABLE, PERMISSION_MODES } from '@baton/protocol';
import { scalingTable } from '../bench/report/scaling.ts';
import { benchTable } from '../bench/report/table.ts';
import { KNOWN_AGENTS } from '../packages/agents/src/dialects/acp/known-agents.ts';
import { gatewayArgs, runnerArgs } from '../packages/contracts/src/claude-drivers.ts';
import { DEFAULT_PRICES, PRICES_DATE } from '../packages/engine/src/prices/default-prices.ts';
import { agentTables } from './docs-agents.ts';
import { apiReference } from './docs-api.ts';
import { table } from './markdown-table.ts';

/** The built-in agents: the documentation does not depend on the settings of its author. */
const baton = await createBaton({ settings: 'none' });

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  'api',
  'errors',
  'configuration',
  'acp',
  'agents',
  'backends',
  'cost',
  'mcp',
  'permissions',
  'performance',
  'scaling',
  'daemon',
].map((name) => `docs/${name}.md`);

/** The schemas that editors check configuration files with. */
const SCHEMAS: Readonly<Record<string, () => Record<string, unknown>>> = {
  'schemas/baton.schema.json': () => configSchema('project'),
  'schemas/config.schema.json': () => configSchema('user'),
  'schemas/chains.schema.json': chainsJsonSchema,
};

/** The formats of configuration files of agents. */
const FORMATS = {
  json: 'JSON',
  'json-comments': 'JSON with comments',
  jsonc: 'JSON with comments and trailing commas',
  toml: 'TOML',
};

/** The tables of the documentation that the code itself knows best. */
export async function generatedTables(): Promise<Record<string, string>> {
  return {
    errors: table(
      ['code', 'meaning', 'what to do', 'retryable'],
      Object.entries(ERROR_CODES).map(([code, { meaning, hint, retryable }]) => [
        `\`${code}\``,
        meaning,
        hint,
        retryable ? 'yes' : 'no',
      ]),
    ),
    acpAgents: table(
      ['name', 'agent', 'command', 'install', 'verified', 'asks before edits / commands'],
      KNOWN_AGENTS.map(({ name, label, command, args, install, verified, asks }) => [
        `\`acp:${name}\``,
        label,
        `\`${[command, ...args].join(' ')}\``,
        `\`${install.replaceAll('|', '\\|')}\``,
        verified ?? 'no',
        asks
          ? `${asks.edits ?? '?'} / ${asks.commands ?? '?'}${asks.release ? ` (${asks.release})` : ''}`
          : 'not measured',
      ]),
    ),
    providerErrors: table(
      ['status', 'code', 'retryable'],
      [
        ...Object.entries(STATUS_CODES),
        ['other 4xx', providerErrorCode({ status: 499 })],
        ['other 5xx', providerErrorCode({ status: 599 })],
      ].map(([status, code]) => [
        status,
        `\`${code}\``,
        ERROR_CODES[code as ErrorCode].retryable ? 'yes' : 'no',
      ]),
    ),
    outcomes: table(
      [
        'outcome',
        'runner status',
        '`isError`',
        'agent runtime exit code',
        '`baton run` exit code',
        'task',
      ],
      Object.entries(OUTCOME_TABLE).map(([outcome, words]) => [
        `\`${outcome}\``,
        words.runnerStatus,
        String(words.isError),
        String(words.exitCode),
        String(words.shellExitCode),
        words.taskStatus,
      ]),
    ),
    parrot: fenced('ts core', readFileSync(join(ROOT, 'examples/backend/parrot.ts'), 'utf8')),
    protected: protectedTable(),
    settings: settingsTable(),
    aliases: table(
      ['backend', 'aliases'],
      baton
        .backends()
        .map(({ id, aliases = [] }) => [
          `\`${id}\``,
          aliases.map((name) => `\`${name}\``).join(', '),
        ]),
    ),
    mcpFiles: await mcpFilesTable(),
    prices: pricesTable(),
    testedVersions: table(
      ['backend', 'oldest tested release', 'newest tested release'],
      baton
        .backends()
        .flatMap(({ id, testedVersions }) =>
          testedVersions ? [[`\`${id}\``, testedVersions.oldest, testedVersions.newest]] : [],
        ),
    ),
    ...(await agentTables()),
    ...(await capabilityTables()),
    claudeCommands: claudeCommands(),
    bench: benchTable(),
    scaling: scalingTable(),
    api: await apiReference(),
    daemonSettings: daemonSettingsTable(),
  };
}

/** Claude's command lines with everything that each caller can put into them. */
function claudeCommands(): string {
  const prompt = '<prompt>';
  const model = '<model>';
  const maxTurns = 25;
  const tools = ['<tool>', '<tool>'];
  const gateway = {
    prompt,
    systemPromptFile: '<file>',
    sessionId: '<id>',
    allowedTools: tools,
    maxTurns,
    model,
  };
  const runtime = { prompt, systemPrompt: '<text>', model, maxTurns, tools: { allowed: tools } };
  const own = {
    permissionMode: 'ask',
    model,
    maxTurns,
    resume: '<id>',
    systemPromptFile: '<file>',
    settingsFile: '<file>',
    mcpConfigFile: '<file>',
  } as const;
  const callers: readonly (readonly [string, string[]])[] = [
    ['the runner', runnerArgs({ prompt, model, allowedTools: tools })],
    ['the gateway', gatewayArgs(gateway)],
    ['the gateway, with a stream callback', gatewayArgs({ ...gateway, streaming: true })],
    ['the agent runtime in mode `print` (`plain`)', plainArgs(runtime)],
    ['all other callers (`live`)', liveArgs(own)],
    ['all other callers (`print`)', printArgs({ ...own, prompt, format: 'stream-json' })],
  ];
  return table(
    ['caller', 'command line'],
    callers.map(([who, args]) => [who, `\`claude ${args.join(' ')}\``]),
  );
}

/** Puts the tables into a page, between the marks that name them. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  return page.replaceAll(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (whole, open: string, name: string, close: string) =>
      tables[name] === undefined ? whole : `${open}${tables[name]}\n${close}`,
  );
}

export type GeneratedFile = { path: string; is: string; should: string };

/** The pages with generated tables, as they are and as they should be. */
export async function pages(): Promise<GeneratedFile[]> {
  const tables = await generatedTables();
  return PAGES.map((path) => {
    const is = textOf(path);
    return { path, is, should: withTables(is, tables) };
  });
}

/** The JSON Schemas of configuration files, as they are and as they should be. */
export function schemas(): GeneratedFile[] {
  return Object.entries(SCHEMAS).map(([path, schema]) => {
    return { path, is: textOf(path), should: `${JSON.stringify(schema(), null, 2)}\n` };
  });
}

/** The graph of an example in docs/chains.md, as it is and as it should be. */
export function chainGraph(): GeneratedFile {
  const path = 'docs/pictures/chain.svg';
  const { chain } = loadChains({ file: 'examples/chains/ship.jsonc', cwd: ROOT, env: {} });
  return { path, is: textOf(path), should: svgOf(outlineOf(chain('ship'))) };
}

function textOf(path: string): string {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

if (process.argv[1] === import.meta.filename) {
  for (const { path, should } of [...(await pages()), ...schemas(), chainGraph()]) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), should);
  }
}

function variablesOf({ variable, sharedVariable }: Setting): string[] {
  return sharedVariable ? [variable, sharedVariable] : [variable];
}

function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, value]) => {
    const setting: Setting = value;
    const own = Object.entries(setting.programVariables ?? {}).map(
      ([program, { name: variable }]) => `\`${variable}\` (${programLabel(program)})`,
    );
    const defaults = Object.entries(setting.defaults ?? {}).map(
      ([program, each]) =>
        `${programLabel(program)}: \`${setting.reader.write?.(each) ?? JSON.stringify(each)}\``,
    );
    return [
      `\`${name}\``,
      setting.about,
      setting.flag && `\`${setting.flag}\``,
      [...own, ...variablesOf(setting).map((variable) => `\`${variable}\``)].join(', '),
      defaults.join('; '),
    ];
  });
  return table(
    ['key', 'description', 'flag', 'variables (the first one set wins)', 'default'],
    rows,
  );
}

/** The settings of the program `chains` are those of compiled agents; `baton chain` has those of `baton`. */
function programLabel(program: string): string {
  return program === 'chains' ? 'compiled agents' : program;
}

function daemonSettingsTable(): string {
  const rows = Object.entries(DAEMON_SETTINGS).map(([name, { about, default: value }]) => [
    `\`${name}\``,
    about,
    `\`${JSON.stringify(value)}\``,
  ]);
  return table(['setting', 'description', 'default'], rows);
}

async function capabilityTables(): Promise<Record<string, string>> {
  const backends = await Promise.all(baton.backends().map(({ id }) => baton.loadBackend(id)));
  return {
    modes: table(
      ['backend', ...PERMISSION_MODES, 'transports', 'install'],
      await Promise.all(
        backends.map(async (backend) => [
          `\`${backend.id}\``,
          ...PERMISSION_MODES.map((mode) =>
            backend.capabilities.permissionModes.includes(mode) ? 'yes' : '–',
          ),
          backend.capabilities.transports.join(', '),
          (await backend.probe()).install,
        ]),
      ),
    ),
  };
}

function fenced(tags: string, code: string): string {
  return `\`\`\`${tags}\n${code}\`\`\``;
}

function pricesTable(): string {
  const rows = Object.entries(DEFAULT_PRICES).flatMap(([provider, models]) =>
    Object.entries(models).map(([model, [input, output, cachedInput, cacheWrite]]) => [
      provider,
      `\`${model}\``,
      ...[input, cachedInput ?? input, cacheWrite ?? input, output].map(String),
    ]),
  );
  const head = ['provider', 'model', 'input', 'cached input', 'cache write', 'output'];
  return `List prices of ${PRICES_DATE}, in USD per million tokens.\n\n${table(head, rows)}`;
}

function protectedTable(): string {
  const names = [...new Set([...PROTECTED_PATHS, ...baton.protectedPaths()])].map(
    (path) => `\`${path}\``,
  );
  return names.toSorted().join(', ');
}

/** Returns a table of the files with each agent's MCP servers, as declared by its backend. */
async function mcpFilesTable(): Promise<string> {
  const rows = baton.backends().map(async ({ label, id, mcpFile }) => {
    if (!mcpFile) return [];
    const { path, key, format, sse } = mcpFile;
    return [
      `${label} (\`${id}\`)`,
      `\`${await path({ HOME: '~' })}\``,
      `\`${key}\``,
      FORMATS[format],
      sse ? 'stdio, HTTP, SSE' : 'stdio, HTTP',
    ];
  });
  const found = (await Promise.all(rows)).filter((row) => row.length > 0);
  return table(['agent', 'file', 'key', 'format', 'servers'], found);
}
