import { describe, expect, test } from 'vitest';
import { executeTask } from './execution-backends.ts';
import {
  normalizeExecutionBackend,
  type RunnerExecutionBackend,
  type RunnerExecutionRequest,
  type RunnerExecutionResult,
} from './runner-backend.ts';

class Mine implements RunnerExecutionBackend {
  readonly id = 'mine';
  readonly #act: (request: RunnerExecutionRequest) => RunnerExecutionResult;

  constructor(act: (request: RunnerExecutionRequest) => RunnerExecutionResult) {
    this.#act = act;
  }

  canExecute(backend: string): boolean {
    return normalizeExecutionBackend(backend) === 'mine';
  }

  async execute(request: RunnerExecutionRequest): Promise<RunnerExecutionResult> {
    return this.#act(request);
  }
}

const request = (
  backend?: string,
  signal = new AbortController().signal,
): RunnerExecutionRequest => ({
  taskId: 't1',
  taskType: 'task',
  packet: backend ? { execution: { backend } } : {},
  prompt: 'Hi',
  startedAt: Date.now(),
  abortSignal: signal,
});
const run = (act: ConstructorParameters<typeof Mine>[0], given = request('Mine')) =>
  executeTask(given, { backends: [new Mine(act)] });

describe('a task for an execution backend', () => {
  test('goes to the one that takes its backend, with what the result omits', async () => {
    expect(await run(({ prompt }) => ({ output: `${prompt}!` }))).toMatchObject({
      status: 'done',
      output: 'Hi!',
      durationMs: expect.any(Number),
    });
    expect(await run(() => ({}))).toMatchObject({ output: '(empty response)' });
  });

  test('fails where no backend takes it', async () => {
    expect(await run(() => ({}), request('openclaw'))).toMatchObject({
      status: 'failed',
      output: 'Runner does not support execution backend: openclaw',
    });
  });

  test('uses the setting of the operator for a packet that names none', async () => {
    const backends = [new Mine(() => ({ output: 'mine' }))];
    const result = await executeTask(request(), { backends, operatorSetting: 'mine' });
    expect(result.output).toBe('mine');
  });

  test('fails when the backend throws, and is cancelled when it was aborted', async () => {
    const throws = () => {
      throw new Error('out of milk');
    };
    expect(await run(throws)).toMatchObject({ status: 'failed', output: 'out of milk' });
    expect(await run(throws, request('mine', AbortSignal.abort()))).toMatchObject({
      status: 'cancelled',
      output: 'Cancelled by user request',
    });
  });

  test.each<[string, unknown, Partial<RunnerExecutionBackend>]>([
    ['a packet is missing', { ...request('mine'), packet: undefined }, {}],
    ['a packet is not an object', { ...request('mine'), packet: null }, {}],
    ['the request is missing', undefined, {}],
    ['there is no signal', { ...request('mine'), abortSignal: undefined, packet: null }, {}],
    ['canExecute throws', request('mine'), { canExecute: () => fail(new Error('no')) }],
    ['execute throws no error', request('mine'), { execute: () => fail(Object.create(null)) }],
    ['execute throws nothing', request('mine'), { execute: () => fail(undefined) }],
    ['execute returns nothing', request('mine'), { execute: async () => undefined as never }],
  ])('fails and does not reject when %s', async (_when, given, changes) => {
    const backend = Object.assign(new Mine(() => ({})), changes);
    const result = await executeTask(given as RunnerExecutionRequest, { backends: [backend] });
    expect(result).toMatchObject({ status: 'failed', output: expect.stringMatching(/./) });
  });
});

function fail(thrown: unknown): never {
  throw thrown;
}
