import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operated } from '../testing/operated.ts';

const LINES = 1000;
/** Some programs take the last two for the ends of lines. */
const STRANGE = 'Grüße, 世界 🎼\u2028\u2029';

/** The events of an exported session. */
const eventsIn = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));

test('a session moves to another daemon with its whole transcript', async () => {
  const [from, to] = [await operated(), await operated()];
  const words = Array.from({ length: LINES }, (_, n) => ({ say: `Word ${n}. ` }));
  const task = await from.begin([{ say: STRANGE }, ...words, { shell: 'echo hi' }], {
    permission_mode: 'allow-all',
  });
  await from.ended(task);
  const { session_id } = task;
  const file = join(from.world.home, 'session.jsonl');
  const exported = await from.ok('export', session_id.slice(0, 8));
  expect(exported).toContain(String.raw`\u2028\u2029`);
  expect(exported).not.toMatch(/[\u2028\u2029]/);
  // Files of other versions have them as they are.
  writeFileSync(file, exported.replaceAll(String.raw`\u2028`, '\u2028'));
  expect(await to.ok('import', file)).toBe(`Session ${session_id.slice(0, 8)} imported.\n`);
  const query = { session_id, limit: 1000 };
  expect(await to.client.messages.find(query)).toEqual(await from.client.messages.find(query));
  expect(await to.client.sessions.get(session_id)).toEqual(
    await from.client.sessions.get(session_id),
  );
  expect(await to.client.tasks.get(task.task_id)).toEqual(
    await from.client.tasks.get(task.task_id),
  );
  expect(eventsIn(await to.ok('export', session_id))).toEqual(eventsIn(readFileSync(file, 'utf8')));
  expect(await to.ok('import', file)).toContain('already imported (identical)');
  // It goes on where it is now.
  const more = await to.ask(session_id, [{ say: 'On we go.' }]);
  expect(await to.ended(more)).toMatchObject({ status: 'COMPLETED' });
  expect(await to.baton('import', file)).toMatchObject({ code: 0 });
});

test('marks unfinished tasks as interrupted', async () => {
  const [from, to] = [await operated(), await operated()];
  const task = await from.begin([{ say: 'Before.' }, { shell: 'true' }]);
  await from.inbox();
  await from.ask(task.session_id, 'demo:garbage');
  const input = await from.ok('export', task.session_id);
  const { code, stdout } = await to.world.call({ args: ['import', '-'], input });
  expect(code).toBe(0);
  expect(stdout).toContain('2 tasks were marked as interrupted.');
  const { data } = await to.client.tasks.find({ session_id: task.session_id });
  expect(data).toMatchObject([
    { status: 'FAILED', error: { code: 'interrupted' } },
    { status: 'FAILED', error: { code: 'interrupted' } },
  ]);
  expect(await to.ok('answer')).toBe('No pending requests.\n');
  expect(await from.ok('answer')).toContain('true');
});

test('rejects a file that is not a session, is broken or truncated, and imports nothing', async () => {
  const { begin, ended, ok, world, client } = await operated();
  const other = await operated();
  const task = await begin([{ say: 'Hello.' }]);
  await ended(task);
  const [head = '', ...lines] = (await ok('export', task.session_id)).trimEnd().split('\n');
  const broken = lines.with(3, '{"half');
  const odd = lines.with(3, '{"cursor":4,"time":1,"type":"prompt.queued"}');
  const cases: [string, string[], string][] = [
    ['empty', [], 'Not a session file'],
    ['garbage', ['\u0000\u0001garbage', 'more'], 'Not a session file'],
    ['a newer one', ['{"baton":"session","session_id":"x","version":2}'], 'version 2'],
    ['a line that is no JSON', [head, ...broken], 'Line 5 is not JSON.'],
    ['a line that is no event', [head, ...odd], 'Line 5 is not a valid event'],
    ['cut off', [head, ...lines.slice(0, -1)], 'Truncated file'],
    ['a gap', [head, ...lines.toSpliced(3, 1)], 'Line 5 is event 5, expected event 4.'],
    ['no beginning', [head, ...lines.slice(1)], 'Line 2 is event 2, expected event 1.'],
  ];
  const file = join(world.home, 'file');
  for (const [name, content, words] of cases) {
    writeFileSync(file, `${content.join('\n')}\n`);
    const { code, stdout, stderr } = await other.baton('import', file);
    expect([name, stdout]).toEqual([name, '']);
    expect(stderr, name).toContain(words);
    expect([1, 2], name).toContain(code);
  }
  expect(await other.baton('import', join(world.home, 'none'))).toMatchObject({ code: 2 });
  expect((await other.client.sessions.find()).total).toBe(0);
  const changed = lines.with(-1, (lines.at(-1) ?? '').replace('"time":', '"time":1'));
  writeFileSync(file, `${[head, ...changed].join('\n')}\n`);
  const elsewhere = await world.call({ args: ['import', file] });
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.stderr).toContain('already exists with different events');
  expect((await client.sessions.find()).total).toBe(1);
});

test('only owners import', async () => {
  const { begin, ended, ok, client, world } = await operated();
  const task = await begin([{ say: 'Hello.' }]);
  await ended(task);
  const input = await ok('export', task.session_id);
  type Secret = { secret: string };
  const { secret } = await client.connection.call<Secret>('tokens', 'create', [
    { name: 'script', role: 'member' },
  ]);
  const env = { BATON_TOKEN: secret };
  expect(await world.call({ args: ['import', '-'], input, env })).toMatchObject({ code: 5 });
  expect(await world.call({ args: ['sessions'], env })).toMatchObject({ code: 0 });
});

test('a transcript to read has everything that was said and done', async () => {
  const { begin, ended, ok, inbox } = await operated();
  const task = await begin([
    { think: 'Hm.' },
    { say: 'A fence:\n```\ncode\n```' },
    { shell: "echo '```'" },
  ]);
  const [asked] = await inbox();
  await ok('answer', asked?.request_id ?? '', 'allow');
  await ended(task);
  const text = await ok('export', task.session_id, '--markdown');
  expect(text.startsWith('# demo:script '), 'the title, which is the prompt').toBe(true);
  for (const words of ['> Hm.', 'A fence:', '— allowed once', '**done**', '## Prompt for `demo`']) {
    expect(text).toContain(words);
  }
  expect(text, 'the output cannot end its own fence').toContain('````\n```\n````');
});

test('a Markdown export counts the unrecognized lines', async () => {
  const { ok, begin, ended } = await operated();
  const strange = await begin([{ garbage: '{"type":"brand_new"' }, { say: 'Hello.' }]);
  await ended(strange);
  expect(await ok('export', strange.session_id, '--markdown')).toMatch(
    /\n\n_1 line of unrecognized output; "baton export" without --markdown has them_\n$/,
  );
  const plain = await begin([{ say: 'Hello.' }]);
  await ended(plain);
  const text = await ok('export', plain.session_id, '--markdown');
  expect(text).not.toContain('not understood');
});

test('naming a task or a missing file is an error with a hint', async () => {
  const { baton, begin, ended } = await operated();
  const task = await begin([{ say: 'Hello.' }]);
  await ended(task);
  const exported = await baton('export', task.task_id.slice(0, 8));
  expect([exported.code, exported.stdout]).toEqual([4, '']);
  expect(exported.stderr).toContain(': that is a task.\n');
  expect(exported.stderr).toContain(`hint: It belongs to session ${task.session_id.slice(0, 8)}`);
  const imported = await baton('import', 'nofile');
  expect(imported.code).toBe(2);
  expect(imported.stderr).toContain('hint: Create the file with "baton export SESSION > FILE"');
});
