import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';

/** The attachments of a prompt as files, as if they had just been selected. */
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
    // The attachment may have been deleted since.
    if (BatonError.is(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}
