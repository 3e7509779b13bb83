// Keeps an agent for one prompt after another, and finds the session again later.
import { loadBackend } from '@baton/runtime';

const agent = await loadBackend('demo');
const conversation = await agent.open({ providerOptions: { pace: 0 } });
const first = await conversation.run('demo:garbage').result;
const second = await conversation.run('demo:question').result;
await conversation.close();
console.log(first.output, '/', second.output);

const later = await agent.run({ prompt: 'demo:garbage', resume: conversation.nativeSessionId })
  .result;
console.log('the same session:', later.nativeSessionId === conversation.nativeSessionId);
