import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';

/** The files that went along with a prompt, as if somebody had just chosen them. */
export async function attachedFiles(client: BatonClient, ids: readonly string[]): Promise<File[]> {
  const files = await Promise.all(ids.map((id) => attachedFile(client, id)));
  return files.filter((file) => file !== undefined);
}

async function attachedFile(client: BatonClient, id: string): Promise<File | undefined> {
  try {
    const { name, media_type, data } = await client.attachments.get(id);
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new File([bytes], name, { type: media_type });
  } catch (error) {
    // It may have been removed since.
    if (BatonError.is(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}
