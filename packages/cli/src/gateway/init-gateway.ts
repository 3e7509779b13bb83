import { resolve } from 'node:path';
import { checkDiscord } from '@baton/gateway';
import { BatonError } from '@baton/protocol';
import {
  backendEntries,
  backendEntry,
  changeUserConfig,
  homeFolder,
  loadSettings,
  readConfigFile,
  userConfigPath,
} from '@baton/runtime/internal';
import { type Command, type Parsed, textOf, textsOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { keepToken, keptToken } from '../remote/credentials.ts';
import { installedAgents } from '../run/choose-backend.ts';
import { shortName } from '../run/explain-error.ts';
import { Keyboard, type Typed } from '../terminal/keyboard.ts';
import { style } from '../view/style.ts';
import { DISCORD_SECRET } from './gateway-setup.ts';

const out = process.stdout;

type Answers = {
  backend: string;
  workingDir: string;
  token: string | undefined;
  users: string[];
  guilds: string[];
  channels: string[];
};

/** Asks for what the gateway needs and writes it into the user's configuration; without a terminal, flags answer. */
export async function initGateway(_command: Command, parsed: Parsed): Promise<number> {
  const isAttended = out.isTTY && process.stdin.isTTY;
  const given = givenAnswers(parsed);
  const answers = isAttended ? await askAll(given) : given;
  if (!answers) {
    out.write('Nothing was written.\n');
    return EXIT.interrupted;
  }
  backendEntry(answers.backend);
  if (answers.users.length === 0) {
    throw new BatonError('usage', 'The gateway needs at least one allowed user.', {
      hint: 'Pass --user discord:1234. Discord shows the id with "Copy User ID" in developer mode.',
    });
  }
  const { backend, workingDir, users, guilds, channels, token } = answers;
  changeUserConfig(homeFolder(), {
    backend,
    permissionMode: 'ask',
    gatewayWorkingDir: workingDir,
    gatewayUsers: users,
    gatewayGuilds: guilds,
    gatewayChannels: channels,
  });
  if (token !== undefined) keepToken(DISCORD_SECRET, token);
  out.write(`Wrote ${userConfigPath(homeFolder())}.\n`);
  if (token !== undefined) out.write('Stored the token in ~/.baton/credentials.json.\n');
  out.write('Check it with "baton gateway check", then start "baton gateway".\n');
  return EXIT.done;
}

/** What flags, variables and earlier answers say. */
function givenAnswers(parsed: Parsed): Answers {
  const { values = {} } = readConfigFile(userConfigPath(homeFolder())) ?? {};
  const listed = (flag: string, key: string): string[] => {
    const flags = textsOf(parsed, flag).map(withPlatform);
    const kept = values[key];
    return flags.length > 0 ? flags : Array.isArray(kept) ? kept.map(String) : [];
  };
  const kept = { backend: values.backend, cwd: values.gatewayWorkingDir };
  return {
    backend:
      textOf(parsed, 'backend') ?? (typeof kept.backend === 'string' ? kept.backend : 'claude'),
    workingDir: resolve(
      textOf(parsed, 'cwd') ?? (typeof kept.cwd === 'string' ? kept.cwd : process.cwd()),
    ),
    token: process.env.BATON_DISCORD_TOKEN || process.env.DISCORD_TOKEN || undefined,
    users: listed('user', 'gatewayUsers'),
    guilds: listed('server', 'gatewayGuilds'),
    channels: listed('channel', 'gatewayChannels'),
  };
}

/** Nothing if the user pressed Ctrl-C. */
async function askAll(given: Answers): Promise<Answers | undefined> {
  const keyboard = new Keyboard();
  keyboard.open();
  try {
    out.write(`${style(out, 'bold', 'Chat gateway')}: agents in Discord. Ctrl-C writes nothing.\n`);
    const installed = await installedAgents(loadSettings({ program: 'gateway' }));
    const names = [...installed.map(shortName), 'demo'];
    out.write(style(out, 'dim', `Agents on this machine: ${[...new Set(names)].join(', ')}\n`));
    const backend = await ask(keyboard, 'Agent', given.backend, isBackend);
    const workingDir = await ask(keyboard, 'Folder in which it works', given.workingDir);
    const token = given.token ?? (await askToken(keyboard));
    const users = await askIds(keyboard, 'Allowed users', given.users);
    const guilds = await askIds(keyboard, 'Allowed servers', given.guilds);
    const channels = await askIds(keyboard, 'Allowed channels', given.channels);
    return { backend, workingDir: resolve(workingDir), token, users, guilds, channels };
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
  problem: (text: string) => string | undefined = () => undefined,
): Promise<string> {
  for (;;) {
    const typed = textIn(await keyboard.line(`${label} [${preset}]: `, never()));
    const text = typed === '' ? preset : typed;
    const wrong = problem(text);
    if (wrong === undefined) return text;
    out.write(`${wrong}\n`);
  }
}

/** The token of the bot; it is checked, and shown to nobody. */
async function askToken(keyboard: Keyboard): Promise<string | undefined> {
  const kept = keptToken(DISCORD_SECRET);
  const preset = kept === undefined ? 'Enter for none' : 'Enter to keep the stored one';
  out.write(style(out, 'dim', 'Developer Portal → your application → Bot → Reset Token\n'));
  for (;;) {
    const typed = textIn(await keyboard.secret(`Discord bot token (${preset}): `, never()));
    const token = typed === '' ? kept : typed;
    if (token === undefined) return undefined;
    const checks = await checkDiscord({ token, channels: [], guilds: [] });
    for (const { ok, detail, hint } of checks) {
      out.write(`  ${ok ? '✓' : '✗'} ${detail}${ok || !hint ? '' : ` ${hint}`}\n`);
    }
    if (checks[0]?.ok) return token;
  }
}

async function askIds(
  keyboard: Keyboard,
  label: string,
  preset: readonly string[],
): Promise<string[]> {
  const shown = preset.length === 0 ? 'none' : preset.join(', ');
  const line = await keyboard.line(`${label}, comma-separated [${shown}]: `, never());
  const ids = textIn(line)
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  return ids.length === 0 ? [...preset] : ids.map(withPlatform);
}

function textIn(typed: Typed): string {
  if (typeof typed !== 'object') throw new Interrupted();
  return typed.text.trim();
}

function isBackend(text: string): string | undefined {
  const names = backendEntries().flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  return names.includes(text) ? undefined : `Unknown agent "${text}".`;
}

/** A bare number is an id of Discord. */
function withPlatform(id: string): string {
  return /^\d+$/.test(id) ? `discord:${id}` : id;
}

function never(): AbortSignal {
  return new AbortController().signal;
}
