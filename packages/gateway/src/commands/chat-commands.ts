import { BatonError, type Usage, usageWords } from '@baton/protocol';
import type { CommandDescription } from '../channel-adapter.ts';

/** State and actions of a channel that commands can use. */
export type CommandTarget = {
  /** Stops the message that runs, or is the next to run; false if there is none. */
  stop(): Promise<boolean>;
  /** Forgets the conversation. */
  forget(): Promise<void>;
  status(): Promise<ChannelStatus>;
  readonly backends: readonly string[];
  /**
   * Chooses the agent, or the gateway's default without a name; returns its name. Throws if the agent is unknown or
   * missing.
   */
  chooseBackend(name: string | undefined): Promise<string>;
  chooseModel(name: string | undefined): Promise<void>;
};

export type ChannelStatus = {
  readonly backend: string;
  readonly model: string | undefined;
  readonly permissionMode: string;
  /** Daemon that runs the agents, if not the gateway. */
  readonly place: string | undefined;
  readonly workingDir: string;
  /** The branch of the channel's worktree, if it has one. */
  readonly branch?: string | undefined;
  readonly session: string | undefined;
  /** Running time of the current message. */
  readonly runningMs: number | undefined;
  readonly waiting: number;
  readonly usage: Usage | undefined;
};

type ChatCommand = CommandDescription & {
  run(target: CommandTarget, argument: string): Promise<string>;
};

const OWN = 'default';
/** Excludes names that the program of an agent could parse as an option or as several arguments. */
const MODEL_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._:/@+~=[\]-]{0,199}$/u;

const COMMANDS: readonly ChatCommand[] = [
  {
    name: 'stop',
    about: 'Stop the agent',
    async run(target) {
      // Before the stop, which can be quick.
      const { waiting } = await target.status();
      if (!(await target.stop())) return 'Nothing is running.';
      const others = Math.max(0, waiting - 1);
      return others === 0 ? 'Stopping.' : `Stopping. ${messages(others)} waiting.`;
    },
  },
  {
    name: 'new',
    about: 'Start a new conversation with the next message',
    async run(target) {
      await target.forget();
      return 'The next message starts a new conversation.';
    },
  },
  {
    name: 'backend',
    about: 'Show or change the agent of this channel',
    argument: 'name of the agent, or "default"',
    async run(target, name) {
      if (name === '') {
        const { backend } = await target.status();
        return `This channel uses ${backend}. Agents: ${target.backends.join(', ')}.`;
      }
      const chosen = await target.chooseBackend(name === OWN ? undefined : name);
      return `This channel now uses ${chosen}. Each agent has its own conversation.`;
    },
  },
  {
    name: 'model',
    about: 'Show or change the model of this channel',
    argument: 'name of the model, or "default"',
    async run(target, name) {
      if (name === '') {
        const { model } = await target.status();
        return `This channel uses ${model ?? "the agent's own model"}.`;
      }
      if (!MODEL_NAME.test(name)) {
        return 'This is not the name of a model: names have letters, digits and . _ : / @ + ~ = [ ] -, and begin with a letter or digit.';
      }
      await target.chooseModel(name === OWN ? undefined : name);
      return name === OWN
        ? 'This channel now uses the default model.'
        : `This channel now uses the model ${name}.`;
    },
  },
  {
    name: 'status',
    about: 'Show what the agent does',
    async run(target) {
      const status = await target.status();
      const { backend, model, permissionMode, place, workingDir, session, runningMs } = status;
      const others = status.waiting - (runningMs === undefined ? 0 : 1);
      return [
        runningMs === undefined ? 'Idle' : `Running for ${seconds(runningMs)}`,
        ...(others > 0 ? [`${messages(others)} waiting`] : []),
        `Agent: ${backend}${model === undefined ? '' : ` (${model})`}`,
        `Permission mode: ${permissionMode}`,
        `Folder: ${workingDir}`,
        ...(status.branch === undefined ? [] : [`Branch: ${status.branch}`]),
        ...(place === undefined ? [] : [`Daemon: ${place}`]),
        `Conversation: ${session ?? 'none yet'}`,
      ].join('\n');
    },
  },
  {
    name: 'cost',
    about: 'Show what this channel has used',
    async run(target) {
      const { usage } = await target.status();
      const words = usageWords(usage);
      if (words.length === 0) return 'Nothing was reported as used yet.';
      const estimated = usage?.costEstimated ? ' The cost is an estimate from list prices.' : '';
      return `Used in this channel: ${words.join(', ')}.${estimated}`;
    },
  },
  {
    name: 'help',
    about: 'List the commands',
    run: async () =>
      COMMANDS.map(({ name, about, argument }) => {
        const more = argument === undefined ? '' : ` [${argument}]`;
        return `/${name}${more}: ${about}`;
      }).join('\n'),
  },
];

export const COMMAND_DESCRIPTIONS: readonly CommandDescription[] = COMMANDS.map(
  ({ name, about, argument }) => ({ name, about, argument }),
);

/** Returns the command that a message consists of; undefined if the message is meant for the agent. */
export function commandIn(text: string): { name: string; argument: string } | undefined {
  // Phones begin a message with a capital.
  const [, typed = '', argument = ''] = /^\/([a-z]+)(?:\s+(.*))?$/i.exec(text.trim()) ?? [];
  const name = typed.toLowerCase();
  return COMMANDS.some((command) => command.name === name)
    ? { name, argument: argument.trim() }
    : undefined;
}

/** Runs a command and returns the reply. */
export async function runCommand(
  { name, argument }: { name: string; argument: string },
  target: CommandTarget,
): Promise<string> {
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) return `Unknown command "/${name}". See /help.`;
  try {
    return await command.run(target, argument.trim());
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return [error.message, error.hint].filter(Boolean).join(' ');
  }
}

function messages(count: number): string {
  return count === 1 ? '1 message is' : `${count} messages are`;
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
