import {
  type AgentEvent,
  type AgentRun,
  type AnswerReceipt,
  BatonError,
  type EventOf,
  type EventType,
  type PermissionRequest,
  type Question,
  type RequestAnswer,
  type RunOptions,
  type RunResult,
  type StopReport,
  type Usage,
} from '@baton/protocol';
import { Registry } from '@baton/runtime/internal';
import type { AgentChoice, ChannelAgents, MessageContext } from '../agents/channel-agents.ts';
import { LaunchAdapter } from '../agents/launch-adapter.ts';

/** Behavior of a scripted agent for a prompt; it returns the answer, or throws a `BatonError` to fail. */
export type Script = (stage: Stage, call: AgentCall) => Promise<string>;

export type AgentCall = AgentChoice & {
  readonly prompt: string;
  readonly sessionId: string | undefined;
  readonly options: RunOptions;
  readonly turnId: string;
};

type Body<Type extends EventType> = Omit<EventOf<Type>, 'type' | 'seq' | 'time' | 'runId'>;

/** Actions of a script while it runs. */
export class Stage {
  readonly signal: AbortSignal;
  #run: ScriptedRun;
  #ids = 0;
  usage: Usage | undefined;

  constructor(run: ScriptedRun, signal: AbortSignal) {
    this.#run = run;
    this.signal = signal;
  }

  emit<Type extends EventType>(type: Type, body: Body<Type>): void {
    this.#run.emit(type, body);
  }

  say(text: string, messageId = 'm1'): void {
    this.emit('message.delta', { messageId, kind: 'text', text });
  }

  runTool(command: string): void {
    const action = { type: 'command', command } as const;
    this.emit('tool.started', { callId: `t${++this.#ids}`, name: 'shell', action });
  }

  /** Waits for something, unless the run is stopped first. */
  until<Value>(promise: Promise<Value>): Promise<Value> {
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(new BatonError('interrupted', 'Stopped'));
    this.signal.addEventListener('abort', stop, { once: true });
    if (this.signal.aborted) stop();
    return Promise.race([promise, stopped.promise]);
  }

  /** Asks for permission, and resolves with the event that settles it. */
  askPermission(request: Partial<PermissionRequest> = {}): Promise<EventOf<'permission.resolved'>> {
    const requestId = request.requestId ?? `p${++this.#ids}`;
    const settled = this.#run.settled(requestId);
    const action = { type: 'command', command: 'ls' } as const;
    this.emit('permission.requested', {
      ...{ tool: 'shell', action, scopes: ['once'] },
      ...request,
      requestId,
    });
    return this.until(settled) as Promise<EventOf<'permission.resolved'>>;
  }

  askQuestion(...questions: readonly Question[]): Promise<EventOf<'question.resolved'>> {
    const requestId = `q${++this.#ids}`;
    const settled = this.#run.settled(requestId);
    this.emit('question.requested', { requestId, questions: [...questions] });
    return this.until(settled) as Promise<EventOf<'question.resolved'>>;
  }
}

/** A run of a script, in memory. */
export class ScriptedRun implements AgentRun {
  readonly runId = 'run';
  readonly cancels: (string | undefined)[] = [];
  readonly answers: { requestId: string; answer: RequestAnswer }[] = [];
  /** True once its events are no longer read. */
  isLeft = false;
  #ended = Promise.withResolvers<RunResult>();
  #stop = new AbortController();
  #events: AgentEvent[] = [];
  #arrived = Promise.withResolvers<void>();
  #settled = new Map<string, (event: AgentEvent) => void>();
  #seq = 0;

  constructor(play: (stage: Stage) => Promise<string>, sessionId = 's1') {
    const stage = new Stage(this, this.#stop.signal);
    this.emit('run.started', { backend: 'demo', transport: 'live', cwd: '/workspace' });
    void this.#play(stage, play, sessionId);
  }

  get result(): Promise<RunResult> {
    return this.#ended.promise;
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  emit<Type extends EventType>(type: Type, body: Body<Type>): void {
    this.#seq += 1;
    const envelope = { type, seq: this.#seq, time: this.#seq, runId: this.runId };
    this.#events.push({ ...envelope, ...body } as unknown as AgentEvent);
    this.#arrived.resolve();
  }

  /** Resolves with the event that settles a request. */
  settled(requestId: string): Promise<AgentEvent> {
    return new Promise((resolve) => this.#settled.set(requestId, resolve));
  }

  /** Settles a request, here or elsewhere. */
  settle(requestId: string, answer: RequestAnswer): boolean {
    const resolve = this.#settled.get(requestId);
    if (!resolve || !this.#settled.delete(requestId)) return false;
    const { by = 'person' } = answer;
    if ('decision' in answer) {
      const { decision } = answer;
      const more = decision === 'allow' ? { scope: answer.scope } : { reason: answer.reason };
      this.emit('permission.resolved', { requestId, decision, by, ...more });
    } else {
      const more = 'answers' in answer ? { answers: answer.answers } : { reason: answer.reason };
      this.emit('question.resolved', { requestId, by, ...more });
    }
    const event = this.#events.at(-1);
    if (event) resolve(event);
    return true;
  }

  async answer(requestId: string, answer: RequestAnswer): Promise<AnswerReceipt> {
    this.answers.push({ requestId, answer });
    return this.settle(requestId, answer) ? 'accepted' : 'unknown';
  }

  async cancel(reason?: string): Promise<StopReport> {
    this.cancels.push(reason);
    this.#stop.abort();
    for (const requestId of [...this.#settled.keys()]) {
      const isQuestion = requestId.startsWith('q');
      this.settle(
        requestId,
        isQuestion ? { declined: true, by: 'stop' } : { decision: 'deny', by: 'stop' },
      );
    }
    await this.result;
    return { state: 'stopped', requestedAt: 0, stoppedAt: 0, steps: [], killed: 0 };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    let isOver = false;
    try {
      while (!isOver) {
        const event = this.#events.shift();
        isOver = event?.type === 'run.completed';
        if (event) yield event;
        if (event) continue;
        await this.#arrived.promise;
        this.#arrived = Promise.withResolvers();
      }
    } finally {
      this.isLeft = !isOver;
      if (!isOver) void this.cancel('left');
    }
  }

  collect(): Promise<RunResult> {
    throw new Error('not part of the script');
  }

  text(): AsyncIterableIterator<string> {
    throw new Error('not part of the script');
  }

  toSSE(): ReadableStream<Uint8Array> {
    throw new Error('not part of the script');
  }

  async steer(): Promise<void> {}

  async #play(stage: Stage, play: (stage: Stage) => Promise<string>, sessionId: string) {
    const result = await play(stage).then(
      (output): RunResult => ({ outcome: 'done', output, durationMs: 0 }),
      (error: unknown) => this.#failure(error),
    );
    const { usage } = stage;
    const whole = { ...result, nativeSessionId: sessionId, ...(usage ? { usage } : {}) };
    this.emit('run.completed', whole);
    this.#ended.resolve(whole);
  }

  #failure(error: unknown): RunResult {
    const known = BatonError.is(error) ? error : new BatonError('internal', String(error));
    const outcome = this.isStopped ? 'cancelled' : 'failed';
    return { outcome, output: '', durationMs: 0, error: known.toJSON() };
  }
}

export type ScriptedAgentsOptions = {
  names?: readonly string[];
  installed?: readonly string[];
  /** The URL of the daemon that the agents seem to run in. */
  place?: string;
  timeoutMs?: number;
};

/** Agents that play scripts, each in its own session. By default they repeat the prompt. */
export class ScriptedAgents implements ChannelAgents {
  readonly place: string | undefined;
  readonly names: readonly string[];
  readonly calls: AgentCall[] = [];
  readonly runs: ScriptedRun[] = [];
  readonly warnings: string[] = [];
  script: Script = async (_stage, { prompt }) => `You said: ${prompt}`;
  /** Number of running agents, and the maximum that ran at once. */
  running = 0;
  most = 0;
  #options: ScriptedAgentsOptions;
  #sessions = 0;

  constructor(options: ScriptedAgentsOptions = {}) {
    this.#options = options;
    this.place = options.place;
    this.names = options.names ?? ['claude', 'codex'];
  }

  nameOf(text: string): string {
    const name = this.names.find((each) => each === text);
    if (name) return name;
    throw new BatonError('backend_unknown', `Unknown backend "${text}".`, {
      hint: `Backends: ${this.names.join(', ')}.`,
    });
  }

  sessionName(backend: string): string {
    return backend;
  }

  async validate(backend: string): Promise<{ isInstalled: boolean; path: string }> {
    const { installed = this.names } = this.#options;
    return { isInstalled: installed.includes(backend), path: `/opt/${backend}` };
  }

  async adapter(choice: AgentChoice, context: MessageContext): Promise<LaunchAdapter> {
    const { capabilities } = new Registry().entry('claude');
    return new LaunchAdapter({
      name: choice.backend,
      label: choice.backend,
      capabilities,
      options: {},
      timeoutMs: this.#options.timeoutMs ?? 0,
      ask: context.ask,
      ...(this.place === undefined ? {} : { left: context.left }),
      log: { warn: (warning) => void this.warnings.push(warning) },
      isInstalled: async () => true,
      start: async ({ prompt, options, sessionId, signal }) => {
        const call = { ...choice, prompt, options, sessionId, turnId: context.turnId };
        this.calls.push(call);
        this.running += 1;
        this.most = Math.max(this.most, this.running);
        this.#sessions += 1;
        const run = new ScriptedRun(
          (stage) => this.script(stage, call),
          sessionId ?? `session ${this.#sessions}`,
        );
        this.runs.push(run);
        void run.result.then(() => {
          this.running -= 1;
        });
        const cancel = () => void run.cancel();
        signal?.addEventListener('abort', cancel, { once: true });
        if (signal?.aborted) cancel();
        return { run };
      },
    });
  }
}
