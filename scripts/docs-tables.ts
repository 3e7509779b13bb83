import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAEMON_SETTINGS } from '@baton/daemon';
import {
  ERROR_CODES,
  type ErrorCode,
  FEATURES,
  OPTION_NAMES,
  OUTCOME_TABLE,
  PERMISSION_MODES,
} from '@baton/protocol';
import {
  BACKEND_ALIASES,
  backendEntries,
  loadBackend,
  protectedPaths,
  SETTINGS,
  type Setting,
} from '@baton/runtime';
import { scalingTable } from '../bench/report/scaling.ts';
import { benchTable } from '../bench/report/table.ts';
import {
  agentRuntimeArgs,
  gatewayArgs,
  liveArgs,
  printArgs,
  runnerArgs,
} from '../packages/runtime/src/backends/claude/args.ts';
import {
  providerErrorCode,
  STATUS_CODES,
} from '../packages/runtime/src/normalize/provider-errors.ts';
import { apiReference } from './docs-api.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  'api',
  'errors',
  'configuration',
  'backends',
  'permissions',
  'performance',
  'scaling',
  'daemon',
].map((name) => `docs/${name}.md`);

type Row = readonly (string | undefined)[];

/** The tables of the documentation that the code itself knows best. */
export async function generatedTables(): Promise<Record<string, string>> {
  return {
    errors: table(
      ['code', 'means', 'what to do', 'passes by itself'],
      Object.entries(ERROR_CODES).map(([code, { meaning, hint, retryable }]) => [
        `\`${code}\``,
        meaning,
        hint,
        retryable ? 'yes' : 'no',
      ]),
    ),
    providerErrors: table(
      ['status', 'code', 'passes by itself'],
      [
        ...Object.entries(STATUS_CODES),
        ['another 4xx', providerErrorCode({ status: 499 })],
        ['another 5xx', providerErrorCode({ status: 599 })],
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
    protected: protectedTable(),
    settings: settingsTable(),
    aliases: table(
      ['backend', 'also called'],
      Object.entries(BACKEND_ALIASES).map(([id, names]) => [
        `\`${id}\``,
        names.map((name) => `\`${name}\``).join(', '),
      ]),
    ),
    testedVersions: table(
      ['backend', 'oldest tested release', 'newest tested release'],
      backendEntries().flatMap(({ id, testedVersions }) =>
        testedVersions ? [[`\`${id}\``, testedVersions.oldest, testedVersions.newest]] : [],
      ),
    ),
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
    ['the agent runtime in mode `print` (`plain`)', agentRuntimeArgs(runtime)],
    ['everybody else (`live`)', liveArgs(own)],
    ['everybody else (`print`)', printArgs({ ...own, prompt, format: 'stream-json' })],
  ];
  return table(
    ['who calls', 'command line'],
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

/** The pages with generated tables, as they are and as they should be. */
export async function pages(): Promise<{ path: string; is: string; should: string }[]> {
  const tables = await generatedTables();
  return PAGES.map((path) => {
    const is = readFileSync(join(ROOT, path), 'utf8');
    return { path, is, should: withTables(is, tables) };
  });
}

if (process.argv[1] === import.meta.filename) {
  for (const { path, should } of await pages()) writeFileSync(join(ROOT, path), should);
}

function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, value]) => {
    const setting: Setting = value;
    const own = Object.entries(setting.programVariables ?? {}).map(
      ([program, { name: variable }]) => `\`${variable}\` (${program})`,
    );
    const defaults = Object.entries(setting.defaults ?? {}).map(
      ([program, each]) =>
        `${program}: \`${setting.reader.write?.(each) ?? JSON.stringify(each)}\``,
    );
    return [
      `\`${name}\``,
      setting.about,
      setting.flag && `\`${setting.flag}\``,
      [...own, `\`${setting.variable}\``].join(', '),
      defaults.join('; '),
    ];
  });
  return table(['key', 'what it is', 'flag', 'variables, the first one set wins', 'default'], rows);
}

function daemonSettingsTable(): string {
  const rows = Object.entries(DAEMON_SETTINGS).map(([name, { about, default: value }]) => [
    `\`${name}\``,
    about,
    `\`${JSON.stringify(value)}\``,
  ]);
  return table(['setting', 'what it is', 'default'], rows);
}

async function capabilityTables(): Promise<Record<string, string>> {
  const backends = await Promise.all(backendEntries().map(({ id }) => loadBackend(id)));
  const names = backends.map(({ id }) => `\`${id}\``);
  return {
    features: table(
      ['can', ...names],
      FEATURES.map((feature) => [
        feature,
        ...backends.map(({ capabilities }) => (capabilities.features[feature] ? 'yes' : '–')),
      ]),
    ),
    options: table(
      ['option', ...names],
      OPTION_NAMES.map((option) => [
        `\`${option}\``,
        ...backends.map(({ capabilities }) => {
          const { support, how } = capabilities.options[option];
          return `${support}: ${how}`;
        }),
      ]),
    ),
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

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) =>
    `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function protectedTable(): string {
  const names = protectedPaths().map((path) => `\`${path}\``);
  return names.toSorted().join(', ');
}
