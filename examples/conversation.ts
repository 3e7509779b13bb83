// Keeps an agent for one prompt after another, and finds the session again later.
import { loadBackend } from '@baton/runtime';

const agent = await loadBackend('demo');
const conversation = await agent.open({ providerOptions: { pace: 0 } });
const first = await conversation.run('demo:garbage').collect();
const second = await conversation.run('demo:question').collect();
await conversation.close();
console.log(first.output, '/', second.output);

const later = await agent
  .run({ prompt: 'demo:garbage', resume: conversation.nativeSessionId })
  .collect();
console.log('the same session:', later.nativeSessionId === conversation.nativeSessionId);
