import type { BatonClient } from '@baton/client';
import { type Entry, type LogEvent, markdownOf, type SessionRecord } from '@baton/protocol';

const PAGE = 1000;

/** Saves the transcript of a session as Markdown. */
export async function downloadMarkdown(client: BatonClient, session: SessionRecord): Promise<void> {
  const { session_id } = session;
  const entries: Entry[] = [];
  for (let before: number | undefined; ; ) {
    const place = before === undefined ? {} : { before };
    const page = await client.transcript.find({ session_id, limit: PAGE, ...place });
    entries.unshift(...page.entries);
    before = page.entries[0]?.cursor;
    if (!page.has_earlier) break;
  }
  const attachments = await client.attachments.find({ session_id });
  save(`${nameOf(session)}.md`, 'text/markdown', [markdownOf(session, entries, attachments)]);
}

/** Saves all events of a session, one in each line. */
export async function downloadEvents(client: BatonClient, session: SessionRecord): Promise<void> {
  const lines: string[] = [];
  for (let after = 0; ; ) {
    const { events } = await client.events.find({
      session_id: session.session_id,
      after,
      limit: PAGE,
    });
    lines.push(...events.map((event: LogEvent) => `${JSON.stringify(event)}\n`));
    after = events.at(-1)?.cursor ?? after;
    if (events.length === 0) break;
  }
  save(`${nameOf(session)}.jsonl`, 'application/jsonl', lines);
}

function save(name: string, type: string, parts: string[]): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function nameOf({ title, session_id }: SessionRecord): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-').slice(0, 60) || session_id;
}
