import { spawnSync } from 'node:child_process';
import { object, parseJson } from '@baton/config/values/json';
import { LineSplitter } from '@baton/process/line-splitter';
// Alone: all of the protocol would be most of what this program takes to start.
import { errorInfo } from '@baton/protocol/error';
import { Performer } from './performer.ts';
import { type DemoCommand, type DemoLine, SETTINGS_FILE } from './protocol.ts';
import { type DemoSession, openSession, saveSession } from './sessions.ts';
import { stepsFor } from './steps.ts';
import { readPath } from './tools.ts';

/** So much of each prompt is kept in its session. */
const KEPT_LENGTH = 200;

/** The message after which an agent continues the turn that was waiting for an answer when its process was stopped. */
const CONTINUES = /^Your process was stopped while you were waiting/;

/** The demo agent as a program: commands come in on standard input, one JSON object a line. */
class DemoAgent {
  #settings: Extract<DemoCommand, { type: 'open' }> = {
    type: 'open',
    permissionMode: 'ask',
    pace: 0,
  };
  #session: DemoSession | undefined;
  #performer: Performer | undefined;
  #abort = new AbortController();
  #stubborn = false;
  #busy: Promise<void> = Promise.resolve();

  take(command: DemoCommand): void {
    if (command.type === 'open') return this.#open(command);
    if (command.type === 'answer')
      return this.#performer?.answer(command.requestId, command.answer);
    if (command.type === 'steer')
      return print({
        type: 'notice',
        level: 'info',
        code: 'text',
        message: `Noted: ${command.text}`,
      });
    if (command.type === 'interrupt') return this.interrupt();
    this.#busy = this.#busy.then(() => this.#turn(command.text));
  }

  interrupt(): void {
    if (!this.#stubborn) this.#abort.abort();
  }

  /** Ends the program once the running turn is over. */
  async end(): Promise<void> {
    await this.#busy;
    process.exit(0);
  }

  #open(settings: Extract<DemoCommand, { type: 'open' }>): void {
    this.#settings = settings;
    if (settings.loadsFolderSettings) runStartHook();
    this.#session = openSession(settings);
    if (!this.#session) return;
    print({ type: 'run.identified', nativeSessionId: this.#session.id });
  }

  /** A home that cannot be written to is no reason to fail: only resuming is lost. */
  #save(session: DemoSession): void {
    try {
      saveSession(session);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `This session cannot be resumed later: ${reason}`;
      print({ type: 'notice', level: 'warning', code: 'agent_warning', message });
    }
  }

  async #turn(text: string): Promise<void> {
    const session = this.#session;
    if (!session) {
      const error = errorInfo(
        'session_not_found',
        `The demo agent has no session ${this.#settings.resume}.`,
      );
      return print({ type: 'turn.completed', verdict: { outcome: 'failed', error } });
    }
    session.prompts.push(text.slice(0, KEPT_LENGTH));
    this.#save(session);
    this.#abort = new AbortController();
    const { permissionMode, pace, systemPrompt } = this.#settings;
    const { prompt, done } = (CONTINUES.test(text) && session.unfinished) || {
      prompt: text,
      done: 0,
    };
    const onWaiting = (stepsDone: number | undefined) => {
      session.unfinished = stepsDone === undefined ? undefined : { prompt, done: stepsDone };
      this.#save(session);
    };
    const { signal: abort } = this.#abort;
    this.#performer = new Performer({ print, permissionMode, pace, abort, onWaiting });
    const steps = stepsFor(prompt, systemPrompt);
    this.#stubborn = Array.isArray(steps) && steps.some((step) => 'ignoreSignals' in step);
    const verdict = await this.#performer.play(steps, done);
    print({ type: 'turn.completed', verdict });
  }
}

/** Other agents run hooks from the settings of a folder; this one has the simplest form of that. */
function runStartHook(): void {
  const { onStart } = object(parseJson(readPath(SETTINGS_FILE).output));
  if (typeof onStart === 'string') spawnSync('/bin/sh', ['-c', onStart], { stdio: 'ignore' });
}

function print(line: DemoLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const agent = new DemoAgent();
const lines = new LineSplitter((line) => {
  if (line.trim() !== '') agent.take(JSON.parse(line) as DemoCommand);
});
process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
process.stdin.on('end', () => void agent.end());
process.on('SIGINT', () => {
  agent.interrupt();
  void agent.end();
});
