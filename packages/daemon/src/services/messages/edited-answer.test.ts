import { expect, test } from 'vitest';
import { seedExecutor } from '../../testing/seed-executor.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

const EDITED = { command: 'ls -a' };
const REQUESTED = { tool_params: { command: 'rm x' }, action: command('rm x') };

function command(text: string) {
  return { type: 'command', command: text };
}

/** A task whose agent asks for permission, and the message about it. */
async function asking() {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  const append = (seq: number, event: object) =>
    executor.call('POST', '/messages/append', {
      events: [{ seq, time: 1, runId: executor.taskId, requestId: 'p', ...event }],
    });
  const { tool_params: input, action } = REQUESTED;
  const asked = { tool: 'Bash', action, input, scopes: ['once'], editable: true };
  await append(1, { type: 'permission.requested', ...asked });
  const { sessionId: session_id, taskId: task_id } = executor;
  const answer = (given: object) =>
    daemon.call('POST', '/permissions/answer', {
      body: { session_id, task_id, request_id: 'p', answer: { decision: 'allow', ...given } },
    });
  const resolve = (more: object) =>
    append(2, { type: 'permission.resolved', decision: 'allow', by: 'person', ...more });
  const content = async () => {
    const { body } = await daemon.call('GET', `/messages?session_id=${session_id}`);
    const all = body.data as { type: string; content: unknown }[];
    return all.find(({ type }) => type === 'permission_request')?.content;
  };
  return { answer, resolve, content };
}

test('shows the edited input of an approved request next to the requested one', async () => {
  const { answer, resolve, content } = await asking();
  expect((await answer({ input: EDITED })).status).toBe(200);
  const approved = { request_id: 'p', tool_name: 'Bash', status: 'approved' };
  const edit = { tool_params: EDITED, action: command('ls -a'), requested: REQUESTED };
  expect(await content()).toMatchObject({ ...approved, ...edit, edited: true });
  await resolve({ input: EDITED, action: command('ls -a') });
  expect(await content()).toMatchObject({ ...approved, ...edit, edited: true });
});

test.each([
  ['without an input', {}],
  ['with the same input', { input: REQUESTED.tool_params }],
])('shows no edit for an answer %s', async (_, given) => {
  const { answer, resolve, content } = await asking();
  expect((await answer(given)).status).toBe(200);
  const before = await content();
  expect(before).toMatchObject({ status: 'approved', ...REQUESTED });
  expect(before).not.toHaveProperty('edited');
  await resolve({});
  expect(await content()).toEqual(before);
});
