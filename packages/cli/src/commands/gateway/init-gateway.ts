import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { homeFolder } from '@baton/config/paths/home-folder';
import {
  type ConfigFile,
  changeUserConfig,
  loadSettings,
  readConfigFile,
  userConfigPath,
} from '@baton/config/settings';
import { checkDiscord, type LoadedConfig, loadConfig } from '@baton/gateway';
import { BatonError } from '@baton/protocol/values';
import { type Parsed, textOf, textsOf } from '../../arguments/command.ts';
import { EXIT } from '../../exit-codes.ts';
import { keepToken, keptToken } from '../../remote/kept-tokens.ts';
import { installedAgents } from '../../run/choose-backend.ts';
import { Keyboard, type Typed } from '../../terminal/keyboard.ts';
import { errorLines } from '../../view/error-lines.ts';
import { shortName } from '../../view/short-name.ts';
import { style } from '../../view/style.ts';
import { checkFolders, DISCORD_SECRET, PRESS_SECRET, WEBHOOK_SECRET } from './gateway-setup.ts';

const out = process.stdout;

type Answers = {
  backend: string;
  workingDir: string;
  token: string | undefined;
  webhookSecret: string | undefined;
  pressSecret: string | undefined;
  users: string[];
  guilds: string[];
  channels: string[];
};

/** Answers from flags, variables and the file, which need not name an agent. */
type Given = Omit<Answers, 'backend'> & { backend: string | undefined };

/** Returns the problem of an answer. */
type Problem<Answer> = (answer: Answer) => string | undefined;

/** Asks for the settings of the gateway and writes them to the user's configuration; without a terminal, uses flags. */
export async function initGateway(parsed: Parsed, baton: Baton): Promise<number> {
  const given = givenAnswers(parsed);
  const { config, settings } = usedSettings();
  const apiUrl = settings.get('discordApiUrl');
  const folderProblem = (workingDir: string) =>
    problemOf(() => checkFolders({ workingDir, configDir: config.configDir }, parsed));
  const placesProblem = (places: readonly string[]) =>
    places.length > 0 || config.access.directMessages
      ? idsProblem(places)
      : 'The gateway needs at least one allowed server or channel, such as discord:1234.';
  const isAttended = out.isTTY && process.stdin.isTTY;
  // At a terminal, the question for the token checks a stored one.
  const known = given.token ?? (isAttended ? undefined : keptToken(DISCORD_SECRET));
  const rejection = known === undefined ? undefined : await rejectionOf(known, apiUrl);
  if (rejection) {
    const error = { ...rejection.toJSON(), message: `${rejection.message} Nothing was written.` };
    process.stderr.write(`${errorLines(error).join('\n')}\n`);
    return EXIT.failed;
  }
  const answers = isAttended
    ? await askAll(given, baton, { apiUrl, folderProblem, placesProblem })
    : { ...given, backend: given.backend ?? defaultAgent(await agentNames(baton)) };
  if (!answers) {
    out.write('Nothing was written.\n');
    return EXIT.interrupted;
  }
  const { backend, workingDir, users, guilds, channels } = answers;
  baton.backend(backend);
  const problem =
    folderProblem(workingDir) ?? usersProblem(users) ?? placesProblem([...guilds, ...channels]);
  if (problem !== undefined) throw new BatonError('usage', problem);
  // One that was chosen before stays: other commands use it too.
  const permissionMode = keptValues().permissionMode ?? 'ask';
  changeUserConfig(homeFolder(), {
    permissionMode,
    backend,
    gatewayWorkingDir: workingDir,
    gatewayUsers: users,
    gatewayGuilds: guilds,
    gatewayChannels: channels,
  });
  out.write(`Wrote ${userConfigPath(homeFolder())}.\n`);
  storeSecrets(answers);
  if (keptToken(DISCORD_SECRET) === undefined) {
    out.write('No Discord token: set BATON_DISCORD_TOKEN, or run init in a terminal.\n');
  }
  if (permissionMode === 'allow-all') {
    out.write(
      'The file has the permission mode "allow-all": the agent runs every tool without asking. Change it to "ask" to approve tools in chat.\n',
    );
  }
  out.write('Check it with "baton gateway check", then start "baton gateway".\n');
  return EXIT.done;
}

function storeSecrets({ token, webhookSecret, pressSecret }: Answers): void {
  const secrets = [
    ['token', DISCORD_SECRET, token],
    ['secret of the webhook', WEBHOOK_SECRET, webhookSecret],
    ['secret for presses', PRESS_SECRET, pressSecret],
  ] as const;
  for (const [label, name, secret] of secrets) {
    if (secret === undefined) continue;
    keepToken(name, secret);
    out.write(`Stored the ${label} in ~/.baton/credentials.json.\n`);
  }
  const hasWebhook = keptToken(WEBHOOK_SECRET) !== undefined;
  if (!hasWebhook || keptToken(PRESS_SECRET) !== undefined) return;
  const generated = randomBytes(32).toString('hex');
  keepToken(PRESS_SECRET, generated);
  out.write(
    `Generated the secret for presses, stored in ~/.baton/credentials.json. Give it only to programs that may approve requests:\n${generated}\n`,
  );
}

function keptValues(): ConfigFile['values'] {
  return readConfigFile(userConfigPath(homeFolder()))?.values ?? {};
}

/** Loads the settings that are not asked for; the others may still be invalid. */
function usedSettings(): LoadedConfig {
  const path = userConfigPath(homeFolder());
  const { gatewayConfigDir, gatewayDirectMessages, discordApiUrl } = keptValues();
  const values = {
    ...(gatewayConfigDir === undefined ? {} : { gatewayConfigDir }),
    ...(gatewayDirectMessages === undefined ? {} : { gatewayDirectMessages }),
    ...(discordApiUrl === undefined ? {} : { discordApiUrl }),
  };
  const { BATON_GATEWAY_CONFIG_DIR, BATON_GATEWAY_DIRECT_MESSAGES, BATON_DISCORD_API_URL } =
    process.env;
  return loadConfig(
    { BATON_GATEWAY_CONFIG_DIR, BATON_GATEWAY_DIRECT_MESSAGES, BATON_DISCORD_API_URL },
    { path, values, place: () => path },
    { flags: { permissionMode: 'ask' } },
  );
}

/**
 * Returns answers from flags, variables and earlier answers. The folder is never an earlier one: users run this in the
 * project.
 */
function givenAnswers(parsed: Parsed): Given {
  const { env } = process;
  const values = keptValues();
  const listed = (flag: string, key: string): string[] => {
    const flags = textsOf(parsed, flag).flatMap(idsIn);
    const kept = values[key];
    return flags.length > 0 ? flags : Array.isArray(kept) ? kept.map(String) : [];
  };
  const { backend } = values;
  return {
    backend: textOf(parsed, 'backend') ?? (typeof backend === 'string' ? backend : undefined),
    workingDir: resolve(textOf(parsed, 'cwd') ?? process.cwd()),
    token: env.BATON_DISCORD_TOKEN || env.DISCORD_TOKEN || undefined,
    webhookSecret: env.BATON_GATEWAY_WEBHOOK_SECRET || undefined,
    pressSecret: env.BATON_GATEWAY_PRESS_SECRET || undefined,
    users: listed('user', 'gatewayUsers'),
    guilds: listed('server', 'gatewayGuilds'),
    channels: listed('channel', 'gatewayChannels'),
  };
}

/** The agents that can be used here, the demo last. */
async function agentNames(baton: Baton): Promise<string[]> {
  const installed = await installedAgents(baton, loadSettings({ program: 'gateway' }));
  return [...new Set([...installed.map((id) => shortName(baton, id)), 'demo'])];
}

function defaultAgent([first = 'demo']: readonly string[]): string {
  return first;
}

type Rules = {
  apiUrl: string | undefined;
  folderProblem: Problem<string>;
  /** For servers and channels together. */
  placesProblem: Problem<readonly string[]>;
};

/** Nothing if the user pressed Ctrl-C. */
async function askAll(
  given: Given,
  baton: Baton,
  { apiUrl, folderProblem, placesProblem }: Rules,
): Promise<Answers | undefined> {
  const keyboard = new Keyboard();
  keyboard.open();
  try {
    out.write(`${style(out, 'bold', 'Chat gateway')}: agents in Discord. Ctrl-C writes nothing.\n`);
    const names = await agentNames(baton);
    out.write(style(out, 'dim', `Agents on this machine: ${names.join(', ')}\n`));
    const preset = given.backend ?? defaultAgent(names);
    const backend = await ask(keyboard, 'Agent', preset, (text) =>
      problemOf(() => void baton.backend(text)),
    );
    const folder = await ask(keyboard, 'Folder in which it works', given.workingDir, (text) =>
      folderProblem(resolve(text)),
    );
    const token = given.token ?? (await askToken(keyboard, apiUrl));
    const users = await askIds(keyboard, 'Allowed users', given.users, usersProblem);
    const guilds = await askIds(keyboard, 'Allowed servers', given.guilds, idsProblem);
    const channels = await askIds(keyboard, 'Allowed channels', given.channels, (ids) =>
      placesProblem([...guilds, ...ids]),
    );
    return { ...given, backend, workingDir: resolve(folder), token, users, guilds, channels };
  } catch (error) {
    if (error instanceof Interrupted) return undefined;
    throw error;
  } finally {
    keyboard.close();
  }
}

class Interrupted extends Error {}

async function ask(
  keyboard: Keyboard,
  label: string,
  preset: string,
  problem: Problem<string>,
): Promise<string> {
  for (;;) {
    const typed = textIn(await keyboard.line(`${label} [${preset}]: `, never()));
    const text = typed === '' ? preset : typed;
    const wrong = problem(text);
    if (wrong === undefined) return text;
    out.write(`${wrong}\n`);
  }
}

/** Asks for the token of the bot, checks it, and never shows it. */
async function askToken(
  keyboard: Keyboard,
  apiUrl: string | undefined,
): Promise<string | undefined> {
  const kept = keptToken(DISCORD_SECRET);
  const preset = kept === undefined ? 'Enter for none' : 'Enter to keep the stored one';
  out.write(style(out, 'dim', 'Developer Portal → your application → Bot → Reset Token\n'));
  for (;;) {
    const typed = textIn(await keyboard.secret(`Discord bot token (${preset}): `, never()));
    const token = typed === '' ? kept : typed;
    if (token === undefined) return undefined;
    const rejection = await rejectionOf(token, apiUrl);
    if (!rejection) return token;
    out.write(`  ✗ ${rejection.message} ${rejection.hint}\n`);
  }
}

/**
 * Prints Discord's details of a token, or returns why Discord rejects it. A token that cannot be checked is accepted.
 */
async function rejectionOf(
  token: string,
  apiUrl: string | undefined,
): Promise<BatonError | undefined> {
  const checks = await checkDiscord({ token, apiUrl, channels: [], guilds: [] });
  for (const { ok, code, detail, hint } of checks) {
    if (code === 'unauthenticated') {
      return new BatonError(code, detail, { hint });
    }
    if (code !== undefined) {
      process.stderr.write(`warning: ${detail} The token was not checked.\n`);
      continue;
    }
    out.write(`  ${ok ? '✓' : '✗'} ${detail}${ok || !hint ? '' : ` ${hint}`}\n`);
  }
  return undefined;
}

async function askIds(
  keyboard: Keyboard,
  label: string,
  preset: readonly string[],
  problem: Problem<readonly string[]>,
): Promise<string[]> {
  const shown = preset.length === 0 ? 'none' : preset.join(', ');
  const text = await ask(keyboard, `${label}, comma-separated`, shown, (typed) =>
    problem(idsIn(typed)),
  );
  return idsIn(text);
}

function idsIn(text: string): string[] {
  return text
    .split(',')
    .map((id) => withPlatform(id.trim()))
    .filter((id) => id !== '' && id !== 'none');
}

function textIn(typed: Typed): string {
  if (typeof typed !== 'object') throw new Interrupted();
  return typed.text.trim();
}

function usersProblem(users: readonly string[]): string | undefined {
  if (users.length > 0) return idsProblem(users);
  return 'The gateway needs at least one allowed user, such as discord:1234. Discord shows the id with "Copy User ID" in developer mode.';
}

function idsProblem(ids: readonly string[]): string | undefined {
  const bare = ids.find((id) => !/^[a-z]+:\S+$/.test(id));
  if (bare !== undefined) {
    return `"${bare}" does not name its platform. Ids name their platform, such as discord:1234.`;
  }
  const notNumber = ids.find((id) => /^discord:(?!\d+$)/.test(id));
  return notNumber === undefined
    ? undefined
    : `"${notNumber}" is not a Discord id, which is a number, such as discord:1234.`;
}

function problemOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return [error.message, error.hint].filter(Boolean).join(' ');
  }
}

/** A bare number is an id of Discord. */
function withPlatform(id: string): string {
  return /^\d+$/.test(id) ? `discord:${id}` : id;
}

function never(): AbortSignal {
  return new AbortController().signal;
}
