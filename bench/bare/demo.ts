import type { Talk } from './agent.ts';

/** Gives the demo agent a prompt by hand. */
export function demoTalk(prompt: string): Talk {
  return {
    begin(write) {
      write(JSON.stringify({ type: 'open', permissionMode: 'ask', pace: 0 }));
      write(JSON.stringify({ type: 'prompt', text: prompt }));
    },
    read: ({ type }) => type === 'turn.completed',
  };
}
