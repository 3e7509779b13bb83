import {
  capabilitiesSchema,
  commandInfoSchema,
  modelInfoSchema,
  probeSchema,
} from '@baton/protocol';
import { backendEntries, backendEntry } from '@baton/runtime';
import { z } from 'zod';
import { isFor, type Principal, userIdOf } from '../../access/principal.ts';
import { refusal } from '../../access/refusal.ts';
import type { DaemonContext } from '../../context.ts';
import { keyVariables } from '../../pool/executor-environment.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { BackendFacts } from './backend-facts.ts';
import { defaultOptions, keepDefaultOptions } from './default-options.ts';
import { withKeptKeys } from './with-kept-keys.ts';

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
  /** What a prompt can begin with after a slash, as the agent tells it; empty when it does not. */
  commands: z.array(commandInfoSchema),
  /** The variables in which it takes a key, as API keys are named. */
  key_variables: z.array(z.string()),
  /** What tasks get that do not say otherwise. */
  default_options: z.record(z.string(), z.unknown()),
  probe: probeSchema,
});

/** The agents that tasks can be given to. */
export function backends({ store }: DaemonContext): ServiceDefinition {
  const facts = new BackendFacts(store.now);
  const record = async (id: string, principal: Principal, cwd?: string) => {
    const known = {
      ...(await (cwd === undefined ? facts.of(id) : facts.now(id, cwd))),
      key_variables: await keyVariables(id, process.env),
      default_options: await defaultOptions(store.records, id),
    };
    return withKeptKeys(store, userIdOf(principal), known);
  };
  return {
    path: 'backends',
    about: 'The agents that tasks can be given to, as this daemon finds them on its machine.',
    methods: {
      find: method({
        about: 'Lists all agents, installed or not, with what they can do.',
        allow: ['viewer'],
        result: z.array(backendRecordSchema),
        act: ({ principal }) =>
          Promise.all(backendEntries().map(({ id }) => record(id, principal))),
      }),
      get: method({
        about:
          'Gives one agent, by its id or another name of it; for members also as a task in a folder finds it right now.',
        allow: ['viewer'],
        query: z.strictObject({ cwd: z.string().max(4096).optional() }),
        result: backendRecordSchema,
        async act({ id: name, query: { cwd }, principal }) {
          const { id } = backendEntry(name);
          if (cwd === undefined) return record(id, principal);
          // Looking starts the program that is there, as a task would.
          if (!isFor(['member'], principal)) throw refusal(principal);
          return record(id, principal, cwd);
        },
      }),
      patch: method({
        about:
          'Sets the options that tasks of an agent get which do not say otherwise, in place of those before; null removes them.',
        allow: ['owner'],
        data: z.strictObject({ options: z.record(z.string(), z.unknown()).nullable() }),
        result: backendRecordSchema,
        async act({ id: name, data: { options }, principal }) {
          const { id } = backendEntry(name);
          await keepDefaultOptions(store.records, id, { options, now: store.now() });
          return record(id, principal);
        },
      }),
      test: method({
        about: 'Looks at an agent anew, and tells what would keep it from working and what to do.',
        allow: ['member'],
        data: z.strictObject({ backend_id: z.string() }),
        result: probeSchema,
        async act({ data: { backend_id }, principal }) {
          const { id } = backendEntry(backend_id);
          await facts.again(id);
          return (await record(id, principal)).probe;
        },
      }),
    },
  };
}
