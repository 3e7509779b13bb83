import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type AgentContext, agent, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import type { ScriptStep } from '../../../../../agent-tools/src/conformance/index.ts';

/** An agent on the official SDK: it plays the script in its prompt. */

type Turn = { client: AgentContext; sessionId: string; cwd: string; abort: AbortSignal };
type Update = { sessionUpdate: string } & Record<string, unknown>;

const sessions = new Map<string, { cwd: string; abort: AbortController }>();
const folder = join(process.env.HOME ?? '/nowhere', 'sessions');
let calls = 0;

function update({ client, sessionId }: Turn, content: Update): Promise<void> {
  return client.notify('session/update', { sessionId, update: content } as never);
}

async function play(turn: Turn, step: ScriptStep): Promise<void> {
  if ('think' in step) return chunk(turn, 'agent_thought_chunk', step.think);
  if ('say' in step) return chunk(turn, 'agent_message_chunk', step.say);
  if ('hang' in step) return ended(turn.abort);
  if ('shell' in step) {
    const command = { command: step.shell };
    return call(turn, { title: step.shell, kind: 'execute', rawInput: command }, () =>
      shell(turn, step.shell),
    );
  }
  if ('write' in step) {
    const { path, content } = step.write;
    const diff = { type: 'diff', path: resolve(turn.cwd, path), newText: content };
    return call(turn, { title: `Write ${path}`, kind: 'edit', content: [diff] }, async () => {
      writeFileSync(resolve(turn.cwd, path), content);
      return { status: 'completed' };
    });
  }
  if ('question' in step) return question(turn, step.question);
}

async function chunk(turn: Turn, sessionUpdate: string, text: string): Promise<void> {
  for (const piece of text.match(/.{1,8}/gsu) ?? []) {
    await update(turn, { sessionUpdate, content: { type: 'text', text: piece } });
  }
}

async function call(
  turn: Turn,
  fields: Record<string, unknown>,
  act: () => Promise<Record<string, unknown>>,
): Promise<void> {
  calls += 1;
  const toolCallId = `call-${process.pid}-${calls}`;
  await update(turn, { sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...fields });
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const { sessionId } = turn;
  const { outcome } = (await turn.client.request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId, ...fields },
    options,
  } as never)) as { outcome: { outcome: string; optionId?: string } };
  const isAllowed = outcome.optionId === 'yes';
  const result = isAllowed ? await act() : { status: 'failed' };
  await update(turn, { sessionUpdate: 'tool_call_update', toolCallId, ...result });
}

async function shell(turn: Turn, command: string): Promise<Record<string, unknown>> {
  const child = spawn('/bin/sh', ['-c', command], { cwd: turn.cwd });
  turn.abort.addEventListener('abort', () => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const { promise, resolve: exited } = Promise.withResolvers<number | null>();
  child.once('exit', exited);
  const exitCode = await promise;
  return { status: exitCode === 0 ? 'completed' : 'failed', rawOutput: { output, exitCode } };
}

async function question(
  turn: Turn,
  { question: message, options }: { question: string; options: string[] },
): Promise<void> {
  const requestedSchema = { type: 'object', properties: { choice: { enum: options } } };
  const answer = (await turn.client.request('elicitation/create', {
    ...{ sessionId: turn.sessionId, mode: 'form', message, requestedSchema },
  } as never)) as { content?: { choice?: string } };
  await chunk(turn, 'agent_message_chunk', `You chose ${answer.content?.choice ?? 'nothing'}.`);
}

function ended(abort: AbortSignal): Promise<void> {
  const { promise, resolve: done } = Promise.withResolvers<void>();
  abort.addEventListener('abort', () => done());
  return promise;
}

function keep(sessionId: string, cwd: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, sessionId), cwd);
  sessions.set(sessionId, { cwd, abort: new AbortController() });
}

function known(sessionId: string): void {
  if (existsSync(join(folder, sessionId))) return;
  throw RequestError.resourceNotFound(sessionId);
}

function stepsOf(prompt: readonly { type: string; text?: string }[]): ScriptStep[] {
  const text = prompt.flatMap((block) => block.text ?? []).join('\n');
  const script = /\[\[(.*)\]\]/s.exec(text)?.[1];
  return script === undefined ? [{ say: text.trim() }] : JSON.parse(script);
}

/** Copies are not yet part of the stable protocol, so the SDK does not know their form. */
function forkParams(params: unknown): { sessionId: string; cwd: string } {
  return params as { sessionId: string; cwd: string };
}

agent({ name: 'stub' })
  .onRequest('initialize', () => ({
    protocolVersion: 1,
    agentInfo: { name: 'stub', version: '1.0.0' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true },
      sessionCapabilities: { resume: {}, fork: {} },
    },
  }))
  .onRequest('session/new', ({ params }) => {
    const sessionId = randomUUID();
    keep(sessionId, params.cwd);
    return { sessionId };
  })
  .onRequest('session/resume', ({ params }) => {
    known(params.sessionId);
    keep(params.sessionId, params.cwd);
    return {};
  })
  .onRequest('session/fork', forkParams, ({ params }) => {
    known(params.sessionId);
    const sessionId = randomUUID();
    keep(sessionId, params.cwd);
    return { sessionId };
  })
  .onNotification('session/cancel', ({ params }) => {
    sessions.get(params.sessionId)?.abort.abort();
  })
  .onRequest('session/prompt', async ({ params, client }) => {
    const { sessionId } = params;
    const abort = new AbortController();
    const cwd = readFileSync(join(folder, sessionId), 'utf8');
    sessions.set(sessionId, { cwd, abort });
    const turn: Turn = { client, sessionId, cwd, abort: abort.signal };
    for (const step of stepsOf(params.prompt)) {
      if (abort.signal.aborted) break;
      if ('fail' in step)
        throw new RequestError(-32603, step.fail.replaceAll('_', ' ').replace('limited', 'limit'));
      await play(turn, step);
    }
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
    return { stopReason: abort.signal.aborted ? 'cancelled' : 'end_turn', usage };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
