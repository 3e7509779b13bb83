import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { AgentRun, OpenOptions, RunInput } from '@baton/engine/definition/backend';
import { brokenPromises } from '@baton/engine/run/event-promises';
import type {
  AgentEvent,
  Capabilities,
  EventOf,
  EventType,
  RunResult,
} from '@baton/protocol/values';
import type { ConformanceSubject, ScriptStep, StepKind, World } from './subject.ts';

export type Finished = { events: AgentEvent[]; result: RunResult };

/** Runs a case in its own world and checks that nothing is left of it. */
export async function inWorld(
  subject: ConformanceSubject,
  act: (stage: Stage) => Promise<void>,
): Promise<void> {
  const world = await subject.world();
  try {
    await act(new Stage(subject, world));
  } finally {
    await world.dispose();
  }
}

/** The subject of a case in its world. */
export class Stage {
  readonly subject: ConformanceSubject;
  readonly world: World;

  constructor(subject: ConformanceSubject, world: World) {
    this.subject = subject;
    this.world = world;
  }

  get cwd(): string {
    return this.world.cwd;
  }

  /** The options of a conversation in this world. */
  options(more: Partial<OpenOptions> = {}): OpenOptions {
    const { options } = this.world;
    const { permissionModes } = capabilitiesOf(this.subject);
    // An agent that cannot ask must be told to do without.
    const [permissionMode] = permissionModes.includes('ask') ? ['ask' as const] : permissionModes;
    return {
      permissionMode,
      ...options,
      cwd: this.cwd,
      ...more,
      env: { ...options.env, ...more.env },
    };
  }

  /** Starts one prompt that makes the model do some steps. */
  start(steps: readonly ScriptStep[], more: Partial<RunInput> = {}): AgentRun {
    const prompt = more.prompt ?? this.subject.prompt(steps);
    return this.subject.backend.run({ ...this.options(more), prompt });
  }

  /** Runs one prompt to its end and checks the promises of its events. */
  async run(steps: readonly ScriptStep[], more: Partial<RunInput> = {}): Promise<Finished> {
    return finish(this.start(steps, more));
  }
}

/** Returns the capabilities of a backend through the transport under test. */
export function capabilitiesOf({ backend, capabilities }: ConformanceSubject): Capabilities {
  return capabilities ?? backend.capabilities;
}

/** Returns the reason to skip a case: the model cannot be made to do one of its steps. */
export function lacking({ steps }: ConformanceSubject, ...needed: StepKind[]): string | undefined {
  const missing = needed.find((kind) => steps && !steps.includes(kind));
  return missing && `the fake model does not support "${missing}"`;
}

/** Reads a run to its end and checks the promises of its events. */
export async function finish(
  run: AgentRun,
  onEvent?: (event: AgentEvent) => unknown,
): Promise<Finished> {
  const events: AgentEvent[] = [];
  for await (const event of run) {
    events.push(event);
    await onEvent?.(event);
  }
  assert.deepEqual(brokenPromises(events), []);
  assertNothingSurvives(run.runId);
  return { events, result: await run.result };
}

/** The events of one type. */
export function all<Type extends EventType>(
  events: readonly AgentEvent[],
  type: Type,
): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

/** The first event of one type; its absence fails the case. */
export function first<Type extends EventType>(
  events: readonly AgentEvent[],
  type: Type,
): EventOf<Type> {
  const event = all(events, type)[0];
  assert.ok(event, `There is no ${type} among: ${events.map((each) => each.type).join(', ')}`);
  return event;
}

/** Checks that a run ended well, and shows why when it did not. */
export function assertDone({ result }: Finished): void {
  assert.equal(result.outcome, 'done', JSON.stringify(result.error));
}

/** Checks that no process carries the mark of a run; on systems without /proc there is nothing to look at. */
export function assertNothingSurvives(runId: string): void {
  const marker = `BATON_RUN_${runId.replaceAll(/\W/g, '_')}=1`;
  const left = processes().filter((pid) => environmentOf(pid).includes(marker));
  assert.deepEqual(left, [], `Processes ${left.join(', ')} survived the run.`);
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function environmentOf(pid: string): string {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
    return state === 'Z' ? '' : readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
