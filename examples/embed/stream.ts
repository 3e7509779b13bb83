// Passes the answer on through a generator. The agent is held back while the reader is slow, and stopped when it leaves.
import { setTimeout as pause } from 'node:timers/promises';
import { loadBackend } from '@baton/runtime';

const agent = await loadBackend('demo');

async function* answer(prompt: string, signal?: AbortSignal) {
  const run = agent.run({ prompt, signal });
  try {
    for await (const piece of run.text()) yield piece.toUpperCase();
  } finally {
    const { outcome, error } = await run.result;
    console.log(`\n${outcome}: ${error?.message ?? 'all read'}`);
  }
}

const [prompt = 'demo:flood=1000000', pieces = '100'] = process.argv.slice(2);
let read = 0;
for await (const piece of answer(prompt)) {
  process.stdout.write(piece);
  await pause(1);
  read += 1;
  if (read === Number(pieces)) break;
}
