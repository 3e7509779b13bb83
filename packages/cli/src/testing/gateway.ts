import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { NODE_SHEBANG } from '../../../../scripts/node-shebang.ts';
import {
  type FakeDiscord,
  startFakeDiscord,
} from '../../../gateway/src/testing/fake-discord/fake-discord.ts';
import type { FakeDiscordOptions } from '../../../gateway/src/testing/fake-discord/options.ts';
import type { CallOptions, CliWorld } from './baton.ts';

/** Limits of Discord that let a test end soon. */
const FAST = { limit: 50, perMs: 100 };

/** A prompt that makes the demo agent do some steps. */
export const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;

/** Starts the stand-in of Discord with generous rate limits. */
export function fastDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const limits = { sendLimit: FAST, editLimit: FAST, globalLimit: { limit: 1000, perMs: 100 } };
  return startFakeDiscord({ ...limits, ...options });
}

/** The variables with which the gateway answers the user of the stand-in, in all channels of its server. */
export function discordEnv(discord: FakeDiscord): Record<string, string> {
  return {
    BATON_PERMISSION_MODE: 'ask',
    BATON_GATEWAY_USERS: `discord:${discord.userId}`,
    BATON_GATEWAY_GUILDS: `discord:${discord.guildId}`,
    BATON_DISCORD_TOKEN: discord.token,
    BATON_DISCORD_API_URL: discord.apiUrl,
  };
}

/** Writes a program into the home of a world that stands in for an agent; returns its path. */
export function program(world: CliWorld, name: string, source: string): string {
  const path = join(world.home, name);
  writeFileSync(path, `${NODE_SHEBANG}${source}`, { mode: 0o755 });
  return path;
}

/** A mock of Claude Code. `respond` is JavaScript that reads `prompt` and calls `answer(text)`. */
export function mockClaude(world: CliWorld, respond: string): string {
  return program(
    world,
    'claude',
    `
      const fs = require('node:fs');
      if (process.argv.includes('--version')) {
        console.log('2.1.197 (Claude Code)');
        process.exit(0);
      }
      const print = (line) => console.log(JSON.stringify(line));
      const answer = (text, session_id = 'session-1') => {
        print({ type: 'system', subtype: 'init', session_id });
        print({ type: 'assistant', session_id, message: { id: 'm', content: [{ type: 'text', text }] } });
        print({ type: 'result', subtype: 'success', is_error: false, result: text, session_id });
      };
      const prompt = process.argv.slice(2).join(' ') + fs.readFileSync(0, 'utf8');
      ${respond}
    `,
  );
}

type RunningGateway = {
  readonly pid: number | undefined;
  /** Everything that it has logged. */
  log(): string;
  /** Waits until it has logged some words. */
  logged(words: string): Promise<void>;
  /** Its exit code. */
  readonly exited: Promise<number | null>;
  /** Ends it with a signal, and returns its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
};

/** Starts `baton gateway` without waiting until it is ready. The end of its world ends it. */
export function launchGateway(
  world: CliWorld,
  { args = [], env }: Partial<CallOptions> = {},
): RunningGateway {
  const child = world.start({ args: ['gateway', ...args], ...(env ? { env } : {}) });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  child.stdout.resume();
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    pid: child.pid,
    exited,
    log: () => log,
    logged: (words) =>
      vi.waitFor(() => {
        if (child.exitCode !== null) throw new Error(`The gateway has ended:\n${log}`);
        expect(log).toContain(words);
      }),
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

/** Starts `baton gateway`, and waits until it is ready. */
export async function startGateway(
  world: CliWorld,
  call: Partial<CallOptions> = {},
): Promise<RunningGateway> {
  const gateway = launchGateway(world, call);
  await gateway.logged('Ready: ');
  return gateway;
}

/** The texts of the bot in a channel of the stand-in. */
export function textsIn(discord: FakeDiscord, channelId = discord.channelId): string[] {
  return discord.botMessages(channelId).map(({ content }) => content);
}

/** Waits for a message of the bot that contains some words, and returns it. */
export function botMessage(discord: FakeDiscord, words: string, channelId = discord.channelId) {
  return vi.waitFor(() => {
    const found = discord.botMessages(channelId).find(({ content }) => content.includes(words));
    if (!found) {
      throw new Error(`No "${words}" in:\n${textsIn(discord, channelId).join('\n---\n')}`);
    }
    return found;
  });
}

/** The labels of the buttons of a message. */
export function labelsOf({ components }: Awaited<ReturnType<typeof botMessage>>): string[] {
  return components.flatMap((row) => row.components).map(({ label = '' }) => label);
}

/** Presses Retry, as soon as the gateway knows that its reply has arrived. */
export async function retry(discord: FakeDiscord, { id }: { id: string }): Promise<void> {
  await vi.waitFor(async () =>
    expect(await discord.press(id, 'Retry', discord.userId)).toEqual({
      kind: 'message',
      text: 'Running it again.',
      ephemeral: true,
    }),
  );
}
