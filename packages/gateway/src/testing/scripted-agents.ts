import { Registry } from '@baton/agents/registry/registry';
import type { WarningLog } from '@baton/contracts';
import {
  type AgentEvent,
  type AgentRun,
  type AnswerReceipt,
  BatonError,
  type EventOf,
  type EventType,
  type Host,
  type HostedRun,
  type HostRequest,
  type PermissionRequest,
  type Probe,
  type Question,
  type RequestAnswer,
  type RunResult,
  type StopReport,
  type Usage,
} from '@baton/protocol';
import { type AgentChoice, ChannelAgents } from '../agents/channel-agents.ts';
import type { RunStyle } from '../agents/run-style.ts';
import type { GatewayConfig } from '../config/load-config.ts';

/** Behavior of a scripted agent for a prompt; it returns the answer, or throws a `BatonError` to fail. */
export type Script = (stage: Stage, call: AgentCall) => Promise<string>;

type AgentCall = AgentChoice & {
  readonly prompt: string;
  readonly sessionId: string | undefined;
  readonly request: HostRequest;
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
  /** True once its reader went away before its end. */
  isAbandoned = false;
  /** True once it was left to its daemon. */
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
      while (!isOver && !this.isLeft) {
        const event = this.#events.shift();
        isOver = event?.type === 'run.completed';
        if (event) yield event;
        if (event) continue;
        await this.#arrived.promise;
        this.#arrived = Promise.withResolvers();
      }
    } finally {
      this.isAbandoned = !isOver && !this.isLeft;
      if (this.isAbandoned) void this.cancel('abandoned');
    }
  }

  /** Ends its events; the script goes on. */
  leave(): void {
    this.isLeft = true;
    this.#arrived.resolve();
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

type ScriptedAgentsOptions = {
  names?: readonly string[];
  installed?: readonly string[];
  /** The URL of the daemon that the agents seem to run in. */
  place?: string;
  style?: RunStyle;
};

/** A host of agents that play scripts, each in its own session. By default they repeat the prompt. */
export class ScriptedAgents implements Host {
  readonly url: string | undefined;
  readonly names: readonly string[];
  readonly calls: AgentCall[] = [];
  readonly runs: ScriptedRun[] = [];
  script: Script = async (_stage, { prompt }) => `You said: ${prompt}`;
  /** Number of running agents, and the maximum that ran at once. */
  running = 0;
  most = 0;
  #options: ScriptedAgentsOptions;
  #sessions = 0;

  constructor(options: ScriptedAgentsOptions = {}) {
    this.#options = options;
    this.url = options.place;
    this.names = options.names ?? ['claude', 'codex'];
  }

  /** These agents for a gateway. */
  inChannels(config: GatewayConfig, log: WarningLog): ChannelAgents {
    const { names } = this;
    const nameOf = (text: string) => {
      if (names.includes(text)) return text;
      throw new BatonError('backend_unknown', `Unknown backend "${text}".`, {
        hint: `Backends: ${names.join(', ')}.`,
      });
    };
    const { capabilities } = new Registry().entry('claude');
    const describe = (label: string) => ({ label, capabilities });
    const list = { names, nameOf, describe };
    return new ChannelAgents({ host: this, list, config, log, style: this.#options.style });
  }

  async probe(backend: string): Promise<Probe> {
    const { installed = this.names } = this.#options;
    return {
      ...{ backend, installed: installed.includes(backend), path: `/opt/${backend}` },
      ...{ credentials: 'not_needed', problems: [], install: '' },
    };
  }

  launch = async (request: HostRequest): Promise<HostedRun<AgentRun<never>>> => {
    const { backend, model, session: sessionId, signal } = request;
    const call = { backend, model, prompt: String(request.prompt), sessionId, request };
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
    return { run: run as AgentRun<never>, sessionId: undefined, leave: () => run.leave() };
  };

  describe(): Promise<never> {
    throw new Error('not part of the script');
  }

  check(): Promise<never> {
    throw new Error('not part of the script');
  }

  join(): Promise<never> {
    throw new Error('not part of the script');
  }

  find(): Promise<never> {
    throw new Error('not part of the script');
  }

  stop(): Promise<never> {
    throw new Error('not part of the script');
  }

  trustOf(): Promise<never> {
    throw new Error('not part of the script');
  }

  keepTrust(): Promise<never> {
    throw new Error('not part of the script');
  }
}
