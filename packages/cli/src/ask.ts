import { setImmediate as nextTick } from 'node:timers/promises';
import type {
  AgentEvent,
  PermissionAnswer,
  PermissionRequest,
  Question,
  QuestionAnswer,
} from '@baton/protocol';
import type { AgentRun, PendingRequest } from '@baton/runtime';
import { readKey, readLine } from './keys.ts';
import { actionWords } from './view/format.ts';
import { oneLine, plainly, safe, style } from './view/style.ts';
import type { View } from './view/view.ts';

const out = process.stdout;
const NO = 'The person said no.';

/** Asks the person at the terminal, one request after another, and hands the answers to the run; Ctrl-C stops it. */
export class TerminalAsker {
  #run: AgentRun;
  #view: View;
  #queue: Promise<void> = Promise.resolve();
  #settled = new Set<string>();
  #cwd: string | undefined;
  #ended = new AbortController();

  constructor(run: AgentRun, view: View) {
    this.#run = run;
    this.#view = view;
    void run.result.then(() => this.#ended.abort());
  }

  /** Takes a request of the agent, or the news that one needs no answer any more. */
  see(event: AgentEvent): void {
    if (event.type === 'run.started') this.#cwd = event.cwd;
    if (event.type === 'permission.requested')
      this.#enqueue({ kind: 'permission', request: event });
    if (event.type === 'question.requested') this.#enqueue({ kind: 'question', request: event });
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      this.#settled.add(event.requestId);
    }
  }

  #enqueue(pending: PendingRequest): void {
    this.#queue = this.#queue.then(() => nextTick()).then(() => this.#ask(pending));
  }

  async #ask(pending: PendingRequest): Promise<void> {
    const { signal } = this.#ended;
    const { requestId } = pending.request;
    if (signal.aborted || this.#settled.has(requestId)) return;
    this.#view.pause?.();
    const answer =
      pending.kind === 'permission'
        ? await askPermission(pending.request, signal, this.#cwd)
        : await askQuestions(pending.request.questions, signal);
    if (answer) this.#run.answer(requestId, answer);
    else void this.#run.cancel('Interrupted.');
    this.#view.resume?.();
  }
}

/** The person's answer; nothing when they pressed Ctrl-C. */
async function askPermission(
  request: PermissionRequest,
  signal: AbortSignal,
  cwd?: string,
): Promise<PermissionAnswer | undefined> {
  out.write(
    `${style(out, 'yellow', '?')} Allow ${style(out, 'bold', oneLine(actionWords(request.tool, request.action, cwd), 120))}\n`,
  );
  if (request.reason) out.write(style(out, 'dim', `  ${oneLine(request.reason, 120)}\n`));
  const choices = [
    ['y', 'yes'],
    ...(request.scopes.includes('session') ? [['s', 'yes, for this session']] : []),
    ...(request.scopes.includes('always') ? [['a', 'always']] : []),
    ['n', 'no'],
    ['r', 'no, with a reason'],
    ['d', 'details'],
  ] as const;
  const keys = choices.map(([key]) => key).join('');
  for (;;) {
    out.write(
      `  ${choices.map(([key, words]) => `${style(out, 'bold', `[${key}]`)} ${words}`).join('  ')} `,
    );
    const key = await readKey(keys, signal);
    out.write(`${key ?? ''}\n`);
    if (key === undefined) return undefined;
    if (key === 'd') {
      out.write(`${details(request)}\n`);
      continue;
    }
    if (key === 'y') return { decision: 'allow', scope: 'once' };
    if (key === 's') return { decision: 'allow', scope: 'session' };
    if (key === 'a') return { decision: 'allow', scope: 'always' };
    if (key === 'r') return deniedFor(await readLine('  Reason: ', signal));
    return { decision: 'deny', reason: NO };
  }
}

/** A no with a reason; nothing when Ctrl-C was pressed instead of giving one. */
function deniedFor(reason: string | undefined): PermissionAnswer | undefined {
  return reason === undefined ? undefined : { decision: 'deny', reason: reason.trim() || NO };
}

async function askQuestions(
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<QuestionAnswer | undefined> {
  const answers: Record<string, string[]> = {};
  for (const question of questions) {
    const answer = await askOne(question, signal);
    if (answer === undefined) return undefined;
    answers[question.id] = answer;
  }
  return { answers };
}

async function askOne(question: Question, signal: AbortSignal): Promise<string[] | undefined> {
  out.write(`${style(out, 'yellow', '?')} ${style(out, 'bold', safe(question.question))}\n`);
  question.options.forEach(({ label, description }, index) => {
    const more = description ? style(out, 'dim', ` — ${safe(description)}`) : '';
    out.write(`  ${style(out, 'bold', `[${index + 1}]`)} ${safe(label)}${more}\n`);
  });
  const several = question.multiple ? 'Numbers, separated by commas' : 'Number';
  const own = question.freeText || question.options.length === 0 ? ', or your own words' : '';
  for (;;) {
    const text = (
      await readLine(`  ${question.options.length > 0 ? several : 'Answer'}${own}: `, signal)
    )?.trim();
    if (text === undefined) return undefined;
    const chosen = text.split(',').map((part) => question.options[Number(part.trim()) - 1]?.label);
    if (text !== '' && chosen.every((label) => label !== undefined))
      return question.multiple ? chosen : chosen.slice(0, 1);
    if (text !== '' && own !== '') return [text];
  }
}

function details(request: PermissionRequest): string {
  const { action } = request;
  if (action.type === 'file.edit') {
    return action.changes
      .map(({ path, diff }) => `  ${plainly(path)}\n${indent(diff ?? '')}`)
      .join('\n');
  }
  if (action.type === 'command') return indent(action.command);
  return indent(JSON.stringify(request.input ?? action, null, 2));
}

function indent(text: string): string {
  return plainly(text)
    .split('\n')
    .map((line) => style(out, 'dim', `    ${line}`))
    .join('\n');
}
