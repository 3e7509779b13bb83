import { loadBackend } from '@baton/agents/registry/default-baton';
import type { Conversation } from '@baton/engine/definition/backend';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { throughput } from '../measure/ratio.ts';
import { agentWorld } from '../world/agents.ts';
import { batonIn } from '../world/baton.ts';

const PROMPT = 'Say hello.';
/** The agent sends more with each prompt, so a conversation is not used forever. */
const PROMPTS_PER_CONVERSATION = 10;

/** Speedup from keeping the agent's process. */
export const turns: Benchmark[] = [
  {
    name: 'turns',
    claim:
      'a further prompt in an open Claude conversation is at least 5 times faster than a new process',
    async run(context) {
      const world = await agentWorld('claude');
      const { cwd, env, binary } = world;
      const backend = await loadBackend('claude', { binary });
      let conversation: Conversation | undefined;
      let prompts = 0;
      const prepare = async () => {
        await conversation?.close();
        conversation = await backend.open({ cwd, env });
        await conversation.run(PROMPT).collect();
        prompts = 0;
      };
      const sides = {
        process: await batonIn(world, { prompt: PROMPT, transport: 'live' }),
        further: async () => {
          prompts += 1;
          const result = await conversation?.run(PROMPT).collect();
          if (result?.outcome !== 'done') throw new Error('A further prompt failed.');
        },
      };
      const limit = { limit: 5, bound: 'at least' } as const;
      const figures = throughput<keyof typeof sides>('further', 'process', limit);
      const between = async () => {
        if (!conversation || prompts >= PROMPTS_PER_CONVERSATION) await prepare();
      };
      const findings = await compare({ sides, figures, between }, context);
      await conversation?.close();
      return findings.map((finding) => ({ ...finding, what: 'speed' }));
    },
  },
];
