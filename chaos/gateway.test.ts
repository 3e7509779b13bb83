import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { seeded } from '../bench/measure/random.ts';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';
import {
  type FakeDiscord,
  startFakeDiscord,
} from '../packages/gateway/src/testing/fake-discord/fake-discord.ts';
import { NODE_SHEBANG } from '../scripts/node-shebang.ts';

const SEED = Number(process.env.BATON_CHAOS_SEED ?? 1);
/** At most 30 kills, a third of them with each way to run agents. */
const ROUNDS = Math.min(30, Number(process.env.BATON_CHAOS_ROUNDS ?? 6));
const MODES = ['ask', 'allow-all', 'daemon'] as const;
type Mode = (typeof MODES)[number];
const CHANNELS = 3;
const PER_CHANNEL = 3;
const LONGEST_MS = 2500;
const MOST_REPLIES = 12;
/** Enough for three messages of Discord. */
const LINES = 120;

/** After a time, or when Discord has taken a message or an edit and the gateway does not know it yet. */
type Kill = { afterMs: number } | { atReply: number };

const random = seeded(SEED);
const plans = Array.from({ length: ROUNDS }, (_, index) => ({
  name: `round ${index + 1} of seed ${SEED}`,
  mode: MODES[index % MODES.length] ?? 'ask',
  kills: Array.from(
    { length: 2 + Math.floor(random() * 3) },
    (): Kill =>
      random() < 0.5
        ? { afterMs: Math.floor(random() * LONGEST_MS) }
        : { atReply: 1 + Math.floor(random() * MOST_REPLIES) },
  ),
}));

/** Prints a long answer, and writes down that it ran; in the way of Claude Code. */
const MOCK_CLAUDE = `
  const { appendFileSync } = require('node:fs');
  if (process.argv.includes('--version')) { console.log('2.1.197 (Claude Code)'); process.exit(0); }
  let prompt = process.argv.join(' ');
  const answer = () => {
    const id = /id=(\\S+)/.exec(prompt)[1];
    appendFileSync('ran', id + '\\n');
    const text = Array.from({ length: ${LINES} }, (_, line) => 'line-' + id + '-' + line + '-' + 'x'.repeat(30)).join('\\n');
    const print = (line) => console.log(JSON.stringify(line));
    print({ type: 'system', subtype: 'init', session_id: 'session-' + id });
    print({ type: 'assistant', session_id: 'session-' + id, message: { id: 'm', content: [{ type: 'text', text }] } });
    setTimeout(() => print({ type: 'result', subtype: 'success', is_error: false, result: text, session_id: 'session-' + id }), 1000);
  };
  if (/id=/.test(prompt)) answer();
  else process.stdin.on('data', (data) => { prompt += data; }).on('end', answer);
`;

function answerOf(id: string): string[] {
  return Array.from({ length: LINES }, (_, line) => `line-${id}-${line}-${'x'.repeat(30)}`);
}

/** The demo agent asks before it writes down that it runs. */
function promptOf(id: string, mode: Mode): string {
  if (mode === 'allow-all') return `id=${id}`;
  const say = answerOf(id).slice(0, 30).join('\\n');
  return `demo:script [{"shell": "echo ${id} >> ran; sleep 0.7"}, {"say": "${say}"}]`;
}

class Round {
  readonly mode: Mode;
  readonly discord: FakeDiscord;
  readonly cwd: string;
  readonly channels: string[];
  readonly said = new Map<string, { id: string; channel: string }>();
  #home: string;
  #env: Record<string, string | undefined>;
  #args: string[];
  #pressed = new Set<string>();

  constructor(
    mode: Mode,
    discord: FakeDiscord,
    daemon: { url: string; token: string } | undefined,
  ) {
    this.mode = mode;
    this.discord = discord;
    this.#home = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
    onTestFinished(() => rmSync(this.#home, { recursive: true, force: true, maxRetries: 10 }));
    this.cwd = join(this.#home, 'project');
    mkdirSync(this.cwd);
    this.channels = Array.from({ length: CHANNELS }, () => discord.addChannel());
    const claude = join(this.#home, 'claude');
    writeFileSync(claude, `${NODE_SHEBANG}${MOCK_CLAUDE}`, { mode: 0o755 });
    this.#args = daemon ? ['--daemon', daemon.url] : [];
    this.#env = {
      ...process.env,
      HOME: this.#home,
      BATON_DEMO_PACE: '0',
      AGENT_BACKEND: mode === 'allow-all' ? 'claude' : 'demo',
      BACKEND_CLI_PATH: mode === 'allow-all' ? claude : undefined,
      BATON_PERMISSION_MODE: mode === 'allow-all' ? 'allow-all' : 'ask',
      BATON_GATEWAY_USERS: `discord:${discord.userId}`,
      BATON_GATEWAY_GUILDS: `discord:${discord.guildId}`,
      BATON_DISCORD_TOKEN: discord.token,
      BATON_DISCORD_API_URL: discord.apiUrl,
      BATON_TOKEN: daemon?.token,
    };
  }

  async start(): Promise<ChildProcess> {
    const args = [inject('baton'), 'gateway', '--cwd', this.cwd, ...this.#args];
    const child = spawn(process.execPath, args, {
      cwd: this.cwd,
      env: this.#env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(async () => void (await end(child, 'SIGKILL')));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (line.includes('Ready: ')) {
        child.stderr.resume();
        return child;
      }
    }
    throw new Error(`The gateway did not start:\n${lines.join('\n')}`);
  }

  say(count: number): void {
    for (const channel of this.channels) {
      for (let index = 0; index < count; index += 1) {
        const id = `m${this.said.size}`;
        const text = promptOf(id, this.mode);
        this.said.set(this.discord.say(channel, this.discord.userId, text), { id, channel });
      }
    }
  }

  /** Allows every request, like a user who does not look. */
  press(): void {
    for (const channel of this.channels) {
      for (const { id, components } of this.discord.botMessages(channel)) {
        const buttons = components.flatMap((row) => row.components);
        if (this.#pressed.has(id) || !buttons.some(({ label }) => label === 'Allow once')) continue;
        this.#pressed.add(id);
        // Discord tells people when a press failed, such as during an outage, and they press again.
        void this.discord.press(id, 'Allow once', this.discord.userId).then(({ kind }) => {
          if (kind === 'failed') this.#pressed.delete(id);
        });
      }
    }
  }

  /** Messages without a final reply. */
  open(): string[] {
    return [...this.said].filter(([message]) => !this.#isEnded(message)).map(([, { id }]) => id);
  }

  #isEnded(message: string): boolean {
    return this.#isAnswered(message) || this.interrupted(message).length > 0;
  }

  #isAnswered(message: string): boolean {
    const { id, channel } = this.said.get(message) ?? { id: '', channel: '' };
    const last = this.#linesOf(id).at(-1) ?? '';
    return this.#texts(channel).some((text) => text.includes(last) && !text.includes('Allow `'));
  }

  interrupted(message: string): string[] {
    const { channel = '' } = this.said.get(message) ?? {};
    return this.discord
      .botMessages(channel)
      .filter(({ replyTo, content }) => replyTo === message && content.includes('restarted'))
      .map(({ content }) => content);
  }

  /** True if nothing runs or waits according to the gateway: a draft can look like an answer. */
  async isIdle(): Promise<boolean> {
    const states = await Promise.all(
      this.channels.map((channel) => this.discord.command(channel, this.discord.userId, 'status')),
    );
    return states.every(
      (state) =>
        state.kind === 'message' &&
        state.text.startsWith('Idle') &&
        !/ (?:is|are) waiting/.test(state.text),
    );
  }

  check(): void {
    const ran = this.#ran();
    for (const [message, { id, channel }] of this.said) {
      const texts = this.#texts(channel).filter((text) => !text.includes('Allow `'));
      const isAnswered = this.#isAnswered(message);
      const interrupted = this.interrupted(message).length;
      expect([id, interrupted], 'answered or reported as interrupted, once').toEqual([
        id,
        isAnswered ? 0 : 1,
      ]);
      if (this.mode === 'daemon') expect([id, isAnswered]).toEqual([id, true]);
      expect(ran[id] ?? 0, `runs of ${id}`).toBeLessThanOrEqual(1);
      if (!isAnswered) continue;
      expect(ran[id]).toBe(1);
      for (const line of this.#linesOf(id)) {
        const count = texts.reduce((sum, text) => sum + text.split(line).length - 1, 0);
        expect([line, count], 'every line of the answer, once').toEqual([line, 1]);
      }
    }
  }

  #linesOf(id: string): string[] {
    return this.mode === 'allow-all' ? answerOf(id) : answerOf(id).slice(0, 30);
  }

  #texts(channel: string): string[] {
    return this.discord.botMessages(channel).map(({ content }) => content);
  }

  #ran(): Record<string, number> {
    const path = join(this.cwd, 'ran');
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    const counts: Record<string, number> = {};
    for (const line of lines) counts[line] = (counts[line] ?? 0) + 1;
    return counts;
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
  return child.exitCode;
}

/** Kills the gateway as planned; if it does not reply that often, after a while. */
async function kill(child: ChildProcess, discord: FakeDiscord, planned: Kill): Promise<void> {
  const isDue = Promise.withResolvers<void>();
  const over = new AbortController();
  let replies = 0;
  discord.onRequest = ({ method, path, status }) => {
    if (status !== 200 || method === 'GET' || !path.includes('/messages')) return;
    replies += 1;
    if (!('atReply' in planned) || replies !== planned.atReply) return;
    child.kill('SIGKILL');
    isDue.resolve();
  };
  const afterMs = 'afterMs' in planned ? planned.afterMs : 2 * LONGEST_MS;
  await Promise.race([
    isDue.promise,
    pause(afterMs, undefined, { signal: over.signal }).catch(() => {}),
  ]);
  over.abort();
  discord.onRequest = undefined;
  await end(child, 'SIGKILL');
}

async function play(mode: Mode, kills: readonly Kill[]): Promise<void> {
  const fast = { limit: 5, perMs: 300 };
  const discord = await startFakeDiscord({ sendLimit: fast, editLimit: fast });
  onTestFinished(() => discord.close());
  const daemonFolder = mkdtempSync(join(tmpdir(), 'gateway-chaos-daemon-'));
  onTestFinished(() => rmSync(daemonFolder, { recursive: true, force: true, maxRetries: 10 }));
  const served = mode === 'daemon' ? await serveIn(daemonFolder) : undefined;
  const daemon = served && { url: served.url, token: await login(served) };
  const round = new Round(mode, discord, daemon);
  let child = await round.start();
  round.say(1);
  for (const planned of kills) {
    const pressing = setInterval(() => round.press(), 20);
    await kill(child, discord, planned);
    clearInterval(pressing);
    // Some people write while the gateway is down.
    round.say(1);
    child = await round.start();
  }
  round.say(PER_CHANNEL - 1);
  await expect
    .poll(
      () => {
        round.press();
        return round.open();
      },
      { timeout: 120_000 },
    )
    .toEqual([]);
  await expect.poll(() => round.isIdle(), { timeout: 60_000, interval: 500 }).toBe(true);
  expect(await end(child, 'SIGTERM')).toBe(0);
  round.check();
}

describe('a gateway that is killed loses no message, answers none twice and runs none twice', () => {
  for (const { name, mode, kills } of plans) {
    test(`${name}: ${mode}, killed ${kills.length} times`, () => play(mode, kills), 300_000);
  }
});
