import type { BatonClient } from '@baton/client';

/** The ids of files that the daemon has already, by their session: a prompt that is tried again names the same. */
const kept = new WeakMap<File, Map<string, string>>();

/** Keeps files for the prompts of a session; gives their ids. */
export async function attachFiles(
  client: BatonClient,
  session_id: string,
  files: readonly File[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    const known = kept.get(file) ?? new Map<string, string>();
    const id = known.get(session_id) ?? (await attachFile(client, session_id, file));
    kept.set(file, known.set(session_id, id));
    ids.push(id);
  }
  return ids;
}

async function attachFile(client: BatonClient, session_id: string, file: File): Promise<string> {
  const { attachment_id } = await client.attachments.create({
    session_id,
    name: file.name || 'pasted',
    media_type: file.type || 'application/octet-stream',
    data: await base64(file),
  });
  return attachment_id;
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`Couldn’t read ${file.name}.`));
    reader.readAsDataURL(file);
  });
}
