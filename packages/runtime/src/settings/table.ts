import type { PermissionMode } from '@baton/protocol';
import {
  count,
  duration,
  list,
  milliseconds,
  money,
  permissionMode,
  positiveInteger,
  text,
  type ValueReader,
  yesOrNo,
} from './values.ts';

/** The programs of Baton; a variable that a seed names acts only in its own. */
export type Program = 'baton' | 'runner' | 'gateway' | 'chains';

export type SettingVariable = { name: string; reader?: ValueReader<unknown> };

export type Setting<Value = unknown> = {
  /** What it is for, as help texts say it. */
  about: string;
  reader: ValueReader<Value>;
  flag?: string;
  /** The variable that acts in every program. */
  variable: string;
  /** Variables that act in one program only, before the general one. */
  programVariables?: Partial<Record<Program, SettingVariable>>;
  defaults?: Partial<Record<Program, Value>>;
  /** The programs in which it acts, when it does not act in all. */
  programs?: readonly Program[];
  /** Never shown. */
  secret?: boolean;
  /** A file that comes with a project may not set it, because it would let a stranger's folder run things unasked. */
  userOnly?: true | readonly Value[];
  /** A wrong value is replaced by the default, with a warning, instead of being an error. */
  lenient?: readonly Program[];
};

function setting<Value>(definition: Setting<Value>): Setting<Value> {
  return definition;
}

/** Every setting of Baton: its flag, its key in the configuration files and its variables. */
export const SETTINGS = {
  backend: setting({
    about: 'the agent that runs the prompt',
    reader: text,
    flag: '--backend',
    variable: 'BATON_BACKEND',
    programVariables: {
      runner: { name: 'FLUX_BACKEND' },
      gateway: { name: 'AGENT_BACKEND' },
      chains: { name: 'FORGE_BACKEND' },
    },
    defaults: { gateway: 'claude', chains: 'claude-cli' },
  }),
  model: setting({
    about: 'the model the agent uses',
    reader: text,
    flag: '--model',
    variable: 'BATON_MODEL',
    programVariables: { gateway: { name: 'BACKEND_MODEL' } },
  }),
  maxTurns: setting({
    about: 'how many turns the agent may take',
    reader: positiveInteger,
    flag: '--max-turns',
    variable: 'BATON_MAX_TURNS',
    programVariables: { gateway: { name: 'BACKEND_MAX_TURNS' } },
    defaults: { gateway: 25 },
    lenient: ['gateway'],
  }),
  allowedTools: setting({
    about: 'the tools the agent may use',
    reader: list,
    flag: '--allowed-tools',
    variable: 'BATON_ALLOWED_TOOLS',
    programVariables: { gateway: { name: 'ALLOWED_TOOLS' } },
    defaults: { gateway: [] },
    userOnly: true,
  }),
  disallowedTools: setting({
    about: 'the tools the agent may not use',
    reader: list,
    flag: '--disallowed-tools',
    variable: 'BATON_DISALLOWED_TOOLS',
  }),
  permissionMode: setting<PermissionMode>({
    about: 'how much the agent may do without asking: ask, auto or allow-all',
    reader: permissionMode,
    flag: '--permission-mode',
    variable: 'BATON_PERMISSION_MODE',
    defaults: { baton: 'ask', runner: 'ask', chains: 'ask', gateway: 'allow-all' },
    userOnly: ['allow-all'],
  }),
  systemPrompt: setting({
    about: 'instructions added to those of the agent',
    reader: text,
    flag: '--system-prompt',
    variable: 'BATON_SYSTEM_PROMPT',
  }),
  timeout: setting({
    about: 'how long a run may take (0 means no limit)',
    reader: duration,
    flag: '--timeout',
    variable: 'BATON_TIMEOUT',
    programVariables: { gateway: { name: 'QUERY_TIMEOUT_MS', reader: milliseconds } },
    defaults: { gateway: 300_000 },
  }),
  startTimeout: setting({
    about: 'how long the agent may take until its first sign of life (0 means no limit)',
    reader: duration,
    flag: '--start-timeout',
    variable: 'BATON_START_TIMEOUT',
    defaults: { baton: 120_000, runner: 120_000, chains: 120_000, gateway: 120_000 },
  }),
  idleTimeout: setting({
    about:
      'how long the agent may make no progress while no tool runs and nobody is asked (0 means no limit)',
    reader: duration,
    flag: '--idle-timeout',
    variable: 'BATON_IDLE_TIMEOUT',
    defaults: { baton: 900_000, runner: 900_000, chains: 900_000, gateway: 900_000 },
  }),
  trustedFolders: setting({
    about:
      'folders whose agent settings (hooks, MCP servers, rules) may be used; see "baton trust"',
    reader: list,
    variable: 'BATON_TRUSTED_FOLDERS',
    userOnly: true,
  }),
  untrustedFolders: setting({
    about: 'folders whose agent settings are not used, without asking again',
    reader: list,
    variable: 'BATON_UNTRUSTED_FOLDERS',
    userOnly: true,
  }),
  protectedPaths: setting({
    about: 'paths that auto never edits unasked, beside the built-in list',
    reader: list,
    variable: 'BATON_PROTECTED_PATHS',
    userOnly: true,
  }),
  budgetUsd: setting({
    about: 'how much a run may cost, in US dollars',
    reader: money,
    flag: '--budget',
    variable: 'BATON_BUDGET_USD',
  }),
  retries: setting({
    about: 'how often a run is tried again after a passing failure',
    reader: count,
    flag: '--retries',
    variable: 'BATON_RETRIES',
    defaults: { baton: 0, runner: 3, gateway: 3, chains: 0 },
  }),
  daemonUrl: setting({
    about: 'the address of the daemon',
    reader: text,
    flag: '--daemon',
    variable: 'BATON_URL',
    userOnly: true,
  }),
  daemonToken: setting({
    about: 'the token to show to the daemon',
    reader: text,
    variable: 'BATON_TOKEN',
    secret: true,
    userOnly: true,
  }),
  claudeBinary: setting({
    about: 'where the claude program is',
    reader: text,
    variable: 'BATON_CLAUDE_BIN',
    programVariables: { runner: { name: 'CLAUDE_BIN' } },
    userOnly: true,
  }),
  codexBinary: setting({
    about: 'where the codex program is',
    reader: text,
    variable: 'BATON_CODEX_BIN',
    userOnly: true,
  }),
  gatewayCliPath: setting({
    about: "where the program of the gateway's backend is",
    reader: text,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_CLI_PATH',
    programVariables: { gateway: { name: 'BACKEND_CLI_PATH' } },
    userOnly: true,
  }),
  allowDirectCli: setting({
    about: 'whether a runner starts Claude Code itself although it has an OpenClaw gateway',
    reader: yesOrNo,
    programs: ['runner'],
    variable: 'BATON_ALLOW_DIRECT_CLI',
    programVariables: { runner: { name: 'FLUX_ALLOW_DIRECT_CLI' } },
    defaults: { runner: false },
  }),
  piAgentDir: setting({
    about: 'the folder with the models.json of Pi',
    reader: text,
    programs: ['runner'],
    variable: 'BATON_PI_AGENT_DIR',
    programVariables: { runner: { name: 'FLUX_PI_AGENT_DIR' } },
    defaults: { runner: '~/.flux/pi-agent' },
    userOnly: true,
  }),
  openclawUrl: setting({
    about: 'the address of the OpenClaw gateway',
    reader: text,
    programs: ['runner'],
    variable: 'BATON_OPENCLAW_URL',
    programVariables: { runner: { name: 'OPENCLAW_GATEWAY_URL' } },
    userOnly: true,
  }),
  openclawToken: setting({
    about: 'the token for the OpenClaw gateway',
    reader: text,
    programs: ['runner'],
    variable: 'BATON_OPENCLAW_TOKEN',
    programVariables: { runner: { name: 'OPENCLAW_GATEWAY_TOKEN' } },
    secret: true,
    userOnly: true,
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValue<Name extends SettingName> =
  (typeof SETTINGS)[Name] extends Setting<infer Value> ? Value : never;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
