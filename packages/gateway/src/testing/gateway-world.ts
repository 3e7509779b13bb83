import { openStore, type Store } from '@baton/store';
import { onTestFinished, vi } from 'vitest';
import type { ChannelAdapter } from '../channel-adapter.ts';
import { type GatewayConfig, type HookName, loadConfig } from '../config/load-config.ts';
import { Gateway } from '../gateway.ts';
import { HookManager } from '../hooks/hook-manager.ts';
import { ScriptedAgents } from './scripted-agents.ts';
import { CHANNEL, ScriptedChannel, USER } from './scripted-channel.ts';

const { config: DEFAULTS } = loadConfig(
  { BATON_GATEWAY_USERS: USER, BATON_PERMISSION_MODE: 'ask' },
  undefined,
  { place: { cwd: '/nowhere/workspace', home: '/nowhere/home' } },
);

/** A configuration that answers one user in all channels of the guild `test:guild`, and in one more. */
export function testConfig(changes: Partial<GatewayConfig> = {}): GatewayConfig {
  return {
    ...DEFAULTS,
    access: {
      users: [USER],
      guilds: ['test:guild'],
      channels: [CHANNEL],
      directMessages: false,
    },
    requestTimeoutMs: 0,
    ...changes,
  };
}

type GatewayWorldOptions = {
  chat?: ScriptedChannel;
  agents?: ScriptedAgents;
  store?: Store;
  config?: Partial<GatewayConfig>;
  /** Other platforms. */
  others?: readonly ChannelAdapter[];
};

/** A gateway with a scripted chat and scripted agents. */
export class GatewayWorld {
  readonly chat: ScriptedChannel;
  readonly agents: ScriptedAgents;
  readonly store: Store;
  readonly gateway: Gateway;
  readonly log: string[] = [];
  readonly hooks: string[] = [];
  #config: Partial<GatewayConfig>;

  private constructor(options: GatewayWorldOptions, store: Store) {
    const { chat, agents, config = {}, others = [] } = options;
    this.chat = chat ?? new ScriptedChannel();
    this.agents = agents ?? new ScriptedAgents();
    this.store = store;
    this.#config = config;
    const write = (message: string) => void this.log.push(message);
    const log = { warn: write, info: write };
    const { hooks = {} } = config;
    const whole = testConfig(config);
    this.gateway = new Gateway({
      config: whole,
      store,
      adapters: [this.chat, ...others],
      agents: this.agents.inChannels(whole, log),
      hooks: new HookManager(hooks, { log, start: (command, facts) => this.#hook(command, facts) }),
      log,
    });
  }

  /** A gateway that is not started. */
  static async create(options: GatewayWorldOptions = {}): Promise<GatewayWorld> {
    if (options.store) return new GatewayWorld(options, options.store);
    const store = await openStore({ url: ':memory:' });
    onTestFinished(() => store.close());
    return new GatewayWorld(options, store);
  }

  static async start(options: GatewayWorldOptions = {}): Promise<GatewayWorld> {
    const world = await GatewayWorld.create(options);
    onTestFinished(() => world.gateway.stop());
    await world.gateway.start();
    return world;
  }

  /** Abandons this gateway as if its process had been killed, and creates the next one with the same store and chat. */
  async killed(agents = new ScriptedAgents()): Promise<GatewayWorld> {
    const chat = this.chat.restarted();
    return GatewayWorld.create({ chat, agents, store: this.store, config: this.#config });
  }

  /** A user writes, and the gateway answers; returns the answer. */
  async ask(text: string, from: { channel?: string } = {}): Promise<string> {
    const id = await this.chat.say(text, from);
    return this.answer(id);
  }

  /** Waits for the answer to a message. */
  async answer(messageId: string): Promise<string> {
    await vi.waitFor(() => {
      const isSettled = this.chat.calls.some(
        (call) => call.kind === 'settled' && call.messageId === messageId,
      );
      if (!isSettled) throw new Error(`no answer to ${messageId}; log: ${this.log.join('\n')}`);
    });
    return this.chat.repliesTo(messageId).join('\n---\n');
  }

  /** Waits until a message of the gateway contains a text. */
  async sees(text: string, channelId = CHANNEL): Promise<void> {
    await vi.waitFor(() => {
      const texts = this.chat.texts(channelId);
      if (!texts.some((each) => each.includes(text))) {
        throw new Error(
          `"${text}" is not among:\n${texts.join('\n')}\nlog: ${this.log.join('\n')}`,
        );
      }
    });
  }

  /** Waits until an agent runs with this number, from 1. */
  async runs(count: number): Promise<void> {
    await vi.waitFor(() => {
      if (this.agents.runs.length < count) throw new Error(`${this.agents.runs.length} runs`);
    });
  }

  async #hook(command: string, facts: Readonly<Record<string, string>>) {
    const name = facts.BATON_HOOK as HookName;
    const more = [facts.BATON_MESSAGE_ID, facts.BATON_OUTCOME].filter(Boolean).join(' ');
    this.hooks.push(`${name} ${command} ${more}`.trim());
    const exited = Promise.resolve({ code: 0, signal: null });
    return { exited, stderr: '', stop: async () => {} };
  }
}
