import { capabilitiesSchema, modelInfoSchema, probeSchema } from '@baton/protocol';
import { backendEntries, backendEntry } from '@baton/runtime';
import { z } from 'zod';
import { isFor } from '../../access/principal.ts';
import { refusal } from '../../access/refusal.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { BackendFacts } from './backend-facts.ts';

const jsonSchemaSchema = z.record(z.string(), z.unknown());

const backendRecordSchema = z.looseObject({
  id: z.string(),
  label: z.string(),
  aliases: z.array(z.string()),
  capabilities: capabilitiesSchema,
  options_schema: jsonSchemaSchema,
  provider_options_schema: jsonSchemaSchema.nullable(),
  /** As the agent names them; empty when it does not say. Others may work too. */
  models: z.array(modelInfoSchema),
  probe: probeSchema,
});

/** The agents that tasks can be given to. */
export function backends({ store }: DaemonContext): ServiceDefinition {
  const facts = new BackendFacts(store.now);
  return {
    path: 'backends',
    about: 'The agents that tasks can be given to, as this daemon finds them on its machine.',
    methods: {
      find: method({
        about: 'Lists all agents, installed or not, with what they can do.',
        allow: ['viewer'],
        result: z.array(backendRecordSchema),
        act: () => Promise.all(backendEntries().map(({ id }) => facts.of(id))),
      }),
      get: method({
        about:
          'Gives one agent, by its id or another name of it; for members also as a task in a folder finds it right now.',
        allow: ['viewer'],
        query: z.strictObject({ cwd: z.string().max(4096).optional() }),
        result: backendRecordSchema,
        async act({ id: name, query: { cwd }, principal }) {
          const { id } = backendEntry(name);
          if (cwd === undefined) return facts.of(id);
          // Looking starts the program that is there, as a task would.
          if (!isFor(['member'], principal)) throw refusal(principal);
          return facts.now(id, cwd);
        },
      }),
    },
  };
}
