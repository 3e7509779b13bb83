import { randomUUID } from 'node:crypto';
import { BatonError, reviewPrompt } from '@baton/protocol';
import { reviewCommentsWire } from '@baton/protocol/wire';
import type { ReviewCommentRow } from '@baton/store';
import { existingSession } from '../../access/existing.ts';
import { type Principal, userIdOf } from '../../access/principal.ts';
import { queuePrompt } from '../../commands/queue-prompt.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** Number of comments of a session; more would not fit into a prompt. */
const MOST = 500;

/** Comments of people on the changes of sessions. */
export function reviewComments({ store }: DaemonContext): ServiceOf<'review-comments'> {
  const { reviewComments: table } = store.records;
  return {
    path: 'review-comments',
    about: 'Comments on lines of a change, which are drafts until they are sent to the agent.',
    methods: {
      find: method(reviewCommentsWire.find, {
        about: 'Lists the comments of a session, oldest first.',
        allow: ['viewer'],
        async act({ query: { session_id }, principal }) {
          await existingSession(store, session_id, principal);
          return (await commentsOf(session_id)).map(commentRecord);
        },
      }),
      create: method(reviewCommentsWire.create, {
        about: 'Writes a draft of a comment on a line, on several lines, or on a file.',
        allow: ['member'],
        async act({ data, principal }) {
          const { session_id } = data;
          await existingSession(store, session_id, principal);
          if ((await table.count({ session_id })) >= MOST) {
            throw new BatonError('usage', `A session has at most ${MOST} comments.`, {
              hint: 'Delete those that are resolved.',
            });
          }
          const now = store.now();
          const row = {
            ...data,
            comment_id: randomUUID(),
            created_by: userIdOf(principal) ?? null,
            created_at: now,
            updated_at: now,
            task_id: null,
            sent_at: null,
            resolved_by: null,
            resolved_at: null,
          };
          return commentRecord(await table.insert(row));
        },
      }),
      patch: method(reviewCommentsWire.patch, {
        about: 'Changes the text of a draft, or marks a comment as resolved.',
        allow: ['member'],
        async act({ id, data: { text, is_resolved }, principal }) {
          const comment = await existing(id, principal);
          if (text !== undefined && comment.task_id !== null) {
            throw new BatonError('conflict', 'The comment was sent; its text cannot be changed.', {
              hint: 'Write another one.',
            });
          }
          const now = store.now();
          const by = userIdOf(principal) ?? null;
          await table.update(
            { comment_id: id },
            {
              updated_at: now,
              ...(text === undefined ? {} : { text }),
              ...(is_resolved === undefined
                ? {}
                : {
                    resolved_by: is_resolved ? by : null,
                    resolved_at: is_resolved ? now : null,
                  }),
            },
          );
          return commentRecord(await existing(id, principal));
        },
      }),
      remove: method(reviewCommentsWire.remove, {
        about: 'Deletes a comment.',
        allow: ['member'],
        async act({ id, principal }) {
          await existing(id, principal);
          await table.remove({ comment_id: id });
          return { comment_id: id };
        },
      }),
      send: method(reviewCommentsWire.send, {
        about: 'Sends drafts to the agent of the session, together in one prompt.',
        allow: ['member'],
        async act({ data, principal }) {
          const { session_id, comment_ids, message, task_id: wanted } = data;
          await existingSession(store, session_id, principal);
          const all = await commentsOf(session_id);
          const drafts = all.filter(
            ({ task_id, comment_id }) =>
              // A request that is repeated finds its comments sent, or half of them.
              (task_id === null || task_id === wanted) &&
              (comment_ids?.includes(comment_id) ?? true),
          );
          const missing = comment_ids?.find(
            (id) => !drafts.some(({ comment_id }) => comment_id === id),
          );
          if (missing !== undefined) {
            throw new BatonError('not_found', `There is no draft "${missing}" in this session.`);
          }
          if (drafts.length === 0) {
            throw new BatonError('usage', 'There are no comments to send.', {
              hint: 'Write a comment on a line of the change first.',
            });
          }
          const by = userIdOf(principal);
          const task_id = await queuePrompt(store, session_id, {
            by,
            prompt: reviewPrompt(drafts.map(placed), message),
            taskId: wanted,
          });
          const now = store.now();
          for (const { comment_id } of drafts) {
            await table.update({ comment_id }, { task_id, sent_at: now, updated_at: now });
          }
          return { task_id };
        },
      }),
    },
  };

  function commentsOf(session_id: string): Promise<ReviewCommentRow[]> {
    return table.find({ where: { session_id }, orderBy: ['created_at', 'asc'] });
  }

  async function existing(id: string, principal: Principal): Promise<ReviewCommentRow> {
    const comment = await table.get(id);
    if (!comment) throw new BatonError('not_found', `Comment "${id}" not found.`);
    await existingSession(store, comment.session_id, principal);
    return comment;
  }
}

function placed({ side, ...comment }: ReviewCommentRow) {
  return { ...comment, side: side === 'old' ? ('old' as const) : ('new' as const) };
}

function commentRecord(row: ReviewCommentRow) {
  const { created_at, sent_at, resolved_at, updated_at: _, ...same } = placed(row);
  const time = (at: number | null) => (at === null ? null : moment(at));
  return {
    ...same,
    created_at: moment(created_at),
    sent_at: time(sent_at),
    resolved_at: time(resolved_at),
  };
}
