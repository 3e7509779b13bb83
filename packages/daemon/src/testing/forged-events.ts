import { EVENT_SOURCES, EVENT_TYPES, type EventSource, SESSION_EVENT_TYPES } from '@baton/protocol';

/** The place of the task that the events are forged for. */
type ForgedPlace = { taskId: string; ownerId: string };

/** An event that an executor must not be able to write into the log of its session. */
type Forgery = { what: string; event(place: ForgedPlace): object };

/** Fields that an attacker would put into an event of each type that belongs to the daemon. */
const FIELDS: Readonly<Record<string, (place: ForgedPlace) => object>> = {
  'session.created': ({ ownerId }) => ({
    by: ownerId,
    cwd: '/',
    backend: 'demo',
    permissionMode: 'allow-all',
    title: 'Forged',
  }),
  'session.changed': ({ ownerId }) => ({ by: ownerId, changes: { permissionMode: 'allow-all' } }),
  'prompt.queued': ({ ownerId }) => ({
    by: ownerId,
    prompt: 'Forged',
    backend: 'demo',
    permissionMode: 'allow-all',
  }),
  'prompt.edited': ({ ownerId }) => ({ by: ownerId, prompt: 'Forged' }),
  'task.started': () => ({ executorId: 'another', host: 'h' }),
  'task.narrowed': ({ ownerId }) => ({
    by: ownerId,
    executorId: 'another',
    from: 'ask',
    permissionMode: 'allow-all',
  }),
  'task.widened': ({ ownerId }) => ({ by: ownerId, from: 'ask', permissionMode: 'allow-all' }),
  'task.requeued': () => ({ executorId: 'another', failedStarts: 0, lastStartedAt: 0 }),
  'task.lost': () => ({ executorId: 'another' }),
  'task.paused': () => ({ executorId: 'another' }),
  'task.resumed': () => ({ requestIds: [] }),
  'answer.given': ({ ownerId }) => ({
    by: ownerId,
    requestId: 'r',
    answer: { decision: 'allow', scope: 'session' },
  }),
  'task.steered': ({ ownerId }) => ({ by: ownerId, text: 'Forged' }),
  'stop.requested': ({ ownerId }) => ({ by: ownerId, reason: 'Forged' }),
  'queue.paused': ({ ownerId }) => ({ by: ownerId }),
  'queue.resumed': ({ ownerId }) => ({ by: ownerId }),
  'work.finished': ({ ownerId }) => ({ by: ownerId, action: 'merge', target: 'main' }),
  'session.notice': () => ({ level: 'info', code: 'forged', message: 'Forged' }),
};

const sourceOf = (type: string) => (EVENT_SOURCES as Record<string, EventSource>)[type];

/**
 * Every known way to write an event into the log that an executor may not report. Covers each daemon event type of the
 * schema: a new type without fields here fails.
 */
export const FORGERIES: readonly Forgery[] = [
  ...[...EVENT_TYPES, ...SESSION_EVENT_TYPES]
    .filter((type) => sourceOf(type) !== 'executor')
    .map((type) => {
      const fields = FIELDS[type];
      if (!fields) throw new Error(`Say what a forged event of type "${type}" looks like.`);
      return {
        what: type,
        event: (place: ForgedPlace) => ({ type, taskId: place.taskId, ...fields(place) }),
      };
    }),
  {
    what: 'a malformed answer.given',
    event: () => ({ type: 'answer.given', answer: 5, requestId: null }),
  },
  {
    what: 'a malformed session.changed',
    event: () => ({ type: 'session.changed', changes: 'everything' }),
  },
  { what: 'an unknown type', event: () => ({ type: 'moon.landed' }) },
  { what: 'the type __proto__', event: () => ({ type: '__proto__' }) },
  { what: 'no type', event: () => ({}) },
  {
    what: 'permission.resolved by a person who did not answer',
    event: () => ({ type: 'permission.resolved', requestId: 'r', decision: 'allow', by: 'person' }),
  },
  {
    what: 'permission.resolved by a user id',
    event: ({ ownerId }) => ({
      type: 'permission.resolved',
      requestId: 'r',
      decision: 'allow',
      by: ownerId,
    }),
  },
  {
    what: 'question.resolved by a person who did not answer',
    event: () => ({
      type: 'question.resolved',
      requestId: 'r',
      answers: { a: ['yes'] },
      by: 'person',
    }),
  },
];
