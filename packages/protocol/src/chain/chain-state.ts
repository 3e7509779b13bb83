import type { ErrorInfo } from '../error.ts';
import type { Outcome } from '../outcome.ts';
import type { Usage } from '../usage.ts';
import { addUsage } from '../usage-sum.ts';
import type { ChainEvent, StepOutcome, StepWorkspace } from './chain-event.ts';

/** `interrupted`: the process that ran the chain ended, and the chain has not been resumed. */
export const CHAIN_STATUSES = [
  'running',
  'awaiting_approval',
  'interrupted',
  'done',
  'failed',
  'timed_out',
  'cancelled',
] as const;
export type ChainStatus = (typeof CHAIN_STATUSES)[number];

export type StepStatus = 'running' | 'interrupted' | 'awaiting_approval' | StepOutcome;

/** The state of a step, folded from its events. */
export type StepState = {
  step: string;
  status: StepStatus;
  startedAt: number;
  endedAt?: number | undefined;
  backend?: string | undefined;
  sessionId?: string | undefined;
  taskId?: string | undefined;
  /** The folder of the step. */
  cwd?: string | undefined;
  /** The worktree in which its agent works, if it has one. */
  workspace?: StepWorkspace | undefined;
  /** Number of times that the step started. */
  attempts: number;
  output?: string | undefined;
  structured?: unknown;
  usage?: Usage | undefined;
  error?: ErrorInfo | undefined;
  marker?: boolean | undefined;
  /** The question of an approval step. */
  message?: string | undefined;
  decision?: { decision: 'approve' | 'reject'; comment?: string | undefined } | undefined;
};

/** A chain run, folded from its events. */
export type ChainState = {
  status: ChainStatus;
  steps: Map<string, StepState>;
  /** Usage of all steps, including failed and repeated ones. */
  usage?: Usage | undefined;
  stopRequested: boolean;
  /** Running time up to the last event, without the time in which no process ran the chain. */
  activeMs: number;
  /** Time at which it last started running. */
  runningSince?: number | undefined;
  /** The time of the last event. */
  updatedAt: number;
  outcome?: Outcome | undefined;
  error?: ErrorInfo | undefined;
  notices: { step?: string | undefined; code: string; message: string }[];
};

export function emptyChainState(): ChainState {
  return {
    status: 'running',
    steps: new Map(),
    stopRequested: false,
    activeMs: 0,
    updatedAt: 0,
    notices: [],
  };
}

/** Applies an event to the state of its chain run. Views and the engine use the same function. */
export function applyChainEvent(state: ChainState, event: ChainEvent): void {
  const { updatedAt } = state;
  state.updatedAt = event.time;
  switch (event.type) {
    case 'chain.started':
      state.runningSince = event.time;
      return;
    case 'chain.resumed':
      state.status = isAwaitingApproval(state) ? 'awaiting_approval' : 'running';
      state.stopRequested = false;
      // The process that ran it was killed: it ran at least until its last event.
      if (state.runningSince !== undefined) state.activeMs += updatedAt - state.runningSince;
      state.runningSince = event.time;
      delete state.outcome;
      delete state.error;
      return;
    case 'step.started':
      startStep(state, event);
      return;
    case 'step.placed':
      changeStep(state, event.step, { workspace: event.workspace });
      return;
    case 'step.interrupted':
      changeStep(state, event.step, { status: 'interrupted', endedAt: event.time });
      state.usage = addUsage(state.usage, event.usage);
      return;
    case 'step.completed': {
      const { seq: _seq, type: _type, time, step, outcome, ...rest } = event;
      changeStep(state, step, { status: outcome, endedAt: time, ...rest }, time);
      state.usage = addUsage(state.usage, event.usage);
      return;
    }
    case 'approval.requested':
      changeStep(state, event.step, { status: 'awaiting_approval', message: event.message });
      state.status = 'awaiting_approval';
      return;
    case 'approval.answered': {
      const { decision, comment } = event;
      changeStep(state, event.step, { status: 'running', decision: { decision, comment } });
      if (!isAwaitingApproval(state)) state.status = 'running';
      return;
    }
    case 'chain.notice': {
      const { step, code, message } = event;
      state.notices.push({ step, code, message });
      return;
    }
    case 'chain.stop_requested':
      state.stopRequested = true;
      return;
    case 'chain.completed':
      state.status = event.outcome;
      state.outcome = event.outcome;
      state.error = event.error;
      if (state.runningSince !== undefined) state.activeMs += event.time - state.runningSince;
      delete state.runningSince;
  }
}

/** Folds the events of a chain run. */
export function foldChain(events: Iterable<ChainEvent>): ChainState {
  const state = emptyChainState();
  for (const event of events) applyChainEvent(state, event);
  return state;
}

export function isAwaitingApproval({ steps }: ChainState): boolean {
  return [...steps.values()].some(({ status }) => status === 'awaiting_approval');
}

function startStep(
  state: ChainState,
  { step, time, backend, sessionId, taskId, cwd }: Extract<ChainEvent, { type: 'step.started' }>,
): void {
  const attempts = (state.steps.get(step)?.attempts ?? 0) + 1;
  state.steps.set(step, {
    ...{ step, status: 'running', startedAt: time, attempts },
    ...{ backend, sessionId, taskId },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** Updates a step. A skipped step never started, so it may be new. */
function changeStep(state: ChainState, step: string, changes: Partial<StepState>, time = 0): void {
  const known = state.steps.get(step) ?? { step, startedAt: time, attempts: 0 };
  state.steps.set(step, { ...known, ...changes } as StepState);
}
