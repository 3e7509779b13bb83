import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { BatonClient, type ExecutorStart } from '@baton/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Agent } from './agent.ts';

const baton = await createBaton({ settings: 'none' });

/** Script that prints the pid of the agent's own process, the parent of its shell. */
const WHO = 'demo:script [{"leave":"sleep 60"},{"shell":"echo agent $PPID."}]';
const ISOLATION = { mode: 'none' as const, network: true, unix_user: null, hidden: [] };

function agentIn(folder: string) {
  vi.stubEnv('HOME', folder);
  vi.stubEnv('BATON_DEMO_PACE', '0');
  const client = new BatonClient({ url: 'http://127.0.0.1:9' });
  const agent = new Agent({ baton, client, mcpServers: {}, spoolFolder: join(folder, 'spool') });
  onTestFinished(async () => {
    await agent.close();
    client.close();
    vi.unstubAllEnvs();
  });
  return agent;
}

/** Runs a task, and returns the process of its agent and the agent's own session. */
async function ran(agent: Agent, folder: string, changes: Partial<ExecutorStart>) {
  const task = { task_id: 't', backend: 'demo', full_prompt: WHO, permission_mode: 'allow-all' };
  const start = {
    task: { ...task, model: null, options: {}, attachments: [] },
    session: { cwd: folder },
    resume: null,
    fork: false,
    hand_over: null,
    keep_open_ms: 600_000,
    max_agent_processes: 64,
    isolation: ISOLATION,
    ...changes,
  } as unknown as ExecutorStart;
  let printed = '';
  const onPrinted = (line: string) => {
    printed += line;
  };
  const signal = new AbortController().signal;
  const onStarting = async () => {};
  const attached = join(folder, 'files');
  const run = await agent.run(start, { attached, signal, onPrinted, onStarting });
  const { nativeSessionId } = await run.result;
  return { process: /agent (\d+)/.exec(printed)?.[1], native: nativeSessionId };
}

test('an agent is kept for the next task, unless its isolation changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-agent-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const agent = agentIn(folder);
  const first = await ran(agent, folder, {});
  expect(first.process).toBeDefined();
  expect(await ran(agent, folder, {})).toEqual(first);
  const isolation = { ...ISOLATION, network: false };
  const second = await ran(agent, folder, { isolation, resume: first.native ?? null });
  expect(second.process).not.toBe(first.process);
  expect(second.native).toBe(first.native);
});

test('an agent with too many processes is not kept for the next task', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-agent-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const agent = agentIn(folder);
  const first = await ran(agent, folder, { max_agent_processes: 1 });
  const second = await ran(agent, folder, { max_agent_processes: 1 });
  expect(second.process).not.toBe(first.process);
  expect(second.native).toBe(first.native);
});
