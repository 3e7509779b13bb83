// Runs ten prompts, three at a time, and gets typed answers.
import { loadBackend } from '@baton/runtime';
import { z } from 'zod';

const Verdict = z.object({ file: z.string(), score: z.number().min(0).max(10) });
const prompts = Array.from({ length: 10 }, (_, score) => {
  const say = JSON.stringify({ file: `${score}.ts`, score });
  return `demo:script ${JSON.stringify([{ say }])}`;
});

const agent = await loadBackend('demo');
const verdicts: z.infer<typeof Verdict>[] = [];
let [running, most] = [0, 0];

const queue = prompts.values();
const worker = async () => {
  for (const prompt of queue) {
    running += 1;
    most = Math.max(most, running);
    const run = agent.run({ prompt, outputSchema: Verdict, retry: { attempts: 2 } });
    const { structured, error } = await run.collect();
    running -= 1;
    if (structured) verdicts.push(structured);
    else console.error(error?.code, error?.message);
  }
};
await Promise.all([worker(), worker(), worker()]);
const total = verdicts.reduce((sum, { score }) => sum + score, 0);
console.log(`${verdicts.length} verdicts, ${total} points, at most ${most} at once`);
