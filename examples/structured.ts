// Asks for an answer that matches a JSON Schema.
import { loadBackend } from '@baton/runtime';

const agent = await loadBackend('demo');
const { outcome, structured } = await agent
  .run({
    prompt: `demo:script ${JSON.stringify([{ say: '{"name":"Ada","age":36}' }])}`,
    outputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'number' } },
      required: ['name', 'age'],
    },
  })
  .collect();
console.log(outcome, structured);
