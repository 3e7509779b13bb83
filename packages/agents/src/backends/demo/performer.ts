import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '@baton/engine/definition/dialect';
import { errorInfo } from '@baton/protocol/error';
import type { Action, PermissionMode, RequestAnswer, ToolOutcome } from '@baton/protocol/values';
import { Ledger } from './ledger.ts';
import type { DemoLine } from './protocol.ts';
import type { DemoStep, DemoSteps } from './steps.ts';
import { editAction, readPath, runCommand, type ToolReport, writePath } from './tools.ts';

type Performance = {
  print(line: DemoLine): void;
  permissionMode: PermissionMode;
  /** Milliseconds between two words. */
  pace: number;
  abort: AbortSignal;
  /** Called when the turn begins to wait for an answer, with the number of steps that are done, and when it has one. */
  onWaiting?: ((stepsDone: number | undefined) => void) | undefined;
};

type Denial = { reason?: string | undefined; stop?: boolean | undefined };

/** Plays the steps of one turn: prints what an agent would print, and really does what it says. */
export class Performer {
  #stage: Performance;
  #answers = new Map<string, (answer: RequestAnswer) => void>();
  /** Reason for ending the whole turn, once that was requested. */
  #refused: string | undefined;
  /** Outcome of the tool in the last step. */
  #outcome: ToolOutcome | undefined;
  /** Ledger that records everything before it is printed, once a step has asked for it. */
  #ledger: Ledger | undefined;
  #count = 0;
  #words = 0;
  #stepsDone = 0;

  constructor(stage: Performance) {
    this.#stage = stage;
  }

  /** Hands an answer to the step that waits for it. */
  answer(requestId: string, answer: RequestAnswer): void {
    if (endsTurn(answer)) this.#refused = answer.reason ?? 'It was not allowed.';
    else this.#stage.onWaiting?.(undefined);
    this.#answers.get(requestId)?.(answer);
    this.#answers.delete(requestId);
  }

  /** Plays the steps, except those that are done already. */
  async play(steps: DemoSteps, done = 0): Promise<Verdict> {
    const script = steps[Symbol.iterator]();
    let next = script.next();
    for (; !next.done && this.#stepsDone < done; this.#stepsDone += 1) {
      this.#recall(next.value);
      next = script.next('ok');
    }
    for (; !next.done; next = script.next(this.#outcome), this.#stepsDone += 1) {
      this.#outcome = undefined;
      const verdict = await this.#step(next.value);
      if (this.#stage.abort.aborted) {
        return {
          outcome: 'cancelled',
          error: errorInfo('interrupted', 'The demo agent was interrupted.'),
        };
      }
      if (this.#refused !== undefined)
        return { outcome: 'failed', error: errorInfo('permission_denied', this.#refused) };
      if (verdict) return { ...verdict, usage: this.#usage() };
    }
    return { outcome: 'done', usage: this.#usage() };
  }

  /** Takes note of a step that an earlier process has done. */
  #recall(step: DemoStep): void {
    if ('ledger' in step) this.#keepLedger(step.ledger);
    if ('say' in step) this.#ledger?.recall(step.say);
    if ('think' in step) this.#ledger?.recall(step.think);
  }

  async #step(step: DemoStep): Promise<Verdict | undefined> {
    if ('think' in step) return this.#speak('thinking', step.think);
    if ('say' in step) return this.#speak('text', step.say);
    if ('plan' in step) return this.#plan(step.plan);
    if ('read' in step) return this.#read(step.read);
    if ('write' in step) return this.#write(step.write);
    if ('shell' in step) return this.#shell(step.shell, step.ownSession ?? false);
    if ('question' in step) return this.#ask(step.question);
    if ('flood' in step) return this.#flood(step.flood);
    if ('garbage' in step) return this.#garbage(step.garbage);
    if ('leave' in step) return this.#leave(step.leave);
    if ('ledger' in step) return this.#keepLedger(step.ledger);
    if ('stall' in step) return this.#stall();
    if ('crash' in step) return this.#crash(step.crash);
    if ('ignoreSignals' in step) return ignoreSignals();
    return { outcome: 'failed', error: errorInfo('agent_failed', step.fail) };
  }

  async #speak(kind: 'text' | 'thinking', text: string): Promise<undefined> {
    const messageId = this.#id('message');
    this.#stage.print({ type: 'message.started', messageId, kind });
    for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
      if (this.#stage.abort.aborted) break;
      this.#words += 1;
      this.#ledger?.note(word);
      this.#stage.print({ type: 'message.delta', messageId, text: word });
      await this.#pause();
    }
    this.#stage.print({ type: 'message.completed', messageId });
  }

  #plan(entries: Extract<DemoStep, { plan: unknown }>['plan']): undefined {
    this.#stage.print({ type: 'plan.updated', entries });
  }

  async #read(path: string): Promise<undefined> {
    const callId = this.#start('read', { type: 'file.read', path }, { path });
    await this.#pause(8);
    this.#end(callId, readPath(path));
  }

  async #write({ path, content }: { path: string; content: string }): Promise<Verdict | undefined> {
    const action = editAction(path, content);
    const callId = this.#start('write', action, { path, content });
    const answer = await this.#permission(callId, 'write', action, { path, content });
    if (answer.decision === 'deny') return this.#deny(callId, answer);
    const edited = editedInput(answer.input, { path, content });
    const done = editAction(edited.path, edited.content);
    this.#end(callId, writePath(edited.path, edited.content), done);
  }

  async #shell(command: string, ownSession: boolean): Promise<Verdict | undefined> {
    const action: Action = { type: 'command', command };
    const callId = this.#start('shell', action, { command });
    const answer = await this.#permission(callId, 'shell', action, { command });
    if (answer.decision === 'deny') return this.#deny(callId, answer);
    const edited = editedInput(answer.input, { command });
    const report = await runCommand(edited.command, {
      ownSession,
      abort: this.#stage.abort,
      onOutput: (output) => {
        this.#stage.print({ type: 'tool.updated', callId, output });
        return drained();
      },
    });
    this.#end(callId, report, {
      type: 'command',
      command: edited.command,
      exitCode: report.exitCode,
    });
  }

  async #ask({ question, options }: { question: string; options: string[] }): Promise<undefined> {
    const requestId = this.#id('question');
    const answer = this.#wait(requestId);
    this.#stage.print({
      type: 'question.requested',
      requestId,
      questions: [
        { id: 'q1', question, options: options.map((label) => ({ label })), freeText: true },
      ],
    });
    const given = await answer;
    if (this.#stage.abort.aborted || this.#refused !== undefined) return;
    const chosen = given && 'answers' in given ? given.answers.q1?.join(', ') : undefined;
    await this.#speak(
      'text',
      chosen ? `You chose: ${chosen}.` : 'You did not answer, so I continue.',
    );
  }

  async #permission(
    callId: string,
    tool: string,
    action: Action,
    input: unknown,
  ): Promise<{ decision: 'allow'; input?: unknown } | ({ decision: 'deny' } & Denial)> {
    if (this.#stage.permissionMode === 'allow-all') return { decision: 'allow' };
    const requestId = this.#id('permission');
    const answer = this.#wait(requestId);
    this.#stage.print({
      type: 'permission.requested',
      requestId,
      callId,
      tool,
      action,
      input,
      scopes: ['once'],
      editable: true,
    });
    const given = await answer;
    if (given && 'decision' in given) return given;
    return { decision: 'deny', reason: 'interrupted' };
  }

  #wait(requestId: string): Promise<RequestAnswer | undefined> {
    const { promise, resolve } = Promise.withResolvers<RequestAnswer | undefined>();
    this.#stage.onWaiting?.(this.#stepsDone);
    this.#answers.set(requestId, resolve);
    this.#stage.abort.addEventListener('abort', () => resolve(undefined), { once: true });
    return promise;
  }

  async #flood(events: number): Promise<undefined> {
    const messageId = this.#id('message');
    this.#stage.print({ type: 'message.started', messageId, kind: 'text' });
    for (let n = 1; n <= events && !this.#stage.abort.aborted; n += 1) {
      const text = `${n} `;
      this.#ledger?.note(text);
      const line = `${JSON.stringify({ type: 'message.delta', messageId, text })}\n`;
      if (!process.stdout.write(line))
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    this.#stage.print({ type: 'message.completed', messageId });
  }

  #garbage(line: string): undefined {
    process.stdout.write(`${line}\n`);
  }

  async #stall(): Promise<undefined> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const alive = setInterval(() => {}, 60_000);
    this.#stage.abort.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearInterval(alive);
  }

  #keepLedger(path: string): undefined {
    this.#ledger = new Ledger(path);
  }

  async #leave(command: string): Promise<undefined> {
    spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'ignore' }).unref();
  }

  async #crash(how: number | 'SIGKILL'): Promise<undefined> {
    process.stderr.write('The demo agent crashes, as it was asked to.\n');
    if (how === 'SIGKILL') process.kill(process.pid, 'SIGKILL');
    else process.exit(how);
  }

  #start(name: string, action: Action, input: unknown): string {
    const callId = this.#id('call');
    this.#stage.print({ type: 'tool.started', callId, name, action, input });
    return callId;
  }

  #end(callId: string, report: ToolReport, action?: Action): undefined {
    this.#outcome = report.ok ? 'ok' : 'error';
    this.#stage.print({
      type: 'tool.completed',
      callId,
      outcome: this.#outcome,
      output: report.output,
      ...(action ? { action } : {}),
    });
  }

  #deny(callId: string, { reason = 'It was not allowed.', stop }: Denial): Verdict | undefined {
    this.#outcome = 'denied';
    this.#stage.print({ type: 'tool.completed', callId, outcome: 'denied', output: reason });
    if (!stop) return undefined;
    return { outcome: 'cancelled', error: errorInfo('interrupted', reason) };
  }

  async #pause(words = 1): Promise<void> {
    if (this.#stage.pace === 0) return;
    await sleep(this.#stage.pace * words, undefined, { signal: this.#stage.abort }).catch(() => {});
  }

  #id(kind: string): string {
    this.#count += 1;
    return `${kind}-${this.#count}`;
  }

  #usage() {
    return { inputTokens: 0, outputTokens: this.#words, totalTokens: this.#words, costUsd: 0 };
  }
}

/** True if an answer ends the turn. */
function endsTurn(answer: RequestAnswer): answer is RequestAnswer & Denial {
  return answer.by === 'stop' || ('stop' in answer && answer.stop === true);
}

function editedInput<Input extends object>(edited: unknown, original: Input): Input {
  return typeof edited === 'object' && edited !== null ? { ...original, ...edited } : original;
}

/** Settles when the reader of this process has taken what was printed. */
async function drained(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
}

function ignoreSignals(): undefined {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {});
  }
}
