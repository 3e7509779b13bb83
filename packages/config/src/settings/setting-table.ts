import { isWider, type PermissionMode } from '@baton/protocol/values';
import { ownAgents } from './own-agents.ts';
import {
  commands,
  count,
  duration,
  list,
  milliseconds,
  money,
  pathOfClaude,
  paths,
  permissionMode,
  positiveInteger,
  shellCommands,
  text,
  type ValueReader,
  yesOrNo,
} from './value-readers.ts';

/** The programs of Baton; a variable that a seed names acts only in its own. */
export type Program = 'baton' | 'runner' | 'gateway' | 'chains';

type SettingVariable = { name: string; reader?: ValueReader<unknown> };

export type Setting<Value = unknown> = {
  /** Purpose of the setting, for help texts. */
  about: string;
  reader: ValueReader<Value>;
  flag?: string;
  /** The variable that acts in every program. */
  variable: string;
  /** A variable of other programs that acts in every program of Baton too, after the one above. */
  sharedVariable?: string;
  /** Variables that act in one program only, before the general one. */
  programVariables?: Partial<Record<Program, SettingVariable>>;
  defaults?: Partial<Record<Program, Value>>;
  /** The programs in which it acts, when it does not act in all. */
  programs?: readonly Program[];
  /** Never shown. */
  secret?: boolean;
  /** Not taken from a configuration file, because agents read those. */
  notInFiles?: boolean;
  /** A file that comes with a project may not set it, because it would let a stranger's folder run things unasked. */
  userOnly?: true | readonly Value[];
  /**
   * The value where a file that comes with a project asks for one: never wider than the user's own or the default. In a
   * trusted folder, the project gets what it asks for.
   */
  narrow?(asked: Value, own: Value | undefined): Value;
  /** A wrong value is replaced by the default, with a warning, instead of being an error. */
  lenient?: readonly Program[];
};

function setting<Value>(definition: Setting<Value>): Setting<Value> {
  return definition;
}

/** For a limit: the project may lower it. */
function lower(asked: number, own: number | undefined): number {
  return Math.min(asked, own ?? Number.POSITIVE_INFINITY);
}

/** For a timeout, where 0 is none: the project may shorten it. */
function shorter(asked: number, own: number | undefined): number {
  if (asked === 0) return own ?? 0;
  return lower(asked, own || undefined);
}

function stricter(asked: PermissionMode, own: PermissionMode | undefined): PermissionMode {
  return own !== undefined && isWider(asked, own) ? own : asked;
}

/** For a list of what is forbidden: the project may add to it. */
function added(asked: string[], own: string[] | undefined): string[] {
  return [...new Set([...(own ?? []), ...asked])];
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
    about: 'maximum number of turns',
    reader: positiveInteger,
    flag: '--max-turns',
    variable: 'BATON_MAX_TURNS',
    programVariables: { gateway: { name: 'BACKEND_MAX_TURNS' } },
    defaults: { gateway: 25 },
    lenient: ['gateway'],
    narrow: lower,
  }),
  allowedTools: setting({
    about: 'tools the agent may use',
    reader: list,
    flag: '--allowed-tools',
    variable: 'BATON_ALLOWED_TOOLS',
    programVariables: { gateway: { name: 'ALLOWED_TOOLS' } },
    defaults: { gateway: [] },
    userOnly: true,
  }),
  disallowedTools: setting({
    about: 'tools the agent may not use',
    reader: list,
    flag: '--disallowed-tools',
    variable: 'BATON_DISALLOWED_TOOLS',
    narrow: added,
  }),
  permissionMode: setting<PermissionMode>({
    about: 'permission mode: ask, auto or allow-all',
    reader: permissionMode,
    flag: '--permission-mode',
    variable: 'BATON_PERMISSION_MODE',
    defaults: { baton: 'ask', runner: 'ask', chains: 'ask', gateway: 'allow-all' },
    userOnly: ['allow-all'],
    narrow: stricter,
  }),
  systemPrompt: setting({
    about: "instructions appended to the agent's own",
    reader: text,
    flag: '--system-prompt',
    variable: 'BATON_SYSTEM_PROMPT',
  }),
  timeout: setting({
    about: 'total timeout of a run (0 = no limit)',
    reader: duration,
    flag: '--timeout',
    variable: 'BATON_TIMEOUT',
    programVariables: { gateway: { name: 'QUERY_TIMEOUT_MS', reader: milliseconds } },
    defaults: { gateway: 300_000 },
    narrow: shorter,
  }),
  startTimeout: setting({
    about: "startup timeout: time until the agent's first event (0 = no limit)",
    reader: duration,
    flag: '--start-timeout',
    variable: 'BATON_START_TIMEOUT',
    defaults: { baton: 120_000, runner: 120_000, chains: 120_000, gateway: 120_000 },
    narrow: shorter,
  }),
  idleTimeout: setting({
    about:
      'idle timeout: time without progress while no tool runs and no request is pending (0 = no limit)',
    reader: duration,
    flag: '--idle-timeout',
    variable: 'BATON_IDLE_TIMEOUT',
    defaults: { baton: 900_000, runner: 900_000, chains: 900_000, gateway: 900_000 },
    narrow: shorter,
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
    about: 'paths that auto never edits without asking, in addition to the built-in list',
    reader: list,
    variable: 'BATON_PROTECTED_PATHS',
    userOnly: true,
  }),
  budgetUsd: setting({
    about: 'maximum cost of a run in USD',
    reader: money,
    flag: '--budget',
    variable: 'BATON_BUDGET_USD',
    narrow: lower,
  }),
  retries: setting({
    about: 'retries after a transient failure',
    reader: count,
    flag: '--retries',
    variable: 'BATON_RETRIES',
    defaults: { baton: 0, runner: 3, gateway: 3, chains: 0 },
    narrow: lower,
  }),
  daemonUrl: setting({
    about: 'URL of the daemon',
    reader: text,
    flag: '--daemon',
    variable: 'BATON_URL',
    userOnly: true,
  }),
  daemonToken: setting({
    about: 'API token for the daemon',
    reader: text,
    variable: 'BATON_TOKEN',
    secret: true,
    userOnly: true,
  }),
  backendModules: setting({
    about: 'modules or packages that add agents',
    reader: list,
    variable: 'BATON_BACKEND_MODULES',
    userOnly: true,
  }),
  binaries: setting({
    about: "paths of the agents' programs, by agent name",
    reader: paths,
    variable: 'BATON_BINARIES',
    programVariables: { runner: { name: 'CLAUDE_BIN', reader: pathOfClaude } },
    userOnly: true,
  }),
  commands: setting({
    about:
      'commands that start agents instead of their programs, by agent name; one of npx may download the agent',
    reader: commands,
    variable: 'BATON_COMMANDS',
    userOnly: true,
  }),
  agents: setting({
    about: 'your own agents, by name: command, prompt, dialect and more',
    reader: ownAgents,
    variable: 'BATON_AGENTS',
    userOnly: true,
  }),
  acpAgents: setting({
    about: 'commands of additional Agent Client Protocol agents, by name; "acp:NAME" runs one',
    reader: commands,
    variable: 'BATON_ACP_AGENTS',
    userOnly: true,
  }),
  acpCommand: setting({
    about: 'command of an Agent Client Protocol agent to run instead of a backend',
    reader: text,
    flag: '--acp-command',
    variable: 'BATON_ACP_COMMAND',
    userOnly: true,
  }),
  claimedPermissions: setting({
    about: 'agents whose unverified support for ask and auto is accepted',
    reader: list,
    variable: 'BATON_CLAIMED_PERMISSIONS',
    userOnly: true,
  }),
  gatewayCliPath: setting({
    about: "path of the program of the gateway's backend",
    reader: text,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_CLI_PATH',
    programVariables: { gateway: { name: 'BACKEND_CLI_PATH' } },
    userOnly: true,
  }),
  gatewayWorkingDir: setting({
    about: "folder in which the gateway's agent works; the current folder by default",
    reader: text,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_WORKING_DIR',
    userOnly: true,
  }),
  gatewayConfigDir: setting({
    about: "folder with the Markdown files of the gateway's system prompt",
    reader: text,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_CONFIG_DIR',
    defaults: { gateway: '~/.baton/gateway' },
    userOnly: true,
  }),
  gatewayUsers: setting({
    about: 'users whom the gateway answers, such as discord:1234',
    reader: list,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_USERS',
    defaults: { gateway: [] },
    userOnly: true,
  }),
  gatewayGuilds: setting({
    about: 'servers in which the gateway answers, such as discord:1234',
    reader: list,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_GUILDS',
    defaults: { gateway: [] },
    userOnly: true,
  }),
  gatewayChannels: setting({
    about: 'channels in which the gateway answers, such as discord:1234',
    reader: list,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_CHANNELS',
    defaults: { gateway: [] },
    userOnly: true,
  }),
  gatewayWorktrees: setting({
    about:
      'channels whose conversation works in a Git worktree of its own, such as discord:1234; * for all',
    reader: list,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_WORKTREES',
    defaults: { gateway: [] },
    userOnly: true,
  }),
  gatewayDirectMessages: setting({
    about: 'whether the gateway answers direct messages',
    reader: yesOrNo,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_DIRECT_MESSAGES',
    defaults: { gateway: false },
    userOnly: true,
  }),
  gatewayRequireMention: setting({
    about: 'whether the gateway answers in channels only if it is mentioned or replied to',
    reader: yesOrNo,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_REQUIRE_MENTION',
    defaults: { gateway: false },
    userOnly: true,
  }),
  gatewayHooks: setting({
    about: 'commands that the gateway runs, by event: startup, beforeRun, afterRun, shutdown',
    reader: shellCommands,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_HOOKS',
    defaults: { gateway: {} },
    userOnly: true,
  }),
  gatewayRequestTimeout: setting({
    about: 'how long the gateway waits for an answer to a permission request or question',
    reader: duration,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_REQUEST_TIMEOUT',
    defaults: { gateway: 3_600_000 },
    userOnly: true,
  }),
  gatewayConcurrency: setting({
    about: 'how many messages the gateway runs at once, each of another channel',
    reader: positiveInteger,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_CONCURRENCY',
    defaults: { gateway: 4 },
    userOnly: true,
  }),
  gatewayWebhookPort: setting({
    about: 'port of the webhook of the gateway, on loopback; no webhook without it',
    reader: positiveInteger,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_WEBHOOK_PORT',
    userOnly: true,
  }),
  gatewayWebhookSecret: setting({
    about: 'secret that signs the messages to the webhook of the gateway',
    reader: text,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_WEBHOOK_SECRET',
    secret: true,
    notInFiles: true,
    userOnly: true,
  }),
  gatewayPressSecret: setting({
    about: 'secret that signs the presses of buttons in the webhook of the gateway',
    reader: text,
    programs: ['gateway'],
    variable: 'BATON_GATEWAY_PRESS_SECRET',
    secret: true,
    notInFiles: true,
    userOnly: true,
  }),
  discordToken: setting({
    about: 'token of the Discord bot of the gateway; no Discord without it',
    reader: text,
    programs: ['gateway'],
    variable: 'BATON_DISCORD_TOKEN',
    sharedVariable: 'DISCORD_TOKEN',
    secret: true,
    notInFiles: true,
    userOnly: true,
  }),
  discordApiUrl: setting({
    about: "URL of Discord's REST API, for a proxy",
    reader: text,
    programs: ['gateway'],
    variable: 'BATON_DISCORD_API_URL',
    userOnly: true,
  }),
  allowDirectCli: setting({
    about:
      'whether a runner starts Claude Code and Codex itself even if it has an OpenClaw gateway',
    reader: yesOrNo,
    programs: ['runner'],
    variable: 'BATON_ALLOW_DIRECT_CLI',
    programVariables: { runner: { name: 'FLUX_ALLOW_DIRECT_CLI' } },
    defaults: { runner: false },
    userOnly: true,
  }),
  piAgentDir: setting({
    about: 'folder with the models.json of Pi',
    reader: text,
    variable: 'BATON_PI_AGENT_DIR',
    sharedVariable: 'FLUX_PI_AGENT_DIR',
    defaults: {
      baton: '~/.flux/pi-agent',
      runner: '~/.flux/pi-agent',
      gateway: '~/.flux/pi-agent',
      chains: '~/.flux/pi-agent',
    },
    userOnly: true,
  }),
  openclawUrl: setting({
    about: 'URL of the OpenClaw gateway',
    reader: text,
    variable: 'BATON_OPENCLAW_URL',
    sharedVariable: 'OPENCLAW_GATEWAY_URL',
    userOnly: true,
  }),
  openclawToken: setting({
    about: 'token for the OpenClaw gateway',
    reader: text,
    variable: 'BATON_OPENCLAW_TOKEN',
    sharedVariable: 'OPENCLAW_GATEWAY_TOKEN',
    secret: true,
    userOnly: true,
  }),
  openclawPassword: setting({
    about: 'password for the OpenClaw gateway',
    reader: text,
    variable: 'BATON_OPENCLAW_PASSWORD',
    sharedVariable: 'OPENCLAW_GATEWAY_PASSWORD',
    secret: true,
    userOnly: true,
  }),
  openclawAgentId: setting({
    about: 'agent of the OpenClaw gateway that runs prompts; "main" by default',
    reader: text,
    variable: 'BATON_OPENCLAW_AGENT_ID',
    sharedVariable: 'OPENCLAW_AGENT_ID',
    userOnly: true,
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValue<Name extends SettingName> =
  (typeof SETTINGS)[Name] extends Setting<infer Value> ? Value : never;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
