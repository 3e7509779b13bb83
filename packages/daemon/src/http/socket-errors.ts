import { MethodNotAllowed } from '@feathersjs/errors';
import type { Logger } from 'pino';
import type { Socket } from 'socket.io';
import { isForCallers, shownError } from '../service/errors.ts';

type Answer = (error: unknown, ...result: unknown[]) => void;

/** Lets every call over a socket have its answer: errors in the form of all others, also where no method has that name. */
export function answerErrors(
  socket: Pick<Socket, 'use'>,
  { names, log }: { names: ReadonlySet<string>; log: Logger },
): void {
  socket.use((packet, next) => {
    const answer: unknown = packet.at(-1);
    if (typeof answer === 'function') packet.splice(-1, 1, inOneForm(answer as Answer, log));
    const [name] = packet;
    if (names.has(name)) next();
    else if (typeof answer === 'function') {
      answer(shownError(new MethodNotAllowed(`Unknown method "${name}".`)));
    }
  });
}

function inOneForm(answer: Answer, log: Logger): Answer {
  return (error, ...result) => {
    if (!error) return answer(error, ...result);
    if (!isForCallers(error)) log.error({ err: error }, 'A call over a socket failed.');
    answer(shownError(error));
  };
}
