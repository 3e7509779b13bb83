import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { BatonError } from '@baton/protocol';
import { attachmentsWire } from '@baton/protocol/wire';
import type { AttachmentInfo } from '@baton/store';
import { existingAttachment, existingSession } from '../../access/existing.ts';
import { userIdOf } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

const MAX_MB = 20;
const MAX_BYTES = MAX_MB * 1024 * 1024;
/** A multiple of three, so that the base64 of the parts is that of the whole. */
const PART_BYTES = 3 * 256 * 1024;

/** Files attached to prompts. */
export function attachments({ store }: DaemonContext): ServiceOf<'attachments'> {
  const { attachments: table } = store.records;
  return {
    path: 'attachments',
    about: 'Files attached to prompts.',
    methods: {
      find: method(attachmentsWire.find, {
        about: 'Lists the attachments of a session, without their content.',
        allow: ['viewer'],
        async act({ query: { session_id }, principal }) {
          await existingSession(store, session_id, principal);
          return (await store.attachments(session_id)).map(attachmentRecord);
        },
      }),
      get: method(attachmentsWire.get, {
        about: 'Returns one attachment with its content in base64.',
        allow: ['viewer', 'executor'],
        async act({ id, principal, provider }) {
          const record = attachmentRecord(await existingAttachment(store, id, principal));
          const parts = base64Of(store.attachmentParts(id, PART_BYTES));
          // A client that reads slowly over HTTP gets it part by part, so that little of it waits in memory.
          if (provider === 'rest') return Readable.from(jsonOf(record, parts));
          let data = '';
          for await (const part of parts) data += part;
          return { ...record, data };
        },
      }),
      create: method(attachmentsWire.create, {
        about: `Uploads a file for prompts of a session, up to ${MAX_MB} MB.`,
        allow: ['member'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        async act({ data: { data, ...same }, principal }) {
          await existingSession(store, same.session_id, principal);
          const body = decoded(data);
          const info: AttachmentInfo = {
            attachment_id: randomUUID(),
            ...same,
            bytes: body.length,
            created_by: userIdOf(principal) ?? null,
            created_at: store.now(),
          };
          await table.insert({ ...info, body });
          return attachmentRecord(info);
        },
      }),
      remove: method(attachmentsWire.remove, {
        about: 'Deletes an attachment. Queued prompts that reference it will fail.',
        allow: ['member'],
        async act({ id, principal }) {
          await existingAttachment(store, id, principal);
          await table.remove({ attachment_id: id });
          return { attachment_id: id };
        },
      }),
    },
  };
}

async function* base64Of(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const part of parts) yield Buffer.from(part).toString('base64');
}

/** A record and its data as the text of one JSON object, part by part. */
async function* jsonOf(record: object, data: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${JSON.stringify(record).slice(0, -1)},"data":"`;
  yield* data;
  yield '"}';
}

function decoded(data: string): Buffer {
  const body = Buffer.from(data, 'base64');
  if (body.length > MAX_BYTES) {
    throw new BatonError('usage', `The attachment exceeds the limit of ${MAX_MB} MB.`, {
      hint: 'Put the file in the session folder and mention it in the prompt.',
    });
  }
  // Whatever is not base64 is passed over by the decoder.
  if (body.toString('base64') === data) return body;
  throw new BatonError('usage', 'data.data: invalid base64');
}

function attachmentRecord(info: AttachmentInfo) {
  return { ...info, created_at: moment(info.created_at) };
}
