import type { Baton } from '@baton/agents/registry/baton';
import { createBaton } from '@baton/agents/registry/create-baton';
import { DEFAULT_BACKEND } from '@baton/agents/registry/registry';
import { loadSettings } from '@baton/config/settings';
import type { Backend, RunInput } from '@baton/engine/definition/backend';
import { embedChildPrograms } from '@baton/engine/kit/child-program';
import { denyUnattended } from '@baton/engine/run/deny-request';
import { EmbeddedHost } from '@baton/host';
import {
  BatonError,
  OUTCOME_TABLE,
  type RunResult,
  type WorkspaceRequest,
} from '@baton/protocol/values';
import { readStdin } from '../arguments/prompt-source.ts';
import { EXIT } from '../exit-codes.ts';
import { explained } from '../run/explain-error.ts';
import { showRun } from '../run/show-run.ts';
import { workspaceWords } from '../run/workspace-words.ts';
import { reportOutputFailure } from '../terminal/output-failure.ts';
import { launchLine } from '../view/launch-line.ts';
import { wrapForTerminal } from '../view/word-wrap.ts';
import { childArguments } from './child-arguments.ts';
import type { Flags } from './flags.ts';
import type { WholeAgent } from './included-files.ts';
import { keyOptions } from './key-options.ts';
import { translate } from './translate.ts';

const DENIED_HINT =
  'Allow tools with --allowedTools, edits with --permission-mode auto, or everything with --dangerously-skip-permissions.';

/** Runs one call of a compiled agent and gives its exit code. */
export async function runAgent(
  agent: WholeAgent,
  flags: Flags,
  positionals: readonly string[],
): Promise<number> {
  // The reader of stderr is gone; that is not a failure.
  process.stderr.on('error', () => {});
  reportOutputFailure();
  embedChildPrograms(childArguments);
  const settings = loadSettings({ program: 'chains', cwd: agent.cwd });
  const baton = await createBaton({ settings });
  const { name, origin } = chosenBackend(agent, flags);
  const backend = await baton.loadBackend(name);
  const interactive = isInteractive(flags);
  const { options, warnings } = translate(agent, flags, {
    label: backend.label,
    capabilities: backend.capabilities,
    writtenFor: otherBackend(baton, agent, backend),
    isClaude: backend.id === 'claude-cli',
    interactive,
  });
  for (const warning of [...settings.warnings, ...warnings]) tell(`warning: ${warning}`);
  const prompt = await promptOf(agent, positionals, interactive);
  if (flags.verbose) {
    tell(`backend: ${backend.id} (${origin})`);
    tell(`options: ${keyOptions(options)}`);
  }
  const onLaunch: RunInput['onLaunch'] = flags.verbose
    ? (command) => tell(launchLine(command))
    : undefined;
  const host = new EmbeddedHost({ baton, settings: () => settings, keepsFiles: true });
  const place = {
    workspace: workspaceOf(agent, flags),
    onWorkspace: flags.json ? undefined : workspaceWords(tell),
  };
  if (interactive) {
    checkInterface(backend);
    return host.openInterface({ ...options, ...place, backend: backend.id, prompt, onLaunch });
  }
  if (prompt === undefined) {
    throw new BatonError('usage', 'Missing prompt.', { hint: `Try: ${agent.name} "…"` });
  }
  const request = { ...options, ...place, backend: backend.id, prompt };
  const { run, kept } = await host.launch({ ...request, onLaunch, onRequest: denyUnattended });
  const code = await showRun(run, {
    json: flags.json,
    verbose: flags.verbose,
    plain: true,
    atTerminal: false,
    permissionMode: options.permissionMode,
    tell,
    explain: (error, printed) => explained(error, { baton, backend, settings, printed }),
    exitCodeOf,
    deniedHint: DENIED_HINT,
  });
  await kept;
  return code;
}

/** The place of a call. One that starts in a worktree of Baton, such as a step of a chain, stays there by default. */
function workspaceOf({ workspace }: WholeAgent, flags: Flags): WorkspaceRequest | undefined {
  if (flags.workspace || process.env.BATON_WORKSPACE) return flags.workspace;
  return typeof workspace === 'string' ? { kind: workspace } : workspace;
}

function chosenBackend(agent: WholeAgent, flags: Flags): { name: string; origin: string } {
  if (flags.backend !== undefined) return { name: flags.backend, origin: '--backend' };
  const { FORGE_BACKEND } = process.env;
  if (FORGE_BACKEND) return { name: FORGE_BACKEND, origin: 'FORGE_BACKEND' };
  if (agent.backend !== undefined) return { name: agent.backend, origin: 'agent' };
  return { name: DEFAULT_BACKEND, origin: 'default' };
}

/** The backend that the agent file was written for, unless it is this one. */
function otherBackend(
  { registry }: Baton,
  { backend = DEFAULT_BACKEND }: WholeAgent,
  { id }: Backend,
) {
  const own = registry.canonicalName(backend);
  return own === id ? undefined : own;
}

function isInteractive({ print, json }: Flags): boolean {
  return !print && !json && process.stdout.isTTY === true && process.stdin.isTTY === true;
}

/** The prompt of a call; an interface can be opened without one. */
async function promptOf(
  agent: WholeAgent,
  positionals: readonly string[],
  interactive: boolean,
): Promise<string | undefined> {
  const words = positionals.join(' ');
  if (words !== '' && words !== '-') return words;
  if (interactive || (words === '' && process.stdin.isTTY)) return agent.prompt;
  const text = await readStdin();
  return text.trim() === '' ? agent.prompt : text;
}

function checkInterface({ interactive, capabilities, label }: Backend): void {
  if (interactive && capabilities.features.interactive) return;
  throw new BatonError('capability_missing', `${label} has no interactive mode.`, {
    hint: 'Add --print to get only the answer.',
  });
}

/** The exit codes of the agent runtime, and the one of `baton run` for what nobody could allow. */
function exitCodeOf({ outcome }: RunResult, deniedForNobody: boolean): number {
  const isOver = outcome === 'done' || outcome === 'failed';
  return isOver && deniedForNobody ? EXIT.permissionDenied : OUTCOME_TABLE[outcome].exitCode;
}

function tell(line: string): void {
  process.stderr.write(`${wrapForTerminal(process.stderr, line)}\n`);
}
