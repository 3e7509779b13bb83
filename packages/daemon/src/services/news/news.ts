import { newsWire } from '@baton/protocol/wire';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** Change notifications for session lists. */
export function news({ changeNotifications }: DaemonContext): ServiceOf<'news'> {
  return {
    path: 'news',
    about: 'Change notifications for session lists.',
    methods: {
      find: method(newsWire.find, {
        about:
          'Returns the sessions that changed since the position in the previous response; long-polls if there are none.',
        allow: ['viewer'],
        waits: true,
        act: ({ query: { after, wait } }) => changeNotifications.next(after, wait),
      }),
    },
  };
}
