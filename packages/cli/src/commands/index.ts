import type { CommandEntry } from '../arguments/command.ts';
import { run } from './run.ts';

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
  diff: {
    summary: 'show what changed in the files of a session',
    load: async () => (await import('./diff.ts')).diff,
  },
  undo: {
    summary: 'bring the files back to how they were before a turn',
    load: async () => (await import('./undo.ts')).undo,
  },
  finish: {
    summary: 'commit or merge the work of an agent, save it as a patch, or discard it',
    load: async () => (await import('./finish.ts')).finish,
  },
  workspaces: {
    summary: 'list the worktrees of agents; set up, serve, remove or restore them',
    load: async () => (await import('./workspaces.ts')).workspaces,
  },
  chain: {
    summary: 'run chains of agents, which a file describes',
    load: async () => (await import('./chain/chain.ts')).chain,
  },
  gateway: {
    summary: 'talk to agents in chat: Discord, terminal, webhooks',
    load: async () => (await import('./gateway/gateway.ts')).gateway,
  },
  backends: {
    summary: 'list supported agents; install, update or remove them',
    load: async () => (await import('./backends/backends.ts')).backends,
  },
  mcp: {
    summary: 'list, add, copy and check the MCP servers of agents',
    load: async () => (await import('./mcp/mcp.ts')).mcp,
  },
  doctor: {
    summary: 'check the agents on this machine and suggest fixes',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  trust: {
    summary: 'let agents use the settings in a folder',
    load: async () => (await import('./trust.ts')).trust,
  },
  normalize: {
    summary: 'convert recorded agent output into events',
    load: async () => (await import('./normalize.ts')).normalize,
  },
  record: {
    summary: 'record the output of an agent, for tests and bug reports',
    load: async () => (await import('./record.ts')).record,
  },
  compile: {
    summary: 'compile an agent file into one program',
    load: async () => (await import('./compile/compile.ts')).compile,
  },
  conformance: {
    summary: 'run the conformance suite against a custom backend',
    load: async () => (await import('./conformance.ts')).conformance,
  },
  config: {
    summary: 'show the settings and where each value comes from',
    load: async () => (await import('./config.ts')).config,
  },
  serve: {
    summary: 'start the daemon and web UI',
    load: async () => (await import('./serve/serve.ts')).serve,
  },
  status: {
    summary: 'show daemon status',
    load: async () => (await import('./status.ts')).status,
  },
  review: {
    summary: 'comment on a change and send the comments to the agent',
    load: async () => (await import('./review/review.ts')).review,
  },
  sessions: {
    summary: 'list, archive and fork sessions',
    load: async () => (await import('./sessions.ts')).sessions,
  },
  tasks: {
    summary: 'list tasks; edit, cancel or retry them',
    load: async () => (await import('./tasks.ts')).tasks,
  },
  queue: {
    summary: "list, resume or clear a session's queue",
    load: async () => (await import('./queue.ts')).queue,
  },
  attach: {
    summary: 'watch a session live and answer its requests',
    load: async () => (await import('./attach.ts')).attach,
  },
  answer: {
    summary: 'list pending requests and answer them',
    load: async () => (await import('./answer.ts')).answer,
  },
  stop: {
    summary: 'stop a task or all tasks of a session',
    load: async () => (await import('./stop.ts')).stop,
  },
  logs: {
    summary: 'print a session transcript',
    load: async () => (await import('./logs.ts')).logs,
  },
  export: {
    summary: 'export a session to a file',
    load: async () => (await import('./export.ts')).exportSession,
  },
  import: {
    summary: 'import a session from a file',
    load: async () => (await import('./import.ts')).importSession,
  },
  db: {
    summary: 'back up or rebuild the database',
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
    summary: 'run one queued task (executor)',
    load: async () => (await import('./executor.ts')).executor,
  },
  completions: {
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./completions/completions.ts')).completionsOf(COMMANDS),
  },
};

/** The commands by name; a map, because every object has a "constructor". */
export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map(Object.entries(ENTRIES));
