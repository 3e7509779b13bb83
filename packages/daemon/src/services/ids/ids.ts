import { idsWire } from '@baton/protocol/wire';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** Service that resolves id prefixes. */
export function ids({ store }: DaemonContext): ServiceOf<'ids'> {
  return {
    path: 'ids',
    about: 'Finds sessions, tasks and requests by an id prefix.',
    methods: {
      find: method(idsWire.find, {
        about: 'Returns the matches for a prefix, up to a limit for each kind.',
        allow: ['viewer'],
        act: ({ query: { prefix, limit } }) => store.findIds(prefix, limit),
      }),
    },
  };
}
