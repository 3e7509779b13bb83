import type { Command } from '../command.ts';
import { run } from './run.ts';

type CommandEntry = { summary: string; load(): Promise<Command> };

/** All commands; each is loaded only when it is called. */
const ENTRIES: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: 'run one prompt and show what the agent does',
    load: async () => run,
  },
  chat: {
    summary: "open the agent's own interface in this terminal",
    load: async () => (await import('./chat.ts')).chat,
  },
  backends: {
    summary: 'list the agents Baton knows and what they can do',
    load: async () => (await import('./backends.ts')).backends,
  },
  doctor: {
    summary: 'check the agents on this machine and say what to fix',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  trust: {
    summary: 'let agents use the settings that a folder brings',
    load: async () => (await import('./trust.ts')).trust,
  },
  normalize: {
    summary: "turn an agent's recorded output into Baton's events",
    load: async () => (await import('./normalize.ts')).normalize,
  },
  config: {
    summary: 'show the settings and where each value comes from',
    load: async () => (await import('./config.ts')).config,
  },
  serve: {
    summary: 'serve sessions that survive anything',
    load: async () => (await import('./serve.ts')).serve,
  },
  status: {
    summary: 'tell how the daemon is',
    load: async () => (await import('./status.ts')).status,
  },
  sessions: {
    summary: 'list the sessions of a daemon, and archive them',
    load: async () => (await import('./sessions.ts')).sessions,
  },
  tasks: {
    summary: 'list prompts and what became of them, and change those that wait',
    load: async () => (await import('./tasks.ts')).tasks,
  },
  queue: {
    summary: 'list, resume or clear the queue of a session',
    load: async () => (await import('./queue.ts')).queue,
  },
  attach: {
    summary: 'watch a session live, and answer its agent',
    load: async () => (await import('./attach.ts')).attach,
  },
  answer: {
    summary: 'list what waits for a person, and answer it',
    load: async () => (await import('./answer.ts')).answer,
  },
  stop: {
    summary: 'stop a task, or everything in a session',
    load: async () => (await import('./stop.ts')).stop,
  },
  logs: {
    summary: 'print what was said and done in a session',
    load: async () => (await import('./logs.ts')).logs,
  },
  export: {
    summary: 'write a session into a file',
    load: async () => (await import('./export.ts')).exportSession,
  },
  import: {
    summary: 'take a session over from a file',
    load: async () => (await import('./import.ts')).importSession,
  },
  db: {
    summary: 'back up the database of a daemon, or make its tables anew',
    load: async () => (await import('./db.ts')).db,
  },
  login: {
    summary: 'log in to a daemon',
    load: async () => (await import('./login.ts')).login,
  },
  logout: {
    summary: 'log out of a daemon',
    load: async () => (await import('./logout.ts')).logout,
  },
  executor: {
    summary: 'carry out one task of a daemon',
    load: async () => (await import('./executor.ts')).executor,
  },
  completions: {
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./completions.ts')).completions,
  },
};

/** The commands by name; a map, because every object has a "constructor". */
export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map(Object.entries(ENTRIES));
