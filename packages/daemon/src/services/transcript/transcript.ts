import { type ChangedFile, ChangedFiles } from '@baton/protocol';
import { type ChangedFileRecord, transcriptWire } from '@baton/protocol/wire';
import { existingSession } from '../../access/existing.ts';
import type { DaemonContext } from '../../context.ts';
import { MAX_PAGE_CHARACTERS } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** Sessions as people see them. */
export function transcript({ store }: DaemonContext): ServiceOf<'transcript'> {
  return {
    path: 'transcript',
    about: 'The transcript of a session as entries, up to a cursor. Apply later events to it.',
    methods: {
      find: method(transcriptWire.find, {
        about:
          'Returns the last entries of a session, or those before a cursor, oldest first, and which earlier entries may still change.',
        allow: ['viewer'],
        async act({ query: { session_id, before, limit }, principal }) {
          await existingSession(store, session_id, principal);
          const query = { before, limit, maxCharacters: MAX_PAGE_CHARACTERS };
          const { hasEarlier, ...part } = await store.transcript(session_id, query);
          return { ...part, has_earlier: hasEarlier };
        },
      }),
      changes: method(transcriptWire.changes, {
        about:
          'Returns the files changed in a session, each with its changes in order. Long diffs and long lists are truncated; the entry at the cursor has everything.',
        allow: ['viewer'],
        async act({ data: { session_id, brief }, principal }) {
          const { cwd, head_cursor } = await existingSession(store, session_id, principal);
          const changed = new ChangedFiles(cwd);
          for await (const entry of store.fileEntries(session_id)) changed.take(entry);
          const files = changed.list().map(changedFileRecord);
          return {
            files: brief ? files.map((file) => ({ ...file, changes: [] })) : files,
            cursor: head_cursor,
          };
        },
      }),
    },
  };
}

/** Shows a file that a session changed as services do. */
function changedFileRecord(file: ChangedFile): ChangedFileRecord {
  const { path, oldPath = null, kind, added, removed, pieces } = file;
  const changes = pieces.map(({ taskId = null, diff = null, ...same }) => ({
    ...same,
    task_id: taskId,
    diff,
  }));
  return { path, old_path: oldPath, kind, added, removed, changes };
}
