import { backendsWire } from '@baton/protocol/wire';
import { isFor, type Principal, userIdOf } from '../../access/principal.ts';
import { refusal } from '../../access/refusal.ts';
import type { DaemonContext } from '../../context.ts';
import { keyVariables } from '../../pool/executor-environment.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { defaultOptions, keepDefaultOptions } from '../../settings/default-options.ts';
import { withStoredKeys } from '../../settings/with-stored-keys.ts';
import { BackendFacts } from './backend-facts.ts';

/** The agents that tasks can be given to. */
export function backends({ store, baton }: DaemonContext): ServiceOf<'backends'> {
  const facts = new BackendFacts(baton, store.now, () => store.workspaces());
  const record = async (id: string, principal: Principal, cwd?: string) => {
    const known = {
      ...(await (cwd === undefined ? facts.of(id) : facts.now(id, cwd))),
      key_variables: [...(await keyVariables(baton.registry, id, process.env))],
      default_options: await defaultOptions(store.records, id),
    };
    return withStoredKeys(store, userIdOf(principal), known);
  };
  return {
    path: 'backends',
    about: "The agents that can run tasks, as detected on the daemon's machine.",
    methods: {
      find: method(backendsWire.find, {
        about: 'Lists all agents, installed or not, with their capabilities.',
        allow: ['viewer'],
        act: ({ principal }) =>
          Promise.all(baton.backends().map(({ id }) => record(id, principal))),
      }),
      get: method(backendsWire.get, {
        about:
          'Returns one agent by id or alias. Members can also get its current state for a folder.',
        allow: ['viewer'],
        async act({ id: name, query: { cwd }, principal }) {
          const { id } = baton.backend(name);
          if (cwd === undefined) return record(id, principal);
          // Viewers, who cannot run anything, have no access to the folders of the machine.
          if (!isFor(['member'], principal)) throw refusal(principal);
          return record(id, principal, cwd);
        },
      }),
      patch: method(backendsWire.patch, {
        about:
          "Sets the default options for an agent's tasks, replacing the previous ones; null removes them.",
        allow: ['owner'],
        async act({ id: name, data: { options }, principal }) {
          const { id } = baton.backend(name);
          await keepDefaultOptions({ records: store.records, baton }, id, {
            options,
            now: store.now(),
          });
          return record(id, principal);
        },
      }),
      test: method(backendsWire.test, {
        about: 'Probes an agent again and returns its problems and how to fix them.',
        allow: ['member'],
        async act({ data: { backend_id }, principal }) {
          const { id } = baton.backend(backend_id);
          await facts.again(id);
          return (await record(id, principal)).probe;
        },
      }),
    },
  };
}
