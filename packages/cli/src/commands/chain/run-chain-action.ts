import { resolve } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import {
  type Chain,
  inputsFor,
  type LoadedChains,
  loadChains,
  mermaidOf,
  outlineOf,
  svgOf,
  type WidenedRight,
} from '@baton/orchestra';
import {
  BatonError,
  type ChainEvent,
  type ChainState,
  foldChain,
  type StepStatus,
  showUnseenInLine,
} from '@baton/protocol/values';
import type { ChainRunRecord } from '@baton/protocol/wire';
import { type Command, isSet, type Parsed, textOf, textsOf } from '../../arguments/command.ts';
import { readPairs } from '../../arguments/pairs.ts';
import { EXIT } from '../../exit-codes.ts';
import { ambiguous, shortId } from '../../remote/find-one.ts';
import { printLog } from '../../remote/log-text.ts';
import { withDaemon } from '../../remote/with-daemon.ts';
import { ago } from '../../view/format.ts';
import { launchLine } from '../../view/launch-line.ts';
import { oneLine, style } from '../../view/style.ts';
import { tableText } from '../../view/table.ts';
import { askChainsTrust, rightLine } from './ask-chains-trust.ts';
import { CHAIN_USAGE, type ChainAction } from './chain.ts';
import type { ChainPlace } from './chain-place.ts';
import { chainLine, STATUS_WORDS, worktreeLines } from './chain-view.ts';
import { DaemonPlace } from './daemon-place.ts';
import { LocalPlace } from './local-place.ts';
import { showChain } from './show-chain.ts';
import { TerminalQuestions } from './terminal-questions.ts';

const out = process.stdout;
const RUNS = 100;

type Call = {
  parsed: Parsed;
  action: ChainAction;
  words: readonly string[];
  place: ChainPlace;
  /** Asks the person at the terminal; nothing without a terminal. */
  questions: TerminalQuestions | undefined;
};

const ACTIONS: Readonly<Record<ChainAction, (call: Call) => Promise<number>>> = {
  run,
  list,
  show,
  runs,
  resume,
  stop,
  approve,
  graph,
};

/** Carries out one `baton chain` command, in this process or through a daemon. */
export async function runChainAction(
  { command, parsed, baton }: { command: Command; parsed: Parsed; baton: Baton },
  action: ChainAction,
  words: readonly string[],
): Promise<number> {
  const isAttended = out.isTTY && process.stdin.isTTY && !isSet(parsed, 'json');
  const questions = isAttended ? new TerminalQuestions() : undefined;
  const act = (place: ChainPlace) => ACTIONS[action]({ parsed, action, words, place, questions });
  if (textOf(parsed, 'daemon') !== undefined) {
    return withDaemon(command, parsed, (client) => act(new DaemonPlace(client)));
  }
  const isVerbose = isSet(parsed, 'verbose');
  const place = await LocalPlace.open({
    baton,
    ask: questions && ((step, pending, signal) => questions.answer(step, pending, signal)),
    onLaunch: isVerbose ? (step, each) => tell(`${step}: ${launchLine(each)}`) : undefined,
  });
  try {
    return await act(place);
  } finally {
    await place.close();
  }
}

async function run({ parsed, action, words, place, questions }: Call): Promise<number> {
  const loaded = load(parsed);
  const chain = loaded.chain(nameIn(words, action, loaded));
  const inputs = readPairs(textsOf(parsed, 'input'), '--input');
  const cwd = resolve(textOf(parsed, 'cwd') ?? loaded.folder);
  if (isSet(parsed, 'dry-run')) return dryRun({ parsed, place, loaded, chain, inputs, cwd });
  inputsFor(chain, inputs);
  const isTrusted = await trust(loaded, chain, { parsed, place, isAttended: !!questions });
  if (!isTrusted) {
    tell('Not trusted. Nothing was started.');
    return EXIT.failed;
  }
  if (isSet(parsed, 'verbose')) for (const line of optionLines(chain)) tell(line);
  return showChain(place, (hooks) => place.start({ loaded, chain, inputs, cwd }, hooks), {
    ...viewOptions(parsed),
    chain: chain.name,
    outline: outlineOf(chain),
    questions,
  });
}

/** Checks everything that a run checks before its first step, and shows the plan. */
async function dryRun({
  parsed,
  place,
  loaded,
  chain,
  inputs,
  cwd,
}: Pick<Call, 'parsed' | 'place'> & {
  loaded: LoadedChains;
  chain: Chain;
  inputs: Record<string, string>;
  cwd: string;
}): Promise<number> {
  const values = inputsFor(chain, inputs);
  const chosen = await place.check(chain, cwd);
  const outline = outlineOf(chain);
  const rights = loaded.rights(chain);
  if (isSet(parsed, 'json')) {
    const backends = chosen && Object.fromEntries(chosen);
    printJson({ chain: chain.name, cwd, inputs: values, outline, backends, rights });
    return EXIT.done;
  }
  out.write(`${style(out, 'bold', chain.name)} in ${cwd}\n`);
  for (const line of optionLines(chain, chosen)) out.write(`  ${line}\n`);
  if (rights.length > 0) out.write('It allows its agents:\n');
  for (const right of rights) out.write(`  ${showUnseenInLine(rightLine(right))}\n`);
  out.write('Nothing was started.\n');
  return EXIT.done;
}

async function list({ parsed }: Call): Promise<number> {
  const loaded = load(parsed);
  if (isSet(parsed, 'json')) {
    printJson(
      loaded.chains.map(({ name, description, inputs, ...chain }) => {
        return { name, description, inputs, outline: outlineOf({ ...chain }) };
      }),
    );
    return EXIT.done;
  }
  const rows = loaded.chains.map((chain) => [
    { text: chain.name, format: 'bold' as const },
    String(chain.steps.length),
    Object.keys(chain.inputs).join(', '),
    chain.description ?? '',
  ]);
  out.write(tableText(out, ['CHAIN', 'STEPS', 'INPUTS', 'DESCRIPTION'], rows));
  return EXIT.done;
}

/** Shows a chain of the file, a run with what became of each step, or the transcript of a step. */
async function show(call: Call): Promise<number> {
  const { parsed, words, place } = call;
  const [word = '', step] = words;
  if (step !== undefined) return showStep(place, await findRun(place, word, parsed), step, parsed);
  const found = await chainOrRun(call);
  if ('chain' in found) {
    if (isSet(parsed, 'json')) printJson(found.chain);
    else for (const line of optionLines(found.chain)) out.write(`${line}\n`);
    return EXIT.done;
  }
  const events = await place.events(found.run.chain_run_id);
  const state = stateOf(found.run, events);
  if (isSet(parsed, 'json')) {
    printJson({ ...found.run, events });
    return EXIT.done;
  }
  const { chain, chain_run_id, cwd, inputs } = found.run;
  out.write(`${chainLine(out, `${chain} ${shortId(chain_run_id)}`, state)}\n`);
  out.write(`${style(out, 'dim', `in ${cwd}`)}\n`);
  for (const [key, value] of Object.entries(inputs)) out.write(`${key} = ${oneLine(value, 100)}\n`);
  const rows = [...state.steps.values()].map((step) => [
    step.step,
    STATUS_WORDS[step.status],
    step.backend ?? '',
    step.sessionId === undefined ? '' : shortId(step.sessionId),
    step.workspace?.branch ?? '',
    step.error?.message ?? '',
  ]);
  out.write(tableText(out, ['STEP', 'STATUS', 'BACKEND', 'SESSION', 'BRANCH', 'ERROR'], rows));
  for (const line of worktreeLines(state)) out.write(`${line}\n`);
  return EXIT.done;
}

async function showStep(
  place: ChainPlace,
  { chain_run_id }: ChainRunRecord,
  step: string,
  parsed: Parsed,
): Promise<number> {
  const { steps } = foldChain(await place.events(chain_run_id));
  const { sessionId, workspace, cwd } = steps.get(step) ?? {};
  if (sessionId === undefined) {
    const known = [...steps.values()].filter((each) => each.sessionId).map((each) => each.step);
    throw new BatonError('not_found', `No step "${step}" of this run has started an agent.`, {
      hint: known.length > 0 ? `Steps: ${known.join(', ')}.` : 'No step has.',
    });
  }
  if (!isSet(parsed, 'json')) {
    const branch = workspace?.branch ? ` on branch ${workspace.branch}` : '';
    const folder = workspace?.cwd ?? cwd;
    if (folder !== undefined) out.write(`${style(out, 'dim', `in ${folder}${branch}`)}\n`);
  }
  await printLog(place.log(sessionId), isSet(parsed, 'json'));
  return EXIT.done;
}

async function runs({ parsed, place }: Call): Promise<number> {
  const records = await place.runs(RUNS);
  if (isSet(parsed, 'json')) {
    printJson(records);
    return EXIT.done;
  }
  if (records.length === 0) {
    out.write('No chain runs. Start one with "baton chain run NAME".\n');
    return EXIT.done;
  }
  const rows = records.map((record) => [
    shortId(record.chain_run_id),
    record.chain,
    STATUS_WORDS[record.status],
    `${record.cost_estimated ? '~' : ''}$${record.cost_usd.toFixed(2)}`,
    ago(record.created_at),
    record.cwd,
  ]);
  out.write(tableText(out, ['RUN', 'CHAIN', 'STATUS', 'COST', 'STARTED', 'FOLDER'], rows));
  return EXIT.done;
}

async function resume({ parsed, action, words, place, questions }: Call): Promise<number> {
  const record = await findRun(place, oneWord(words, action, 'RUN'), parsed);
  const { chain_run_id: id, chain, outline } = record;
  const before = await place.events(id);
  const restart = isSet(parsed, 'restart');
  return showChain(place, (hooks) => place.resume(id, restart, hooks), {
    ...viewOptions(parsed),
    ...{ chain, outline, before, questions },
  });
}

async function stop({ parsed, action, words, place }: Call): Promise<number> {
  const record = await findRun(place, oneWord(words, action, 'RUN'), parsed);
  await place.stop(record.chain_run_id);
  const stopped = await findRun(place, record.chain_run_id, parsed);
  if (isSet(parsed, 'json')) printJson(stopped);
  else {
    const isOver = record.completed_at !== null;
    const word = isOver ? `has already ended: ${STATUS_WORDS[record.status]}` : 'is being stopped';
    out.write(`Chain run ${shortId(record.chain_run_id)} ${word}.\n`);
  }
  return EXIT.done;
}

async function approve({ parsed, words, place }: Call): Promise<number> {
  const [id, step, ...rest] = words;
  if (id === undefined || step === undefined || rest.length > 0) {
    throw new BatonError('usage', 'Expected RUN and STEP.', {
      hint: `Usage: ${CHAIN_USAGE.approve}`,
    });
  }
  const { chain_run_id } = await findRun(place, id, parsed);
  const decision = isSet(parsed, 'reject') ? 'reject' : 'approve';
  await place.answer(chain_run_id, step, { decision, comment: textOf(parsed, 'comment') });
  const after = await findRun(place, chain_run_id, parsed);
  if (isSet(parsed, 'json')) printJson(after);
  else {
    const word = decision === 'approve' ? 'Approved' : 'Rejected';
    const isAlone = after.status === 'interrupted';
    const next = isAlone ? ` Continue with "baton chain resume ${shortId(chain_run_id)}".` : '';
    out.write(`${word} ${step}.${next}\n`);
  }
  return EXIT.done;
}

/** The picture of a chain, or of a run with the states of its steps. */
async function graph(call: Call): Promise<number> {
  const format = textOf(call.parsed, 'format') ?? 'mermaid';
  if (format !== 'mermaid' && format !== 'svg') {
    throw new BatonError('usage', `--format is mermaid or svg, not "${format}".`);
  }
  const found = await chainOrRun(call);
  if ('chain' in found) {
    const outline = outlineOf(found.chain);
    out.write(format === 'svg' ? svgOf(outline) : mermaidOf(outline));
    return EXIT.done;
  }
  const state = stateOf(found.run, await call.place.events(found.run.chain_run_id));
  const { outline } = found.run;
  out.write(format === 'svg' ? svgOf(outline, statuses(state)) : mermaidOf(outline));
  return EXIT.done;
}

/** The state of a run; the events of a run whose process is gone do not say so. */
function stateOf({ status }: ChainRunRecord, events: readonly ChainEvent[]): ChainState {
  const state = foldChain(events);
  if (status !== 'interrupted') return state;
  state.status = status;
  if (state.runningSince !== undefined) state.activeMs += state.updatedAt - state.runningSince;
  delete state.runningSince;
  for (const step of state.steps.values()) if (step.status === 'running') step.status = status;
  return state;
}

function statuses({ steps }: ChainState): Map<string, StepStatus> {
  return new Map([...steps].map(([path, { status }]) => [path, status]));
}

/** A word may be the name of a chain or the id of a run; a chain of the file wins. */
async function chainOrRun({
  parsed,
  action,
  words,
  place,
}: Call): Promise<{ chain: Chain } | { run: ChainRunRecord }> {
  const word = words[0];
  const loaded = word === undefined ? load(parsed) : loadedOrUndefined(parsed);
  const isChain = word === undefined || loaded?.names.includes(word);
  if (loaded && isChain) return { chain: loaded.chain(nameIn(words, action, loaded)) };
  const found = word === undefined ? [] : await matchingRuns(place, word, parsed);
  const [run, ...others] = found;
  if (run && others.length === 0) return { run };
  // The error says which names the file has, or what is wrong with it.
  return { chain: (loaded ?? load(parsed)).chain(word ?? '') };
}

/** A run is found without a chains file, too. */
function loadedOrUndefined(parsed: Parsed): LoadedChains | undefined {
  try {
    return load(parsed);
  } catch (error) {
    if (BatonError.is(error)) return undefined;
    throw error;
  }
}

function load(parsed: Parsed): LoadedChains {
  const cwd = resolve(textOf(parsed, 'cwd') ?? '.');
  const file = textOf(parsed, 'file');
  // A given file is relative to where the command runs, not to the folder of the agents.
  return loadChains({
    cwd,
    env: process.env,
    ...(file === undefined ? {} : { file: resolve(file) }),
  });
}

/** Asks once per content of a file that widens rights; tells whether the chain may run. */
async function trust(
  loaded: LoadedChains,
  chain: Chain,
  { parsed, place, isAttended }: { parsed: Parsed; place: ChainPlace; isAttended: boolean },
): Promise<boolean> {
  const rights = loaded.rights(chain);
  const isNeeded = rights.length > 0 || place.runsOnlyTrusted;
  if (!isNeeded || (await place.isTrusted(loaded))) return true;
  if (!isSet(parsed, 'trust')) {
    if (!isAttended) throw untrusted(loaded, rights);
    if (!(await askChainsTrust(loaded.path, rights))) return false;
  }
  await place.trust(loaded);
  return true;
}

function untrusted({ path }: LoadedChains, rights: readonly WidenedRight[]): BatonError {
  const list = rights.map((right) => `\n  ${rightLine(right)}`).join('');
  const message =
    list === '' ? ' A daemon runs only trusted files.' : ` It allows its agents:${list}`;
  return new BatonError('usage', `The chains file is not trusted: ${path}.${message}`, {
    hint: 'Review it, then run the command again with --trust.',
  });
}

async function findRun(place: ChainPlace, word: string, parsed: Parsed): Promise<ChainRunRecord> {
  const found = await matchingRuns(place, word, parsed);
  const [run] = found;
  if (!run) {
    throw new BatonError('not_found', `No chain run matches "${word}".`, {
      hint: 'See "baton chain runs".',
    });
  }
  if (found.length === 1) return run;
  const named = found.map(({ chain_run_id: id, chain }) => ({
    kind: 'session' as const,
    id,
    about: chain,
  }));
  throw ambiguous(word, named);
}

/** `last` is the newest run in the current folder, or the newest of all if there is none. */
async function matchingRuns(
  place: ChainPlace,
  word: string,
  parsed: Parsed,
): Promise<ChainRunRecord[]> {
  const all = await place.runs(RUNS);
  const here = resolve(textOf(parsed, 'cwd') ?? '.');
  const last = all.find(({ cwd }) => cwd === here) ?? all[0];
  if (word === 'last') return last ? [last] : [];
  return all.filter(({ chain_run_id }) => chain_run_id.startsWith(word));
}

/** The only chain of a file needs no name. */
function nameIn(words: readonly string[], action: ChainAction, loaded: LoadedChains): string {
  const [first, ...rest] = words;
  const [only, ...others] = loaded.names;
  if (first === undefined && only !== undefined && others.length === 0) return only;
  if (first !== undefined && rest.length === 0) return first;
  throw new BatonError(
    'usage',
    first === undefined ? 'Missing NAME.' : `Unexpected "${rest[0]}".`,
    {
      hint: `Usage: ${CHAIN_USAGE[action]}. Chains: ${loaded.names.join(', ')}.`,
    },
  );
}

function oneWord(words: readonly string[], action: ChainAction, what: string): string {
  const [first, ...rest] = words;
  if (first !== undefined && rest.length === 0) return first;
  const message = first === undefined ? `Missing ${what}.` : `Unexpected "${rest[0]}".`;
  throw new BatonError('usage', message, { hint: `Usage: ${CHAIN_USAGE[action]}` });
}

function viewOptions(parsed: Parsed): { json: boolean; verbose: boolean } {
  return { json: isSet(parsed, 'json'), verbose: isSet(parsed, 'verbose') };
}

/** The backend and the key options of each step, as `--verbose` logs them. */
function* optionLines(
  chain: Pick<Chain, 'steps' | 'workspace'>,
  chosen?: ReadonlyMap<string, string>,
  prefix = '',
): Generator<string> {
  for (const step of chain.steps) {
    const path = prefix + step.id;
    if (step.kind === 'agent') {
      const { model, maxTurns, tools } = step.options;
      const facts = [
        `backend ${chosen?.get(path) ?? step.backend}`,
        `permission mode ${step.permissionMode}`,
        ...((step.workspace ?? chain.workspace)?.kind === 'worktree' ? ['worktree'] : []),
        ...(model === undefined ? [] : [`model ${model}`]),
        ...(maxTurns === undefined ? [] : [`at most ${maxTurns} turns`]),
        ...(tools?.allowed?.length ? [`allowed tools ${tools.allowed.join(', ')}`] : []),
        ...(step.iterations === undefined ? [] : [`up to ${step.iterations} iterations`]),
      ];
      yield `${path}: ${facts.join(', ')}`;
      continue;
    }
    yield `${path}: ${step.kind}`;
    if (step.kind !== 'approval') {
      yield* optionLines({ ...chain, steps: step.steps }, chosen, `${path}/`);
    }
  }
}

function printJson(value: unknown): void {
  out.write(`${JSON.stringify(value, null, 2)}\n`);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
