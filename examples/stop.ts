// Stops an agent in the middle of a command, and shows that nothing survives.
import { loadBackend } from '@baton/runtime';

const agent = await loadBackend('demo');
const run = agent.run({ prompt: 'demo:session', permissionMode: 'allow-all' });

for await (const event of run) {
  if (event.type === 'tool.started') void run.cancel('That is enough.');
}

const { outcome, stop } = await run.result;
console.log(outcome, stop?.state, `${stop?.killed} killed`, stop?.steps);
