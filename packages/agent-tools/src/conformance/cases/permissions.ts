import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PendingRequest } from '@baton/engine/definition/backend';
import {
  all,
  assertDone,
  capabilitiesOf,
  finish,
  first,
  inWorld,
  lacking,
  type Stage,
} from '../stage/stage.ts';
import type { ConformanceCase, ConformanceSubject, ScriptStep } from '../stage/subject.ts';

/** The permission modes mean the same for every agent. */
export function permissionCases(subject: ConformanceSubject): ConformanceCase[] {
  const { features, permissionModes } = capabilitiesOf(subject);
  const canAsk = features.permissions && permissionModes.includes('ask');
  const skip = canAsk ? lacking(subject, 'write') : 'the agent cannot ask';
  const writing = (stage: Stage): ScriptStep[] => [
    { write: { path: join(stage.cwd, 'asked.txt'), content: 'x\n' } },
    { say: 'Tried to write.' },
  ];
  const isThere = (stage: Stage) => existsSync(join(stage.cwd, 'asked.txt'));
  return [
    {
      name: 'ask: an edit waits for a person and is made when allowed',
      proves: ['ask', 'permissions', 'permissionMode'],
      skip,
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start(writing(stage), { permissionMode: 'ask' });
          const ended = await finish(run, async (event) => {
            if (event.type !== 'permission.requested') return;
            assert.equal(isThere(stage), false, 'The file was written before anybody was asked.');
            assert.equal(await run.answer(event.requestId, { decision: 'allow' }), 'accepted');
            assert.equal(await run.answer(event.requestId, { decision: 'deny' }), 'late');
          });
          assertDone(ended);
          assert.equal(isThere(stage), true);
          const resolved = first(ended.events, 'permission.resolved');
          assert.deepEqual([resolved.decision, resolved.by], ['allow', 'person']);
        }),
    },
    {
      name: 'ask: a denied edit is not made, its tool is denied, and the agent goes on',
      skip,
      run: () =>
        inWorld(subject, async (stage) => {
          const ended = await stage.run(writing(stage), {
            permissionMode: 'ask',
            onRequest: () => ({ decision: 'deny', reason: 'Not today.' }),
          });
          assertDone(ended);
          assert.equal(isThere(stage), false);
          assert.equal(first(ended.events, 'tool.completed').outcome, 'denied');
          assert.equal(first(ended.events, 'permission.resolved').reason, 'Not today.');
        }),
    },
    {
      name: 'ask: a denial that stops ends the run as permission_denied',
      skip,
      run: () =>
        inWorld(subject, async (stage) => {
          const { result } = await stage.run(writing(stage), {
            permissionMode: 'ask',
            onRequest: () => ({ decision: 'deny', reason: 'Enough.', stop: true }),
          });
          assert.equal(result.outcome, 'failed');
          assert.equal(result.error?.code, 'permission_denied');
          assert.equal(isThere(stage), false);
        }),
    },
    {
      name: 'ask: a command waits for a person',
      proves: ['ask'],
      skip: skip ?? lacking(subject, 'shell'),
      run: () =>
        inWorld(subject, async (stage) => {
          const steps = [{ shell: 'touch asked.txt' }, { say: 'Tried to run.' }];
          const ended = await stage.run(steps, {
            permissionMode: 'ask',
            onRequest: () => ({ decision: 'deny', reason: 'No.' }),
          });
          assertDone(ended);
          assert.equal(isThere(stage), false);
          assert.equal(first(ended.events, 'permission.requested').action.type, 'command');
        }),
    },
    {
      name: 'ask: of a command that was edited, the edited one runs',
      skip: skip ?? lacking(subject, 'shell'),
      run: () =>
        inWorld(subject, async (stage) => {
          const [asked, edited] = ['touch asked.txt', 'touch edited.txt'];
          let isEditable = false;
          const ended = await stage.run([{ shell: asked }, { say: 'Tried to run.' }], {
            permissionMode: 'ask',
            onRequest: ({ kind, request }) => {
              if (kind !== 'permission') return { declined: true };
              isEditable = request.editable === true;
              if (!isEditable) return { decision: 'allow' };
              const input = JSON.parse(JSON.stringify(request.input).replaceAll(asked, edited));
              return { decision: 'allow', input };
            },
          });
          assertDone(ended);
          assert.equal(isThere(stage), !isEditable);
          assert.equal(existsSync(join(stage.cwd, 'edited.txt')), isEditable);
        }),
    },
    {
      name: 'ask: with nobody to ask the request is denied',
      skip,
      run: () =>
        inWorld(subject, async (stage) => {
          const result = await stage.start(writing(stage), { permissionMode: 'ask' }).collect();
          assert.equal(result.outcome, 'done', JSON.stringify(result.error));
          assert.equal(isThere(stage), false);
        }),
    },
    {
      name: 'auto: an edit in the workspace passes, a command still asks',
      proves: ['auto'],
      skip:
        skip ??
        (permissionModes.includes('auto')
          ? lacking(subject, 'shell')
          : 'the agent cannot keep auto'),
      run: () =>
        inWorld(subject, async (stage) => {
          const asked: PendingRequest[] = [];
          const ended = await stage.run(
            [
              { write: { path: join(stage.cwd, 'asked.txt'), content: 'x\n' } },
              { shell: 'touch other.txt' },
              { say: 'Tried both.' },
            ],
            {
              permissionMode: 'auto',
              onRequest: (pending) => {
                asked.push(pending);
                return { decision: 'deny', reason: 'No.' };
              },
            },
          );
          assertDone(ended);
          assert.equal(isThere(stage), true);
          assert.equal(existsSync(join(stage.cwd, 'other.txt')), false);
          assert.deepEqual(
            asked.map((pending) => pending.kind === 'permission' && pending.request.action.type),
            ['command'],
          );
        }),
    },
    {
      name: 'allow-all: nothing is asked',
      proves: ['allow-all'],
      skip: permissionModes.includes('allow-all')
        ? lacking(subject, 'write')
        : 'the agent cannot keep allow-all',
      run: () =>
        inWorld(subject, async (stage) => {
          const ended = await stage.run(writing(stage), {
            permissionMode: 'allow-all',
            ...subject.allowAll,
          });
          assertDone(ended);
          assert.equal(isThere(stage), true);
          assert.equal(all(ended.events, 'permission.requested').length, 0);
        }),
    },
    {
      name: 'a question reaches the person and the answer reaches the agent',
      proves: ['questions'],
      skip: features.questions ? lacking(subject, 'question') : 'the agent asks no questions',
      run: () =>
        inWorld(subject, async (stage) => {
          const question = { question: 'Which colour?', options: ['Red', 'Blue'] };
          const run = stage.start([{ question }, { say: 'Thanks.' }], { permissionMode: 'ask' });
          const ended = await finish(run, async (event) => {
            if (event.type !== 'question.requested') return;
            const [asked] = event.questions;
            assert.equal(asked?.question, 'Which colour?');
            await run.answer(event.requestId, { answers: { [asked?.id ?? '']: ['Blue'] } });
          });
          assertDone(ended);
          const { answers } = first(ended.events, 'question.resolved');
          assert.deepEqual(Object.values(answers ?? {}), [['Blue']]);
        }),
    },
  ];
}
