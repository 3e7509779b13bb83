// Streams one prompt and answers the agent's requests. Try: node examples/events.ts claude "Explain this folder"
import { loadBackend } from '@baton/runtime';

const [backend = 'demo', prompt = 'Show me what you do.'] = process.argv.slice(2);
const agent = await loadBackend(backend);
const run = agent.run({ prompt, permissionMode: 'ask' });

for await (const event of run) {
  if (event.type === 'message.delta' && event.kind === 'text') process.stdout.write(event.text);
  if (event.type === 'message.completed' && event.kind === 'text') process.stdout.write('\n');
  if (event.type === 'tool.completed') console.log(`[${event.outcome}] ${event.name}`);
  if (event.type === 'permission.requested')
    await run.answer(event.requestId, { decision: 'allow' });
  if (event.type === 'question.requested') await run.answer(event.requestId, { declined: true });
}

const { outcome, durationMs, usage } = await run.result;
console.log(`${outcome} in ${durationMs} ms, ${usage?.totalTokens ?? 0} tokens`);
