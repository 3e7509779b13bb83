import { answerElsewhere, ask, script } from './ask.ts';
import type { ServedPage } from './served-page.ts';

const LONG = `A very long title without an end ${'漢字'.repeat(40)} ${'x'.repeat(120)}`;

/** Fills a daemon with something of everything that the page shows; gives the session that has most to show. */
export async function seed(served: ServedPage): Promise<string> {
  const { client, work } = served;
  const shown = await ask(served, 'Show me what you can do', { title: 'Tour' });
  const stalled = await ask(served, 'demo:stall', { title: LONG });
  await client.sessions.executeTask(stalled.sessionId, { prompt: `${LONG} مرحبا` });
  await ask(served, 'demo:fail');
  await ask(served, script({ say: 'Done' }), { title: 'مرحبا بالعالم' });
  await ask(served, 'demo:question', { title: LONG });
  await answerElsewhere(served, shown.sessionId);
  const { session_id } = await client.sessions.create({
    ...{ cwd: work, backend: 'demo', title: LONG },
  });
  await client.sessions.patch(session_id, { archived: true });
  await client.users.create({ name: LONG.slice(0, 60), role: 'viewer' });
  await client.tokens.create({ name: 'Nightly' });
  await client.apiKeys.create({ name: 'SOME_KEY', value: 'canary' });
  return shown.sessionId;
}
