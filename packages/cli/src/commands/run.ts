import { COMMAND_BACKEND } from '@baton/agents/backends/acp';
import type { Baton } from '@baton/agents/registry/baton';
import { loadSettings, type Settings } from '@baton/config/settings';
import type { Backend } from '@baton/engine/definition/backend';
import { denyUnattended } from '@baton/engine/run/deny-request';
import { EmbeddedHost } from '@baton/host';
import { BatonError, type Host } from '@baton/protocol/values';
import {
  type Command,
  isSet,
  type Parsed,
  settingFlags,
  settingOption,
  textOf,
} from '../arguments/command.ts';
import { readPrompt } from '../arguments/prompt-source.ts';
import { WORKSPACE_OPTIONS, workspaceOptions } from '../arguments/workspace-options.ts';
import { EXIT } from '../exit-codes.ts';
import { chosenBackend, chosenBackendOrDemo, chosenName } from '../run/choose-backend.ts';
import { chooseWorkspace } from '../run/choose-workspace.ts';
import { dropUnsupportedSettings } from '../run/drop-unsupported-settings.ts';
import { explained } from '../run/explain-error.ts';
import { type Explain, showRun } from '../run/show-run.ts';
import { workspaceWords } from '../run/workspace-words.ts';
import type { TrustQuestion } from '../terminal/ask-trust.ts';
import { unlessInterrupted } from '../terminal/stop-on-signals.ts';
import { launchLine } from '../view/launch-line.ts';
import { shortName } from '../view/short-name.ts';
import { wrapForTerminal } from '../view/word-wrap.ts';
import { AGENT_OPTIONS, RUN_OPTIONS, runOptions } from './run-options.ts';

export const run: Command = {
  name: 'run',
  summary: 'Run one prompt and show what the agent does.',
  usage: 'baton run [options] "prompt"',
  promptAfter: 'baton run',
  options: {
    ...AGENT_OPTIONS,
    ...RUN_OPTIONS,
    ...WORKSPACE_OPTIONS,
    file: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      about: 'read the prompt from a file',
      choices: 'files',
    },
    json: { type: 'boolean', about: 'print events as JSON, one per line' },
    verbose: {
      type: 'boolean',
      short: 'v',
      about: 'show the backend, its command line and all notices',
    },
    daemon: settingOption('daemonUrl', {
      value: 'URL',
      about: 'run through a daemon: its URL, or "auto" for the local one',
    }),
    session: {
      type: 'string',
      value: 'ID',
      about: 'continue this session of the daemon',
    },
  },
  notes: [
    'Without a prompt, reads stdin. Put a prompt that starts with a dash after --.',
    'Durations: 90, 90s, 5m or 1h.',
    'The value of --option is parsed as JSON if it is an object, array, boolean or number.',
    'Quote it to pass a string, as in --option \'effort="3"\'.',
    'Ctrl-C stops the agent and everything it started; a second Ctrl-C forces it.',
    'Exit codes: 0 done, 1 failed, 2 usage, 3 timeout, 4 no such session,',
    '            5 permission denied (no one to ask) or not logged in to the daemon,',
    '            6 daemon unreachable, 130 interrupted or stopped.',
  ],
  run: runPrompt,
};

async function runPrompt(parsed: Parsed, baton: Baton): Promise<number> {
  const json = isSet(parsed, 'json');
  const verbose = isSet(parsed, 'verbose');
  const tell = (line: string) =>
    void process.stderr.write(`${wrapForTerminal(process.stderr, line)}\n`);
  const settings = loadSettings({
    program: 'baton',
    cwd: textOf(parsed, 'cwd'),
    flags: settingFlags(run, parsed),
  });
  for (const warning of settings.warnings) tell(`warning: ${warning}`);
  const remote = isRemote(parsed) ? await import('../remote/run-remotely.ts') : undefined;
  // If the URL is missing, the prompt was taken for it.
  remote?.checkAddress(run, parsed);
  // A session has its own mode and model: only who names another one means it.
  const isInSession = textOf(parsed, 'session') !== undefined;
  const asked = runOptions(parsed, isInSession ? settings.onlyFlags() : settings);
  const wanted = workspaceOptions(parsed);
  const prompt = await readPrompt(parsed.positionals, textOf(parsed, 'file'));
  const atTerminal = !json && isAttended();
  const remoteName = chosenName(baton, settings);
  if (remote && remoteName === COMMAND_BACKEND) {
    throw new BatonError('usage', 'A daemon does not start commands passed by a client.', {
      hint: "Add the agent to acpAgents in the daemon's configuration and use --backend acp:NAME.",
    });
  }
  if (remote && baton.registry.find(remoteName) === undefined) {
    // A daemon may have backends that this machine does not know.
    const shown = { json, verbose, atTerminal, permissionMode: asked.permissionMode, tell };
    const request = { backend: remoteName, ...asked, prompt, workspace: wanted };
    return remote.runRemotely(run, parsed, baton, request, shown);
  }
  const backend = await backendFor(baton, parsed, settings, atTerminal ? tell : undefined);
  const warn = (warning: string) => tell(`warning: ${warning}`);
  const options = dropUnsupportedSettings(asked, settings, backend, warn);
  if (verbose) tell(`backend: ${backend.id} (${settings.origin('backend')})`);
  const request = { ...options, prompt };
  const shown = { json, verbose, atTerminal, permissionMode: options.permissionMode, tell };
  if (remote) {
    const placed = { backend: backend.id, ...request, workspace: wanted };
    return remote.runRemotely(run, parsed, baton, placed, shown);
  }
  const host = new EmbeddedHost({ baton, settings: () => settings, keepsFiles: true });
  const { id, label } = backend;
  const trusted = atTerminal
    ? await askTrustFor(host, { ...request, backend: id, label })
    : undefined;
  if (trusted === 'interrupted') return EXIT.interrupted;
  const workspace = await chooseWorkspace(wanted, { cwd: options.cwd, atTerminal, warn });
  if (workspace === 'interrupted') return EXIT.interrupted;
  const launched = await unlessInterrupted((signal) =>
    host.launch({
      ...{ ...request, backend: id, workspace, signal },
      onWorkspace: json ? undefined : workspaceWords(tell),
      ...(trusted === undefined ? {} : { trusted }),
      onRequest: atTerminal ? undefined : denyUnattended,
      onLaunch: verbose ? (command) => tell(launchLine(command)) : undefined,
    }),
  );
  if (launched === 'interrupted') return EXIT.interrupted;
  const { run: agentRun, kept } = launched;
  const explain: Explain = (error, printed) =>
    explained(error, { baton, backend, settings, printed });
  const isCommand = backend.id === COMMAND_BACKEND;
  const typed = isCommand ? undefined : settings.get('backend');
  const typedBackend = typed ?? shortName(baton, backend.id);
  const code = await showRun(agentRun, { ...shown, typedBackend, explain });
  await kept;
  return code;
}

/** Loaded only at a terminal. */
async function askTrustFor(host: Host, { backend, label, cwd, env }: TrustQuestion) {
  const { askTrust } = await import('../terminal/ask-trust.ts');
  return askTrust(host, { backend, label, cwd, env });
}

/** True if a user is there to watch and answer; a user who typed the prompt has closed the input with Ctrl-D. */
function isAttended(): boolean {
  // Only looked at when it matters: opening the input costs some milliseconds.
  if (!process.stdout.isTTY) return false;
  return process.stdin.isTTY && !process.stdin.readableEnded;
}

function isRemote(parsed: Parsed): boolean {
  return textOf(parsed, 'daemon') !== undefined || textOf(parsed, 'session') !== undefined;
}

function backendFor(
  baton: Baton,
  parsed: Parsed,
  settings: Settings,
  tell: ((line: string) => void) | undefined,
): Promise<Backend> {
  return tell && !isRemote(parsed)
    ? chosenBackendOrDemo(baton, settings, tell)
    : chosenBackend(baton, settings);
}
